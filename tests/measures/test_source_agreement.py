"""Agreement of judges who give scores, of runs, and of people: by hand, and against plain loops."""

import json
import math
import random
import re

import pytest
from plain.awkward import GENERATORS, JUDGES
from plain.awkward_orders import GENERATORS as WRITERS
from plain.awkward_orders import awkward_orders
from plain.awkward_pairs import RATERS, awkward_pairs_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.pair_builders import G, O, T, both_orders, rate
from plain.sources import human_ceiling, reference_agreement

from engine import open_study
from engine.arrays.slicing.group_by import single_view
from engine.arrays.truths.gold_panels import ReferencePanels
from engine.errors import UsageError
from engine.explore.verdict_grid import verdict_grid
from engine.importers.formats.exchange import import_tidy
from engine.slices import Slice
from engine.store import Store
from engine.study import Study

FEW = {"resamples": 0}


def score(study, judge, value, instance, ordering="1-2-3-4-5", **rest):
    study.add(
        "judgments",
        judge=judge,
        paradigm="score_rubric",
        instance_id=instance,
        generator="A",
        rubric_id="k0",
        ordering=ordering,
        score=value,
        **rest,
    )


def scored():
    """J's scores of four items and a person's; the first was asked in two orderings, in one of them twice."""
    study = study_of("J:F K:G A:H", instances=4)
    for i, (value, human) in enumerate(((None, 2), (4, 4), (5, 4), (1, 2))):
        study.add(
            "references", instance_id=f"x{i}", generator="A", rubric_id="k0", source="human:a", score=human
        )
        if value is not None:
            score(study, "J", value, f"x{i}")
        score(study, "K", human, f"x{i}")
    score(study, "J", 1, "x0", trial=0)
    score(study, "J", 2, "x0", trial=1)
    score(study, "J", 3, "x0", ordering="5-4-3-2-1")
    return study


def test_a_judge_of_score_rubrics_is_compared_with_people(load):
    row = one(
        load(scored()).result("reference-agreement", a="judge:J", b="human:a", **FEW).rows, kind="score"
    )

    # x0: ((1 + 2) / 2 + 3) / 2 = 2.25. Differences .25, 0, 1, 1.
    assert row["n"] == 4
    assert row["mean_difference"] == pytest.approx(2.25 / 4)
    assert row["within"] == [0.25, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]
    # Deviations -.8125 .9375 1.9375 -2.0625 and -1 1 1 -1: 5.75 / sqrt(9.546875 * 4).
    assert row["pearson"] == pytest.approx(5.75 / math.sqrt(9.546875 * 4))


def test_one_ordering_or_the_first_repeat_can_be_requested(load):
    study = load(scored())

    def difference(**options):
        rows = study.result("reference-agreement", a="judge:J", b="human:a", **FEW, **options).rows
        return rows[0]["mean_difference"]

    # x0 is 1.5 in the ordering 1..5; with the first repeat ((1) + 3) / 2 = 2.
    assert difference(ordering="1-2-3-4-5") == pytest.approx(2.5 / 4)
    assert difference(repeats="first") == pytest.approx(2 / 4)


def test_two_quality_judges_are_compared_by_their_means_over_five_dimensions(load):
    study = study_of("J:F A:G B:H R:Q S:S", instances=2)
    for i in range(2):
        rate(study, "R", {"A": 6, "B": 7}, f"x{i}")
        rate(study, "S", {"A": 6 + i, "B": 7.5}, f"x{i}")
    dropped = next(row for row in study.judgments if (row["judge"], row["generator"]) == ("S", "A"))
    study.judgments.remove(dropped)

    options = {"a": "judge:R", "b": "judge:S", "paradigm": "quality"}
    row = one(load(study).result("reference-agreement", **options, **FEW).rows, kind="score")

    # A on x0 lacks a dimension. Left: .5 and .5 of B, 1 of A.
    assert row["n"] == 3
    assert row["within"] == pytest.approx([0, 0, 2 / 3, 1, 1, 1, 1])


def test_a_score_of_a_response_is_never_matched_with_one_of_a_rubric(load):
    study = scored()
    for i in range(4):
        study.add(
            "judgments",
            judge="J",
            paradigm="direct_assessment",
            instance_id=f"x{i}",
            generator="A",
            score=0.5,
        )

    options = {"a": "judge:J", "b": "human:a", "paradigm": "direct_assessment"}
    result = load(study).result("reference-agreement", **options, **FEW)

    assert result.rows == []
    assert result.reason == "no two of these sources cover the same item"


