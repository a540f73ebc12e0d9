"""Sides: the order of responses on an annotator's screen, and labels mapped back to responses.

`order` is that of the responses on the screen: `order[k]` is the index in the item of the k-th one shown. The
annotator answers about left and right; what is stored is about the responses.
"""

from collections.abc import Sequence
from typing import Any

from engine.values import parse_float

LEFT, RIGHT = "left", "right"
NEITHER = {"equal_pair": "equal", "preference": "tie"}
"""The kinds of task on pairs, and the answer that neither response is better."""

KINDS = ("equal_pair", "clusters", "rubric_verdict", "score", "preference")
VERDICTS = ("met", "not_met", "cannot_tell")


def answers(kind: str, scores: Sequence[float] = ()) -> tuple[Any, ...]:
    """Return the answers that an annotator can choose from, in the order of their keys; none for clusters."""
    if kind in NEITHER:
        return (LEFT, NEITHER[kind], RIGHT)
    return VERDICTS if kind == "rubric_verdict" else tuple(scores)


def stored_value(kind: str, answer: Any, order: Sequence[int], scores: Sequence[float] = ()) -> Any:
    """Return what an answer says about the responses; only this function maps sides back.

    For pairs, `left` and `right` become `generator` and `opponent`; for clusters, the levels of the responses
    as shown are put in the item's order. Raises ValueError, with the answer, if it is invalid.
    """
    if kind in NEITHER:
        if answer not in answers(kind):
            raise ValueError(f"{answer!r}, expected {', '.join(answers(kind))}")
        if answer == NEITHER[kind]:
            return answer
        return ("generator", "opponent")[order[0 if answer == LEFT else 1]]
    value = check_value(kind, answer, len(order), scores)
    if kind != "clusters":
        return value
    return [level for _, level in sorted(zip(order, value, strict=True))]


def screen_answer(kind: str, value: Any, order: Sequence[int]) -> Any:
    """Return the answer on the screen for a stored value; the inverse of `stored_value`."""
    if kind in NEITHER and value in ("generator", "opponent"):
        return LEFT if order[0] == ("generator", "opponent").index(value) else RIGHT
    if kind == "clusters" and value is not None:
        return [value[place] for place in order]
    return value


def alike(kind: str, first: Any, second: Any) -> bool:
    """Return whether two stored values say the same; for clusters only the order of levels counts."""
    if kind == "clusters" and first is not None and second is not None:
        first, second = ([sorted(set(levels)).index(level) for level in levels] for levels in (first, second))
    return bool(first == second)


def check_value(kind: str, value: Any, responses: int, scores: Sequence[float] = ()) -> Any:
    """Return a value of this kind as it is stored; ValueError, naming what is expected, if it is invalid."""
    if kind == "score":
        if parse_float(value) is None or (scores and value not in scores):
            choices = ", ".join(f"{score:g}" for score in scores) or "a number"
            raise ValueError(f"{value!r}, expected {choices}")
        return float(value)
    if kind == "clusters":
        fits = isinstance(value, list) and len(value) == responses
        if not fits or not all(type(level) is int and level >= 1 for level in value):
            raise ValueError(f"{value!r}, expected a level from 1 on for each of {responses} answers")
        return list(value)
    allowed = VERDICTS if kind == "rubric_verdict" else ("generator", NEITHER[kind], "opponent")
    if value not in allowed:
        raise ValueError(f"{value!r}, expected {', '.join(allowed)}")
    return value
