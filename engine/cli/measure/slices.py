"""`spb slices`: the slices in which a judge's ratio stands out."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.former import is_former
from engine.cli.measure.slice_flags import given_flags, names_of_files, output_parameters, slice_parameters
from engine.cli.options import next_command, open_study, parameter
from engine.cli.output import say
from engine.cli.printing.result_tables import print_result
from engine.cli.printing.rows import print_sentences

if TYPE_CHECKING:
    from engine.measures.result import Result
    from engine.measures.row_types import ExpectedRow
    from engine.study import Study

MOST_UNCLEAR = 10
"""Most slices in the table where none stands out, unless a number is asked for."""

MOST_COMMANDS = 2
"""Most judges of whose strongest slice the command is printed."""

MOST_CRITERIA = 30
"""Most criteria, each of several questions, that one can look at one by one."""

Order = Literal["clearest", "strongest"]

TopOption = Annotated[int | None, typer.Option(min=1, help="Print only this many rows, the first ones.")]
ByOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN[,COLUMN]",
        help="Search slices by these columns, and by two of them (default: by all).",
    ),
]
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
    from engine.explore.find_slices import significant_rows, strongest_first, strongest_of_each
    from engine.findings.commands import flag_words
    from engine.words.based_on import runs_together

    names = ("study", "store", "format", "every", "verbose")
    study, store, format, every, verbose = (options.pop(name) for name in names)  # noqa: A001
    sort: Order = options.pop("sort")
    one_study = open_study(store, study)
    flags = given_flags(options, one_study)
    top = flags.pop("top", None)
    # the sentences are on all slices, and the strongest need not be among the first by p
    whole = format == "table" or sort == "strongest"
    result = one_study.find_result(**flags, top=None if whole else top)
    if format != "table" and sort == "strongest":
        result = result.with_rows(strongest_first(result.rows)[:top])
        result = replace(result, filters={**result.filters, "top": top, "sort": sort})
    remarks: list[str] = []
    if format == "table":  # filters are for programs; readers see the slice in `where`
        from engine.words.concluded_elsewhere import CONCLUDED_ELSEWHERE
        from engine.words.ratio_words import BY_ONE_JUDGE

        fields = tuple(field for field in result.measure.fields if field.name not in ("filters", "by"))
        if result.rows and top is None:  # else the sentences say what is listed
            remarks.append(_ORDERS[sort])
        if result.rows:
            remarks.append(f"{BY_ONE_JUDGE} {CONCLUDED_ELSEWHERE}")
        remarks += [*names_of_files(flags, one_study), *runs_together(one_study, result)]
        measure = replace(result.measure, fields=fields)
        result = replace(result, measure=measure, filters={**result.filters, "top": top, "sort": sort})
    stands_out = bool(significant_rows(result.rows))
    most = MOST_UNCLEAR if top is None and not stands_out else None
    print_result(result, format, every=every, verbose=verbose, remarks=remarks, most=most)
    apart = {} if stands_out else _kept_apart(one_study, result)
    next_flags = {**apart, **flags}
    if not result.rows and apart and one_study.find_result(**next_flags, top=1).rows:
        command = next_command(store, "slices", study, *flag_words(next_flags))
        _say_command("Slices can be tested where the first of repeats counts:", command, format)
    if format == "table":
        for of_search in (flags, next_flags):
            of_search.pop("by", None)
        _say_commands(strongest_of_each(result.rows)[:MOST_COMMANDS], store, study, flags)
        if not stands_out:
            # Of the same verdicts as the table, unless they have no number: then the first of repeats.
            of_same = flags if result.rows or _has_number(one_study, flags) else next_flags
            _say_grouped(one_study, result, store, study, of_same)
            _say_criteria(one_study, store, study, of_same)
    if not result.rows and not is_former():
        raise typer.Exit(NO_ANSWER)


def _has_number(study: "Study", flags: Mapping[str, Any]) -> bool:
    """Return whether it is known of a judge how many of its own cases were expected to pass."""
    rows: list[ExpectedRow] = study.result("expected", **flags, resamples=0).rows
    return any(row["excess"] is not None for row in rows)


def _kept_apart(study: "Study", result: "Result") -> dict[str, Any]:
    """Return the flag that keeps verdicts whose repeats have no majority, where a search left some out."""
    from engine.measures.merged_repeats import merged_repeats

    split = merged_repeats(study, result.filters).split
    return {"repeats": "first"} if split is not None and split.split else {}


def _say_command(words: str, command: str, format: str) -> None:  # noqa: A002
    """Print a command to go on with; beside rows for programs, to standard error."""
    if format == "table":
        print()
        print_sentences([words])
        say(f"  {command}", result=True)
    else:
        say(f"{words} {command}")


def _say_criteria(one_study: "Study", store: str | None, study: str, flags: dict[str, Any]) -> None:
    """Print the command that goes through the criteria, where they are few, each of several questions.

    It has their ratios or, where there are none, as of scores, what was given; of pairs there is no command.
    """
    from engine.findings.commands import flag_words

    index = one_study.index
    if not 1 < index.n_criteria <= min(MOST_CRITERIA, index.n_rubrics / 2):
        return
    by = {**flags, "by": "criterion"}
    if one_study.result("hspp", **by, resamples=0).rows:
        command = next_command(store, "measure", "hspp", study, *flag_words(by))
        _say_command("Single criteria are not searched; the ratios on each:", command, "table")
    elif one_study.result("expected", **by, resamples=0).rows:
        command = next_command(store, "judges", study, *flag_words(by))
        _say_command("What was given on each criterion, and what was expected:", command, "table")


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


def _say_grouped(
    one_study: "Study", result: "Result", store: str | None, study: str, flags: dict[str, Any]
) -> None:
    """Print the command that says in each value of a column what was given, and what was expected.

    Where slices were not searched, as of pairs or scores, one for each column that splits the questions.
    Without such a column, where nothing was tested, that of all cases together, if it has something to say.
    """
    from engine.findings.commands import flag_words
    from engine.slices import TEXT_COLUMNS
    from engine.words.short_titles import title, within_words

    searched: Sequence[str] | None = result.filters.get("columns")
    every = _columns_of_questions(one_study) if searched is None else searched
    columns = [name for name in every if name in TEXT_COLUMNS][: 1 if searched else MOST_COMMANDS]
    has_number = bool(columns or result.rows) or bool(one_study.result("expected", **flags, resamples=0).rows)
    if not has_number or (result.rows and not columns):
        return
    groups: list[str | None] = [*columns] or [None]
    for by in groups:
        where = "" if by is None else f" in each {within_words(title(by))}"
        words = flag_words(flags if by is None else {**flags, "by": by})
        command = next_command(store, "measure", "expected", study, *words)
        _say_command(f"What was given{where}, and what was expected:", command, "table")


def _columns_of_questions(one_study: "Study") -> list[str]:
    """Return the columns in which the questions of a study differ."""
    from engine.arrays.slicing.slice_masks import values_to_group
    from engine.slices import INSTANCE_COLUMNS

    values = values_to_group(one_study.index)
    return [name for name in INSTANCE_COLUMNS if len(values.get(name, ())) > 1]


find.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *slice_parameters(),
        parameter("by", ByOption, None),
        parameter("sort", SortOption, "clearest"),
        parameter("top", TopOption, None),
        *output_parameters(),
    ]
)
