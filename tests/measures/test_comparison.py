"""Two sides compared: slices, judges and studies; what they share, and who changes places."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from explorer_studies import PLANS, Plan, write

import engine
from engine.errors import UsageError
from engine.explore.compare import Side, compare
from engine.explore.rank_swaps import ranks_of, swaps_of
from engine.measures.rows import Column, Table

DEMO = Path(__file__).resolve().parents[2] / "results" / "demo-health"


@pytest.fixture(scope="module")
def demo():
    return engine.open_study(DEMO)


def judged(comparison, field="hspp_self"):
    return {row["judge"]: row for row in comparison.rows if row["field"] == field}


def test_two_slices_are_compared_as_by_against(demo):
    comparison = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"}))

    against = demo.result("hspp", polarity="positive", against={"polarity": "negative"}, common=True)
    for row in against.rows:
        row_of_comparison = judged(comparison)[row["judge"]]
        assert {name: row_of_comparison[name] for name in row} == row
    assert comparison.shared_draws
    assert comparison.common.dropped_a + comparison.common.dropped_b >= against.left_out["not_common"]


def test_each_side_has_its_own_rows_and_intervals(demo):
    comparison = compare(
        Side(demo, {"polarity": "positive"}), Side(demo, {"theme": "global_health"}), common=False
    )

    alone = {row["judge"]: row for row in demo.result("hspp", theme="global_health").rows}
    assert {row["judge"]: row for row in comparison.sides[1].rows} == alone
    for judge, row in judged(comparison).items():
        assert (row["b"], row["b_low"], row["n_b"]) == (
            alone[judge]["hspp_self"],
            alone[judge]["hspp_self_low"],
            alone[judge]["n_self"],
        )


def test_ratios_are_compared_by_a_ratio_and_shares_by_a_difference(demo):
    sides = Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"})

    ratios = compare(*sides, ("hspp_self", "hspp_matched"), resamples=0)
    shares = compare(*sides, ("mra",), resamples=0)

    defined = [row for row in ratios.rows if row["difference"] is not None]
    assert {row["field"] for row in defined} == {"hspp_self", "hspp_matched"}
    for row in defined:
        assert row["difference"] == pytest.approx(row["a"] / row["b"])
    for row in shares.rows:
        assert row["difference"] == pytest.approx(row["a"] - row["b"])


def test_two_judges_are_compared_on_the_responses_both_judged(demo):
    one, two = demo.index.models[:2]

    comparison = compare(Side(demo, {}, one), Side(demo, {}, two), ("hspp_self", "hspp_matched"))

    rows = {row["judge"]: row for row in demo.result("hspp", judges=[one, two], common=True).rows}
    [own, matched] = comparison.rows
    assert (own["judge"], own["judge_b"]) == (one, two)
    assert own["difference"] == pytest.approx(rows[one]["hspp_self"] / rows[two]["hspp_self"])
    assert matched["a"] == rows[one]["hspp_matched"]
    assert own["low"] < own["difference"] < own["high"]
    assert own["rank_a"] is None


def test_slices_without_common_responses_are_compared_whole(demo):
    themes = demo.result("hspp", by="theme", resamples=0)
    one, two = list(dict.fromkeys(row["slice"] for row in themes.rows))[:2]

    comparison = compare(Side(demo, {"theme": one}), Side(demo, {"theme": two}))

    assert comparison.common.both == 0
    assert not comparison.common.applied
    assert comparison.common.dropped_a > 0
    assert comparison.rows


def test_responses_of_two_studies_are_matched_by_name(tmp_path):
    write(tmp_path, "first", PLANS["plain"])
    write(tmp_path, "second", Plan({"m3": "beta", "m1": "alpha", "m9": "alpha"}, ("m1", "m3"), instances=7))
    studies = [engine.open_study(tmp_path / name) for name in ("first", "second")]

    comparison = compare(*(Side(study, {}) for study in studies), resamples=50)

    models, instances = 2, 7  # m1 and m3 answered in both, x0 to x6
    assert comparison.common.both == models * instances
    assert comparison.common.dropped_a == 3 * 12 - models * instances
    assert comparison.common.dropped_b == 3 * 7 - models * instances
    assert set(judged(comparison)) == {"m1", "m3", None}
    assert not comparison.shared_draws


def test_two_studies_are_resampled_independently_and_two_slices_are_not(demo):
    apart = compare(Side(demo, {}), Side(engine.open_study(DEMO), {}), resamples=400)
    together = compare(Side(demo, {}), Side(demo, {}), resamples=400)

    judge = demo.index.models[0]
    alone = next(row for row in demo.result("hspp").rows if row["judge"] == judge)
    row, same = judged(apart)[judge], judged(together)[judge]
    assert row["difference"] == same["difference"] == 1.0
    # Alike in every resample: 1 is no interval of a ratio that other questions could change.
    assert (same["low"], same["high"], same["p"]) == (None, None, 1.0)
    assert same["reasons"] == dict.fromkeys(("low", "high"), "resamples_alike")
    # Two independent estimates of one spread differ with the square root of two of it, on the log scale.
    spread = np.log(row["high"] / row["low"]) / np.log(alone["hspp_self_high"] / alone["hspp_self_low"])
    assert spread == pytest.approx(np.sqrt(2), rel=0.2)


def table(values, draws=None):
    judges = Column(["p", "q", "r", "s", None])
    return Table({"judge": judges, "x": Column(np.array(values), draws)}, np.ones(5, dtype=bool), 100)


PAIRS = [(row, row) for row in range(5)]


def test_judges_are_ranked_among_those_with_a_number_on_both_sides():
    tables = table([3.0, 2.0, 2.0, np.nan, 9.0]), table([1.0, 2.0, 0.5, 4.0, 9.0])

    ranks = ranks_of(tables, "x", PAIRS)

    assert ranks == [(1, 2), (2, 1), (2, 3), (None, None), (None, None)]


def test_judges_that_change_places_are_named_with_their_frequency():
    # p above q in three of four draws on A, q above p in two of these on B.
    a = np.array([[3, 2, 0, 0, 0], [3, 2, 0, 0, 0], [3, 2, 0, 0, 0], [1, 2, 0, 0, 0]], dtype=float)
    b = np.array([[1, 2, 0, 0, 0], [1, 2, 0, 0, 0], [2, 1, 0, 0, 0], [1, 2, 0, 0, 0]], dtype=float)
    tables = table([3.0, 2.0, 0.0, 0.0, 9.0], a), table([1.0, 2.0, 0.0, 0.0, 9.0], b)

    [swap] = swaps_of(tables, "x", PAIRS)

    assert (swap.above, swap.below, swap.share) == ("p", "q", 0.5)


def test_the_swaps_of_two_slices_are_the_pairs_in_different_order(demo):
    comparison = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"}))

    rows = [row for row in judged(comparison).values() if row["rank_a"] is not None]
    reversed_pairs = {
        frozenset((a["judge"], b["judge"]))
        for a, b in combinations(rows, 2)
        if (a["rank_a"] - b["rank_a"]) * (a["rank_b"] - b["rank_b"]) < 0
    }
    assert {frozenset((swap.above, swap.below)) for swap in comparison.swaps} == reversed_pairs
    assert reversed_pairs


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda study: compare(Side(study, {}), Side(study, {}), ("beauty",)), "hspp_self, hspp_matched"),
        (lambda study: compare(Side(study, {}), Side(study, {}), ("mra", "o_self")), "one measure at a time"),
        (lambda study: compare(Side(study, {}, "aster-large"), Side(study, {})), "name a judge on both"),
        (lambda study: compare(Side(study, {}), Side(study, {"polarity": "up"})), "positive"),
    ],
)
def test_an_impossible_comparison_is_refused(demo, ask, message):
    with pytest.raises(UsageError, match=message):
        ask(demo)


def test_a_side_that_lacks_judgments_says_so(demo):
    comparison = compare(Side(demo, {}), Side(demo, {"variant": "cot"}))

    assert comparison.rows == []
    assert "variant 'cot'" in (comparison.reason or "")
