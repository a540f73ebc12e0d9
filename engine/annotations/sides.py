"""Sides: where responses stand on an annotator's screen, and labels turned back to be about responses.

A shuffle is the order of the responses on the screen: `shown[k]` is the place, in the item, of what stands
k-th. The annotator answers about what stands left and right; what is stored is about the responses.
"""

from collections.abc import Sequence
from typing import Any

from engine.values import parse_float

LEFT, RIGHT = "left", "right"
NEITHER = {"equal_pair": "equal", "preference": "tie"}
"""The kinds of task that are on pairs, and the answer by which neither response is better."""

KINDS = ("equal_pair", "clusters", "rubric_verdict", "score", "preference")
VERDICTS = ("met", "not_met", "cannot_tell")


def answers(kind: str, scores: Sequence[float] = ()) -> tuple[Any, ...]:
    """Return the answers that an annotator can choose from, in the order of their keys; none for clusters."""
    if kind in NEITHER:
        return (LEFT, NEITHER[kind], RIGHT)
    return VERDICTS if kind == "rubric_verdict" else tuple(scores)


def unshuffled(kind: str, answer: Any, shown: Sequence[int], scores: Sequence[float] = ()) -> Any:
    """Return what an answer says of the responses: the only place where sides are turned back.

    Of pairs `left` and `right` become `generator` and `opponent`; clusters, a level for each response as
    shown, become the levels in the item's order. Raises ValueError naming an answer that is none.
    """
    if kind in NEITHER:
        if answer not in answers(kind):
            raise ValueError(f"{answer!r}, expected {', '.join(answers(kind))}")
        if answer == NEITHER[kind]:
            return answer
        return ("generator", "opponent")[shown[0 if answer == LEFT else 1]]
    value = check_value(kind, answer, len(shown), scores)
    if kind != "clusters":
        return value
    levels = [0] * len(shown)
    for level, place in zip(value, shown, strict=True):
        levels[place] = level
    return levels


def as_shown(kind: str, value: Any, shown: Sequence[int]) -> Any:
    """Return the answer that a stored value was, so that it can be shown again."""
    if kind in NEITHER and value in ("generator", "opponent"):
        first = shown[0] == ("generator", "opponent").index(value)
        return LEFT if first else RIGHT
    if kind == "clusters" and value is not None:
        return [value[place] for place in shown]
    return value


def alike(kind: str, one: Any, two: Any) -> bool:
    """Return whether two stored values say the same; of levels of clusters only the order counts."""
    if kind == "clusters" and one is not None and two is not None:
        one, two = ([sorted(set(levels)).index(level) for level in levels] for levels in (one, two))
    return bool(one == two)


def check_value(kind: str, value: Any, responses: int, scores: Sequence[float] = ()) -> Any:
    """Return a stored value; ValueError, naming what is expected, where it is none of the kind."""
    if kind == "score":
        if parse_float(value) is None or (scores and value not in scores):
            listed = ", ".join(f"{score:g}" for score in scores) or "a number"
            raise ValueError(f"{value!r}, expected {listed}")
        return float(value)
    if kind == "clusters":
        fits = isinstance(value, list) and len(value) == responses
        if not fits or not all(type(level) is int and level >= 1 for level in value):
            raise ValueError(f"{value!r}, expected a level from 1 on for each of {responses} responses")
        return list(value)
    wanted = VERDICTS if kind == "rubric_verdict" else ("generator", NEITHER[kind], "opponent")
    if value not in wanted:
        raise ValueError(f"{value!r}, expected {', '.join(wanted)}")
    return value
