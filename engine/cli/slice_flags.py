"""Options of the commands that measure, made from the filters of a slice."""

import inspect
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from engine.cli.command import VerboseOption
from engine.cli.options import StoreOption, StudyArgument, parameter, split_names
from engine.phrases import full_stop, sentence_case
from engine.slices import FLAGS, Option

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
    bool, typer.Option("--all", help="Print every column of the table, under its name in JSON and CSV.")
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
        "--slice", metavar="NAME", help="Saved slice of the study; other flags refine it.", show_default=False
    )
    return [
        parameter("study", StudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        parameter("slice", Annotated[str | None, slice_option], None),
        *map(flag_of, FLAGS),
    ]


def given_flags(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given flags, with lists split into their items."""
    flags = {name: value for name, value in options.items() if value is not None}
    return {name: split_names(value) if isinstance(value, list) else value for name, value in flags.items()}
