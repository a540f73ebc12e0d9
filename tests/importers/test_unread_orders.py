"""Columns that say which answer of a pair was shown first are read, or asked about."""

import csv
import random
import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4.1", "claude-3-haiku", "gemini-1.5-pro")
SIDES = ("left", "right")


def pairs(
    path: Path, name: str, values: Sequence[str], authors: Sequence[str], *, both: bool = False
) -> Path:
    """Write pairs with a column of these values, one at random or both; `MODEL1` is the first author."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["case", *authors, name, "referee", "winner"])
        for case in range(12):
            for a, b in combinations(MODELS, 2):
                winners = SIDES if "left" in authors[0] else (a, b)
                own = [{"MODEL1": a, "MODEL2": b}.get(each, each) for each in values]
                for judge in MODELS:
                    for value in own if both else [chance.choice([*own, own[0]])]:
                        writer.writerow([case, a, b, value, judge, chance.choice([*winners, "draw"])])
    return path


def orders(path: Path, store: Path, study: str) -> dict[str, set[str]]:
    """Return which side was shown first by the value of the file's column, as a study has it."""
    rows = Store(store).open(study).judgments(("first",))["first"].to_pylist()
    with path.open(encoding="utf-8", newline="") as file:
        values = [row[3] for row in list(csv.reader(file))[1:]]
    sides = Counter(rows)
    return {value: {side for side in sides if sides[side] == n} for value, n in Counter(values).items()}


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("name", ["shown_on_top", "displayed_first", "Displayed on top", "presented_first"])
def test_a_column_of_the_side_shown_first_is_read_by_the_names_of_the_authors_columns(
    spb_here: Spb, tmp_path: Path, name: str, both: bool
) -> None:
    path = pairs(tmp_path / "duels.csv", name, SIDES, ("left_bot", "right_bot"), both=both)

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    if not both:
        assert orders(path, tmp_path / "s", "duels") == {"left": {"generator"}, "right": {"opponent"}}
    assert "run_id" not in imported.stderr
    assert "is taken to be the answer shown first" not in imported.stderr


@pytest.mark.parametrize(
    ("name", "values", "first"),
    [
        ("position_of_a", ("1", "2"), {"1": "generator", "2": "opponent"}),
        ("b_position", ("first", "second"), {"first": "opponent", "second": "generator"}),
        ("model_b_slot", ("0", "1"), {"0": "opponent", "1": "generator"}),
        ("positions_swapped", ("true", "false"), {"true": "opponent", "false": "generator"}),
        ("is_ab_swapped", ("1", "0"), {"1": "opponent", "0": "generator"}),
    ],
)
def test_the_place_of_one_side_says_which_was_shown_first(
    spb_here: Spb, tmp_path: Path, name: str, values: Sequence[str], first: dict[str, str]
) -> None:
    path = pairs(tmp_path / "duels.csv", name, values, ("model_a", "model_b"))

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    assert orders(path, tmp_path / "s", "duels") == {value: {side} for value, side in first.items()}


def test_a_model_that_was_displayed_first_is_not_taken_for_the_judge(spb_here: Spb, tmp_path: Path) -> None:
    values, authors = ("MODEL1", "MODEL2"), ("model_a", "model_b")
    path = pairs(tmp_path / "duels.csv", "displayed_first", values, authors, both=True)

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    judgments = Store(tmp_path / "s").open("duels").judgments(("first", "judge")).to_pylist()
    assert {row["judge"] for row in judgments} == set(MODELS)
    assert {row["first"] for row in judgments} == {"generator", "opponent"}


def test_numbers_of_a_column_called_presentation_are_asked_about(spb_here: Spb, tmp_path: Path) -> None:
    path = pairs(tmp_path / "duels.csv", "presentation", ("1", "2"), ("model_a", "model_b"))

    refused = spb_here("import", path, "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "'presentation' may say which answer of a pair was shown first" in refused.stderr


@pytest.mark.parametrize("name", ["layout", "side", "arm"])
@pytest.mark.parametrize("authors", [("left_bot", "right_bot"), ("model_a", "model_b")])
def test_a_column_that_may_be_the_order_is_asked_about_with_whole_commands(
    spb_here: Spb, tmp_path: Path, name: str, authors: Sequence[str]
) -> None:
    path = pairs(tmp_path / "duels.csv", name, SIDES, authors)

    refused = spb_here("import", path, "--store", tmp_path / "s")
    lines = [line for line in refused.stderr.splitlines() if line.startswith("  spb ")]
    done = [spb_here(*shlex.split(line)[1:], "--study", f"s{n}") for n, line in enumerate(lines)]

    assert refused.returncode == 2
    assert f"{name!r} may say which answer of a pair was shown first" in refused.stderr
    assert [each.returncode for each in done] == [0, 0, 0], done[0].stderr + done[2].stderr
    upright, inverted = (orders(path, tmp_path / "s", f"s{n}") for n in (0, 1))
    assert upright == {"left": {"generator"}, "right": {"opponent"}}
    assert inverted == {"left": {"opponent"}, "right": {"generator"}}
    assert "--map first=" not in lines[2]


def test_each_order_of_a_pair_is_no_run_of_its_own(spb_here: Spb, tmp_path: Path) -> None:
    path = pairs(tmp_path / "duels.csv", "layout", SIDES, ("left_bot", "right_bot"), both=True)

    refused = spb_here("import", path, "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "run_id" not in refused.stderr
    assert "--set first=generator" not in refused.stderr


@pytest.mark.parametrize("name", ["longer_answer", "second_choice", "human_pick", "tie_break"])
def test_a_column_of_sides_that_says_something_else_is_not_asked_about(
    spb_here: Spb, tmp_path: Path, name: str
) -> None:
    path = pairs(tmp_path / "duels.csv", name, SIDES, ("left_bot", "right_bot"))

    imported = spb_here("import", path, "--store", tmp_path / "s", "--map", "choice=winner")

    assert imported.returncode == 0, imported.stderr
