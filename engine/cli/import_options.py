"""The options that say how a file is read, of `spb import` and `spb audit`."""

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from engine.cli.options import parameter, split_names
from engine.importers.table_columns import COLUMNS

if TYPE_CHECKING:
    from engine.importers.reading.format import ImportOptions

_DECLARED = Path(__file__).parents[1] / "importers" / "formats"
_FORMATS = (
    "tidy: a folder in the exchange format. prometheus, pandalm: their files. Declared: "
    + ", ".join(sorted(file.stem for file in _DECLARED.glob("*.toml")))
    + ". Other "
    "tools: inspect, promptfoo, lm-eval, openai-evals, deepeval, ragas, mlflow, langfuse, "
    "langsmith, phoenix. Papers' own files: "
    "evaluator-quality-baseline, dbg-score, medical-self-preference. table: any table (CSV, TSV, Excel, "
    "Parquet, Feather, JSON), its columns guessed or named. Other packages may add more."
)
FormatOption = Annotated[
    str | None, typer.Option("--as", metavar="FORMAT", help="Format (default: by the content). " + _FORMATS)
]
ModelsOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="CSV file with the models' families and aliases.")
]
WriteModelsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the guessed families to this CSV file, for you to correct."),
]
JudgeOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the judge, if the file does not give it.")
]
GeneratorOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that answered, if the file does not give it."),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that others were compared with (arena-hard)."),
]
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=FIELD",
        help=f"table: which field fills a column, one of `{', '.join(COLUMNS)}`.",
    ),
]
ValuesOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="COLUMN=VALUE", help="table: one value for the whole column."),
]
MeaningsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--value", metavar="COLUMN:VALUE=MEANING,...", help="table: what the values of a column mean."
    ),
]
JudgesOption = Annotated[
    str | None,
    typer.Option(
        "--judge-columns",
        "--judges",
        metavar="FIELD,FIELD",
        help="table: fields that each hold one judge's verdicts.",
    ),
]
LeaveOutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--not", metavar="NAME", help="A metric, score or scorer of another tool that is not to be read."
    ),
]
RowsOption = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="PATH",
        help="table: the list, in an object or in each row, whose members are the rows.",
    ),
]
NoGuessOption = Annotated[
    bool, typer.Option("--no-guess", help="table: read no column that is neither named nor of a known name.")
]
WholeIdsOption = Annotated[bool, typer.Option("--whole-ids", help="table: read a question's id 1.0 as 1.")]
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


_READING: dict[str, Any] = {
    "judge": JudgeOption,
    "generator": GeneratorOption,
    "baseline": BaselineOption,
    "columns": ColumnsOption,
    "values": ValuesOption,
    "meanings": MeaningsOption,
    "judges": JudgesOption,
    "leave_out": LeaveOutOption,
    "rows": RowsOption,
    "no_guess": NoGuessOption,
    "whole_ids": WholeIdsOption,
    "map_file": MapFileOption,
}


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options that say how a file is read, in place of its parameter `options`."""
    added = [
        parameter(name, option, False if get_args(option)[0] is bool else None)
        for name, option in _READING.items()
    ]

    @functools.wraps(command)
    def call(**given: Any) -> None:
        options = _import_options({name: given.pop(name) for name in _READING})
        command(**given, options=options)

    parameters: list[inspect.Parameter] = []
    for own in inspect.signature(command).parameters.values():
        parameters += added if own.name == "options" else [own.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _import_options(given: Mapping[str, Any]) -> "ImportOptions":
    """Return the options that a user gave, those of a file of options included."""
    from engine.importers.reading.columns import judge_columns
    from engine.importers.reading.format import ImportOptions, pairs
    from engine.importers.reading.option_file import merge_options, read_options
    from engine.importers.reading.value_maps import value_maps

    options = ImportOptions(
        given["judge"],
        given["generator"],
        given["baseline"],
        pairs("--map", list(given["columns"] or [])),
        pairs("--set", list(given["values"] or [])),
        value_maps(list(given["meanings"] or [])),
        judge_columns(given["judges"]) if given["judges"] else (),
        tuple(split_names(given["leave_out"] or [])),
        given["rows"],
        given["no_guess"],
        given["whole_ids"],
    )
    return options if given["map_file"] is None else merge_options(read_options(given["map_file"]), options)
