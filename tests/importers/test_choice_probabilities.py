"""A probability that contradicts the choices is not read as that of choosing the generator."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


def pairs(p_generator: Callable[[dict[str, Any]], float]) -> pd.DataFrame:
    """Return 180 pairs, half of them with the generator first, with a probability by the row."""
    rows: list[dict[str, Any]] = [
        {"instance_id": f"q{n}", "judge": judge, "generator": a, "opponent": b, "first": first}
        | {"choice": "generator" if n % 3 else "opponent"}
        for n in range(10)
        for a, b in permutations(MODELS, 2)
        if a < b
        for judge in MODELS
        for first in ("generator", "opponent")
    ]
    return pd.DataFrame([row | {"p_generator": p_generator(row)} for row in rows])


def of_generator(row: dict[str, Any]) -> float:
    return 0.9 if row["choice"] == "generator" else 0.1


def of_opponent(row: dict[str, Any]) -> float:
    return 1 - of_generator(row)


def of_first(row: dict[str, Any]) -> float:
    return of_generator(row) if row["first"] == "generator" else of_opponent(row)


def test_the_probability_of_the_other_answer_is_refused() -> None:
    with pytest.raises(BadInputError, match="choice in 180 of 180 rows; it may be that of the other answer"):
        engine.from_frame(pairs(of_opponent))


def test_the_probability_of_the_answer_shown_first_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"choice in 90 of 180 rows; .* of the answer shown first"):
        engine.from_frame(pairs(of_first))


def test_a_few_that_contradict_choices_are_counted() -> None:
    frame = pairs(of_generator)
    frame.loc[[0, 5], "p_generator"] = 1 - frame.loc[[0, 5], "p_generator"]
    frame.loc[7, "p_generator"] = 0.5

    with pytest.warns(UserWarning, match="'p_generator'.* disagrees with the choice in 2 of 180 rows"):
        engine.from_frame(frame)


def test_a_file_names_its_own_column(spb_here: Spb, tmp_path: Path) -> None:
    pairs(of_opponent).rename(columns={"p_generator": "prob"}).to_csv(tmp_path / "t.csv", index=False)

    done = spb_here("import", tmp_path / "t.csv", "--map", "p_generator=prob", "--store", tmp_path / "store")

    assert done.returncode == 2
    assert "'prob', read as the probability" in done.stderr
    assert "--not prob" in done.stderr
    assert not (tmp_path / "store").exists()
