"""What is said where a measure that has no groups is to be grouped: the commands that group, complete."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.phrases import join_names
from engine.slices import GROUPINGS, grouping, grouping_words

if TYPE_CHECKING:
    from engine.measures.entry import Measure

Command = Callable[..., str]
"""Writes a command on a study from the words before the study and those after it."""


def command_on(study: str) -> Command:
    """Return what writes a command on a study of the default store."""
    return lambda before, *after: " ".join(["spb", before, study, *after])


def refuse_groups(measure: "Measure", by: Sequence[str], command: Command) -> UsageError:
    """Return the error that names what can be grouped by these columns, and the command for it."""
    problem = f"{measure.name} cannot be grouped"
    example = f"`{command('slices')}` tries every column"
    try:
        names = [grouping(name, GROUPINGS) for name in by]
    except UsageError as error:
        with_column = command(f"measure {measure.by_slice or 'expected'}", "--by", "COLUMN")
        return UsageError(f"{problem}, as `{with_column}` is; {example}; {error}")
    words = grouping_words(names)
    column = join_names(words)
    if measure.by_slice:
        first = command(f"measure {measure.by_slice}", "--by", ",".join(words))
        remedy = f"type `{first}`, or `{command('slices')}`, which tries every column"
    else:
        remedy = f"leave out --by; {example}"
    return UsageError(f"{problem} by {column}; {remedy}")
