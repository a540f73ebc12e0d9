"""Options of the commands that measure, made from the filters of a slice."""

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.cli.command import VerboseOption
from engine.cli.given_once import OneValueCommand
from engine.cli.options import StoreOption, StudyArgument, names_in, parameter
from engine.errors import UsageError, unknown
from engine.phrases import full_stop, sentence_case
from engine.slices import COLUMNS, FLAGS, Option, import_hint, not_stored, parse_filters, stored_as

if TYPE_CHECKING:
    from engine.study import Study

_TYPES: dict[str, Any] = {
    "names": list[str] | None,
    "numbers": list[str] | None,
    "name": str | None,
    "range": str | None,
    "number": float | None,
    "integer": int | None,
    "switch": bool,
}

_METAVARS = {"names": "NAMES", "numbers": "NUMBERS", "range": "LOW:HIGH", "name": "NAME"}

FormatOption = Annotated[Literal["table", "json", "csv"], typer.Option(help="Output format.")]
AllOption = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Print every column of the table, under its name in JSON and CSV; shares are in percent and "
        "differences in points of 100, which are of 1 there.",
    ),
]


def flag_of(option: Option) -> inspect.Parameter:
    text = sentence_case(option.meaning) + (f"; one of {', '.join(option.choices)}" if option.choices else "")
    default = "" if option.default in (None, (), False) else f" (default: {option.default})"
    flag, metavar = f"--{option.name.replace('_', '-')}", _METAVARS.get(option.kind)
    flags = ("--judge", flag) if option.name == "judges" else (flag,)
    info = typer.Option(*flags, help=full_stop(text + default), metavar=metavar, show_default=False)
    unset = False if option.kind == "switch" else None
    return parameter(option.name, Annotated[_TYPES[option.kind], info], unset)


def output_parameters() -> list[inspect.Parameter]:
    """Return the parameters that say how rows are printed."""
    return [
        parameter("every", AllOption, False),
        parameter("format", FormatOption, "table"),
        parameter("verbose", VerboseOption, False),
    ]


def slice_parameters() -> list[inspect.Parameter]:
    """Return the parameters that select a slice of a study."""
    slice_option = typer.Option(
        "--slice",
        metavar="NAME",
        help="Saved slice of the study; other flags are added, or take the place of its own.",
        show_default=False,
    )
    where = typer.Option(
        "--where",
        metavar="FILTERS",
        help='Filters in one text, such as "topic=billing;segment>=10".',
        show_default=False,
    )
    return [
        parameter("study", StudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        parameter("slice", Annotated[str | None, slice_option], None),
        parameter("where", Annotated[str | None, where], None),
        *map(flag_of, FLAGS),
    ]


def given_flags(options: Mapping[str, Any], study: "Study") -> dict[str, Any]:
    """Return the given flags, with lists split into their items, and the filters of --where among them.

    UsageError, which knows the columns that the study was imported from, is raised for another filter.
    """
    flags = {name: value for name, value in options.items() if value is not None}
    flags = {
        name: names_in(study, name, value) if isinstance(value, list) else value
        for name, value in flags.items()
    }
    if len(by := flags.get("by", ())) == 1:
        flags["by"] = by[0]
    where = flags.pop("where", None)
    if where is not None:
        flags = _with_filters(flags, where, study)
    if not any("median" in str(flags.get(name)).lower() for name in ("length", "response_length", "against")):
        return flags
    from engine.arrays.slicing.median_lengths import with_medians  # which imports NumPy

    return with_medians(study, flags)


def names_of_files(given: Mapping[str, Any], study: "Study") -> list[str]:
    """Return what the columns to group by are called in the study, of those with an imported file's name."""
    by = given.get("by", ())
    names = [by] if isinstance(by, str) else by
    return [
        f"{sentence_case(stored)} is the file's column {name!r}."
        for name in names
        if name not in COLUMNS and (stored := stored_as(name, study.files)) in COLUMNS
    ]


def _with_filters(flags: dict[str, Any], where: str, study: "Study") -> dict[str, Any]:
    from engine.arrays.slicing.own_columns import filters_meant  # which imports NumPy

    names = [option.name for option in FLAGS]
    for given, value in filters_meant(study, parse_filters(where)).items():
        name = given if given in names else stored_as(given, study.files) or given
        if name not in names:
            hint = import_hint(name, names) or not_stored(name, study.files)
            raise unknown("filter of --where", name, names, hint)
        if flags.get(name):
            raise UsageError(f"--{name.replace('_', '-')} and --where {where!r} give it twice; leave one out")
        flags[name] = value
    return flags


class SlicedCommand(OneValueCommand):
    """A command whose help has the filters of a slice apart from its own options."""

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write arguments, options, then filters."""
        filters = {"slice", "where", *(option.name for option in FLAGS)}
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Filters": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is not None:
                is_argument = each.param_type_name == "argument"
                of = "Arguments" if is_argument else "Filters" if each.name in filters else "Options"
                sections[of].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
