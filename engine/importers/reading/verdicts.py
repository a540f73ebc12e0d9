"""A verdict's columns; who won a pair, as tools write it by the letters of the places: `A>>B`, `[[B]]`."""

from typing import Any, Literal

from engine.importers.reading.rows import number_of

Side = Literal["first", "second", "tie"]

_FIRST = ("A>>B", "A>B", "B<A", "B<<A", "A++", "A+", "A", "MODEL_A", "MODEL A", "MODEL_1")
_SECOND = ("B>>A", "B>A", "A<B", "A<<B", "B++", "B+", "B", "MODEL_B", "MODEL B", "MODEL_2")
_EQUAL = ("A=B", "B=A", "A~=B", "TIE", "TIE (BOTHBAD)", "BOTH_BAD", "BOTHBAD", "TIE_BOTHBAD", "C")
_SIDES: dict[str, Side] = {
    **dict.fromkeys(_FIRST, "first"),
    **dict.fromkeys(_SECOND, "second"),
    **dict.fromkeys(_EQUAL, "tie"),
}
CHOICES: dict[Side | None, str] = {"first": "generator", "second": "opponent", "tie": "tie"}
"""What a side chooses where the generator was shown first."""

OUTCOMES: dict[Side | None, int] = {"first": 1, "second": -1, "tie": 0}


def verdict(column: str, value: object) -> dict[str, Any]:
    """Return the columns of a verdict: `ok` with the value of `column`, `unparsed` where there is none."""
    return {"status": "unparsed"} if value is None else {"status": "ok", column: value}


def tenth_of(score: object) -> float | None:
    """Return a score from 1 to 10 as a share of 10; None for anything else."""
    number = number_of(score)
    return number / 10 if number is not None and 1 <= number <= 10 else None


def side_of(label: object) -> Side | None:
    """Return which place a label names as the better; None where it names none."""
    if not isinstance(label, str):
        return None
    return _SIDES.get(label.replace("[", "").replace("]", "").strip().upper())


def choice_of(label: object) -> dict[str, Any]:
    """Return the columns of a verdict on a pair whose generator was shown first; without a side unparsed."""
    return verdict("choice", CHOICES.get(side_of(label)))
