"""What a planned study costs: calls counted by hand, and assumptions taken from a study."""

import math
from pathlib import Path

import pytest

import engine
from engine.errors import UsageError
from engine.explore.planned_cost import WAYS, Prices, assumptions_from, cost_of
from engine.stats.power import Assumptions, study_of

RESULTS = Path(__file__).resolve().parents[2] / "results"


@pytest.mark.parametrize(
    ("way", "calls", "tokens_in", "tokens_out"),
    [
        # 10 instances, 2 judges, 3 generators, 4 rubrics: 60 responses judged, 240 verdicts, 3 pairs
        ("single_rubric", 240, 240 * 100, 240 * 10),
        ("all_rubrics", 60, 60 * 100, 60 * 10 * 4),
        ("direct_assessment", 60, 60 * 100, 60 * 10),
        ("pairwise", 2 * 10 * 2 * 3, 120 * 200, 120 * 10),
    ],
)
def test_calls_and_tokens_by_hand(way, calls, tokens_in, tokens_out):
    assumed = Assumptions(1.2, judges=2, generators=3, families=3, rubrics_per_instance=4)
    prices = Prices(tokens_in=100, tokens_out=10, price_in=2.0, price_out=8.0)

    cost = cost_of(way, assumed, study_of(assumed, 10), prices)

    assert (cost.calls, cost.tokens_in, cost.tokens_out) == (calls, tokens_in, tokens_out)
    assert cost.dollars == pytest.approx((2 * tokens_in + 8 * tokens_out) / 1e6)


def test_every_paradigm_has_a_description():
    assert set(WAYS) == {"single_rubric", "all_rubrics", "direct_assessment", "pairwise"}


@pytest.mark.parametrize("wrong", [-1.0, math.inf, math.nan])
def test_an_invalid_price_is_refused_by_name(wrong):
    with pytest.raises(UsageError, match="price_in"):
        Prices(price_in=wrong)


def test_a_study_supplies_the_assumptions_for_another_like_it():
    study = engine.open_study(str(RESULTS / "demo-health"))
    rows = study.result("overestimation", level="rubric", resamples=0).rows
    one_judge = [row for row in rows if row["judge"] == rows[0]["judge"]]

    assumptions = assumptions_from(study)

    by_hand = sum(row["n"] for row in one_judge) / sum(row["n"] + row["under_n"] for row in one_judge)
    # the other judges lack few rows
    assert assumptions["failure_rate"] == pytest.approx(by_hand, abs=0.01)
    assert Assumptions(1.2, **assumptions).strangers >= 1


def test_a_study_without_rubric_verdicts_supplies_no_assumptions():
    assert assumptions_from(engine.open_study(str(RESULTS / "demo-pairs"))) == {}
