"""The view of best of n: which judge it names first, and what it says where nobody can be compared."""

from pathlib import Path

import pytest

import engine
from engine.views.best_of_n import FIELDS
from engine.views.registry import VIEWS
from engine.words.best_of_n import pick_sentences

ROOT = Path(__file__).resolve().parents[2]
VIEW = VIEWS["best_of_n"]


def row_of(judge, own, outside):
    excess = None if outside is None else own - outside
    numbers = {"own_picked": own, "picked_beside": own, "picked_outside": outside, "pick_excess": excess}
    ends = {
        f"{name}_{end}": None if value is None else value + sign * 0.05
        for name, value in numbers.items()
        for end, sign in (("low", -1), ("high", 1))
    }
    p = {"pick_excess_p": 0.001, "pick_excess_p_adjusted": 0.004}
    return {"judge": judge, **numbers, **ends, **p}


def test_the_judge_that_exceeds_outside_judges_most_is_named_in_cases_of_100():
    first, second = pick_sentences([row_of("a", 0.3, 0.3), row_of("b", 0.41, 0.27)], "single_rubric")

    assert first == (
        "Of 100 questions for which the reference scores another answer above its own, b picks its own in 41 "
        "(95% CI 36.0 to 46.0); judges of other families pick it in 27 of the same."
    )
    assert second.startswith(
        "1 of 2 judges picks its own worse answers more often than judges of other families do"
    )


@pytest.mark.parametrize(
    ("paradigm", "cases", "compared"),
    [
        (
            "single_rubric",
            "questions for which the reference scores another answer above its own",
            "Compared with judges of other families, each on the answers that are not of that judge's family",
        ),
        (
            "pairwise",
            "pairs that its own answer truly loses",
            "Of 100 that judges of other families voted on too",
        ),
    ],
)
def test_the_number_of_all_choices_comes_first_and_the_comparison_has_its_own(paradigm, cases, compared):
    row = row_of("b", 0.36, 0.17) | {"picked_beside": 0.47, "pick_excess": 0.3}

    first, _ = pick_sentences([row], paradigm)

    assert first == (
        f"Of 100 {cases}, b picks its own in 36 (95% CI 31.0 to 41.0). {compared}, it picks its own in 47 "
        "and they in 17."
    )


def test_beside_the_picks_compared_stands_the_number_of_those_choices():
    assert FIELDS.index("n_beside") == FIELDS.index("picked_outside") + 1


def test_without_outside_judges_the_picks_alone_are_said():
    sentences = pick_sentences([row_of("a", 0.3, None), row_of("b", 0.2, None)], "pairwise")

    assert sentences == (
        (
            "Of 100 pairs that its own answer truly loses, a picks its own in 30 (95% CI 25.0 to 35.0), most "
            "of 2 judges."
        ),
        "No judge of another family chose from the same answers.",
    )


@pytest.mark.parametrize("name", ["demo-health", "demo-pairs", "demo-orders", "demo-verifiable"])
def test_every_kind_of_study_with_a_truth_fills_it_and_its_limits_are_said(name):
    study = engine.open_study(ROOT / "results" / name)

    shown = VIEW.shown(study, {})

    assert shown.problems == ()
    assert shown.figure is not None
    assert len(shown.table.rows) == len(study.result("best-of-n", resamples=0).rows)
    assert any("not why" in line for line in shown.basis)
