"""`scorecard`: drawn studies, uninformative ones, and the published one (MEASURES section 16)."""

import functools
import itertools
import random
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from benchmarks.claims.judges import Judges
from benchmarks.claims.rubrics import RubricStudies
from benchmarks.claims.scores import ScoreStudies
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.published import STUDY, needs_published_study

from engine.errors import UsageError
from engine.explore.doctor import examine
from engine.importers.formats.exchange import import_tidy
from engine.report.report_figures import board_of
from engine.shipped_files import RESULTS
from engine.stats.intervals.jackknife import Estimates
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study
from engine.views.judges import shown_of_scorecard
from engine.views.summaries import summary_of
from engine.words.labelled_cases import beyond_the_reference
from engine.words.without_effect import without_effect

NOTHING_CLAIMED = {"not_shown", "too_few_cases"}


def of_judges(study, **options):
    """Return the rows of single judges, without the first, of the judges together."""
    first, *rows = study.result("scorecard", **options).rows
    assert first["judge"] is None
    return rows


def drawn_study(families="ABCDE", instances=40, own=0.9, base=0.4, seed=3, reference="0", met=None):
    """Return a study in which m0 credits its own failures at a different rate from all others."""
    rng = np.random.default_rng(seed)
    names = [f"m{i}" for i in range(len(families))]
    plain = study_of(
        models=" ".join(f"{name}:{family}" for name, family in zip(names, families, strict=True)),
        rubrics=(1,),
        instances=instances,
    )
    for i in range(instances):
        for generator in names:
            if reference:
                refer(plain, generator, reference, f"x{i}")
            for judge in names:
                rate = own if judge == generator == "m0" else base
                verdict = str(int(rng.random() < rate)) if met is None else met
                judge_rubrics(plain, judge, generator, verdict, f"x{i}")
    return plain


def test_only_the_planted_judge_is_found(load):
    rows = load(drawn_study()).result("scorecard").rows

    assert {row["judge"] for row in rows if row["conclusion"] == "favours_itself"} == {"m0"}
    row = one(rows, judge="m0")
    assert (row["decided_by"], row["truth"], row["n_own"], row["placebo_rank"]) == (
        "odds_self",
        "failed",
        40,
        1,
    )
    assert row["low"] < row["estimate"] < row["high"]
    assert row["bound_low"] == row["bound_high"] == row["estimate"]
    assert 1 < row["tipping"] <= 40


def test_the_order_of_rows_changes_no_tipping(load):
    plain = drawn_study()
    tipping = one(load(plain).result("scorecard").rows, judge="m0")["tipping"]

    for seed in range(3):
        for table in (plain.instances, plain.rubrics, plain.judgments):
            random.Random(seed).shuffle(table)
        assert one(load(plain, f"shuffled{seed}").result("scorecard").rows, judge="m0")["tipping"] == tipping


@functools.cache
def card_of(study):
    """Return the scorecard of a demonstration, computed once."""
    return Study.open(RESULTS / study).result("scorecard")


@pytest.mark.parametrize("study", ["demo-health", "demo-pairs"])
def test_judgments_without_a_verdict_are_counted_as_left_out(study):
    files = Store(RESULTS).open(study)
    card = card_of(study)
    judgments = files.table("judgments")
    alike = [pc.equal(judgments[name], card.filters[name]) for name in ("paradigm", "variant")]
    statuses = judgments.filter(pc.and_(*alike))["status"].to_pylist()

    for status in ("unparsed", "refused", "error"):
        assert card.left_out[status] == statuses.count(status)
    assert card.left_out["unparsed"] > 0


def test_with_many_judges_tipping_is_computed_for_the_chosen_ones(load, monkeypatch):
    study = load(drawn_study())
    of_few = one(study.result("scorecard").rows, judge="m0")
    monkeypatch.setattr("engine.measures.scorecard.scorecard_caveats.MOST_REFITTED", 4)

    of_all = one(study.result("scorecard").rows, judge="m0")
    alone = one(study.result("scorecard", judges=["m0"]).rows, judge="m0")

    assert of_all["reasons"]["tipping"] == of_all["reasons"]["bound_low"] == "many_judges"
    assert (of_all["conclusion"], of_all["p_adjusted"]) == (of_few["conclusion"], of_few["p_adjusted"])
    assert alone["tipping"] == of_few["tipping"]


