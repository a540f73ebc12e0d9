"""The items that two sources share, seen from one side, and which two sources are compared."""

import itertools
import math
from statistics import median, stdev

import numpy as np
import pytest
from plain.builders import judge_rubrics, one, refer, study_of

from engine.arrays.truths.item_values import RatedValues
from engine.errors import UsageError
from engine.measures.quality import reference_agreement
from engine.measures.quality.reference_agreement import correlation_of, join
from engine.stats.judges import agreement

FEW = {"resamples": 0}


def values_of(item, value, rater=None, swapped=None):
    """Return values whose instance is ten times the item."""
    items = np.array(item)
    raters = np.full(len(items), -1) if rater is None else np.array(rater)
    sides = None if swapped is None else np.array(swapped)
    return RatedValues(items, 10 * items, raters, np.array(value, float), sides)


def shared(joint):
    return list(zip(joint.instance.tolist(), joint.a.tolist(), joint.b.tolist(), joint.place.tolist(),
                    strict=True))  # fmt: skip


def test_items_of_both_are_joined_in_the_order_of_the_first():
    joint = join(values_of([5, 2, 9], [0.5, 0.2, 0.9]), values_of([1, 9, 5], [0.1, 0.8, 0.4]))

    assert shared(joint) == [(50, 0.5, 0.4, 2), (90, 0.9, 0.8, 1)]


def test_nothing_is_shared_with_a_source_without_values():
    nothing, something = values_of([], []), values_of([1], [1])

    assert shared(join(something, nothing)) == shared(join(nothing, something)) == []


def test_judges_of_two_runs_are_compared_with_themselves():
    first = values_of([1, 1, 2], [0, 1, 1], rater=[0, 3, 3])
    second = values_of([1, 2, 1, 2], [1, 0, 0, 1], rater=[3, 3, 0, 0])

    assert shared(join(first, second)) == [(10, 0, 0, 2), (10, 1, 1, 0), (20, 1, 0, 1)]
    # The first judge of the study has the place 0.
    alone = values_of([2, 1], [1, 0], rater=[0, 0])
    assert shared(join(first, alone)) == [(10, 0, 0, 1)]
    assert shared(join(alone, first)) == [(10, 0, 0, 0)]


def test_a_source_without_judges_is_compared_with_each_judge_of_a_run():
    run = values_of([1, 1, 2, 3], [0, 1, 1, 1], rater=[0, 3, 3, 0])
    single = values_of([1, 2], [1, 0])

    assert shared(join(run, single)) == [(10, 0, 1, 0), (10, 1, 1, 0), (20, 1, 0, 1)]
    # The other way about the values change places.
    assert [row[:3] for row in shared(join(single, run))] == [(10, 1, 0), (10, 1, 1), (20, 0, 1)]


def test_outcomes_are_seen_from_the_side_of_the_first_source():
    first = values_of([1, 2, 3], [1, 1, -1], swapped=[True, False, False])
    second = values_of([3, 2, 1], [-1, 0, 1], swapped=[True, True, True])

    assert shared(join(first, second)) == [(10, -1, -1, 2), (20, 1, 0, 1), (30, -1, -1, 0)]
    assert shared(join(values_of([1], [1]), values_of([1], [1], swapped=[True]))) == [(10, 1, 1, 0)]


def test_outcomes_of_a_source_are_compared_from_its_side_with_a_run_of_several_judges():
    one_source = values_of([1, 2], [1, 1], swapped=[True, False])
    run = values_of([2, 1, 1], [1, -1, 1], rater=[0, 0, 4], swapped=[True, True, False])

    # In the order of the run; item 1 is seen from its other side, whatever side the run gives.
    assert [row[:3] for row in shared(join(one_source, run))] == [(20, 1, 1), (10, -1, 1), (10, -1, -1)]


def scores(study, who, given, source=None):
    for n, value in enumerate(given):
        row = {"instance_id": f"x{n}", "generator": "A", "rubric_id": "k0", "score": value}
        if value is None:
            continue
        if source:
            study.add("references", source=who, **row)
        else:
            study.add("judgments", judge=who, paradigm="score_rubric", **row)


def of_scores(load, own, other, name="small", **options):
    study = study_of("J:F A:G", instances=len(own))
    scores(study, "J", own)
    scores(study, "human:a", other, source=True)
    return one(load(study, name).result("reference-agreement", a="judge:J", b="human:a", **options).rows)


