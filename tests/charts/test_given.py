"""What a few judges gave and were expected to give, as rows of a chart."""

from typing import Any, cast

from engine.charts.given import given_rows

CUT = 12
"""Characters of a name that a phone has room for, at least."""


def test_a_judge_and_its_family_are_told_apart_where_long_names_are_cut() -> None:
    row: dict[str, Any] = {"judge": "a-judge-with-a-long-name", "n_own": 40}
    for part in ("own", "family"):
        row |= {f"{part}_given": 0.5, f"{part}_expected": 0.4}
        row |= {f"{part}_expected_low": 0.3, f"{part}_expected_high": 0.5}

    labels = given_rows([cast("Any", row)])["label"]

    assert labels.str[:CUT].nunique() == 2
