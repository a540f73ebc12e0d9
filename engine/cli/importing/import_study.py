"""`spb import PATH`: a study from files."""

import shlex
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.former import call_by_former, is_former
from engine.cli.importing.import_options import (
    ExamineOption,
    FormatOption,
    ModelsOption,
    RunOption,
    StrictOption,
    WriteModelsOption,
    reads_a_file,
)
from engine.cli.importing.import_steps import (
    Imported,
    Settings,
    Target,
    read_and_write,
    stopped_in_words,
    whole_command,
)
from engine.cli.options import (
    AppendOption,
    DryRunOption,
    NewStudyOption,
    ReplaceOption,
    StoreOption,
    next_command,
    refuse_empty,
    write_mode,
)
from engine.cli.output import say
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows, print_sentences
from engine.errors import UsageError, unknown
from engine.importers.format_list import OWN_FORMAT
from engine.phrases import full_stop, quantity

if TYPE_CHECKING:
    from engine.importers.import_options import ImportOptions
    from engine.store import Mode

_Words = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="File or folder to read; before it the TOML file of a format of your own, if you have one.",
        show_default=False,
    ),
]


@reads_a_file
def import_study(
    words: _Words,
    form: FormatOption = None,
    study: NewStudyOption = None,
    store: StoreOption = None,
    append: AppendOption = False,
    replace: ReplaceOption = False,
    dry_run: DryRunOption = False,
    models: ModelsOption = None,
    write_models: WriteModelsOption = None,
    *,
    options: "ImportOptions",
    strict: StrictOption = False,
    examine: ExamineOption = True,
    run: RunOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Import judgments from a file or folder as a study.

    Every row is checked first, and the study is imported whole or not at all. What was read is reported, then
    what can be said of the judges. Where a table leaves questions open, the error ends with the whole
    command. With --dry-run, or -v, all that can be measured is listed.
    """
    from engine.importers.pipeline import study_name
    from engine.store import Store

    refuse_empty(study)
    more = {"--store": store, "--models": models, "--dry-run": dry_run, "--strict": strict}
    more |= {"--no-doctor": not examine}
    mode = _mode(append=append, replace=replace, run=run)
    form, path = _form_and_path(words, form, study, _further_words(options, more), mode)
    target = Target(Store(store), study, mode, dry_run=dry_run)
    settings = Settings(
        options, models, write_models, run, strict=strict, examine=examine, replaces=append and replace
    )
    given = {
        "--study": study,
        "--store": store,
        "--run": run,
        "--models": models,
        "--write-models": write_models,
        "--append": append,
        "--replace": replace,
        "--strict": strict,
        "--no-doctor": not examine,
        "--dry-run": dry_run,
        "--format": format if format != "table" else None,
    }
    name = study or study_name(Path(path))
    with stopped_in_words(target, name), whole_command(("import",), path, form, given):
        imported = read_and_write(path, form, target, settings)
    if not is_former():
        _answer(imported, store, format)


def _mode(*, append: bool, replace: bool, run: str | None) -> "Mode":
    """Return how the study is written; to append and to replace is to replace one run, which is named."""
    if not (append and replace):
        return write_mode(append=append, replace=replace)
    if run is None:
        raise UsageError(
            "--append and --replace together replace one imported run of the study: name it with --run NAME; "
            "to replace the whole study, leave out --append"
        )
    return "append"


def _further_words(options: "ImportOptions", more: Mapping[str, object]) -> list[str]:
    """Return the words of a command that say how a file is read, and where it goes."""
    from engine.importers.reading.option_file import arguments

    words = arguments(options)
    for flag, each in more.items():
        words += [flag] if each is True else [flag, str(each)] if each else []
    return words


def _form_and_path(
    words: list[str], form: str | None, study: str | None, more: list[str], mode: "Mode"
) -> tuple[str | None, str]:
    """Return the format, None if it is to be detected, and the path; `FORMAT PATH` is the former way.

    `study`, `more` and `mode` are what else was given, for a command that can be run.
    """
    from engine.importers.format_loading import AUTO, names

    formats = (AUTO, *names())
    if len(words) == 1:
        if words[0] in formats and not Path(words[0]).exists():
            raise UsageError(f"no file is named; write: spb import PATH --as {words[0]}")
        if words[0].endswith(OWN_FORMAT):
            raise UsageError(
                f"{words[0]!r} declares a format, and no file is named; write: spb import {words[0]} PATH"
            )
        return (None if form == AUTO else form), words[0]
    first, second = words[:2]
    if len(words) == 2 and first.endswith(OWN_FORMAT) and form is None:
        return first, second
    if len(words) > 2 or (first not in formats and Path(first).exists()):
        raise UsageError(_of_several(words, form, study, more, mode))
    if first not in formats and Path(second).exists():
        raise UsageError(f"{unknown('format', first, formats)}; or leave it out: spb import {second}")
    if form is not None:
        raise UsageError(
            f"the format is named twice, {first!r} and --as {form!r}; write: spb import PATH --as {form}"
        )
    call_by_former(f"import {first} PATH", "import PATH" + ("" if first == AUTO else f" --as {first}"))
    return (None if first == AUTO else first), second


def _of_several(paths: list[str], form: str | None, study: str | None, more: list[str], mode: "Mode") -> str:
    """Return that one path is read, and the commands that import each file as a run of its own."""
    from engine.importers.pipeline import study_name

    names = [study_name(Path(path)) for path in paths]
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    shared = "".join(letters[0] for letters in alike).strip("-._")
    more = [*(["--as", form] if form else []), *more]
    lines = []
    for number, (path, name) in enumerate(zip(paths, names, strict=True), start=1):
        run = name if names.count(name) == 1 else f"{name}-{number}"
        command = ["spb", "import", path, *more, "--study", study or shared or "mine", "--run", run]
        how = mode if number == 1 or "--dry-run" in more else "append"  # a dry run leaves nothing to add to
        lines.append("  " + shlex.join([*command, *([] if how == "new" else [f"--{how}"])]))
    problem = f"{quantity(len(paths), 'path')} were given, and one is read at a time"
    return "\n".join(
        [
            f"{problem}. If each is a run of its own, such as a night, run:",
            *lines,
            "If they are parts of one run, put them in a folder, and import that",
        ]
    )


def _answer(imported: Imported, store: str | None, format: str) -> None:  # noqa: A002
    """Print what can be said of the study now, and the commands to go on with."""
    from engine.words import conclusions
    from engine.words.based_on import in_order

    concluded = list(conclusions.study_lines(imported.scorecard)) if imported.scorecard else []
    if not concluded and imported.reason:
        reason = imported.reason.replace(" in this slice", "")  # it is of the whole study
        concluded = [f"Nothing can be said on the judges yet: {full_stop(reason)}"]
    if format != "table":
        facts = {"study": imported.study, "written": imported.written, "conclusions": concluded}
        facts["remarks"] = list(imported.remarks)
        print_rows(Rows(imported.tables, {}, facts=facts), format)
        return
    print_sentences(in_order(concluded, imported.remarks))
    for each in imported.further:
        print_sentences([each.sentence])
        say(f"  {next_command(store, *each.words)}", result=True)
    if imported.written:
        has_judgments = any(each["table"] == "judgments" and each["rows"] for each in imported.tables)
        commands = ("judges", "open") if has_judgments else ("open",)
        for mark, command in zip(("next:", "     "), commands, strict=False):
            say(f"{mark} {next_command(store, command, imported.study)}")
