"""A study of each paper's kind is simulated by the command, and its measure finds what was planted."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb

from engine.store import Store

JUDGES = ("--judges", "ant,bee,cat,dog", "--families", "a,b,c,d", "--biased", "bee", "--seed", "7")


def _studied(
    spb_here: Spb, tmp_path: Path, words: tuple[str, ...], measure: tuple[str, ...]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Simulate a study and return its truth by judge, and the rows of a measure of it."""
    place = ("--store", tmp_path)
    written = spb_here("plan", "simulate", "s", *place, *words)
    assert written.returncode == 0, written.stderr
    answer = spb_here(
        "measure", measure[0], "s", *place, *measure[1:], "--resamples", "0", "--format", "json"
    )
    assert answer.returncode == 0, answer.stderr
    truth = Store(tmp_path).open("s").info.truth
    assert truth is not None
    return truth["judges"], json.loads(answer.stdout)["rows"]


@pytest.mark.parametrize(
    ("paper", "words", "measure", "field", "planted", "others"),
    [
        ("rubric-self-preference", ("--kind", "rubrics", "--self-ratio", "2"), "hspp", "hspp_self", 2.0, 1.0),
        ("equal-quality-pairs", ("--kind", "pairs", "--spb", "0.4"), "equal-quality", "spb", 0.4, 0.0),
        (
            "evaluator-quality-baseline",
            ("--kind", "pairs", "--beyond", "0.1"),
            "quality-baseline",
            "ilsp_updated",
            0.1,
            0.0,
        ),
    ],
)
def test_the_measure_of_a_paper_finds_the_planted_bias(
    tmp_path: Path, spb_here: Spb, paper: str, words: tuple[str, ...], measure: str, field: str,
    planted: float, others: float,
) -> None:  # fmt: skip
    _, rows = _studied(spb_here, tmp_path, (*words, *JUDGES, "--instances", "100"), (measure,))

    values = {row["judge"]: row[field] for row in rows if row["judge"] and row.get("opponent") is None}
    near = 0.4 if others == 1.0 else 0.1  # of a few hundred cases
    assert values["bee"] == pytest.approx(planted, abs=near), paper
    unbiased = [values[judge] for judge in ("ant", "cat", "dog") if values[judge] is not None]
    assert len(unbiased) >= 1
    assert all(value == pytest.approx(others, abs=near) for value in unbiased)


def test_the_dbg_score_is_that_of_the_drawn_votes(tmp_path: Path, spb_here: Spb) -> None:
    words = ("--kind", "pairs", "--spb", "0.4", *JUDGES, "--instances", "100")

    truth, rows = _studied(spb_here, tmp_path, words, ("dbg",))

    for row in (row for row in rows if row["opponent"] is None):
        assert row["dbg"] == pytest.approx(truth[row["judge"]]["expected"]["dbg"], abs=0.1)


def test_the_first_option_of_a_list_is_picked_more_by_the_planted_pull(tmp_path: Path, spb_here: Spb) -> None:
    words = ("--kind", "orders", "--pull", "4", *JUDGES, "--instances", "40")

    truth, rows = _studied(spb_here, tmp_path, words, ("position",))

    shares = {(row["judge"], row["position"]): row["share"] for row in rows}
    for judge in ("ant", "bee"):
        expected = truth[judge]["expected"]["position_shares"]
        measured = [shares[judge, place] for place in range(1, 6)]
        assert measured == pytest.approx(expected, abs=0.06)
    assert shares["bee", 1] > shares["bee", 5] + 0.1
    assert abs(shares["ant", 1] - shares["ant", 5]) < 0.08


def test_an_impossible_beyond_names_its_range(tmp_path: Path, spb_here: Spb) -> None:
    ran = spb_here("plan", "simulate", "s", "--store", tmp_path, "--kind", "pairs", "--beyond", "0.3")

    assert ran.returncode == 2
    assert "beyond 0.3 of" in ran.stderr
    assert "give -" in ran.stderr
    assert not (tmp_path / "s").exists()
