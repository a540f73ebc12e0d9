"""Intervals of the measures on pairs, recomputed by plain loops over resampled instances."""

import random

import numpy as np
import pytest
from plain import equal_quality as plain_equal
from plain.asking import ask, mean
from plain.awkward_pairs import awkward_pairs_study
from plain.dbg import item_of
from plain.judged import all_pairs, preferred_variant
from plain.quality_baseline import DEFAULTS, all_examples
from plain.resampling import bootstrap_interval

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

RESAMPLES = 60


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Return a study as plain rows, and opened from a store."""
    rows = awkward_pairs_study(random.Random(5), instances=7)
    folder = tmp_path_factory.mktemp("awkward")
    rows.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return rows, Study.open(folder / "store" / "awkward")


def resampled(rows, imported, statistic):
    """The statistic in each resample, given how often each instance was drawn."""
    names = [row["instance_id"] for row in rows.instances]
    return [
        statistic(dict(zip(names, map(int, draw), strict=True))) for draw in imported.weights(RESAMPLES, 0)
    ]


def repeated(items, times):
    """Repeat each (instance, value) as often as its instance was drawn."""
    return [value for instance, value in items for _ in range(times[instance])]


def assert_interval(row, field, draws):
    interval = bootstrap_interval(draws)
    ends = (row[f"{field}_low"], row[f"{field}_high"])
    assert ends == ((None, None) if interval is None else pytest.approx(interval))
    return interval is not None


def cases_added_to_differences():
    """Firm choices (1) and others (0) added to PIR and to Null-PIR in each resample, drawn with seed 0.

    Those of the three single shares are drawn before, two of each kind on average.
    """
    rng = np.random.default_rng(0)
    for _ in ("pir", "null_pir", "pir_family"):
        rng.poisson(2, size=RESAMPLES), rng.poisson(2, size=RESAMPLES)
    sides = []
    for _ in ("pir", "null_pir"):
        hits, misses = rng.poisson(1, size=RESAMPLES), rng.poisson(1, size=RESAMPLES)
        sides.append([[1.0] * hit + [0.0] * miss for hit, miss in zip(hits, misses, strict=True)])
    return list(zip(*sides, strict=True))


def question_of(rows, *variants):
    return ask(rows, paradigm="pairwise", variant=preferred_variant(rows, *variants))


def test_the_interval_of_self_preference_bias_resamples_questions(study):
    rows, imported = study
    rules = plain_equal.Rules(epsilon=1.0, null_pairs="all")
    question = question_of(rows, "forced", "default")
    choices = plain_equal.chosen_pairs(all_pairs(question))
    quality = plain_equal.quality_of(question, rules)

    result = imported.result("equal-quality", epsilon=1.0, null_pairs="all", resamples=RESAMPLES)

    defined = 0
    for row in result.rows:
        sets = plain_equal.sets_of(question, rules, quality, row["judge"], choices)
        own, null = (
            [(c.pair.instance_id, float(c.firm == 1)) for c in part] for part in (sets.own, sets.null)
        )

        added = iter(cases_added_to_differences())

        def bias(times, own=own, null=null, added=added):
            cases = next(added)
            sides = (repeated(own, times), repeated(null, times))
            shares = [mean(side + extra) if side else None for side, extra in zip(sides, cases, strict=True)]
            return plain_equal.minus(*shares)

        defined += assert_interval(row, "spb", resampled(rows, imported, bias))
    assert defined >= 3


def test_the_interval_of_the_baselines_statistic_resamples_instances(study):
    rows, imported = study
    question = question_of(rows, "forced_tie", "forced", "default").with_options(reference="program")
    examples = all_examples(question, DEFAULTS)

    result = imported.result(
        "quality-baseline", reference="program", subset="all", resamples=RESAMPLES, interval="percentile"
    )

    defined = 0
    for row in result.rows:
        deltas = [
            (e.instance_id, e.s - sum(e.proxies.values()) / len(e.proxies))
            for e in examples
            if e.judge == row["judge"] and row["opponent"] in (None, e.opponent) and e.proxies
        ]
        draws = resampled(rows, imported, lambda times, deltas=deltas: mean(repeated(deltas, times)))
        defined += bool(deltas) and assert_interval(row, "ilsp_updated", draws)
    assert defined >= 3


def test_the_interval_of_dbg_resamples_instances(study):
    rows, imported = study
    question = question_of(rows, "forced", "default")
    own = [pair for pair in all_pairs(question) if pair.judge in (pair.one, pair.two)]
    items = [(pair, item_of(question, pair, (), "mean")) for pair in own]

    result = imported.result("dbg", resamples=RESAMPLES, interval="percentile")

    pooled = [row for row in result.rows if row["opponent"] is None]
    assert len(pooled) >= 4
    for row in pooled:
        biases = [
            (pair.instance_id, item["win"] - item["gold"])
            for pair, item in items
            if item is not None and item["judge"] == row["judge"]
        ]
        draws = resampled(rows, imported, lambda times, biases=biases: mean(repeated(biases, times)))
        assert assert_interval(row, "dbg", draws)


def test_resampling_the_pairs_too_widens_the_interval(study):
    _, imported = study
    options = {"epsilon": 1.0, "null_pairs": "all", "resamples": 400}

    def widths(**more):
        rows = imported.result("equal-quality", **options, **more).rows
        return {row["judge"]: row["pir_high"] - row["pir_low"] for row in rows if row["pir_low"] is not None}

    one, two = widths(), widths(two_stage=True)

    assert sum(two[judge] for judge in one) > sum(one.values())
