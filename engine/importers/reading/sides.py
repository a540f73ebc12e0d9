"""Who won a pair, as tools write it by the letters of the places: `A>>B`, `[[B]]`, `A++`, `model_a`."""

from typing import Literal

Side = Literal["first", "second", "tie"]

_FIRST = ("A>>B", "A>B", "B<A", "B<<A", "A++", "A+", "A", "MODEL_A", "MODEL A", "MODEL_1")
_SECOND = ("B>>A", "B>A", "A<B", "A<<B", "B++", "B+", "B", "MODEL_B", "MODEL B", "MODEL_2")
_EQUAL = ("A=B", "B=A", "A~=B", "TIE", "TIE (BOTHBAD)", "BOTH_BAD", "BOTHBAD", "TIE_BOTHBAD", "C")
_SIDES: dict[str, Side] = {
    **dict.fromkeys(_FIRST, "first"),
    **dict.fromkeys(_SECOND, "second"),
    **dict.fromkeys(_EQUAL, "tie"),
}


def side_of(label: object) -> Side | None:
    """Return which place a label names as the better; None where it names none."""
    if not isinstance(label, str):
        return None
    return _SIDES.get(label.replace("[", "").replace("]", "").strip().upper())


def choice_of(label: object) -> dict[str, str]:
    """Return the columns of a verdict on a pair whose generator was shown first; without a side unparsed."""
    side = side_of(label)
    if side is None:
        return {"status": "unparsed"}
    return {"status": "ok", "choice": {"first": "generator", "second": "opponent", "tie": "tie"}[side]}
