"""Columns that say one side alone, so that an empty cell may mean the other: points, and what is true."""

from collections.abc import Collection, Sequence

from engine.phrases import part_of, quantity

_MANY = 0.1
"""So large a share of rows without what is true may mean something."""


def points_caution(field: str, points: Sequence[object]) -> str:
    """Return where criteria have no points, or none but 0, so that meeting them is good; else empty."""
    lacking, of = points.count(None), part_of(points.count(None), len(points), "criterion")
    if lacking:
        what = f"no points for {of}"
    elif points and not any(points):
        what = f"no points but 0 for {part_of(len(points), len(points), 'criterion')}"
    else:
        return ""
    it = "it" if lacking == 1 else "them"
    return f"{field!r} has {what}: meeting {it} counts as good; give points below 0 where it is bad"


def truth_caution(field: str, met: Collection[object], n_without: int, n_rows: int) -> str:
    """Return where what is true is one value or none, and many rows have none; else empty."""
    if len(met) != 1 or n_without < _MANY * n_rows:
        return ""
    only, other = ("true", "false") if True in met else ("false", "true")
    return (
        f"{field!r} says {only} or nothing: {quantity(n_without, 'row')} in which it says nothing "
        f"{'has' if n_without == 1 else 'have'} no truth; if that means {other}, write so"
    )
