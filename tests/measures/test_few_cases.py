"""Numbers from few cases do not look too certain: their intervals, in the rows of the measures."""

import random
from dataclasses import replace

import numpy as np
import pytest
from plain.awkward import awkward_study
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.small_numbers import score_interval_of_ratio, wilson

from engine.measures.catalogue import MEASURES
from engine.measures.entry import JUDGE, ratio
from engine.measures.finished_rows import finish
from engine.measures.rows import Column, Table
from engine.stats.intervals.bootstrap import cluster_weights


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    from engine.importers.formats.exchange import import_tidy
    from engine.store import Store
    from engine.study import Study

    folder = tmp_path_factory.mktemp("few")
    awkward_study(random.Random(4), instances=7).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


def test_no_rate_of_few_cases_has_an_interval_of_zero_width(study):
    rows = study.result("overestimation").rows

    none = [row for row in rows if row["n"] and row["over"] in (0, row["n"])]
    assert none
    assert all(row["rate_high"] > row["rate_low"] for row in none)
    plain = study.result("overestimation", interval="percentile").rows
    alike = [row for row in plain if row["reasons"].get("rate_low") == "resamples_alike"]
    assert alike
    assert all(row["over"] in (0, row["n"]) for row in alike)


def test_no_ratio_of_few_cases_is_surely_0(study):
    rows = study.result("hspp", min_instances=1).rows

    ratios = [row for row in rows if row["judge"] is not None and row["hspp_self"] is not None]
    assert ratios
    for row in ratios:
        code = row["reasons"].get("hspp_self_low")
        assert code in (None, "too_few_expected", "no_cases")
        if code is None:
            assert row["hspp_self_high"] > row["hspp_self_low"]
        if row["hspp_self"] == 0 and code is None:
            assert row["hspp_self_p"] > 0.002


def test_wilsons_interval_of_independent_cases_matches_the_textbook():
    # 1 of 10, z = 1.96: centre (.1 + .19207) / 1.38415, half width 1.96 sqrt(.009 + .009604) / 1.38415.
    low, high = wilson(0.1, 10, quantile=1.959964)

    assert (low, high) == (pytest.approx(0.01787, abs=1e-5), pytest.approx(0.40415, abs=1e-5))


@pytest.mark.parametrize(
    ("own", "n", "other", "m"), [(0.0, 8, 0.25, 40), (0.5, 6, 0.2, 25), (1.0, 5, 0.4, 60)]
)
def test_the_interval_of_a_ratio_equals_a_second_implementation(own, n, other, m):
    from engine.stats.intervals.few_events import EventCases, ratio_of_rates

    sides = (
        EventCases(np.array([rate]), np.array([float(number)]), 20) for rate, number in ((own, n), (other, m))
    )
    estimate = ratio_of_rates(*sides)

    low, high = score_interval_of_ratio(own, n, other, m)
    assert estimate.low[0] == pytest.approx(low, rel=1e-4, abs=1e-6)
    assert estimate.high[0] == pytest.approx(high, rel=1e-4)


def test_two_slices_of_few_cases_are_not_distinguished_by_resampling(study):
    rows = study.result("hspp", against="paradigm=all_rubrics", min_instances=1).rows

    small = [row for row in rows if row["reasons"].get("low") == "few_cases"]
    assert small
    assert all(row["low"] is None and row["p"] is None for row in small)


def test_a_tail_extends_a_p_value_and_never_raises_it():
    rng = np.random.default_rng(8)
    weights = cluster_weights(40, 1000, rng)
    draws = weights @ rng.normal(1.5, 0.1, (40, 4)).astype(np.float32) / 40  # all far above 1
    measure = replace(MEASURES["hspp"], keys=("judge",), fields=(JUDGE, ratio("r", "a ratio")))

    def p_values(tail):
        column = Column(draws.mean(axis=0), draws.astype(np.float64), tail=tail)
        table = Table({"judge": Column(list("abcd")), "r": column}, np.ones(4, dtype=bool), 40)
        return list(finish(measure, table, 1, weights)["r_p"])

    without = p_values(None)
    continued = p_values(np.array([1e-6, 1e-9, 0.9, np.nan]))

    assert min(without) >= 2 / 1001  # resamples alone get no lower
    assert continued == [pytest.approx(1e-6), pytest.approx(1e-9), *without[2:]]


