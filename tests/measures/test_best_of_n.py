"""`best-of-n`: by hand, against plain loops, and on studies with and without a planted preference."""

import random

import numpy as np
import pytest
from plain.awkward import COMMITTEE, JUDGES, awkward_study
from plain.best_of_n import best_of_n
from plain.builders import compare, judge_rubrics, one, refer, study_of

from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.measures.columns import within_one
from engine.measures.rows import Column, Intervals
from engine.store import Store
from engine.study import Study

EXACT = (
    "own_picked",
    "picked_beside",
    "picked_outside",
    "pick_excess",
    "lost_by_picks",
    "lost_to_own",
    "lost_beyond",
    "n",
    "n_beside",
)


def test_own_worse_answers_that_are_picked_are_counted_beside_outside_judges_picks(load):
    # x0: by the reference A's answer is best (2 of 2 criteria), J's has 1, B's 0. J gives its own 2 and
    # A's 2: it picks its own with probability 1/2. A chooses without its own answer: J's (1) over B's (0),
    # where no answer is better than J's, so that choice does not count. B chooses J or A without its own: A.
    # So J picks its own in .5, outside judges in 0 of the one choice compared; it loses .5 * (1 - .5).
    # x1: all answers are equal, nothing is better than J's own, nothing is lost.
    plain = study_of("J:F A:G B:H", rubrics=(1, 1), instances=2)
    for generator, mets in zip("JAB", ("10", "11", "00"), strict=True):
        refer(plain, generator, mets, "x0")
        refer(plain, generator, "11", "x1")
    for judge, verdicts in (("J", ("11", "11", "00")), ("A", ("10", "11", "00")), ("B", ("10", "11", "00"))):
        for generator, mets in zip("JAB", verdicts, strict=True):
            judge_rubrics(plain, judge, generator, mets, "x0")
            judge_rubrics(plain, judge, generator, "11", "x1")

    row = one(load(plain).result("best-of-n", resamples=20).rows, judge="J")

    assert (row["own_picked"], row["picked_beside"], row["picked_outside"], row["pick_excess"]) == (
        0.5,
        0.5,
        0.0,
        0.5,
    )
    assert (row["n"], row["n_beside"], row["choices"], row["answers"]) == (1, 1, 2, 3.0)
    assert row["lost_by_picks"] == pytest.approx((0.5 * 0.5 + 0) / 2)
    assert row["lost_to_own"] == pytest.approx(0.125)
    # against A: from J and B both pick J's; against B: from J and A it loses .25 more; x1 costs nothing
    assert row["lost_beyond"] == pytest.approx((0.25 / 2 + 0) / 2)


def test_the_interval_of_a_difference_of_shares_ends_at_one():
    ends = Intervals(np.array([-0.2, -3.0]), np.array([0.4, 3.0]), np.array([0.5, 0.9]), "undefined")

    cut = within_one(Column([0.1, 0.0], intervals=ends)).intervals

    assert (cut.low.tolist(), cut.high.tolist(), cut.p.tolist()) == ([-0.2, -1.0], [0.4, 1.0], [0.5, 0.9])


def test_a_pair_is_a_choice_of_two(load):
    # The gold vote prefers A's answer in x0, J's in x1. J votes for its own in both, B and C for the better.
    plain = study_of("J:F A:G B:H C:I", instances=2)
    for x, better in (("x0", "A"), ("x1", "J")):
        plain.add(
            "preferences", instance_id=x, generator="J", opponent="A", source="gold",
            outcome=1 if better == "J" else -1,
        )  # fmt: skip
        for judge in "JBC":
            winner = "J" if judge == "J" else better
            for first in ("generator", "opponent"):
                choice = "generator" if winner == "J" else "opponent"
                compare(plain, judge, "J", "A", first, choice, x)

    row = one(load(plain).result("best-of-n", resamples=20).rows, judge="J")

    assert (row["own_picked"], row["picked_outside"], row["pick_excess"]) == (1.0, 0.0, 1.0)
    assert (row["n"], row["choices"], row["answers"]) == (1, 2, 2.0)
    assert (row["lost_by_picks"], row["lost_to_own"], row["lost_beyond"]) == (0.5, 0.5, 0.5)


def test_a_study_without_a_reference_says_what_is_lacking(load):
    plain = study_of("J:F A:G B:H")
    for judge in "JAB":
        for generator in "JAB":
            judge_rubrics(plain, judge, generator, "1")

    result = load(plain).result("best-of-n", resamples=0)

    assert result.rows == []
    assert "reference" in result.reason


def test_judges_of_one_family_have_no_outside_judge(load):
    plain = study_of("J:F K:F", instances=12)
    for n in range(12):
        for generator, met in (("J", "0"), ("K", "1")):
            refer(plain, generator, met, f"x{n}")
            for judge in "JK":
                judge_rubrics(plain, judge, generator, "1", f"x{n}")

    row = one(load(plain).result("best-of-n", resamples=20).rows, judge="J")

    assert row["own_picked"] == 0.5
    assert (row["picked_outside"], row["lost_beyond"]) == (None, None)
    assert row["reasons"]["picked_outside"] == row["reasons"]["pick_excess"] == "no_outside_judge"


