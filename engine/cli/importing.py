"""`spb import PATH`: a study from files."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.former import call_by_former, is_former
from engine.cli.import_steps import Imported, Settings, Target, read_and_write
from engine.cli.options import (
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    next_command,
    split_names,
    write_mode,
)
from engine.cli.output import say
from engine.cli.rows import RowFormatOption, Rows, print_rows, print_sentences
from engine.errors import BadInputError, UsageError
from engine.values import full_stop, quantity

_FORMATS = (
    "tidy: a folder in the exchange format. prometheus, hanna, pandalm: their "
    "files. Other tools: alpaca-eval, mt-bench, arena-hard, healthbench, inspect, promptfoo, "
    "lm-eval, llm-comparator, chatbot-arena, council, judging-the-judges, wildbench, biggen, rewardbench, "
    "judgebench, openai-evals, deepeval, ragas, mlflow, langfuse, langsmith, phoenix. Papers' own files: "
    "evaluator-quality-baseline, dbg-score, medical-self-preference. table: any table (CSV, TSV, Excel, "
    "Parquet, Feather, JSON), its columns guessed or named. Other packages may add more."
)
_Words = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="File or folder to read.", show_default=False),
]
_As = Annotated[
    str | None, typer.Option("--as", metavar="FORMAT", help="Format (default: by the content). " + _FORMATS)
]
_Models = Annotated[
    Path | None, typer.Option(metavar="FILE", help="CSV file with the models' families and aliases.")
]
_WriteModels = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the guessed families to this CSV file, for you to correct."),
]
_Judge = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the judge, if the file does not give it.")
]
_Generator = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that answered, if the file does not give it."),
]
_Baseline = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the model that others were compared with (arena-hard)."),
]
_Columns = Annotated[
    list[str] | None, typer.Option("--map", metavar="COLUMN=FIELD", help="table: which field fills a column.")
]
_Values = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="COLUMN=VALUE", help="table: one value for the whole column."),
]
_Meanings = Annotated[
    list[str] | None,
    typer.Option(
        "--value", metavar="COLUMN:VALUE=MEANING,...", help="table: what the values of a column mean."
    ),
]
_Judges = Annotated[
    str | None,
    typer.Option(
        "--judge-columns",
        "--judges",
        metavar="FIELD,FIELD",
        help="table: fields that each hold one judge's verdicts.",
    ),
]
_LeaveOut = Annotated[
    list[str] | None,
    typer.Option(
        "--not", metavar="NAME", help="A metric, score or scorer of another tool that is not to be read."
    ),
]
_Rows = Annotated[
    str | None,
    typer.Option(
        "--rows",
        metavar="PATH",
        help="table: the list, in an object or in each row, whose members are the rows.",
    ),
]
_NoGuess = Annotated[
    bool, typer.Option("--no-guess", help="table: read no column that is neither named nor of a known name.")
]
_WholeIds = Annotated[bool, typer.Option("--whole-ids", help="table: read a question's id 1.0 as 1.")]
_MapFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file with these options, for files of the same kind."),
]
_Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Stop at the first bad row (default: skip bad rows, count them and show them)."
    ),
]
_Examine = Annotated[
    bool, typer.Option("--doctor/--no-doctor", help="Report what can be measured before writing.")
]


_Run = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of these judgments' run (default: import); --append adds another run.",
    ),
]


def import_study(
    words: _Words,
    form: _As = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    append: AppendOption = False,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    models: _Models = None,
    write_models: _WriteModels = None,
    judge: _Judge = None,
    generator: _Generator = None,
    baseline: _Baseline = None,
    columns: _Columns = None,
    values: _Values = None,
    meanings: _Meanings = None,
    judges: _Judges = None,
    leave_out: _LeaveOut = None,
    rows: _Rows = None,
    no_guess: _NoGuess = False,
    whole_ids: _WholeIds = False,
    map_file: _MapFile = None,
    strict: _Strict = False,
    examine: _Examine = True,
    run: _Run = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Import judgments from a file or folder as a study.

    Every row is checked first, and the study is imported whole or not at all. What was read is reported, then
    what can be said of the judges. Where a table leaves questions open, the error ends with the whole
    command. With --dry-run, or -v, all that can be measured is listed.
    """
    from engine.importers.reading.format import ImportOptions, merge_options, pairs, read_options
    from engine.importers.reading.tables import judge_columns, value_maps
    from engine.store import Store

    form, path = _form_and_path(words, form)
    mode = write_mode(append=append, replace=replace)
    options = ImportOptions(
        judge,
        generator,
        baseline,
        pairs("--map", columns or []),
        pairs("--set", values or []),
        value_maps("--value", meanings or []),
        judge_columns("--judges", judges) if judges else (),
        tuple(split_names(leave_out or [])),
        rows,
        no_guess,
        whole_ids,
    )
    if map_file is not None:
        options = merge_options(read_options(map_file), options)
    target = Target(Store(store), study, mode, dry_run=dry_run)
    settings = Settings(options, models, write_models, run, strict=strict, examine=examine)
    given = {
        "--study": study,
        "--store": store,
        "--run": run,
        "--models": models,
        "--append": append,
        "--replace": replace,
        "--strict": strict,
        "--dry-run": dry_run,
    }
    with _whole_command(path, form, given):
        imported = read_and_write(path, form, target, settings)
    if not is_former():
        _answer(imported, store, format)