def test_where_nothing_is_shared_a_command_compares_two_sources_that_share_items(spb_here):
    reason = open_study("results/demo-health").result("reference-agreement", **FEW).reason
    command = re.search(r"spb measure reference-agreement demo-health --a \S+ --b \S+", reason)
    call = re.search(r"study\.measure\((.*)\) \(sources: ", reason.in_python())

    assert "judges and runs are compared where both sides are named" in reason
    run = spb_here(*command[0].split()[1:], "--resamples", "0", "--format", "json", "--store", "results")
    assert json.loads(run.stdout)["rows"][0]["n"] > 0
    assert call[1].startswith('"reference-agreement", a="')


def test_a_committee_without_stored_verdicts_is_skipped_unless_it_is_requested():
    study = open_study("results/demo-health")  # one reference, and a committee that is only defined

    result = study.result("reference-agreement", **FEW)

    assert result.rows == []
    assert result.reason.startswith("no two of these sources cover the same item")
    with pytest.raises(
        UsageError, match="defined but has no verdicts; compute them with `spb reference committee`"
    ):
        study.result("reference-agreement", a="committee:four-largest", **FEW)


def test_a_run_is_compared_with_another_of_the_same_judges(load):
    study = study_of("J:F K:G A:H", rubrics=(1, 1), instances=2)
    for run, mets in (("first", ("10", "11")), ("again", ("11", "11"))):
        for i, met in enumerate(mets):
            judge_rubrics(study, "J", "A", met, f"x{i}", run_id=run)
    judge_rubrics(study, "K", "A", "00", "x0", run_id="again")

    options = {"a": "run:first", "b": "run:again"}
    row = one(load(study).result("reference-agreement", **options, **FEW).rows, kind="verdict")

    # K is not in the first run. Three of J's four verdicts are unchanged.
    assert (row["n"], row["agreement"]) == (4, 0.75)
    assert (row["win_rate_a"], row["win_rate_b"]) == (0.75, 1.0)
    assert row["kappa"] == pytest.approx(0.0)


def test_the_human_ceiling_compares_each_person_with_the_majority_of_the_others(load):
    study = study_of("A:G B:H J:F", rubrics=(1, 1, 1))
    for person, mets in (("a", "110"), ("b", "100"), ("c", "111")):
        refer(study, "A", mets, source=f"human:{person}")

    rows = load(study).result("reference-agreement", **FEW).rows

    ceiling = {row["a"]: row for row in rows if row["b"] == "human:others"}
    # Against a: b and c are alike on the first rubric only. Against b: a and c on the first two. Against c:
    # a and b on the first and the third.
    assert [(ceiling[f"human:{p}"]["n"], ceiling[f"human:{p}"]["agreement"]) for p in "abc"] == [
        (1, 1.0),
        (2, 0.5),
        (2, 0.5),
    ]


def test_people_who_compare_responses_have_a_ceiling_too(load):
    study = study_of("A:G B:H J:F", instances=3)
    for person, outcomes in (("a", (1, 1, -1)), ("b", (1, 0, -1)), ("c", (1, 1, 1))):
        for i, outcome in enumerate(outcomes):
            study.add(
                "preferences",
                instance_id=f"x{i}",
                generator="A",
                opponent="B",
                source=f"human:{person}",
                outcome=outcome,
            )

    rows = load(study).result("reference-agreement", a="human:b", b="human:others", **FEW).rows

    # a and c are alike on x0 and x1: 1 and 1, where b says 1 and 0.
    assert (one(rows, kind="outcome")["n"], one(rows, kind="outcome")["agreement"]) == (2, 0.5)


def test_filters_on_models_and_instances_apply_to_every_source(load):
    study = study_of("J:F A:G B:H C:C P:P", instances=4)
    for i in range(4):
        study.instances[i]["category"] = "ab"[i % 2]
        for other in "BC":
            both_orders(study, "J", "A", other, (G, G) if i else (O, T), f"x{i}")
            study.add(
                "preferences", instance_id=f"x{i}", generator="A", opponent=other, source="P", outcome=1
            )
    study = load(study)

    def counted(**options):
        return study.result("reference-agreement", a="P", b="judge:J", **FEW, **options).rows[0]["n"]

    assert counted() == 8
    assert counted(generators=["A", "B"]) == 4
    assert counted(category="a") == 4
    assert counted(category="a", generators=["A", "C"]) == 2


def test_a_rubric_filter_is_refused_if_only_whole_responses_are_compared(load):
    study = study_of("J:F A:G B:H P:P", rubrics=(1, -1))
    both_orders(study, "J", "A", "B", (G, G))
    study.add("preferences", instance_id="x0", generator="A", opponent="B", source="P", outcome=1)

    with pytest.raises(UsageError, match="keeps only some criteria"):
        load(study).result("reference-agreement", a="P", b="judge:J", polarity="negative")


