"""A measure's rows in the terminal: the sentences of its view, then the columns that fit, or every column."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.cli.output import say
from engine.cli.printing.every_column import print_every_column
from engine.cli.printing.fitting_columns import print_columns_that_fit, print_wrapped
from engine.phrases import full_stop, join_names, quantity

if TYPE_CHECKING:
    from engine.measures.result import Result


def print_result(
    result: "Result",
    format: str,  # noqa: A002
    *,
    every: bool = False,
    verbose: bool = False,
    fields: Sequence[str] | None = None,
    remarks: Sequence[str] = (),
    most: int | None = None,
    is_remarked: bool = False,
) -> None:
    """Print a result to standard output in a `--format`; the reason for having no rows is never left out.

    A table has the sentences first, then the `remarks`, then at most so many rows in the columns that fit, of
    `fields` alone if they are given, or with `every` all rows and columns. With `verbose`, what it rests
    on and what was left out go to standard error. JSON has the remarks if it `is_remarked`.
    """
    if format == "json":
        print(result.json(remarks if is_remarked else None))
    elif format == "csv":
        print(result.csv(), end="")
    else:
        print_summary(result, every=every, fields=fields, remarks=remarks, most=most)
        if verbose:
            say_basis(result)
        return
    if result.reason:
        say(result.reason, caution=True)


def print_summary(
    result: "Result",
    *,
    every: bool = False,
    fields: Sequence[str] | None = None,
    remarks: Sequence[str] = (),
    most: int | None = None,
) -> None:
    """Print the sentences of a result and remarks on it, its rows, and why numbers are undefined."""
    from rich.console import Console

    from engine.views.of_measure import MOST_ROWS
    from engine.views.summaries import summary_of
    from engine.words.based_on import in_order
    from engine.words.caveats import shared_caveats

    room = Console().width
    if not result.rows:
        reason = result.reason or "no judgment of this slice counts"
        for sentence in (f"There is nothing to show: {full_stop(reason)}", *remarks):
            print_wrapped(sentence, room)
        return
    summary = summary_of(result)
    sentences = in_order((*summary.sentences, *shared_caveats(result.rows)), remarks)
    for sentence in sentences:
        print_wrapped(sentence, room)
    n_rows = len(summary.result.rows)
    most = MOST_ROWS if most is None else most
    rows = f"{min(n_rows, most):,} of {quantity(n_rows, 'row')}"
    is_cut = n_rows > most and not every  # whoever reads the table alone must not take it for the whole
    if sentences:
        print()
    if is_cut:
        print_wrapped(f"The first {rows} are shown; --all prints all.", room)
        print()
    if every:
        print_every_column(summary.result)
        return
    n_columns = len(result.columns) - 1
    first = summary.result.with_rows(summary.result.rows[:most])
    shown = summary.fields if fields is None else fields
    n_shown, left_out = print_columns_that_fit(
        first, shown, room, always=summary.always, deciding=summary.deciding, sentences=sentences
    )
    sys.stdout.flush()
    if fields is not None:
        n_columns = n_shown
        if left_out:
            wider = "widen the terminal" if sys.stdout.isatty() else f"set COLUMNS={max(120, room + 40)}"
            say(f"no room for {join_names(left_out)}: {wider}, or --all prints every column")
    if n_shown < n_columns or is_cut:
        line = f"{n_shown} of {quantity(n_columns, 'column')} and {rows} shown; --all prints all"
        if is_cut:
            print()
            print_wrapped(line, room)
        else:
            say(line)


def say_basis(result: "Result") -> None:
    """Print what a result is based on and what was left out, to standard error."""
    from engine.arrays.left_out import CODES

    unused = () if result.measure.resampled else ("resamples", "interval")
    say(
        "; ".join(
            _filter_texts({name: value for name, value in result.filters.items() if name not in unused})
        )
    )
    nonzero = {code: number for code, number in result.uncounted.items() if number}
    parts = (f"{number:,} {CODES.get(code, code)} ({code})" for code, number in nonzero.items())
    no_counts = "nothing" if result.left_out else result.measure.left_out
    say("left out: " + ("; ".join(parts) or no_counts))


def _filter_texts(filters: Mapping[str, Any]) -> list[str]:
    """Return the filters in words; of a slice compared with another, only the differences."""
    parts = []
    for name, value in filters.items():
        if name == "against":
            other = {key: text for key, text in value.items() if text != filters.get(key)}
            parts.append("against " + (", ".join(_filter_texts(other)) or "itself"))
        elif value not in (None, (), False):
            parts.append(f"{name} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}")
    return parts