@pytest.mark.parametrize("measure", ["scorecard", "outside", "expected", "best-of-n"])
def test_p_values_adjusted_over_all_judges_do_not_depend_on_which_are_shown(load, measure):
    plain = drawn_study(families="ABCDE", own=0.6)
    for i, row in enumerate(plain.references):
        row["met"] = measure == "best-of-n" and i % 7 == 0
    study = load(plain)
    of_all = one(study.result(measure).rows, judge="m1")
    [alone] = [row for row in study.result(measure, judges=["m1"]).rows if row["judge"] is not None]

    adjusted = {name for name in of_all if name.endswith("_adjusted") and of_all[name] is not None}
    assert adjusted
    assert {name: alone[name] for name in adjusted} == {name: of_all[name] for name in adjusted}


def test_with_many_verdicts_tipping_is_computed_only_in_a_slice(load, monkeypatch):
    study = load(drawn_study())
    of_few = one(study.result("scorecard").rows, judge="m0")
    monkeypatch.setattr("engine.measures.scorecard.scorecard_caveats.MOST_CELLS_REFITTED", 100)

    of_many = one(study.result("scorecard").rows, judge="m0")

    assert of_few["tipping"] is not None
    assert (of_many["tipping"], of_many["reasons"]["tipping"]) == (None, "many_verdicts")
    assert of_many["bound_low"] == of_few["bound_low"]


@pytest.mark.parametrize(
    ("design", "reason"),
    [
        ({"families": "A"}, {"no_others"}),
        ({"families": "AAA"}, {"no_others"}),
        ({"families": "ABC", "reference": "1", "own": 0.4}, {"not_detectable", "undecided"}),
        ({"families": "AB"}, {"fewer_than_three_judges_or_one_family"}),
        ({"families": "ABC", "met": "1"}, {"all_differences_alike"}),
        ({"families": "ABC", "met": "0"}, {"all_differences_alike"}),
        ({"families": "ABCDE", "instances": 8, "own": 0.4}, {"few_instances"}),
    ],
)
def test_a_study_without_a_conclusion_says_why(load, design, reason):
    rows = of_judges(load(drawn_study(**design)))

    assert len(rows) == len(design["families"])
    assert {row["conclusion"] for row in rows} <= NOTHING_CLAIMED
    assert {row["reason"] for row in rows} <= reason


def test_generators_that_never_judge_have_no_row(load):
    plain = study_of(models="F:1 G:2 H:3", rubrics=(1,), instances=12)
    for i in range(12):
        refer(plain, "F", "0", f"x{i}")
        for judge in "GH":
            judge_rubrics(plain, judge, "F", "1", f"x{i}")

    result = load(plain).result("scorecard")

    assert result.rows == []
    assert result.reason == "no judge has judged its own answers in this slice"


def test_crediting_all_own_failures_where_others_credit_none_is_not_claimed(load):
    rows = load(drawn_study(own=1.0, base=0.0)).result("scorecard").rows

    row = one(rows, judge="m0")
    assert (row["decided_by"], row["estimate"]) == ("bonus_outside", 100)
    assert (row["conclusion"], row["reason"]) == ("too_few_cases", "all_differences_alike")


