"""What stands beside sentences on judges that conclude nothing: the scorecard alone does."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.measures.scorecard.judge_numbers import BIASES

if TYPE_CHECKING:
    from engine.measures.result import Result

CONCLUDED_ELSEWHERE = (
    "What is concluded on the judges rests on more than these numbers, such as other judges' verdicts on the "
    "same answers where there are any, and may differ (`spb judges`)."
)

_MEASURES = frozenset(
    {"archetypes", "best-of-n", "outside", "together", *(each.measure.name for each in BIASES)}
)
"""The measures whose sentences could be read as a conclusion on judges."""


def with_caveat(result: "Result", sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences on a result, followed by the caveat where they could be read as a conclusion.

    Sentences on groups of rows compare these, and have none.
    """
    each = tuple(filter(None, sentences))
    is_read_so = bool(each) and result.measure.name in _MEASURES and not result.by
    return (*each, CONCLUDED_ELSEWHERE) if is_read_so else each