def same(actual, expected):
    if actual is None or expected is None or isinstance(expected, str):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


def assert_alike(study, rows, a, b, options):
    expected, _ = reference_agreement(rows, a, b, **options)

    measured = study.result("reference-agreement", resamples=0, a=a, b=b, **options).rows

    assert [row["kind"] for row in measured] == [row["kind"] for row in expected]
    for ours, theirs in zip(measured, expected, strict=True):
        for field, value in theirs.items():
            if field == "within" and value is not None:
                assert ours[field] == pytest.approx(list(value.values()))
            else:
                assert same(ours[field], value), (field, ours[field], value)
    return len(measured)


def stored(rows, folder):
    rows.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return Study.open(folder / "store" / "awkward")


@pytest.mark.parametrize("seed", range(3))
def test_scores_equal_the_plain_second_implementation(tmp_path, seed):
    rows = awkward_orders(random.Random(seed))
    study = stored(rows, tmp_path)
    judges = sorted({row["judge"] for row in rows.judgments if row["paradigm"] == "score_rubric"})

    number = 0
    people = sorted({row["source"] for row in rows.references if row["source"].startswith("human:")})
    for options in ({}, {"repeats": "first"}, {"generators": list(WRITERS[:2])}):
        sources = ("human", f"judge:{judges[1]}", *people)
        for a, b in (*((f"judge:{judges[0]}", source) for source in sources), ("human", people[0])):
            number += assert_alike(study, rows, a, b, {"paradigm": "score_rubric", **options})

    assert number > 3


@pytest.mark.parametrize("seed", range(3))
def test_quality_and_filters_equal_the_plain_second_implementation(tmp_path, seed):
    rows = awkward_pairs_study(random.Random(seed), instances=5)
    study = stored(rows, tmp_path)
    raters = [f"judge:{name}" for name in RATERS]

    assert assert_alike(study, rows, *raters, {"paradigm": "quality"}) == 1
    assert_alike(study, rows, *raters, {"paradigm": "quality", "repeats": "first"})
    for options in ({}, {"generators": list(GENERATORS[:4])}, {"category": ["a"]}):
        try:
            assert_alike(study, rows, "human", f"judge:{JUDGES[0]}", {"paradigm": "pairwise", **options})
        except UsageError:
            assert "category" in options


@pytest.mark.parametrize("seed", range(2))
def test_the_human_ceiling_equals_the_plain_second_implementation(tmp_path, seed):
    rows = awkward_pairs_study(random.Random(seed), instances=6)
    measured = stored(rows, tmp_path).result("reference-agreement", resamples=0).rows
    ours = {row["a"]: row for row in measured if (row["b"], row["kind"]) == ("human:others", "verdict")}

    expected = {row["a"]: row for row in human_ceiling(rows)}

    assert set(ours) == {name for name in expected if name != "human"}
    for name, row in ours.items():
        assert same(row["agreement"], expected[name]["agreement"])
        assert same(row["kappa"], expected[name]["kappa"])


def mixed():
    """A truth of eight criteria stored without a name, Ann's verdicts on four, Ben's on the first two."""
    study = study_of("A:G B:H J:F", rubrics=(1,) * 8)
    refer(study, "A", "11001100", source="human")
    refer(study, "A", "0011", source="human:ann")
    refer(study, "A", "01", source="human:ben")
    return study


def test_a_person_is_not_part_of_the_majority_that_they_are_compared_with(load):
    study = load(mixed())

    def against(a, b):
        row = one(study.result("reference-agreement", a=a, b=b, **FEW).rows)
        return row["n"], row["agreement"], row["tied"]

    # Ann says the contrary of all four, so where Ben is silent the truth alone stands against her. On the
    # first Ben says 0 and the truth 1, a tie; on the second both say 1.
    assert against("human", "human:ann") == (3, 0.0, 1)
    # Ann and the truth are contrary wherever both spoke: nothing is left to compare Ben with.
    assert against("human:ben", "human") == (0, None, 2)
    # Of the labels Ann and Ben tie on the second; 0 on the first, Ann's 1 and 1 on the third and fourth.
    assert against("human", "human:unnamed") == (3, 0.0, 1)


def test_what_is_stored_as_human_has_a_name_of_its_own_beside_persons(load):
    study = load(mixed())

    rows = study.result("reference-agreement", **FEW).rows
    shares = {(row["a"], row["b"]): (row["n"], row["agreement"]) for row in rows}

    assert shares["human:unnamed", "human:ann"] == (4, 0.0)
    assert shares["human:unnamed", "human:ben"] == (2, 0.5)
    assert ("human:unnamed", "human:others") in shares
    # A row of `human` and a person would be that of the person and the others again.
    assert not [pair for pair in shares if "human" in pair]
    assert study.references.sources[:2] == ("human", "human:unnamed")