def _form_and_path(words: list[str], form: str | None) -> tuple[str | None, str]:
    """Return the format, None if it is to be detected, and the path; `FORMAT PATH` is the former way."""
    from engine.importers.registry import AUTO, names

    formats = (AUTO, *names())
    if len(words) == 1:
        if words[0] in formats and not Path(words[0]).exists():
            raise UsageError(f"no file is named; write: spb import PATH --as {words[0]}")
        return (None if form == AUTO else form), words[0]
    first, second = words[:2]
    if len(words) > 2 or (first not in formats and Path(first).exists()):
        raise UsageError(f"{quantity(len(words), 'path')} were given, and one is read; put files in a folder")
    if form is not None:
        raise UsageError(
            f"the format is named twice, {first!r} and --as {form!r}; write: spb import PATH --as {form}"
        )
    call_by_former(f"import {first} PATH", "import PATH" + ("" if first == AUTO else f" --as {first}"))
    return (None if first == AUTO else first), second


@contextmanager
def _whole_command(path: str, form: str | None, given: Mapping[str, object]) -> Iterator[None]:
    """End the error of a file that leaves questions open with one complete command to copy."""
    from engine.importers.questions import OPEN, OpenQuestionsError
    from engine.importers.reading.format import arguments

    try:
        yield
    except BadInputError as error:
        open_ones = error if isinstance(error, OpenQuestionsError) else error.__cause__
        if is_former() or not isinstance(open_ones, OpenQuestionsError):
            raise
        words = ["spb", "import", path, *(["--as", form] if form else []), *arguments(open_ones.options)]
        for flag, value in given.items():
            words += [flag] if value is True else [flag, str(value)] if value else []
        command = shlex.join(words)
        what = "give what stands for ? here, and run" if OPEN in command else "run"
        missing = str(error).partition(" All together")[0]
        raise BadInputError(f"{missing}\n{what}:\n  {command}") from error


def _answer(imported: Imported, store: str | None, format: str) -> None:  # noqa: A002
    """Print what can be said of the study now, and the commands to go on with."""
    from engine.words import conclusions

    concluded = list(conclusions.study_lines(imported.scorecard)) if imported.scorecard else []
    if not concluded and imported.reason:
        concluded = [f"Nothing can be said on the judges yet: {full_stop(imported.reason)}"]
    if format != "table":
        facts = {"study": imported.study, "written": imported.written, "conclusions": concluded}
        print_rows(Rows(imported.tables, {}, facts=facts), format)
        return
    print_sentences(concluded)
    if imported.written:
        say(f"next: {next_command(store, 'judges', imported.study)}")
        say(f"      {next_command(store, 'open', imported.study)}")
