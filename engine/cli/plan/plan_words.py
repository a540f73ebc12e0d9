"""The first sentence of a plan: how many questions detect an effect, and for whom."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.phrases import join_names
from engine.words.planned_for import PLANNED_FOR


def answer(
    effect: str,
    rows: Sequence[Mapping[str, Any]],
    judges: int,
    wanted: float,
    instances: int | None,
    claim: str = "",
) -> str:
    """Say how many questions detect an effect with the power wanted, or the power of so many `instances`.

    `claim` is what is said of a judge where it is detected, such as `favours itself`.
    """
    possible = [row for row in rows if row["instances"] is not None and row["power"] is not None]
    if not possible:
        words = f" so that a judge is said to {claim}" if claim else ""
        return f"No number of questions detects {effect}{words}."
    effect += f", so that a judge is said to {claim}," if claim else ""
    name, unit = ("instances", " questions") if instances is None else ("power", " of studies")
    number = "{:,}" if instances is None else "{:.0%}"
    parts: list[str] = []
    for row in possible:
        whom = PLANNED_FOR[row["target"]].phrase.format(judges=judges)
        whom += " (as spb judges does)" if claim and row["target"] == "adjusted" else ""
        parts.append(f"{number.format(row[name])}{'' if parts else unit} {whom}")
    if instances is None:
        return f"To detect {effect} in {wanted:.0%} of studies takes {join_names(parts)}."
    return f"With {instances:,} questions, {effect} is detected in {join_names(parts)}."