def test_items_of_people_who_agree_with_nobody_leave_a_row_that_counts_them(load):
    study = study_of("A:G B:H J:F", rubrics=(1, 1))
    for source, mets in (("human:a", "11"), ("human:b", "00"), ("human:c", "10")):
        refer(study, "A", mets, source=source)

    row = one(load(study).result("reference-agreement", a="human:c", b="human:others", **FEW).rows)

    assert (row["n"], row["tied"], row["agreement"], row["kappa"]) == (0, 2, None, None)
    assert row["reasons"]["agreement"] == "undefined_for_these_counts"


def test_ties_of_votes_on_pairs_are_counted_too(load):
    study = study_of("A:G B:H J:F", instances=3)
    for source, outcomes in (("human:a", (1, 1, 1)), ("human:b", (-1, 1)), ("human:c", (1, 1, 1))):
        for i, outcome in enumerate(outcomes):
            study.add(
                "preferences",
                instance_id=f"x{i}",
                generator="A",
                opponent="B",
                source=source,
                outcome=outcome,
            )

    rows = load(study).result("reference-agreement", a="human:c", b="human:others", **FEW).rows

    # a and b differ on x0 and are alike on x1; on x2 a is alone.
    assert [(row["kind"], row["n"], row["tied"]) for row in rows] == [("outcome", 2, 1)]


def test_a_reference_without_a_name_is_addressed_wherever_a_source_is(load):
    study = mixed()
    judge_rubrics(study, "J", "A", "11111111")
    alone = study_of("A:G B:H J:F", rubrics=(1,) * 8)
    refer(alone, "A", "11001100", source="human")
    judge_rubrics(alone, "J", "A", "11111111")
    mixed_study, truth = load(study), load(alone, "truth")

    def correct(of, source):
        row = one(of.result("accuracy", reference=source, **FEW).rows)
        return row["mra_correct"], row["mra_total"]

    # The truth has four of eight met. Of all three the first is not met (1 0 0), the second is (1 0 1), the
    # third and fourth are ties, and the truth alone speaks of the others: three of six.
    assert correct(mixed_study, "human:unnamed") == (4, 8)
    assert correct(truth, "human") == correct(truth, "human:unnamed") == (4, 8)
    assert correct(mixed_study, "human") == (3, 6)
    with pytest.raises(UsageError, match="choose from: human, human:unnamed, human:ann, human:ben"):
        correct(mixed_study, "human:other")
    assert truth.references.sources == ("human",)


def test_a_person_of_that_name_keeps_it(load):
    study = study_of("A:G B:H J:F", rubrics=(1, 1))
    refer(study, "A", "11", source="human")
    refer(study, "A", "00", source="human:unnamed")

    row = one(load(study).result("reference-agreement", **FEW).rows)

    assert (row["a"], row["b"]) == ("human:unnamed-1", "human:unnamed")
    assert (row["win_rate_a"], row["win_rate_b"]) == (1.0, 0.0)


def test_scores_without_a_name_are_the_mean_of_nobody_else(load):
    study = scored()
    for i in range(4):
        study.add("references", instance_id=f"x{i}", generator="A", rubric_id="k0", source="human", score=5)

    rows = load(study).result("reference-agreement", a="human", b="human:a", **FEW).rows

    # The person's 2 4 4 2 against 5 alone: 3 + 1 + 1 + 3 over four.
    assert one(rows, kind="score")["mean_difference"] == pytest.approx(2.0)


def test_the_grid_of_a_question_shows_the_reference_that_people_make_together(load):
    study = mixed()
    judge_rubrics(study, "J", "A", "11111111")
    study = load(study)

    def references(source):
        grid = verdict_grid(study, Slice.of(reference=source), "x0", None)
        return {row.rubric_id: row.reference for row in grid.rows if row.rubric_id in ("k0", "k1", "k2")}

    # Of three votes 1 0 0, then 1 0 1; of two 0 1, a tie. The truth alone says 1, 1 and 0.
    assert references("human") == {"k0": "failed", "k1": "passed", "k2": None}
    assert references("human:unnamed") == {"k0": "passed", "k1": "passed", "k2": "failed"}


def test_a_truth_without_a_name_is_one_of_the_panel_of_people(load):
    study = mixed()
    judge_rubrics(study, "J", "A", "11111111")
    study = load(study)

    def panel(source):
        request = Slice.of(reference=source)
        return ReferencePanels.of(single_view(study, request, None, ("single_rubric",))).sources

    assert panel("human") == ("human:unnamed", "human:ann", "human:ben")
    assert panel("human:unnamed") == ("human:unnamed",)