def rates_of(load, instances):
    """Return J's rates on J's and A's failures, of which it passes none, and every other one."""
    plain = study_of("J:F A:G", instances=instances)
    for n in range(instances):
        for generator, met in (("J", "0"), ("A", str(n % 2))):
            refer(plain, generator, "0", f"x{n}")
            judge_rubrics(plain, "J", generator, met, f"x{n}")
    rows = load(plain).result("overestimation", resamples=200).rows
    return [one(rows, judge="J", generator=generator) for generator in "JA"]


def test_from_sixty_instances_on_only_rates_of_few_cases_have_the_interval_of_few(load):
    of_few, of_many = rates_of(load, 60)

    # None of 60: Wilson's upper end z^2 / (60 + z^2); resamples would all be 0. 30 of 60 are no few.
    assert (of_few["rate_low"], of_few["rate_high"]) == (0, pytest.approx(wilson(0, 60)[1], abs=0.01))
    assert of_few["rate_high"] > 0.05
    assert of_many["rate_low"] != pytest.approx(wilson(0.5, 60)[0], abs=1e-6)


def test_below_sixty_instances_every_rate_has_the_interval_of_few(load):
    of_few, of_many = rates_of(load, 58)

    assert of_few["rate_high"] == pytest.approx(wilson(0, 58)[1], abs=0.01)
    assert (of_many["rate_low"], of_many["rate_high"]) == pytest.approx(wilson(0.5, 58), abs=0.01)


# Of six questions, alike in all: Wilson's interval of 6 cases with t = 2.5706 of 5 degrees of freedom ends at
# 6 / (6 + t^2) = .4759, however many verdicts each question has.
OF_SIX = 6 / (6 + 2.570582**2)


@pytest.fixture
def six_alike(load):
    plain = study_of("J:F A:G B:H", rubrics=(1, 1, 1), instances=6)
    for i in range(6):
        for generator in "JAB":
            refer(plain, generator, "101", f"x{i}")
            judge_rubrics(plain, "J", generator, "101", f"x{i}")
        for left, right in ("JA", "JB", "AB"):
            for first in ("generator", "opponent"):
                compare(plain, "J", left, right, first, "generator", f"x{i}")
    return load(plain)


@pytest.mark.parametrize(
    ("measure", "field", "value"),
    [("accuracy", "mra", 1), ("accuracy", "mipa", 1), ("order-effect", "flip_rate", 0),
     ("order-effect", "tie_share", 0), ("votes", "win_rate", 1)],
)  # fmt: skip
@pytest.mark.parametrize("interval", ["expanded", "percentile"])
def test_a_share_of_0_or_1_has_an_interval_in_which_a_question_is_one_case(
    six_alike, measure, field, value, interval
):
    options = {} if measure == "order-effect" else {"interval": interval}

    row = next(row for row in six_alike.result(measure, **options).rows if row[field] == value)

    inner = row[f"{field}_low" if value else f"{field}_high"]
    assert inner == pytest.approx(OF_SIX if value else 1 - OF_SIX)
    assert row[f"{field}_high" if value else f"{field}_low"] == value


def test_agreement_that_no_question_disturbs_has_no_interval_and_says_why(six_alike):
    [row] = six_alike.result("reference-agreement", a="judge:J", b="program").rows

    assert (row["agreement"], row["kappa"]) == (1, 1)
    assert row["kappa_low"] is row["kappa_high"] is None
    assert row["reasons"]["kappa_low"] == "resamples_alike"
