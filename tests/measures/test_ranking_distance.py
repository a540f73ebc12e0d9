"""How far rankings are from the reference's: hand arithmetic and plain loops."""

import random
from itertools import combinations

import pytest
from plain.awkward import awkward_study
from plain.builders import judge_rubrics, refer, study_of
from plain.ranking import beside_reference

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


def test_a_ranking_is_compared_with_the_reference_over_the_questions_that_it_is_of(load):
    # The reference passes J on x0 and B on x1 to x3; the judge B has judged x0 alone, as the reference does.
    plain = study_of(models="J:F B:G", rubrics=(1,), instances=4)
    for i in range(4):
        passed = "J" if i == 0 else "B"
        for generator in "JB":
            met = "1" if generator == passed else "0"
            refer(plain, generator, met, f"x{i}")
            for judge in "JB" if i == 0 else "J":
                judge_rubrics(plain, judge, generator, met, f"x{i}")
    study = load(plain)

    rows = study.result("ranking-distance", resamples=0).rows
    of_b = study.result("ranking", judges="B", resamples=0).rows

    assert {row["tau"] for row in rows} == {1.0}
    assert {row["n"] for row in of_b if row["by"] in ("B", "reference")} == {1}
    assert study.result("ranking", rows="flips", resamples=0).rows == []


def test_a_ranking_of_more_questions_than_the_reference_scored_is_compared_over_those_it_scored(load):
    # Judge and reference agree on x0, the only one with a reference; on the others J ranks the other way.
    plain = study_of(models="J:F B:G", rubrics=(1,), instances=3)
    for i in range(3):
        for generator, met in (("J", "10"[i > 0]), ("B", "01"[i > 0])):
            judge_rubrics(plain, "J", generator, met, f"x{i}")
            if i == 0:
                refer(plain, generator, met, "x0")

    rows = load(plain).result("ranking-distance", resamples=0).rows

    assert next(row["tau"] for row in rows if row["by"] == "J") == 1.0


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
    rows = Study.open(tmp_path / "store" / "awkward").result("ranking-distance", resamples=0, **options).rows

    row_by_source = {row["by"]: row for row in rows}
    for by, (own, truth) in beside_reference(plain, **options).items():
        shared = [model for model in own if model in truth]
        assert row_by_source[by]["n_models"] == len(shared)
        if len(shared) < 2:
            continue
        pairs = list(combinations(shared, 2))
        reversals = [(own[a] - own[b]) * (truth[a] - truth[b]) < -1e-12 for a, b in pairs]
        assert row_by_source[by]["flips"] == sum(reversals)