@pytest.mark.parametrize("met", [True, False])
def test_verdicts_missing_on_others_responses_by_what_they_would_be_withdraw_a_conclusion(load, met):
    study = drawn_study(own=0.5, base=0.5, instances=150)
    others = [r for r in study.judgments if r["judge"] == "m0" != r["generator"] and r["met"] == met]
    for each in others[: len(others) * 3 // 4]:
        each |= {"status": "refused", "met": None}

    row = one(load(study).result("scorecard").rows, judge="m0")

    assert row["p_adjusted"] < 0.05
    assert (row["conclusion"], row["reason"]) == ("not_shown", "missing_verdicts")
    assert "missing_verdicts" in row["cautions"]


@pytest.mark.parametrize(
    ("lenient", "concluded"),
    [("everybody", ("overrates_itself", "same_items")), ("itself", ("favours_itself", None))],
)
@pytest.mark.parametrize("together", [20, 4])
def test_a_judge_as_lenient_with_others_where_its_own_failed_does_not_favour_itself(
    load, monkeypatch, lenient, concluded, together
):
    monkeypatch.setattr("engine.arrays.bits.same_items.MOST_TOGETHER", together)
    rng, names = np.random.default_rng(8), [f"m{i}" for i in range(6)]
    study = study_of(models=" ".join(f"{name}:{name}" for name in names), rubrics=(1,), instances=150)
    for i in range(150):
        failed = {name: rng.random() < 0.3 for name in names}
        for generator in names:
            refer(study, generator, str(int(not failed[generator])), f"x{i}")
            for judge in names:
                unlike = judge == "m0" and failed["m0"] and (lenient == "everybody" or generator == "m0")
                verdict = rng.random() < (0.9 if unlike else 0.5)
                judge_rubrics(study, judge, generator, str(int(verdict)), f"x{i}")

    row = one(load(study).result("scorecard").rows, judge="m0")

    assert row["p_adjusted"] < 0.05
    assert (row["conclusion"], row["reason"]) == concluded


@pytest.mark.parametrize(("families", "warns"), [("ABC", True), ("ABCD", False)])
def test_a_claim_among_three_judges_warns_that_discernment_is_not_measured(load, families, warns):
    rows = load(drawn_study(families, own=0.95, instances=80)).result("scorecard").rows

    row = one(rows, judge="m0")
    assert row["conclusion"] in ("favours_itself", "overrates_itself")
    assert ("discernment_untold" in row["cautions"]) == warns
    assert not any("discernment_untold" in other["cautions"] for other in rows if other is not row)


@pytest.mark.parametrize(("models", "generators"), [(8, 2), (3, None)])
def test_a_judge_that_sees_less_is_not_said_to_be_harder_on_itself_where_few_others_answer(
    tmp_path, models, generators
):
    judges = Judges(models=models, generators=generators, appeal=2.0, discernment=0.3)
    study = stored(RubricStudies(judges).draw(np.random.default_rng(3)), tmp_path)

    row = one(study.result("scorecard").rows, judge="m00")

    assert row["p_adjusted"] < 0.05
    assert row["high_plain"] < 1
    assert (row["conclusion"], row["reason"]) == ("not_shown", "discernment")
    assert row["low"] < 1 < row["high"]


def test_a_judge_that_favours_itself_is_found_where_one_other_model_answers(tmp_path):
    judges = Judges(models=8, generators=2, planted=1.5)
    study = stored(RubricStudies(judges).draw(np.random.default_rng(3)), tmp_path)

    row = one(study.result("scorecard").rows, judge="m00")

    assert row["conclusion"] == "favours_itself"
    assert row["cautions"] == [
        "few_families",
        "discernment_untold",
    ]  # two families answer


def judge_with_a_taste(models=12, instances=100):
    """Return a study in which m0 passes long responses more often; its own are the longest, unbiased."""
    names, rng = [f"m{i}" for i in range(models)], np.random.default_rng(11)
    study = study_of(models=" ".join(f"{name}:{name}" for name in names), rubrics=(1,), instances=instances)
    likings = dict(zip(names, (1.2, *(0.7 * (-1) ** place for place in range(models - 1))), strict=True))
    for i in range(instances):
        for generator in names:
            refer(study, generator, "0", f"x{i}")
            for judge in names:
                odds = np.exp(likings[generator] * (judge == "m0"))
                judge_rubrics(study, judge, generator, str(int(rng.random() < odds / (1 + odds))), f"x{i}")
    return study


def test_a_judge_that_likes_some_of_others_responses_as_much_as_its_own_does_not_favour_itself(load):
    row = one(load(judge_with_a_taste()).result("scorecard").rows, judge="m0")

    assert row["p_adjusted"] < 0.05 < row["p_tastes_adjusted"]
    assert row["low"] > 1 > row["low_tastes"]
    assert (row["conclusion"], row["reason"]) == ("overrates_itself", "within_tastes")


@pytest.mark.parametrize(("families", "warns"), [("ABCDEF", False), ("ABCDE", True), ("ABCD", False)])
def test_a_claim_among_few_families_warns_of_tastes_that_they_share(load, families, warns):
    row = one(load(drawn_study(families, own=0.95, instances=80)).result("scorecard").rows, judge="m0")

    assert row["conclusion"] in ("favours_itself", "overrates_itself")
    assert ("few_families" in row["cautions"]) == warns  # four judges: their tastes are assumed anyway
    assert ("tastes_assumed" in row["cautions"]) == (len(families) < 5)


def test_judges_without_answers_do_not_make_families_many(load):
    study, rng = drawn_study("ABCDE", own=0.95, instances=80), np.random.default_rng(4)
    for judge in ("n0", "n1"):
        study.add("models", model=judge, family=judge)
        for i, generator in itertools.product(range(6), range(5)):
            judge_rubrics(study, judge, f"m{generator}", str(rng.integers(2)), f"x{i}")

    row = one(load(study).result("scorecard").rows, judge="m0")

    assert row["conclusion"] in ("favours_itself", "overrates_itself")
    assert "few_families" in row["cautions"]


def test_a_level_and_scores_that_change_no_conclusion_are_named(load):
    loaded = load(drawn_study(reference="0"))

    def said_of(**filters):
        return [*map(str, without_effect(loaded.result("scorecard", **filters)))]

    assert said_of(level="instance", scores="uniform") == [
        "--level, --scores change no conclusion here: that rests on verdicts on single criteria."
    ]
    assert said_of(level="rubric") == []
    assert said_of(reference="none", decide="bonus_outside", scores="uniform") == []
    assert said_of(reference="none", decide="bonus_outside", level="rubric") == [
        "--level changes no conclusion here: that rests on scores of answers."
    ]


def test_a_reference_on_few_verdicts_is_said_also_where_one_judge_is_concluded_on(load):
    study = drawn_study(reference="", own=0.95, instances=100)
    for generator, i in itertools.product(range(5), range(40)):
        refer(study, f"m{generator}", "0", f"x{i}")
    loaded = load(study)
    result = loaded.result("scorecard")

    assert one(result.rows, judge="m0")["conclusion"] in ("favours_itself", "overrates_itself")
    [remark] = beyond_the_reference(loaded, result)
    board = board_of(loaded)

    # Of 100 questions, each with 5 answers and 5 judges, 40 have a reference: 1,000 of 2,500 verdicts.
    assert "says nothing of 1,500 of 2,500 verdicts" in remark
    assert board is not None
    assert any("1,500 of 2,500 verdicts" in sentence for sentence in board.sentences)


@pytest.mark.parametrize("people", [(), ("human:ann",)])
def test_where_the_reference_says_little_ways_to_a_conclusion_are_named(load, people):
    study = drawn_study(reference="")
    for source, generator, i in itertools.product(("program", *people), range(5), range(6)):
        refer(study, f"m{generator}", "0", f"x{i}", source)
    loaded = load(study)

    [remark] = beyond_the_reference(loaded, loaded.result("scorecard"))

    # Of 40 questions, each with 5 answers and 5 judges, 6 have a reference: 150 of 1,000 verdicts.
    assert remark == (
        "The reference (program) says nothing of 850 of 1,000 verdicts. Conclusions without a reference: "
        "--reference none" + "".join(f"; by another reference: --reference {name}" for name in people) + "."
    )
    assert beyond_the_reference(loaded, loaded.result("scorecard", reference="none")) == []


def families_with_weak_themes(lenient, instances=120):
    """Return a study of four families, each of which fails most on two of eight themes.

    On these its judges pass more, whoever answers or, if `lenient` is "relatives", their relatives alone.
    """
    rng, names = np.random.default_rng(2), [f"{family}{n}" for family in "abcd" for n in range(3)]
    weak = {family: {2 * place, 2 * place + 1} for place, family in enumerate("abcd")}
    study = study_of(
        models=" ".join(f"{name}:{name[0]}" for name in names), rubrics=(1,), instances=instances
    )
    for i in range(instances):
        failed = {name: rng.random() < (0.8 if i % 8 in weak[name[0]] else 0.2) for name in names}
        for generator in names:
            refer(study, generator, str(int(not failed[generator])), f"x{i}")
            for judge in names:
                theirs = lenient == "everybody" or judge[0] == generator[0]
                rate = 0.9 if i % 8 in weak[judge[0]] and theirs else 0.35
                judge_rubrics(study, judge, generator, str(int(rng.random() < rate)), f"x{i}")
    return study


def test_judges_as_lenient_with_others_where_their_family_failed_do_not_favour_it(load):
    rows = of_judges(load(families_with_weak_themes("everybody", instances=80)))

    seeming = [row for row in rows if row["odds_family_p_adjusted"] < 0.05]
    assert len(seeming) >= 6
    assert {row["family_reason"] for row in seeming} <= {"same_items", "discernment"}
    assert not {row["family_conclusion"] for row in rows} & {"favours_family", "disfavours_family"}
    assert not {row["conclusion"] for row in rows} & {"favours_itself", "disfavours_itself"}


def test_judges_lenient_with_their_family_alone_where_it_failed_favour_it(load):
    rows = of_judges(load(families_with_weak_themes("relatives")))

    assert sum(row["family_conclusion"] == "favours_family" for row in rows) >= 10


def agreeing_on_pairs():
    """Return a study of pairs in which five judges nearly always agree, m0 on its own responses too."""
    names, rng = [f"m{i}" for i in range(5)], np.random.default_rng(4)
    plain = study_of(models=" ".join(f"{name}:{name}" for name in names), instances=100)
    for i in range(100):
        for generator, opponent in combinations(names, 2):
            better = rng.random() < 0.5
            for judge in names:
                wins = better ^ (rng.random() < 0.05)
                choice = "generator" if wins else "opponent"
                compare(plain, judge, generator, opponent, None, choice, f"x{i}")
    return plain


def test_no_material_preference_must_hold_whatever_missing_verdicts_would_be(load):
    study = agreeing_on_pairs()
    own = [r for r in study.judgments if r["judge"] == "m0" == r["generator"]]
    for each in own[::5]:
        each |= {"status": "refused", "choice": None}

    complete = one(load(agreeing_on_pairs(), "whole").result("scorecard").rows, judge="m0")
    row = one(load(study).result("scorecard").rows, judge="m0")

    assert complete["conclusion"] == "no_material_preference"
    assert -0.05 < row["low"] < row["high"] < 0.05
    assert (row["conclusion"], row["reason"]) == ("not_shown", "missing_verdicts")


def test_family_cases_of_the_group_are_counted_though_nobody_judged_itself(load):
    rng = np.random.default_rng(5)
    families = "AABBCCDD"
    names = [f"m{i}" for i in range(len(families))]
    models = " ".join(f"{name}:{family}" for name, family in zip(names, families, strict=True))
    plain = study_of(models=models, rubrics=(1,), instances=30)
    for i in range(30):
        for generator in names:
            refer(plain, generator, "0", f"x{i}")
            for judge in names:
                if judge != generator:
                    judge_rubrics(plain, judge, generator, str(int(rng.random() < 0.4)), f"x{i}")

    first = load(plain).result("scorecard").rows[0]

    # Each of 8 judges has one sister model, whose 30 answers failed one criterion each.
    assert (first["n_own"], first["n_family"]) == (0, 8 * 30)


def test_without_a_reference_points_are_the_deciding_number(load):
    rows = load(drawn_study(reference=None)).result("scorecard").rows

    row = one(rows, judge="m0")
    assert row["decided_by"] == "bonus_outside"
    assert row["conclusion"] == "favours_itself"


@pytest.mark.parametrize(("reference", "missing"), [("0", False), (None, True)])
def test_without_a_reference_the_doctor_says_that_none_is_needed(load, reference, missing):
    lines = list(examine(load(drawn_study(reference=reference)), resamples=0).lines())

    sentence = "no reference is needed to test whether a judge favours itself"
    assert any(line.startswith(sentence) for line in lines) == missing


def test_of_judges_that_judged_their_own_alone_nobody_is_said_to_agree(load):
    plain = drawn_study(families="ABCDDE")
    own = {f"m{i}": {f"m{i}"} for i in range(6)} | {"m3": {"m3", "m4"}}
    plain.judgments = [row for row in plain.judgments if row["generator"] in own[row["judge"]]]

    rows = of_judges(load(plain))

    assert {row["reason"] for row in rows} == {"no_common_own_cell"}
    assert one(rows, judge="m3")["family_reason"] == "no_common_cell_of_relatives"


def test_with_many_judges_there_are_no_claims_and_no_nan(load):
    rows = of_judges(load(drawn_study(families=[f"f{i}" for i in range(40)], instances=3, own=0.4)))

    assert len(rows) == 40
    assert {row["conclusion"] for row in rows} == {"too_few_cases"}


# ------------------------------------------------------------------------------
# Bad input: a row with a reason, or a reason for no rows; never a crash, a NaN, or a claim.


def numbers_in(rows):
    return [value for row in rows for value in row.values() if isinstance(value, float)]


def with_separation():
    """m0 credits all of its own and nothing else; all others credit everything except m0's."""
    plain = study_of(models="m0:A m1:B m2:C m3:D", rubrics=(1,), instances=24)
    for i in range(24):
        for generator in ("m0", "m1", "m2", "m3"):
            refer(plain, generator, "0", f"x{i}")
            for judge in ("m0", "m1", "m2", "m3"):
                same = (judge == "m0") == (generator == "m0")
                judge_rubrics(plain, judge, generator, str(int(same)), f"x{i}")
    return plain


def drawn_one_judge():
    plain = drawn_study(families="ABC", own=0.4)
    plain.judgments = [row for row in plain.judgments if row["judge"] == "m0"]
    return plain


BAD = {
    "one judge only": drawn_one_judge,
    "one family only": lambda: drawn_study(families="AAAA"),
    "no judge of another family": lambda: drawn_study(families="AA"),
    "a reference that fails nothing": lambda: drawn_study(families="ABCD", reference="1", own=0.4),
    "all verdicts favourable": lambda: drawn_study(families="ABCD", met="1"),
    "all verdicts unfavourable": lambda: drawn_study(families="ABCD", met="0"),
    "separation": with_separation,
    "one question": lambda: drawn_study(families="ABCDE", instances=1),
}


@pytest.mark.parametrize("make", BAD.values(), ids=BAD)
def test_bad_input_gives_a_row_with_a_reason_and_never_a_claim(load, make):
    study = load(make())

    for measure in ("scorecard", "outside"):
        result = study.result(measure, resamples=50)
        assert result.rows or result.reason
        assert all(np.isfinite(numbers_in(result.rows)))
    rows = study.result("scorecard").rows
    assert {row["conclusion"] for row in rows} <= NOTHING_CLAIMED | {"too_few_families"}
    assert all(row["reason"] for row in rows)
    claims = [claim for claim in study.findings(resamples=50).claims if claim.question in ("who", "where")]
    assert not [claim.id for claim in claims if claim.stands]


def test_among_two_hundred_judges_nothing_is_claimed(tmp_path):
    judges = Judges(models=200)
    tables = RubricStudies(judges, instances=2, rubrics=1).draw(np.random.default_rng(8)).tables()
    few = pa.array(judges.names[:12])
    for name in ("judgments", "references"):
        tables[name] = tables[name].filter(pc.is_in(tables[name]["generator"].cast(pa.string()), few))
    Store(tmp_path).write("drawn", tables, StudyInfo(name="drawn"), mode="new")

    rows = of_judges(Study.open(tmp_path / "drawn"))

    assert len(rows) == 12
    assert {row["conclusion"] for row in rows} == {"too_few_cases"}
    assert all(row["reason"] for row in rows)
    assert all(np.isfinite(numbers_in(rows)))


def test_a_bound_that_no_interval_of_odds_can_lie_within_is_refused(load):
    study = load(drawn_study())

    with pytest.raises(UsageError, match=r"material 0\.9 is not above 1"):
        study.result("scorecard", material=0.9)
    with pytest.raises(UsageError, match=r"material -1\.0 is not above 0"):
        study.result("scorecard", material=-1)


def test_three_families_have_an_estimate_and_no_test(load):
    first = load(drawn_study("ABC", instances=60)).result("scorecard").rows[0]

    assert (first["conclusion"], first["families"]) == ("too_few_families", 3)
    assert first["estimate"] is not None
    assert [first[name] for name in ("low", "high", "p", "p_families")] == [None] * 4


PLANTED = {  # the truth that the simulations planted: the sign of each bias
    "demo-health": (
        {"aster-large": 1, "cinder-large": 1, "cinder-mini": 1},
        "boreal-large boreal-medium boreal-mini",
    ),
    "demo-pairs": ({"rowan-large": 1, "rowan-medium": 1, "tansy-large": -1, "tansy-mini": -1}, ""),
    "demo-verifiable": ({"ember-large": 1}, "fjord-large fjord-mini"),
}


@pytest.mark.parametrize("study", PLANTED)
def test_the_planted_judges_of_the_demonstrations_are_at_least_said_to_overrate_their_own(study):
    planted, of_families = PLANTED[study]
    sides = dict.fromkeys(("favours_itself", "overrates_itself"), 1)
    sides |= dict.fromkeys(("disfavours_itself", "underrates_itself"), -1)

    rows = {row["judge"]: row for row in card_of(study).rows}

    assert {judge: sides.get(rows[judge]["conclusion"]) for judge in planted} == planted
    for judge in of_families.split():
        assert rows[judge]["family_conclusion"] in ("favours_family", "overrates_family")
    for judge in {"aster-large", "ember-large"} & set(planted):
        assert rows[judge]["conclusion"] == "favours_itself"


def test_lost_pairs_decide_on_request():
    study = Study.open(RESULTS / "demo-pairs")
    outside = study.result("outside", pairs="lost", paradigm="pairwise", resamples=0)

    result = study.result("scorecard", decide="vote_outside_lost")

    votes = {row["judge"]: row["vote_outside"] for row in outside.rows}
    assert {row["judge"]: row["estimate"] for row in result.rows[1:]} == pytest.approx(votes)
    assert (result.filters["pairs"], result.rows[0]["decided_by"]) == ("lost", "vote_outside")


def test_pairs_in_one_order_are_reported_to_lack_the_other(load):
    plain = study_of(models="J:F A:G B:H", instances=12)
    for i in range(12):
        for judge in "JAB":
            compare(plain, judge, "J", "A", "generator", "generator", f"x{i}")

    result = load(plain).result("scorecard")

    assert result.rows == []
    assert "36 judgments of pairs lack the other order" in result.reason


def test_one_credited_own_case_has_no_one_sided_interval(load):
    """Without that instance the ratio is 0, and its logarithm undefined."""
    plain = drawn_study(instances=30, base=0.4)
    credited = 0
    for row in plain.judgments:
        if row["judge"] == row["generator"] == "m0":
            row["met"] = credited == 0
            credited += 1
    rows = load(plain).result("scorecard").rows

    row = one(rows, judge="m0")
    assert row["ratio_outside"] is not None
    assert (row["ratio_outside_low"], row["ratio_outside_high"]) == (None, None)
    assert row["reasons"]["ratio_outside_low"] == "hangs_on_one_instance"


def test_the_number_of_cases_needed_falls_with_the_square_of_the_distance():
    # found: (1.95996 + .84162)^2 = 7.8489; .2^2 * 7.8489 / .4^2 = 1.962; with tastes of .01 beside:
    # .16 - .0785 = .0815 and .3140 / .0815 = 3.852. Within .5 of nothing: (1.95996 * .2 / .1)^2 = 15.4.
    numbers = Estimates(np.array([0.4]), np.array([0.2]), np.array([50]))

    assert numbers.times_needed(0.0, 0.5)[0] == pytest.approx(1.962, abs=1e-3)
    assert numbers.times_needed(0.01, 0.5)[0] == pytest.approx(3.852, abs=2e-3)
    assert np.isnan(numbers.times_needed(0.1, 0.3)[0])


def test_themes_are_counted_by_direction(load):
    plain = drawn_study(instances=40, own=0.9, base=0.4)
    for i, row in enumerate(plain.instances):
        row["theme"] = f"t{i % 4}"
    for row in plain.judgments:  # in the last theme it credits none of its own
        if row["judge"] == row["generator"] == "m0" and int(row["instance_id"][1:]) % 4 == 3:
            row["met"] = False

    row = one(load(plain).result("scorecard").rows, judge="m0")

    assert (row["themes_for"], row["themes_against"]) == (3, 1)


@needs_published_study
def test_in_the_published_study_the_judges_together_favour_themselves(published):
    first, *rows = published

    # MEASURES section 18: odds 1.74 [1.37, 2.22], p = .003, 5 families, every gate passed.
    assert (first["conclusion"], first["reason"], first["families"]) == ("judges_favour_themselves", None, 5)
    assert [first[name] for name in ("estimate", "low", "high")] == pytest.approx(
        [1.74, 1.37, 2.22], abs=0.025
    )
    assert round(first["p"], 3) == 0.003
    assert first["p_families"] == 0
    assert not {row["conclusion"] for row in rows} & {"favours_itself", "disfavours_itself"}
    row = one(rows, judge="qwen3_235b_instruct")
    assert (row["conclusion"], row["reason"]) == ("overrates_itself", "within_tastes")
    assert (round(row["estimate"], 2), round(row["p"], 3), round(row["ratio_outside"], 2)) == (
        4.59,
        0.001,
        1.28,
    )
    assert one(rows, judge="gpt_5")["reason"] == "few_credited"


@needs_published_study
@pytest.mark.parametrize(
    ("judge", "given", "expected"),
    [
        ("qwen3_235b_instruct", 80.0, 62.8),
        ("gpt_120b_oss", 24.1, 14.6),
        ("llama_4_maverick_17b_128e_instruct", 79.1, 69.6),
        ("claude_4_5_haiku", 45.8, 37.0),
        ("claude_4_5_sonnet", 35.9, 36.9),
    ],
)
def test_given_and_expected_of_the_published_study_are_those_of_the_definition(
    published, judge, given, expected
):
    row = one(published, judge=judge)

    # MEASURES section 19, to half a case of 100.
    assert 100 * row["own_given"] == pytest.approx(given, abs=0.05)
    assert 100 * row["own_expected"] == pytest.approx(expected, abs=0.5)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    import_tidy(STUDY, Store(folder), "ifeval")
    return Study.open(folder / "ifeval").result("scorecard").rows


def themed(verdicts, *, merged, themes=12):
    """Return a study of 60 instances with one rubric each or, if `merged`, of one instance for each theme.

    `verdicts` has shape (instances, generators, judges); every generator fails every rubric.
    """
    instances, models = verdicts.shape[:2]
    of_each = instances // themes
    plain = study_of(models=" ".join(f"m{m}:F{m}" for m in range(models)), rubrics=(), instances=0)
    for i in range(instances):
        theme, nth = divmod(i, of_each)
        name, rubric = (f"x{theme}", f"k{nth}") if merged else (f"x{i}", "k0")
        if not merged or nth == 0:
            plain.add("instances", instance_id=name, theme=f"t{theme}")
        plain.add("rubrics", instance_id=name, rubric_id=rubric, points=1)
        place = {"instance_id": name, "rubric_id": rubric}
        for g in range(models):
            plain.add("references", **place, generator=f"m{g}", source="program", met=False)
            for j in range(models):
                judged = {"judge": f"m{j}", "paradigm": "single_rubric", "generator": f"m{g}"}
                plain.add("judgments", **place, **judged, met=bool(verdicts[i, g, j]))
    return plain


def test_clustering_by_theme_equals_merging_each_theme_into_one_instance(load):
    rng = np.random.default_rng(5)
    own = np.eye(6, dtype=bool)[None] & (rng.random((12, 1, 1)) < 0.6).repeat(5, axis=0)
    verdicts = rng.random((60, 6, 6)) < np.where(own, 0.9, 0.4)

    split = load(themed(verdicts, merged=False))
    themes, alone = split.result("scorecard", clusters="theme"), of_judges(split)
    merged = load(themed(verdicts, merged=True), name="merged").result("scorecard")

    numbers = ("estimate", "low", "high", "p", "p_tastes", "ratio_outside_low", "ratio_outside_high")
    for row, other in zip(themes.rows[1:], merged.rows[1:], strict=True):
        assert [row[name] for name in numbers] == pytest.approx([other[name] for name in numbers])
    assert [row["p"] for row in alone] != pytest.approx([row["p"] for row in themes.rows[1:]])
    assert themes.filters["clusters"] == "theme"
    assert themes.filters["interval"].startswith("themes deleted one at a time; ")
    assert merged.filters["interval"].startswith("questions deleted one at a time; ")


def test_impossible_clusters_are_refused(load):
    study = load(themed(np.ones((60, 6, 6), dtype=bool), merged=False))

    with pytest.raises(UsageError, match="bonus_outside decides here; leave out --clusters"):
        study.result("scorecard", decide="bonus_outside", clusters="theme")
    with pytest.raises(UsageError, match="needs at least 10 themes, but the study has 7"):
        Study.open(RESULTS / "demo-health").result("scorecard", clusters="theme")


def stored(drawn, folder):
    Store(folder).write("drawn", drawn.tables(), StudyInfo(name="drawn"), mode="new")
    return Study.open(folder / "drawn")


def test_a_judge_that_favours_itself_is_found_though_another_model_copies_its_answers(tmp_path):
    studies = RubricStudies(Judges(models=8, planted=2.0), instances=60, copied=True)

    study = stored(studies.draw(np.random.default_rng(2)), tmp_path)

    # its six placebos are the models that answer otherwise
    row = one(study.result("scorecard").rows, judge="m00")
    assert (row["conclusion"], row["placebo_of"]) == ("favours_itself", 1 + 6)
    assert one(study.result("outside").rows, judge="m00")["placebo_of"] == 1 + 6


def test_a_model_that_gets_the_same_scores_as_the_judges_own_is_no_placebo(tmp_path):
    drawn = ScoreStudies(Judges(models=8, planted=1.0), instances=40).draw(np.random.default_rng(3))
    assert one(stored(drawn, tmp_path / "apart").result("scorecard").rows, judge="m00")["placebo_of"] == 1 + 7
    drawn.values[:, 1] = drawn.values[:, 0]

    row = one(stored(drawn, tmp_path / "copied").result("scorecard").rows, judge="m00")

    assert (row["conclusion"], row["placebo_of"]) == ("favours_itself", 1 + 6)


def test_a_reference_that_covers_too_little_to_decide_is_said_not_to_be_used(load):
    draw = random.Random(4)
    study = study_of("J:F K:G L:H M:I", rubrics=(1, 1), instances=12)
    for n, judge, generator in itertools.product(range(12), "JKLM", "JKLM"):
        judge_rubrics(study, judge, generator, draw.choice(("11", "10", "01", "00")), f"x{n}")
    for n, generator in itertools.product(range(12), "JKLM"):
        refer(study, generator, draw.choice(("10", "01", "00")), f"x{n}", source="human")
    refer(study, "K", "1", source="human:ann")
    refer(study, "J", "1", source="human:ann")
    opened = load(study)

    by_ann = opened.result("scorecard", reference="human:ann", resamples=50)
    by_truth = opened.result("scorecard", reference="human:unnamed", resamples=50)

    # Twelve questions, four answers, two criteria; Ann judged two of them.
    words = (
        "The reference human:ann covers 2 of 96 criteria judged, too few to decide by, and is not used here"
    )
    assert words in " ".join(summary_of(by_ann).sentences)
    assert not by_ann.filters["reference"]
    assert by_truth.filters["reference"] == "human:unnamed"
    assert "unused_reference" not in by_truth.filters
    assert "is not used" not in " ".join(summary_of(by_truth).sentences)
    of_two = opened.result("scorecard", reference="human:ann", generators=["J", "K"], resamples=50)
    assert (of_two.filters["unused_covers"], of_two.filters["unused_of"]) == (2, 48)
    assert words in " ".join(shown_of_scorecard(by_ann, {}).sentences)