def test_differences_of_scores_are_described_up_to_and_with_each_step(load):
    own, other = [1, 2, 3, 4, 5], [1, 1.75, 3.5, 3, 3.5]
    row = of_scores(load, own, other, **FEW)

    apart = [0, 0.25, 0.5, 1, 1.5]
    assert row["within"] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1, 1, 1])
    assert row["mean_difference"] == pytest.approx(3.25 / 5)
    assert row["median_difference"] == median(apart)
    assert row["sd_difference"] == pytest.approx(stdev(apart))
    # Ranks 1 2 3 4 5 and 1 2 4.5 3 4.5: Pearson's correlation of these.
    assert row["spearman"] == pytest.approx(np.corrcoef([1, 2, 3, 4, 5], [1, 2, 4.5, 3, 4.5])[0, 1])
    assert row["pearson"] == pytest.approx(np.corrcoef(own, other)[0, 1])
    assert row["reasons"]["kappa"] == "of_another_kind"


def test_one_item_has_a_difference_without_a_spread(load):
    row = of_scores(load, [2], [3.5], **FEW)

    assert (row["n"], row["mean_difference"], row["sd_difference"]) == (1, 1.5, None)
    assert row["reasons"]["sd_difference"] == "one_item"
    assert of_scores(load, [2, 2], [3.5, 3], "two", **FEW)["sd_difference"] == pytest.approx(math.sqrt(0.125))


def test_correlations_of_resamples_are_those_of_the_rows_drawn_in_parts_of_any_size(monkeypatch):
    draw = np.random.default_rng(3)
    a, b = draw.random((2, 6))
    instance = np.array([0, 0, 1, 2, 3, 3])
    weights = draw.integers(1, 4, (5, 4))
    joint = reference_agreement.Joint(instance, a, b, np.arange(6))

    by_size = []
    for size in (1, 12, 1 << 22):
        monkeypatch.setattr(reference_agreement, "_CHUNK", size)
        by_size.append(correlation_of(joint, weights, agreement.weighted_pearson))

    expected = []
    for each in weights:
        times = each[instance]
        expected.append(np.corrcoef(np.repeat(a, times), np.repeat(b, times))[0, 1])
    for column in by_size:
        assert column.values == [pytest.approx(np.corrcoef(a, b)[0, 1])]
        assert column.draws.shape == (5, 1)
        assert column.draws[:, 0] == pytest.approx(expected)
    assert correlation_of(joint, None, agreement.weighted_pearson).draws is None


def test_scores_have_intervals_around_their_correlations(load):
    row = of_scores(load, [1, 2, 3, 4, 5, 2], [1, 1.75, 3.5, 3, 3.5, 4], resamples=200)

    for name in ("spearman", "pearson"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]


@pytest.fixture
def sources(load):
    """Return a study with a program, a committee, two people and judges J and K on the same four criteria."""
    study = study_of("J:F K:K A:G", rubrics=(1, 1, 1, 1))
    for source, mets in (("program", "1100"), ("human:b", "1010"), ("human:a", "1110"), ("expert", "0000")):
        refer(study, "A", mets, source=source)
    judge_rubrics(study, "J", "A", "1000")
    judge_rubrics(study, "K", "A", "1111")
    return load(study)


def pairs(study, **options):
    return [(row["a"], row["b"]) for row in study.result("reference-agreement", **FEW, **options).rows]


def test_every_two_stored_references_are_compared_unless_two_are_named(sources):
    names = {name for pair in pairs(sources) for name in pair}

    assert {"program", "human:a", "human:b", "expert"} <= names
    assert not [name for name in names if name.startswith(("judge:", "run:"))]
    stored = [pair for pair in pairs(sources) if "human" not in pair]
    assert len({frozenset(pair) for pair in stored}) == len(stored)
    assert ("program", "program") not in stored
    assert pairs(sources, a="judge:J", b="judge:K") == [("judge:J", "judge:K")]
    # With two people there is no majority of the others.
    assert "human:others" not in names


