"""How far rankings are from the reference's: hand arithmetic, SciPy, and plain loops."""

import random
from itertools import combinations

import numpy as np
import pytest
from plain.awkward import awkward_study
from plain.builders import judge_rubrics, refer, study_of
from plain.ranking import ranking
from scipy import stats

from engine.importers.exchange import import_tidy
from engine.shipped_files import RESULTS
from engine.stats.ranks import rank_distance
from engine.store import Store
from engine.study import Study


def test_tau_equals_scipys_and_reversed_pairs_are_counted_singly():
    rng = np.random.default_rng(7)
    first, second = rng.integers(0, 5, (2, 50, 6)) / 4.0

    distance = rank_distance(first, second)

    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        assert distance.tau[k] == pytest.approx(stats.kendalltau(a, b).statistic, nan_ok=True)
        reversals = [(a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in combinations(range(6), 2)]
        assert distance.flips[k] == sum(reversals)
        moved = np.abs(stats.rankdata(-a) - stats.rankdata(-b))
        assert distance.shift[k] == pytest.approx(moved.mean())


def test_a_model_missing_from_one_ranking_is_left_out():
    distance = rank_distance(np.array([3.0, 2.0, 1.0, np.nan]), np.array([1.0, 2.0, np.nan, 9.0]))

    # Two are left, in the other order: each has moved one place.
    assert (distance.tau, distance.shift, distance.flips) == (-1, 1, 1)


def test_with_one_model_left_the_distance_is_undefined():
    distance = rank_distance(np.array([3.0, np.nan]), np.array([1.0, 2.0]))

    assert np.isnan([distance.tau, distance.shift, distance.flips]).all()


def test_the_ranking_nearest_to_the_reference_is_marked(ranked):
    rows = {row["by"]: row for row in ranked.result("ranking-distance", resamples=100).rows}

    assert (rows["J"]["tau"], rows["J"]["flips"], rows["J"]["nearest"]) == (-1, 3, False)
    assert rows["J"]["shift"] == pytest.approx(4 / 3)  # J and B two places each, A none
    assert (rows["B"]["tau"], rows["B"]["shift"], rows["B"]["nearest"]) == (1, 0, True)
    assert (rows["B"]["tau_low"], rows["B"]["tau_high"]) == (1, 1)
    assert rows["all"]["n_models"] == 3
    assert "reference" not in rows


def test_judges_named_like_other_rankings_lose_none(load):
    plain = study_of(models="all:F reference:G", rubrics=(1, 1), instances=4)
    for i in range(4):
        for judge in ("all", "reference"):  # both in the opposite order to the reference
            for generator, mets in (("all", "11"), ("reference", "10")):
                judge_rubrics(plain, judge, generator, mets, f"x{i}")
        for generator, mets in (("all", "00"), ("reference", "10")):
            refer(plain, generator, mets, f"x{i}")
    study = load(plain)

    rankings = [row["by"] for row in study.result("ranking-distance", resamples=0).rows]
    reversals = [row["by"] for row in study.result("ranking", rows="flips", resamples=0).rows]

    assert sorted(rankings) == ["all", "all", "all-without-family", "all-without-self", "reference"]
    assert reversals.count("all") == 2
    assert reversals.count("reference") == 1


@pytest.mark.parametrize(("measure", "options"), [("ranking-distance", {}), ("ranking", {"rows": "flips"})])
def test_what_rankings_leave_out_is_counted_with_what_is_read_from_them(measure, options):
    study = Study.open(RESULTS / "demo-health")

    left_out = study.result("ranking", resamples=0).left_out

    assert study.result(measure, resamples=0, **options).left_out == left_out
    assert left_out["incomplete"] > 0


def test_without_a_reference_there_are_no_rows_and_a_reason(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=3)
    judge_rubrics(plain, "J", "A", "1", "x0")

    result = load(plain).result("ranking-distance", resamples=0)

    assert (result.rows, result.reason) == ([], "the reference ranks no models in this slice")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [{}, {"scores": "weighted"}, {"paradigm": "direct_assessment"}], ids=str)
def test_distances_equal_those_of_the_plain_rankings(tmp_path, seed, options):
    plain = awkward_study(random.Random(seed), instances=5 + seed % 3, statuses=0.02, missing=0.01)
    plain.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "awkward")
    scores = {}
    for row in ranking(plain, **options)[0]:
        scores.setdefault(row["by"], {})[row["model"]] = row["score"]
    truth = scores.pop("reference", {})

    rows = Study.open(tmp_path / "store" / "awkward").result("ranking-distance", resamples=0, **options).rows

    row_by_source = {row["by"]: row for row in rows}
    for by, own in scores.items():
        shared = [model for model in own if model in truth]
        assert row_by_source[by]["n_models"] == len(shared)
        if len(shared) < 2:
            continue
        pairs = list(combinations(shared, 2))
        reversals = [(own[a] - own[b]) * (truth[a] - truth[b]) < -1e-12 for a, b in pairs]
        assert row_by_source[by]["flips"] == sum(reversals)
