"""Intervals have their stated coverage of a known truth; the large version is tests/benchmarks/coverage."""

import numpy as np
import pytest
from benchmarks.coverage.orders import OrderPopulation
from benchmarks.coverage.pair_numbers import count as count_pairs
from benchmarks.coverage.pairs import PairPopulation
from benchmarks.coverage.population import Population
from benchmarks.coverage.statistics import count
from benchmarks.coverage.stored import pair_tables, tables
from benchmarks.coverage.sums import GIVEN, REDRAWN
from benchmarks.coverage.trial import Condition, SummedTrial, Trial, stacked
from scipy.stats import binom

import engine
from engine.stats.intervals.bootstrap import cluster_weights, percentile_interval
from engine.store import Store
from engine.store.study_files import StudyInfo

STUDIES, FEWER, FEWEST, RESAMPLES = 200, 100, 40, 200
NUMBERS = ("hspp_self", "hspp_family", "difference_self", "rate", "mra", "delta", "bonus")


def bounds(share, n):
    """The count out of `n` that a share gives, with a chance of 1 in 10,000 beyond either bound."""
    return binom.ppf(1e-4, n, share), binom.ppf(1 - 1e-4, n, share)


@pytest.fixture(scope="module")
def outcome():
    trial = Trial(Condition(Population(), 60), resamples=RESAMPLES)
    return trial.run(range(STUDIES), trial.truth())


@pytest.mark.parametrize("method", ["percentile", "expanded"])
@pytest.mark.parametrize("number", NUMBERS)
def test_intervals_hold_the_planted_truth_as_often_as_chance_allows(outcome, method, number):
    counts = outcome.of(method, number)

    # the judges of one study share its references: count each study once, not each of its judges
    low, high = (bound / STUDIES for bound in (bounds(0.935, STUDIES)[0], bounds(0.965, STUDIES)[1]))
    assert counts.tested > 0.99 * counts.studies
    assert low <= counts.coverage <= high


@pytest.mark.parametrize("method", ["percentile", "expanded"])
@pytest.mark.parametrize("number", NUMBERS)
def test_p_values_of_the_truth_are_below_5_percent_no_more_often_than_stated(outcome, method, number):
    counts = outcome.of(method, number)

    low, high = (bound / STUDIES for bound in (bounds(0.035, STUDIES)[0], bounds(0.065, STUDIES)[1]))
    assert low <= counts.alarms / counts.tested <= high


def test_with_few_cases_the_expanded_interval_covers_more_than_the_percentile_one():
    trial = Trial(Condition.of(20, 30), resamples=RESAMPLES)

    outcome = trial.run(range(STUDIES), trial.truth())

    percentile, expanded = (outcome.of(method, "hspp_self") for method in ("percentile", "expanded"))
    assert percentile.coverage < 0.935 < expanded.coverage


def test_the_stated_truth_equals_the_result_of_a_very_large_study():
    population = Population()

    numbers = count(population.draw(60_000, np.random.default_rng(1)), comparisons=False).value()

    for name, true in population.truth().items():
        # of 70,000 failures; points and ratios of a few percent of one
        assert numbers[name] == pytest.approx(
            true, abs=0.15 if name in ("delta", "bonus") else 0.04, nan_ok=True
        )


def test_a_stored_study_has_the_same_numbers_and_intervals(tmp_path):
    population = Population(failure=(0.1,) * 6)
    store = Store(tmp_path)
    for seed in range(2):
        verdicts = population.draw(40, np.random.default_rng(seed))
        store.write(f"s{seed}", tables(population, verdicts), StudyInfo(name=f"s{seed}"))
        counts = count(verdicts, comparisons=True)
        weights = cluster_weights(40, RESAMPLES, np.random.default_rng(0))
        places, value = stacked(counts.value(), counts.value())
        ends = percentile_interval(stacked(counts.draws(weights), places)[1])

        study = engine.open_study(str(tmp_path / f"s{seed}"))

        for measure, field, name, options in (
            ("hspp", "hspp_self", "hspp_self", {}),
            ("hspp", "hspp_family", "hspp_family", {}),
            ("hspp", "difference_self", "difference_self", {}),
            ("hspp", "hspp_self", "hspp_self_instance", {"level": "instance"}),
            ("accuracy", "mra", "mra", {}),
            ("accuracy", "mipa", "mipa", {}),
            ("delta", "bonus", "bonus", {}),
        ):
            rows = study.result(measure, resamples=RESAMPLES, interval="percentile", **options).rows
            rows = [row for row in rows if row["judge"] and row.get("generator") in (None, row["judge"])]
            stored = [[row[field + end] for row in rows] for end in ("", "_low", "_high")]
            ours = [array[places[name]] for array in (value, ends.low, ends.high)]
            assert np.array(stored, dtype=float) == pytest.approx(np.array(ours), nan_ok=True), name