def test_it_is_defined_for_whole_responses_only(ranked):
    with pytest.raises(UsageError, match="defined at level 'instance' only"):
        ranked.result("best-of-n", level="rubric")


def simulated(seed, planted):
    """A study of eight judges of equal skill, the first of which prefers its own answer with odds `planted`.

    The others prefer nothing: each criterion's verdict is right in 8 of 10 cases.
    """
    draw, names = random.Random(seed), "ABCDEFGH"
    study = study_of(" ".join(f"{name}:{name}" for name in names), rubrics=(1,) * 5, instances=60)
    for n in range(60):
        for generator in names:
            truth = [draw.random() < 0.6 for _ in range(5)]
            refer(study, generator, "".join(str(int(met)) for met in truth), f"x{n}")
            for judge in names:
                right = [met if draw.random() < 0.8 else not met for met in truth]
                if judge == generator == "A":
                    right = [met or draw.random() < planted for met in right]
                judge_rubrics(study, judge, generator, "".join(str(int(met)) for met in right), f"x{n}")
    return study


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_preference_is_found_and_where_there_is_none_it_is_not(load, seed):
    planted = load(simulated(seed, 0.8), "planted").result("best-of-n", resamples=200).rows
    fair = load(simulated(seed, 0.0), "fair").result("best-of-n", resamples=200).rows

    favouring = one(planted, judge="A")
    assert favouring["pick_excess_low"] > 0.2
    assert favouring["pick_excess_p_adjusted"] < 0.001
    assert favouring["own_picked_low"] < favouring["own_picked"] < favouring["own_picked_high"]
    assert favouring["lost_beyond_low"] > 0
    # the others' choices include A's answers, which nobody else prefers
    for row in [row for row in planted if row["judge"] != "A"] + fair:
        assert row["pick_excess_p_adjusted"] > 0.05


def test_a_judge_that_tells_answers_apart_less_well_picks_its_own_worse_ones_too(load):
    # The measure cannot tell this apart, as its meaning says: A is right in 5 of 10 cases, the others in 9.
    draw, names = random.Random(4), "ABCDEFGH"
    study = study_of(" ".join(f"{name}:{name}" for name in names), rubrics=(1,) * 5, instances=80)
    for n in range(80):
        for generator in names:
            truth = [draw.random() < 0.6 for _ in range(5)]
            refer(study, generator, "".join(str(int(met)) for met in truth), f"x{n}")
            for judge in names:
                skill = 0.5 if judge == "A" else 0.9
                right = [met if draw.random() < skill else not met for met in truth]
                judge_rubrics(study, judge, generator, "".join(str(int(met)) for met in right), f"x{n}")

    row = one(load(study).result("best-of-n", resamples=50).rows, judge="A")

    assert row["pick_excess_low"] > 0
    assert "not why" in {field.name: field.meaning for field in row_fields()}["own_picked"]


def row_fields():
    from engine.measures.quality.best_of_n import BEST_OF_N

    return BEST_OF_N.fields


KINDS = {
    "small": {"instances": 6},
    "middling": {"instances": 14, "statuses": 0.02, "missing": 0.01, "missing_references": 0.003},
}
QUESTIONS = [
    {},
    {"paradigm": "all_rubrics"},
    {"paradigm": "direct_assessment"},
    {"paradigm": "pairwise"},
    {"paradigm": "pairwise", "reference": "program"},
    {"scores": "weighted"},
    {"reference": "human"},
    {"relatives": "provider"},
    {"polarity": "negative"},
    {"judges": list(JUDGES[:2])},
    {"reference": f"committee:{COMMITTEE}", "leave_self_out": True},
]


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    by_kind = {}
    for seed, (kind, knobs) in enumerate(KINDS.items()):
        rows = awkward_study(random.Random(20 + seed), **knobs)
        folder = tmp_path_factory.mktemp("awkward")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_kind[kind] = rows, Study.open(folder / "store" / "awkward")
    return by_kind


@pytest.mark.parametrize("options", QUESTIONS, ids=str)
@pytest.mark.parametrize("kind", list(KINDS))
def test_it_equals_its_plain_second_implementation(studies, kind, options):
    rows, study = studies[kind]
    expected = best_of_n(rows, **options)

    ours = study.result("best-of-n", resamples=20, min_instances=1, **options).rows

    assert [row["judge"] for row in ours] == [row["judge"] for row in expected]
    for mine, plain in zip(ours, expected, strict=True):
        for name in (*EXACT, "choices", "answers"):
            if plain[name] is None:
                assert mine[name] is None, name
            else:
                assert mine[name] == pytest.approx(plain[name], abs=1e-9), name
        if plain["pick_excess_se"] is not None and plain["pick_excess_se"] > 1e-9:
            low, high = mine["pick_excess_low"], mine["pick_excess_high"]
            assert -1 <= low <= high <= 1  # it is cut off there
            assert (high - low) / 2 > 1.9 * plain["pick_excess_se"] or low == -1 or high == 1
