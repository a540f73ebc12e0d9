"""What a planned study costs: calls counted by hand, and assumptions taken from a study."""

import math
from pathlib import Path

import pytest
from plain.builders import judge_rubrics, refer, study_of
from plain.pair_builders import G, O, T, both_orders

import engine
from engine.errors import UsageError
from engine.explore.planned_cost import (
    WAYS,
    Prices,
    assumptions_from,
    cost_of,
    questions_with_cases,
    votes_from,
)
from engine.importers.formats.exchange import import_tidy
from engine.stats.conclusions.power import Assumptions
from engine.stats.conclusions.power import study_of as size_of
from engine.store import Store

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

    cost = cost_of(way, assumed, size_of(assumed, 10), prices)

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


def stored(study, folder):
    study.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "small")
    return engine.open_study(str(folder / "store" / "small"))


def test_own_failures_and_how_often_two_judges_differ_on_failures_are_counted(tmp_path):
    study = study_of("A:G B:H", rubrics=(1, 1))
    for generator, mets, of_a, of_b in (("A", "00", "10", "00"), ("B", "01", "11", "11")):
        refer(study, generator, mets)
        judge_rubrics(study, "A", generator, of_a)
        judge_rubrics(study, "B", generator, of_b)

    votes = votes_from(stored(study, tmp_path))

    # The judges differ on one of three failures: two of A's answers and one of B's, in one question.
    assert votes == {"judges": 2, "families": 2, "cases": (2 + 1) / 2, "rate": pytest.approx(1 / 3)}


def test_cases_are_counted_in_questions_with_a_reference_and_the_others_are_named(tmp_path):
    study = study_of("A:G B:H", rubrics=(1, 1), instances=3)
    for instance, mets in (("x0", "00"), ("x1", "11"), ("x2", "--")):
        for generator, of_a in (("A", "10"), ("B", "01")):
            refer(study, generator, mets, instance)
            judge_rubrics(study, "A", generator, of_a, instance)
            judge_rubrics(study, "B", generator, "00", instance)
    opened = stored(study, tmp_path)

    votes = votes_from(opened)

    assert votes["cases"] == (2 + 2) / 2 / 2  # two own failures of each judge, in x0; x1 could have had some
    assert questions_with_cases(opened) == (
        "Of 3 questions in small, 2 have a reference; the plan counts only such questions."
    )


def test_own_pairs_and_how_far_two_judges_differ_on_pairs_are_counted(tmp_path):
    study = study_of("A:G B:H C:I")
    for opponent, of_a, of_b in (("B", (G, G), (O, O)), ("C", (G, G), (T, T))):
        both_orders(study, "A", "A", opponent, of_a)
        both_orders(study, "B", "A", opponent, of_b)

    votes = votes_from(stored(study, tmp_path))

    # Votes of 1 and 0 differ by 1 squared, of 1 and a half by a quarter; A has two own pairs and B one.
    assert votes == {"judges": 2, "families": 2, "cases": 1.5, "rate": pytest.approx((1 + 0.25) / 2)}
