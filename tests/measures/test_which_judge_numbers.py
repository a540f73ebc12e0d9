"""`which-judge`: from which rows of other measures each number of a judge is read."""

import pytest

from engine.arrays.slicing.verdict_counts import VerdictCounts
from engine.measures.quality.which_judge import _numbers


def numbers_of(judge="J", *, card=None, totals=(10, 10), **tables):
    """Return a judge's numbers from rows of measures, with (judgments, judgments with a verdict)."""
    names = {name: [] for name in ("accuracy", "people", "scorecard", "order-effect", "judge-costs")}
    named = {name.replace("_", "-"): rows for name, rows in tables.items()}
    return _numbers(judge, names | named, card or {}, VerdictCounts(*totals))


def ends(name, value, low, high):
    return {name: value, f"{name}_low": low, f"{name}_high": high}


BY_PAIRS, BY_CRITERIA = ends("mipa", 0.6, 0.5, 0.7), ends("mra", 0.8, 0.75, 0.85)
NEITHER = ends("mipa", None, None, None) | ends("mra", None, None, None)


def test_accuracy_is_that_on_criteria_else_that_of_comparisons():
    both = numbers_of(accuracy=[{"judge": "A", **BY_PAIRS}, {"judge": "J", **BY_PAIRS, **BY_CRITERIA}])
    pairs = numbers_of(accuracy=[{"judge": "J", **NEITHER, **BY_PAIRS}])
    nothing = numbers_of(accuracy=[{"judge": "J", **NEITHER}])

    assert [both[f"accuracy{part}"] for part in ("", "_low", "_high", "_of")] == [
        0.8, 0.75, 0.85, "verdicts on criteria",
    ]  # fmt: skip
    assert (pairs["accuracy"], pairs["accuracy_of"]) == (0.6, "comparisons")
    assert (nothing.get("accuracy"), nothing["accuracy_of"]) == (None, None)


def test_agreement_with_people_is_that_on_verdicts_then_outcomes_then_scores():
    score = {"judge": "J", "kind": "score", "kappa": None, **ends("correlation", 0.4, 0.3, 0.5)}
    outcome = {"judge": "J", "kind": "outcome", "correlation": None, **ends("kappa", 0.5, 0.4, 0.6)}
    verdict = {"judge": "J", "kind": "verdict", "correlation": None, **ends("kappa", 0.6, 0.5, 0.7)}
    undefined = verdict | ends("kappa", None, None, None)

    for people, value, of in (
        ([score], 0.4, "people's scores"),
        ([score, outcome], 0.5, "people's outcomes"),
        ([verdict, outcome, score], 0.6, "people's verdicts"),
        ([undefined, score], 0.4, "people's scores"),
        ([undefined], None, None),
    ):
        numbers = numbers_of(people=people)
        assert (numbers.get("agreement"), numbers["agreement_of"]) == (value, of)


def test_the_excess_is_the_scorecards_with_its_plain_interval():
    adjusted = {**ends("excess", 0.1, -0.2, 0.4), **ends("excess_family", 0.2, 0.1, 0.3)}
    card = adjusted | {"excess_low_plain": -0.1, "excess_high_plain": 0.3, "conclusion": "not_shown"}

    plain, without = numbers_of(card=card), numbers_of(card=adjusted)

    assert [plain[f"excess{end}"] for end in ("", "_low", "_high")] == [0.1, -0.1, 0.3]
    assert [plain[f"excess_family{end}"] for end in ("", "_low", "_high")] == [0.2, 0.1, 0.3]
    assert plain["conclusion"] == "not_shown"
    assert (without["excess_low"], without["excess_high"]) == (-0.2, 0.4)
    assert numbers_of()["excess_high"] is None


def test_the_flip_rate_is_that_of_pairs():
    lists = {"judge": "J", "ordering": "original", **ends("flip_rate", None, None, None)}
    pairs = {"judge": "J", "ordering": None, **ends("flip_rate", 0.2, 0.1, 0.3)}
    later = {"judge": "J", "ordering": None, **ends("flip_rate", 0.5, 0.4, 0.6)}

    numbers = numbers_of(order_effect=[lists, pairs, later])

    assert [numbers[f"flip_rate{end}"] for end in ("", "_low", "_high")] == [0.2, 0.1, 0.3]
    assert numbers_of(order_effect=[lists])["flip_rate"] is None


def test_the_share_of_missing_verdicts_has_wilsons_interval():
    numbers = numbers_of(totals=(50, 45))

    # 5 of 50, z = 1.96: centre (.1 + z^2 / 100) / (1 + z^2 / 50) = .1286, reach .0851.
    z = 1.959963984540054
    centre, scale = 0.1 + z * z / 100, 1 + z * z / 50
    reach = z * (0.1 * 0.9 / 50 + z * z / 10_000) ** 0.5
    assert numbers["missing"] == pytest.approx(0.1)
    assert numbers["missing_low"] == pytest.approx((centre - reach) / scale)
    assert numbers["missing_high"] == pytest.approx((centre + reach) / scale)


def cost(dollars, calls, costed, verdicts, judge="J"):
    return {"judge": judge, "cost_usd": dollars, "calls": calls, "costed": costed, "verdicts": verdicts}


def test_the_cost_of_verdicts_is_that_of_the_calls_with_a_cost():
    # Half of 20 calls have a cost, half a dollar, and half of their 40 verdicts; 5 calls cost 1.50 for 5.
    recorded = [cost(0.5, 20, 10, 40), cost(1.5, 5, 5, 5), cost(9.0, 1, 1, 1, judge="A")]

    assert numbers_of(judge_costs=recorded)["cost_per_1000"] == pytest.approx(1000 * 2 / 25)
    for unknown in (cost(None, 5, 0, 5), cost(0.0, 5, 0, 5)):
        assert numbers_of(judge_costs=[unknown])["cost_per_1000"] is None
        assert numbers_of(judge_costs=[*recorded, unknown])["cost_per_1000"] == pytest.approx(80)
    assert numbers_of(judge_costs=[cost(0.5, 5, 5, 0)])["cost_per_1000"] is None
    assert numbers_of(judge_costs=[cost(0.0, 5, 5, 5)])["cost_per_1000"] == 0
