"""`spb slices`: the slices in which a judge's ratio stands out."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.options import next_command, open_study, parameter
from engine.cli.output import say
from engine.cli.result_tables import print_result
from engine.cli.rows import print_sentences
from engine.cli.slice_flags import given_flags, output_parameters, slice_parameters

MOST_COMMANDS = 2
"""Most judges of whose strongest slice the command is printed."""

Order = Literal["clearest", "strongest"]

TopOption = Annotated[int | None, typer.Option(min=1, help="Print only this many rows, the first ones.")]
SortOption = Annotated[
    Order,
    typer.Option(
        help="Order of slices: clearest, by p, or strongest, by how many times as high as elsewhere the "
        "ratio is; those that stand out come first."
    ),
]

_ORDERS: dict[Order, str] = {
    "clearest": "The clearest come first; with --sort strongest, those with the highest ratio to elsewhere.",
    "strongest": "The strongest come first: of those that stand out, then of the others.",
}


def find(**options: Any) -> None:
    """Find the slices in which a judge's ratio stands out.

    Every slice by one column or by two is compared with the rest of the judge's verdicts; p-values are
    adjusted over all slices tested. Those that stand out come first, and are marked, the clearest of them at
    the top, or with `--sort strongest` those in which a judge's ratio is most above its ratio elsewhere. Of
    two slices that are each other's rest, such as positive and negative criteria, the table has
    the one with the higher ratio; JSON and CSV have both.
    """
    from engine.explore.find_slices import strongest_first, strongest_of_each
    from engine.measures.merged_repeats import merged_repeats
    from engine.measures.rows import SURE
    from engine.words.based_on import runs_together

    names = ("study", "store", "format", "every", "verbose")
    study, store, format, every, verbose = (options.pop(name) for name in names)  # noqa: A001
    sort: Order = options.pop("sort")
    flags = given_flags(options)
    top = flags.pop("top", None)
    one_study = open_study(store, study)
    # the sentences are on all slices, and the strongest need not be among the first by p
    whole = format == "table" or sort == "strongest"
    result = one_study.find_result(**flags, top=None if whole else top)
    if format != "table" and sort == "strongest":
        result = result.with_rows(strongest_first(result.rows)[:top])
        result = replace(result, filters={**result.filters, "top": top, "sort": sort})
    remarks: list[str] = []
    if format == "table":  # filters are for programs; readers see the slice in `where`
        fields = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        if result.rows and top is None:  # else the sentences say what is listed
            remarks.append(_ORDERS[sort])
        remarks += runs_together(one_study, result)
        measure = replace(result.measure, fields=fields)
        result = replace(result, measure=measure, filters={**result.filters, "top": top, "sort": sort})
    print_result(result, format, every=every, verbose=verbose, remarks=remarks)
    if format == "table":
        _say_commands(strongest_of_each(result.rows)[:MOST_COMMANDS], store, study, flags)
        if not any(row["p_adjusted"] < SURE for row in result.rows):
            split = merged_repeats(one_study, result.filters).split
            kept_apart = {"repeats": "first"} if split is not None and split.split else {}
            _say_grouped(result.filters.get("columns", ()), store, study, {**kept_apart, **flags})
    if not result.rows and not is_former():
        raise typer.Exit(NO_ANSWER)


def _say_commands(
    rows: Sequence[Mapping[str, Any]], store: str | None, study: str, flags: dict[str, Any]
) -> None:
    """Print the commands that say what a judge gave its own in a slice, and what was expected."""
    from engine.findings.commands import flag_words

    if not rows:
        return
    print()
    print_sentences(["What was given there, and what was expected:"])
    for row in rows:
        words = flag_words({**flags, "judges": (row["judge"],), **row["filters"]})
        if row["by"] is None:
            say(f"  {next_command(store, 'judges', study, *words)}", result=True)
        else:
            by = ("--by", str(row["by"]))
            say(f"  {next_command(store, 'measure', 'expected', study, *words, *by)}", result=True)


def _say_grouped(columns: Sequence[str], store: str | None, study: str, flags: dict[str, Any]) -> None:
    """Print the command that says in each value of a column what was given, and what was expected."""
    from engine.findings.commands import flag_words
    from engine.slices import TEXT_COLUMNS
    from engine.words.short_titles import title, within_words

    by = next((name for name in columns if name in TEXT_COLUMNS), None)
    if by is not None:
        print()
        print_sentences([f"What was given in each {within_words(title(by))}, and what was expected:"])
        words = flag_words({**flags, "by": by})
        say(f"  {next_command(store, 'measure', 'expected', study, *words)}", result=True)


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *slice_parameters(),
        parameter("sort", SortOption, "clearest"),
        parameter("top", TopOption, None),
        *output_parameters(),
    ]
)