PAIR_NUMBERS = ("pir", "null_pir", "spb", "ilsp", "lsp", "t", "dbg", "dbg_decided", "flip_rate")
ORDER_NUMBERS = ("share", "pearson_permutation", "pearson_delta", "sd_repeat")


@pytest.fixture(scope="module")
def of_pairs():
    trial = SummedTrial(Condition(PairPopulation(), 80), resamples=RESAMPLES, batches=20)
    return trial.run(range(FEWER), trial.truth())


@pytest.fixture(scope="module")
def of_orders():
    trial = SummedTrial(Condition(OrderPopulation(), 80), resamples=RESAMPLES, batches=20)
    return trial.run(range(FEWEST), trial.truth())


def reported(number):
    """The method of the interval that the engine reports."""
    return number + GIVEN if number in REDRAWN else number


@pytest.mark.parametrize("number", PAIR_NUMBERS)
def test_intervals_of_pairs_hold_the_truth_as_often_as_chance_allows(of_pairs, number):
    counts = of_pairs.of("percentile", reported(number))

    low, high = bounds(0.935, FEWER)[0] / FEWER, bounds(0.965, FEWER)[1] / FEWER
    assert low <= counts.coverage <= high
    assert counts.alarms / counts.tested <= bounds(0.065, FEWER)[1] / FEWER


@pytest.mark.parametrize("number", ORDER_NUMBERS)
def test_intervals_of_orders_hold_the_truth_as_often_as_chance_allows(of_orders, number):
    counts = of_orders.of("percentile", number)

    assert bounds(0.935, FEWEST)[0] / FEWEST <= counts.coverage


@pytest.mark.parametrize(("outcome_of", "number"), [("of_pairs", "d"), ("of_orders", "cost")])
def test_reported_intervals_hold_the_numbers_that_percentiles_miss(request, outcome_of, number):
    outcome = request.getfixturevalue(outcome_of)

    plain, ours = (outcome.of("percentile", name) for name in (number, number + GIVEN))

    assert plain.coverage < ours.coverage - 0.05
    assert ours.coverage >= bounds(0.935, FEWEST)[0] / FEWEST


def test_stored_pairs_have_the_same_numbers(tmp_path):
    pairs = PairPopulation().draw(30, np.random.default_rng(5))
    Store(tmp_path).write("pairs", pair_tables(pairs), StudyInfo(name="pairs"))
    sums = count_pairs(pairs, most_null=1000)
    weights = cluster_weights(30, RESAMPLES, np.random.default_rng(0))
    value, draws = sums.value(), sums.draws(weights)

    study = engine.open_study(str(tmp_path / "pairs"))

    for measure, fields, options in (
        ("equal-quality", {"pir": "pir", "null_pir": "null_pir", "spb": "spb"}, {"null_pairs": "all"}),
        ("quality-baseline", {"ilsp": "ilsp", "lsp": "lsp", "t": "ilsp_updated", "sp": "sp"}, {}),
        ("quality-baseline", {"entropy_gap": "entropy_gap", "bias": "bias"}, {}),
        ("quality-baseline", {"all_minus_out_of_family": "all_minus_out_of_family"}, {}),
        ("dbg", {"dbg": "dbg", "dbg_decided": "dbg_decided"}, {"variant": "default"}),
        ("dbg", {"dbg_soft": "dbg_soft"}, {"variant": "forced"}),
        ("order-effect", {"flip_rate": "flip_rate", "first_share": "first_share"}, {"variant": "default"}),
        ("order-effect", {"probability_shift": "probability_shift"}, {"variant": "forced"}),
    ):
        rows = study.result(measure, resamples=RESAMPLES, interval="percentile", **options).rows
        rows = [row for row in rows if row.get("opponent") is None]
        for name, field in fields.items():
            ends = percentile_interval(draws[reported(name)])
            stored = [[row[field + end] for row in rows] for end in ("", "_low", "_high")]
            ours = np.array(
                [value[name], *(np.where(ends.alike, np.nan, each) for each in (ends.low, ends.high))]
            )
            assert np.array(stored, dtype=float) == pytest.approx(ours, nan_ok=True), name
