"""Eleven judges on verifiable answers: the fast measures equal the plain loops, and their identities hold."""

import math
from pathlib import Path

import pytest
from plain.dbg import dbg
from plain.quality_baseline import quality_baseline
from plain.study import PlainStudy

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SETS = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            not (DATA / name).exists(),
            reason=f"the data are not part of the repository (../shared/data/{name} is absent)",
        ),
    )
    for name in ("verifiable-pairs-math500", "verifiable-pairs-mbpp-plus")
]


@pytest.fixture(scope="module", params=SETS)
def both(request, tmp_path_factory):
    """Return every fourth instance of the data as plain rows and as an opened study."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = PlainStudy.from_folder(DATA / request.param)
    instances = {row["instance_id"] for row in rows.instances[::4]}
    for name in ("instances", "rubrics", "responses", "references", "preferences", "pairs", "judgments"):
        table = getattr(rows, name)
        table[:] = [row for row in table if row["instance_id"] in instances]
    rows.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "pairs")
    return rows, Study.open(folder / "store" / "pairs")


def assert_same(result, expected):
    by_pair = {(row["judge"], row["opponent"]): row for row in result.rows}
    assert list(by_pair) == list(expected)
    for key, row in expected.items():
        for field, value in row.items():
            if field == "_by_panel":  # only on request for panels; there are no gold judges here
                continue
            ours = by_pair[key][field]
            same = ours == value or (
                None not in (ours, value) and math.isclose(ours, value, rel_tol=1e-9, abs_tol=1e-9)
            )
            assert same, (key, field, ours, value)


def test_shares_and_entropies_of_eleven_judges_equal_the_plain_loops(both):
    rows, study = both
    expected = quality_baseline(rows)

    result = study.result("quality-baseline", resamples=0)

    assert len({judge for judge, _ in expected}) == 11
    assert_same(result, expected)


def test_without_proxies_there_is_a_reason_instead_of_a_test_statistic(both):
    _, study = both

    rows = study.result("quality-baseline", resamples=0).rows

    assert {row["ilsp_updated"] for row in rows} == {None}
    assert {row["reasons"]["ilsp_updated"] for row in rows} == {"no_example_with_a_proxy"}
    assert {row["n"] for row in rows} == {0}


def test_bias_is_unearned_credit_less_unrecognized_merit(both):
    _, study = both

    rows = study.result("quality-baseline", resamples=0).rows

    complete = [row for row in rows if row["ilsp"] is not None and row["lsp"] is not None]
    assert len(complete) >= 70
    for row in complete:  # EQB equation 5
        split = (1 - row["acc"]) * row["ilsp"] - row["acc"] * (1 - row["lsp"])
        assert row["bias"] == pytest.approx(split)


@pytest.mark.parametrize("ties", ["keep", "drop"])
def test_the_dbg_score_of_eleven_judges_equals_the_plain_loops(both, ties):
    rows, study = both
    expected = dbg(rows, ties=ties)

    result = study.result("dbg", ties=ties, resamples=0)

    assert len({judge for judge, _ in expected}) == 11
    assert_same(result, expected)


def test_every_interval_contains_its_value(both):
    _, study = both

    rows = study.result("dbg", resamples=200).rows

    assert all(row["dbg_low"] <= row["dbg"] <= row["dbg_high"] for row in rows)


@pytest.mark.skipif(
    not (DATA / "verifiable-pairs-math500").exists(),
    reason="the data are not part of the repository (../shared/data/verifiable-pairs-math500 is absent)",
)
def test_the_paper_s_reading_of_ties_moves_a_judge_s_score_from_2_to_17_points(tmp_path):
    import_tidy(DATA / "verifiable-pairs-math500", Store(tmp_path), "math500")
    study = Study.open(tmp_path / "math500")

    scores = {
        ties: next(
            row["dbg"]
            for row in study.result("dbg", ties=ties, judges=["gemma-2-27b"], resamples=0).rows
            if row["opponent"] is None
        )
        for ties in ("keep", "drop")
    }

    # by the letters 2.1 points, by the probabilities of the two responses 16.7
    assert {ties: round(100 * score, 1) for ties, score in scores.items()} == {"keep": 2.1, "drop": 16.7}
