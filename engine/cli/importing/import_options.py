"""The options that say how a file is read, of `spb import` and `spb audit`."""

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.options import parameter, split_names
from engine.importers.format_list import FOLDER, FORMATS
from engine.importers.import_options import DECLARED, ImportOption, ImportOptions, OptionKind


def _of(group: str) -> str:
    return ", ".join(entry.name for entry in FORMATS if entry.group == group)


_FORMATS = (
    f"{_of('exchange')}: a folder in the exchange format. {_of('whole')}: their files. Declared: "
    f"{', '.join(sorted(file.stem for file in FOLDER.glob('*.toml')))}. Other tools: {_of('tool')}. "
    f"Papers' own files: {_of('paper')}. {_of('table')}: any table (CSV, TSV, Excel, "
    "Parquet, Feather, JSON), its columns guessed or named. Other packages may add more."
)
FormatOption = Annotated[
    str | None, typer.Option("--as", metavar="FORMAT", help="Format (default: by the content). " + _FORMATS)
]
ModelsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="CSV file that corrects models: `model`, as in the imported file, and any of `family`, `name` "
        "(in the study; models given one name become one) and the other columns of models.",
    ),
]
WriteModelsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the guessed families to this CSV file, for you to correct."),
]
MapFileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file with these options, for files of the same kind."),
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="Stop at the first bad row (default: skip bad rows, count them and show them)."
    ),
]
ExamineOption = Annotated[
    bool, typer.Option("--doctor/--no-doctor", help="Report what can be measured before writing.")
]
RunOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of these judgments' run (default: import); --append adds another run.",
    ),
]


_TYPES: dict[OptionKind, Any] = {
    "text": str | None,
    "pairs": list[str] | None,
    "meanings": list[str] | None,
    "columns": str | None,
    "names": list[str] | None,
    "switch": bool,
}


def _parameters() -> list[inspect.Parameter]:
    """Return the options that say how a file is read, as parameters of a command."""
    own = (
        parameter(
            each.name,
            Annotated[_TYPES[each.kind], typer.Option(*each.flags, metavar=each.metavar, help=each.meaning)],
            False if each.kind == "switch" else None,
        )
        for each in DECLARED
    )
    return [*own, parameter("map_file", MapFileOption, None)]


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options that say how a file is read, in place of its parameter `options`."""
    added = _parameters()

    @functools.wraps(command)
    def call(**given: Any) -> None:
        options = _import_options({each.name: given.pop(each.name) for each in added})
        command(**given, options=options)

    parameters: list[inspect.Parameter] = []
    for own in inspect.signature(command).parameters.values():
        parameters += added if own.name == "options" else [own.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _import_options(given: Mapping[str, Any]) -> ImportOptions:
    """Return the options that a user gave, those of a file of options included."""
    from engine.importers.reading.option_file import merge_options, read_options

    options = ImportOptions(**{each.name: _value(each, given[each.name]) for each in DECLARED})
    return options if given["map_file"] is None else merge_options(read_options(given["map_file"]), options)


def _value(option: ImportOption, given: Any) -> Any:
    """Return the value of an option as given on the command line."""
    from engine.importers.reading.columns import listed_columns
    from engine.importers.reading.format import pairs
    from engine.importers.reading.value_maps import value_maps

    match option.kind:
        case "pairs":
            return pairs(option.flags[0], given or [])
        case "meanings":
            return value_maps(given or [])
        case "columns":
            return listed_columns(option.flags[0], given) if given else ()
        case "names":
            return tuple(split_names(given or []))
        case "text" | "switch":
            return given
