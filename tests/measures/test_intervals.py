"""Intervals, p-values and comparisons: properties that hold for any data."""

import random

import numpy as np
import pandas as pd
import pytest
from plain.asking import ask, models
from plain.awkward import awkward_study
from plain.deltas import delta_rows
from plain.measures import instance_level
from plain.resampling import benjamini_hochberg, bootstrap_interval, p_value

import engine


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    from engine.importers.formats.exchange import import_tidy
    from engine.store import Store
    from engine.study import Study

    folder = tmp_path_factory.mktemp("intervals")
    awkward_study(random.Random(4), instances=7).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


def test_the_same_seed_gives_the_same_rows(study):
    one, two = (study.result("hspp", seed=3).rows for _ in range(2))

    assert one == two


def test_another_seed_changes_intervals_but_not_values(study):
    one, two = (study.result("accuracy", seed=seed).rows for seed in (1, 2))

    assert [row["mra"] for row in one] == [row["mra"] for row in two]
    assert [row["mra_low"] for row in one] != [row["mra_low"] for row in two]


def test_intervals_are_percentiles_of_a_bootstrap_of_instances_by_plain_loops(study):
    by_instance = study.result("overestimation", by="theme", resamples=0)  # opens the cubes
    assert by_instance.rows
    result = study.result("overestimation", resamples=200, seed=9, interval="percentile")
    weights = study.weights(200, 9)

    from engine.arrays.bits.bitsets import count
    from engine.arrays.slicing.group_by import single_view
    from engine.measures.catalogue import find
    from engine.slices import Slice

    view = single_view(study, Slice.of(), None, find("overestimation").paradigms)
    layout = study.index.layout
    over = layout.count_by_instance(view.rubric.take(view.rubric.planes.over))
    failed = layout.count_by_instance(view.rubric.take(view.rubric.planes.failed))
    assert count(view.rubric.take(view.rubric.planes.over)).sum() == over.sum()
    row = next(row for row in result.rows if row["n"] > 5 and row["rate_low"] is not None)
    j = [study.index.models[m] for m in view.judges].index(row["judge"])
    g = [study.index.models[m] for m in view.generators].index(row["generator"])
    draws = []
    for weight in weights:
        hits = sum(int(w) * int(o) for w, o in zip(weight, over[j, g], strict=True))
        trials = sum(int(w) * int(n) for w, n in zip(weight, failed[j, g], strict=True))
        if trials:
            draws.append(hits / trials)
    assert row["rate_low"] == pytest.approx(np.percentile(draws, 2.5))
    assert row["rate_high"] == pytest.approx(np.percentile(draws, 97.5))


@pytest.mark.parametrize("missing", [0, 0.02, 0.5])
def test_draws_are_the_resampled_counts_however_many_verdicts_are_missing(missing):
    from engine.arrays.slicing.group_by import single_view
    from engine.measures.catalogue import find
    from engine.slices import Slice

    rng = np.random.default_rng(5)
    names = ["a-1", "a-2", "b-1", "c-1"]
    cells = [(judge, generator, f"x{x}") for judge in names for generator in names for x in range(30)]
    drawn = pd.DataFrame(cells, columns=["judge", "generator", "instance_id"]).assign(rubric_id="k")
    drawn["met"] = rng.random(len(drawn)) < 0.6
    passed = {(generator, x): rng.random() < 0.5 for _, generator, x in cells}
    drawn["reference_met"] = [passed[generator, x] for _, generator, x in cells]
    families = {name: name[0] for name in names}
    study = engine.from_frame(
        drawn[rng.random(len(drawn)) >= missing], set={"reference_source": "human"}, families=families
    )

    counts = single_view(study, Slice.of(), study.weights(50, 2), find("overestimation").paradigms).rubric

    for name in ("over", "failed", "under", "passed"):
        expected = np.einsum("jgx,bx->bjg", counts.by_instance(name), study.weights(50, 2))
        np.testing.assert_array_equal(getattr(counts, name).draws, expected)
        np.testing.assert_array_equal(getattr(counts, name).total, counts.by_instance(name).sum(axis=-1))
    assert counts.instances == 30


def test_a_slice_compared_with_itself_does_not_differ(study):
    rows = study.result("hspp", against="scores=fraction").rows

    for row in rows:
        if row["a"] is not None:
            assert row["difference"] == pytest.approx(1)
            assert row["low"] in (None, pytest.approx(1))


def test_a_comparison_divides_the_two_slices_headlines(study):
    rows = study.result("hspp", polarity="positive", against="polarity=negative", resamples=0).rows
    positive = {row["judge"]: row["hspp_self"] for row in study.result("hspp", polarity="positive").rows}
    negative = {row["judge"]: row["hspp_self"] for row in study.result("hspp", polarity="negative").rows}

    for row in rows:
        assert row["a"] == positive[row["judge"]]
        assert row["b"] == negative[row["judge"]]
        if row["difference"] is not None:
            assert row["difference"] == pytest.approx(row["a"] / row["b"])


def test_without_resamples_there_are_no_intervals_and_the_row_says_why(study):
    row = study.result("hspp", resamples=0).rows[0]

    assert row["hspp_self_low"] is None
    assert row["reasons"]["hspp_self_low"] in ("no_resamples", row["reasons"].get("hspp_self"))


def test_with_too_few_instances_there_are_intervals_but_no_p_values(study):
    rows = study.result("overestimation").rows + study.result("hspp").rows

    assert any(row.get("rate_low") is not None for row in rows)
    assert all(row.get("hspp_self_p") is None for row in rows)
    assert any(row["reasons"].get("hspp_self_p") == "too_few_instances" for row in rows)


def own_rows(study, **options):
    rows = study.result("delta", resamples=200, seed=9, interval="percentile", **options).rows
    return {row["judge"]: row for row in rows if row["generator"] in (row["judge"], None)}


@pytest.mark.parametrize("name", ["bonus", "family_bonus"])
def test_p_values_of_deltas_over_few_instances_equal_resampled_plain_loops(study, name):
    query = ask(awkward_study(random.Random(4), instances=7), level="instance")
    scored, _ = instance_level(query)
    instances, p_values = study.index.instances.to_pylist(), {}
    for judge in models(query):
        own, draws = [one for one in scored if one.judge == judge], []
        for weights in study.weights(200, 9):
            times = dict(zip(instances, weights.astype(int).tolist(), strict=True))
            sample = [one for one in own for _ in range(times[one.instance_id])]
            values = [row.get(name) for row in (delta_rows(query, judge, sample) if sample else [])]
            value = next((value for value in values if value is not None), None)
            draws.append(None if value is None else round(value, 9))  # a rounding residue counts as 0
        p_values[judge] = p_value(draws, 0.0) if bootstrap_interval(draws) else None
    adjusted = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))

    rows = own_rows(study, min_instances=1)

    assert sum(p_values[judge] is not None for judge in rows) > 1
    for judge, row in rows.items():
        assert row[f"{name}_p"] == pytest.approx(p_values[judge])
        assert row[f"{name}_p_adjusted"] == pytest.approx(adjusted[judge])


def test_deltas_over_too_few_instances_have_no_p_values_and_say_so(study):
    rows = [row for row in own_rows(study).values() if row["bonus_low"] is not None]

    assert rows
    for row in rows:
        assert (row["bonus_p"], row["reasons"]["bonus_p"]) == (None, "too_few_instances")
