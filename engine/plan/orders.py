"""The orders in which rubrics and options are shown."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from engine.metrics.orders import balanced_orderings

Item = TypeVar("Item")


def rubric_orderings(wanted: Sequence[str], n: int) -> Iterator[str]:
    """Yield the orderings of a list of n rubrics, each once; no rotation that begins beyond its end."""
    found: dict[str, None] = {}
    for name in wanted:
        if name == "rotated":
            found |= dict.fromkeys(f"rotated-{first}" for first in range(2, n + 1))
        elif not name.startswith("rotated-") or int(name.removeprefix("rotated-")) <= n:
            found[name] = None
    yield from found


def in_order(items: Sequence[Item], ordering: str) -> tuple[Item, ...]:
    """Return rubrics as an ordering shows them."""
    if ordering == "reversed":
        return tuple(reversed(items))
    if ordering.startswith("rotated-"):
        first = int(ordering.removeprefix("rotated-")) - 1
        return (*items[first:], *items[:first])
    return tuple(items)


def option_orderings(scores: Sequence[float], repeats: int) -> Iterator[tuple[str, int]]:
    """Yield the balanced orderings of ascending scores with trial 0, then the other trials of the first."""
    orderings = ["-".join(f"{scores[i]:g}" for i in places) for places in balanced_orderings(len(scores))]
    for ordering in orderings:
        yield ordering, 0
    for trial in range(1, repeats):
        yield orderings[0], trial