def test_one_source_alone_is_compared_with_each_reference_but_itself(sources):
    of_judge, of_program = pairs(sources, a="judge:J"), pairs(sources, b="program")

    assert {a for a, _ in of_judge} == {"judge:J"}
    assert {"program", "human:a", "human:b"} <= {b for _, b in of_judge}
    assert {a for a, _ in of_program} == {"program"}
    assert "program" not in {b for _, b in of_program}
    assert "judge:K" not in {b for _, b in of_program}


def test_an_unknown_source_is_refused_with_those_there_are(sources):
    for option in ("a", "b"):
        with pytest.raises(
            UsageError, match=r"unknown source 'prog'; choose from: .*program.*judge:J, judge:K"
        ):
            pairs(sources, **{option: "prog"})


def test_the_numbers_of_verdicts_by_hand(sources):
    row = one(sources.result("reference-agreement", a="human:b", b="judge:J", **FEW).rows)

    # 1010 and 1000: alike on three. By chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2: kappa 1/2.
    assert (row["n"], row["agreement"], row["kappa"]) == (4, 0.75, pytest.approx(0.5))
    assert (row["win_rate_a"], row["win_rate_b"]) == (0.5, 0.25)
    # F1 of met 2 / 3, of not met 4 / 5.
    assert row["balanced_f1"] == pytest.approx((2 / 3 + 4 / 5) / 2)


@pytest.mark.parametrize(("a", "b"), [("human", "judge:J"), ("judge:J", "human")])
def test_f1_with_people_counts_each_person(sources, a, b):
    row = one(sources.result("reference-agreement", a=a, b=b, **FEW).rows)

    # People 1010 and 1110 against 1000 twice: met by both 2, by people alone 3, by neither 3.
    assert row["balanced_f1"] == pytest.approx((4 / 7 + 6 / 9) / 2)
    # Their majority is that of the items on which they are alike: 1, 1 and 0 against 1, 0 and 0.
    assert (row["n"], row["agreement"]) == (3, pytest.approx(2 / 3))


def test_people_compared_with_themselves_have_the_f1_of_their_majority(load):
    study = study_of("A:G B:H", rubrics=(1, 1, 1))
    for person, mets in (("a", "110"), ("b", "100"), ("c", "111")):
        refer(study, "A", mets, source=f"human:{person}")

    row = one(load(study).result("reference-agreement", a="human", b="human", **FEW).rows)

    assert (row["n"], row["agreement"], row["balanced_f1"]) == (3, 1.0, 1.0)


def test_judgments_that_cannot_be_compared_are_refused_where_they_are_named_alone(load):
    study = study_of("J:F A:G", rubrics=(1, 1))
    refer(study, "A", "11", source="one")
    refer(study, "A", "10", source="other")
    row = {"instance_id": "x0", "generator": "A", "opponent": "J", "first": "generator", "choice": "tie"}
    for paradigm in ("recognition", "pairwise"):
        study.add("judgments", judge="J", paradigm=paradigm, **row)
    study = load(study)

    def agreement_with(**options):
        return one(study.result("reference-agreement", **FEW, **options).rows)["agreement"]

    # Pairs have no criteria: of references alone nothing need be judged.
    assert agreement_with() == agreement_with(level="rubric") == 0.5
    with pytest.raises(UsageError, match="does not apply to 'recognition'"):
        agreement_with(paradigm="recognition")
    with pytest.raises(UsageError, match="'pairwise' has no level 'rubric'"):
        agreement_with(level="rubric", paradigm="pairwise")
    with pytest.raises(UsageError, match="'pairwise' has no level 'rubric'"):
        agreement_with(level="rubric", variant="default")


def test_draws_of_verdicts_are_those_of_whole_instances(load):
    study = study_of("J:F A:G", rubrics=(1, 1), instances=12)
    for n, (own, true) in enumerate(itertools.islice(itertools.cycle((("10", "11"), ("01", "01"))), 12)):
        judge_rubrics(study, "J", "A", own, f"x{n}")
        refer(study, "A", true, f"x{n}")

    row = one(load(study).result("reference-agreement", a="judge:J", b="program", resamples=200).rows)

    assert row["agreement"] == 0.75
    # Of 12 instances k are half right: 1 - k / 24. Half of them on average, a standard deviation of sqrt(3).
    assert 0.58 < row["agreement_low"] < 0.72
    assert 0.78 < row["agreement_high"] < 0.92
