"""How far rankings are from the reference's: hand arithmetic and plain loops."""

import random
from itertools import combinations

import pytest
from plain.awkward import awkward_study
from plain.builders import judge_rubrics, refer, study_of
from plain.ranking import ranking

from engine.importers.formats.exchange import import_tidy
from engine.shipped_files import RESULTS
from engine.store import Store
from engine.study import Study


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
