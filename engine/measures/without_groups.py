"""What is said where a measure that has no groups is to be grouped: the commands that group, complete."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.phrases import join_names
from engine.slices import GROUPINGS, grouping, grouping_words
from engine.wording import Sentence, Wording, option

if TYPE_CHECKING:
    from engine.measures.entry import Measure


def refuse_groups(
    measure: "Measure",
    by: Sequence[str],
    slices: str | Wording,
    grouped: Callable[[str, str], str | Wording],
) -> UsageError:
    """Return the error that names what can be grouped by these columns, and the command for it.

    `slices` is the command that tries every column, `grouped` writes that which groups a measure by columns.
    """
    problem = f"{measure.name} cannot be grouped"
    example = Sentence("`", slices, "` tries every column")
    try:
        names = [grouping(name, GROUPINGS) for name in by]
    except UsageError as error:
        with_column = grouped(measure.by_slice or "expected", "COLUMN")
        return UsageError(f"{problem}, as `", with_column, "` is; ", example, "; ", error.message)
    words = grouping_words(names)
    problem += f" by {join_names(words)}"
    if measure.by_slice:
        first = grouped(measure.by_slice, ",".join(words))
        return UsageError(f"{problem}; type `", first, "`, or `", slices, "`, which tries every column")
    return UsageError(f"{problem}; leave out ", option("by"), "; ", example)
