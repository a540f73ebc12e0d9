"""`spb audit FILE | STUDY`: what a study or a file says on its judges, as files for a paper."""

import hashlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import checking
from engine.cli.gate import (
    IndependentOption,
    MaxExcessOption,
    MaxRatioOption,
    RequireOption,
    check_one_rule,
)
from engine.cli.importing.import_options import FormatOption, ModelsOption, reads_a_file
from engine.cli.importing.import_steps import Settings, Target, read_and_write, whole_command
from engine.cli.options import RunsOption, StoreOption, next_command, open_study, split_names
from engine.cli.output import say, say_undrawn
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows
from engine.cli.study.study_place import study_of
from engine.errors import UsageError, names_of_store
from engine.phrases import join_names
from engine.wording import list_of_studies

if TYPE_CHECKING:
    from engine.importers.import_options import ImportOptions
    from engine.report.audit.content import Check
    from engine.report.provenance import AuditedFile
    from engine.study import Study

STUDY_FOLDER = "study"
"""The folder beside an audit's files that holds the study imported for it."""


@checking
@reads_a_file
def audit(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|STUDY",
            help="File or folder to import, or a study: its name in the store, or its folder.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder to write, and to import a file into.")
    ] = "audit",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the files of an earlier audit.")] = False,
    max_excess: MaxExcessOption = None,
    max_ratio: MaxRatioOption = None,
    require: RequireOption = None,
    independent: IndependentOption = False,
    group: Annotated[
        bool, typer.Option("--group", help="Apply the rule to all judges together, as one.")
    ] = False,
    run: RunsOption = None,
    form: FormatOption = None,
    models: ModelsOption = None,
    *,
    options: "ImportOptions",
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="Date to print (default: today's).")
    ] = None,
    store: StoreOption = None,
    format: RowFormatOption = "table",  # noqa: A002
) -> None:
    """Say whether the judges favour their own, as for a paper.

    Takes a study, or a file as it is, which is imported into DIR/study first, as spb import does. Writes
    audit.html, audit.md, audit.json, methods.txt, references.bib, table.tex, figure.pdf and figure.svg. What
    cannot be answered is said there, with what it would need.

    With one of gate's rules, exit code 0: all judges pass; 1: a judge fails; 3: no judge fails, but one is
    inconclusive, or the rule applies to none. 2: a file that cannot be read. Without a rule 0.
    """
    has_rule = check_one_rule(max_excess, max_ratio, require, independent=independent) or group
    folder = Path(out)
    _check_folder(folder, force=force)
    settings = Settings(options, models, None, None, strict=False, examine=False)
    stored = _stored(place, store)
    with _removed_unless_written(folder):
        source = None
        if stored is None:
            given = {
                "--out": out if out != "audit" else None,
                "--force": force,
                "--max-excess": None if max_excess is None else str(max_excess),  # 0 is one too
                "--max-ratio": max_ratio,
                "--require": require,
                "--independent": independent,
                "--group": group,
                "--run": ",".join(run or ()),
                "--models": models,
                "--date": date,
                "--format": format if format != "table" else None,
            }
            with whole_command(("audit",), str(place), form, given):
                study, source = _imported(str(place), form, folder, settings, force=force)
                study = study.of_runs(split_names(run or ()))
        else:
            _refuse_options(settings, form)
            study = open_study(stored[1], stored[0], run)
        rules: dict[str, Any] = {"max_excess": max_excess, "max_ratio": max_ratio, "require": require}
        check = _checked(study, group=group, independent=independent, **rules) if has_rule else None
        _write(study, folder, date, source, check, format, force=force)
    if stored is None:
        say(f"next: {next_command(str(folder / STUDY_FOLDER), 'open', study.name)}")
    if check is not None:
        from engine.explore.gate import EXIT_CODES

        sys.exit(EXIT_CODES[check.status])


def _stored(place: str | None, store: str | None) -> tuple[str, str | None] | None:
    """Return the name and the store of a study that is meant; None for a file to import.

    UsageError for what is neither.
    """
    from engine.importers.reading.json_rows import NO_STANDARD_INPUT
    from engine.store import Store
    from engine.store.location import locate
    from engine.store.named_study import is_path
    from engine.store.study_files import INFO_FILE

    if place is None:
        return study_of(None, None, store)
    if not is_path(place) and place in Store(store).studies():
        return place, store
    if locate(place).child(INFO_FILE).exists():
        return study_of(place if is_path(place) else f"./{place}", None, store)
    if Path(place).expanduser().exists():
        return None
    if place == "-":
        raise UsageError(NO_STANDARD_INPUT)
    raise UsageError(
        f"{place!r} is neither a file nor a study; give the path of a file, or a study of the store "
        f"{Store(store).root!r}: ",
        names_of_store(Store(store).studies(), list_of_studies()) or "none",
    )


def _check_folder(folder: Path, *, force: bool) -> None:
    """Raise UsageError if something is in the way of an audit's folder."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is a file; choose another --out")
    if not force and (folder / "audit.json").exists():
        raise UsageError(f"{str(folder)!r} has an audit already; choose another --out, or give --force")


@contextmanager
def _removed_unless_written(folder: Path) -> Iterator[None]:
    """Leave no half of an audit: an error removes the folder that it has made, or the study in it."""
    before = {path for path in (folder, folder / STUDY_FOLDER) if path.exists()}
    try:
        yield
    except BaseException:
        for path in (folder, folder / STUDY_FOLDER):
            if path not in before:
                shutil.rmtree(path, ignore_errors=True)
        raise


def _refuse_options(settings: Settings, form: str | None) -> None:
    """Raise UsageError for options on how a file is read where a stored study is audited."""
    flags = [
        *settings.options.flags(),
        *(["--as"] if form else []),
        *(["--models"] if settings.models else []),
    ]
    if flags:
        raise UsageError(f"{flags[0]} says how a file is read, and this is a study; leave it out")


def _imported(
    path: str, form: str | None, folder: Path, settings: Settings, *, force: bool
) -> "tuple[Study, AuditedFile]":
    """Import a file or folder into the audit's folder."""
    from engine.report.provenance import AuditedFile
    from engine.store import Store
    from engine.words.based_on import set_apart

    store = str(folder / STUDY_FOLDER)
    target = Target(Store(store), None, "replace" if force else "new", dry_run=False)
    imported = read_and_write(path, form, target, settings)
    for doubt in set_apart(imported.remarks)[0]:
        say(f"warning: {doubt}", caution=True)
    file = Path(path).expanduser()
    digest = None
    if file.is_file():
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    notes = (*_given_by_hand(settings), *imported.notes)
    return open_study(store, imported.study), AuditedFile(file.name, imported.form, digest, notes)


def _given_by_hand(settings: Settings) -> list[str]:
    """Return what the command says of a table's columns, as notes on reading it."""
    columns, scale = settings.options.map, settings.options.set.get("scale")
    mapping = ",".join(f"{name}={field}" for name, field in columns.items())
    return [
        *([f"named by hand: --map {mapping}"] if columns else []),
        *([f"scores are divided by {scale}"] if scale else []),
    ]


def _checked(study: "Study", *, group: bool, independent: bool, **rules: Any) -> "Check":
    """Apply a gate's rule; what prevents it is the check's problem."""
    from engine.conclusions import current_code
    from engine.explore.gate import FORMER_REQUIREMENT, check_judges
    from engine.report.audit.content import Check

    if rules["require"] == FORMER_REQUIREMENT:
        rules["require"] = current_code(FORMER_REQUIREMENT)[0]
    try:
        return Check(tuple(check_judges(study, group=group, independent=independent, **rules)))
    except UsageError as error:
        if not str(error).startswith("nothing was checked"):
            raise
        return Check(problem=str(error))


_OF_QUALITY = ("quality-baseline", "dbg", "equal-quality")
"""Measures of pairs that allow for how good the answers are, which no section of an audit shows."""


def _measures_of_quality(study: "Study") -> Iterator[str]:
    """Yield the measures that allow for the quality of pairs' answers and have a number here."""
    from engine.measures.catalogue import find

    for name in _OF_QUALITY:
        result = study.result(find(name), resamples=0)
        if result.has_values(result.measure.headline):
            yield name


def _write(
    study: "Study",
    folder: Path,
    date: str | None,
    source: "AuditedFile | None",
    check: "Check | None",
    format: str,  # noqa: A002
    *,
    force: bool,
) -> None:
    """Write the files, and print every question with its answer."""
    from engine.report.audit.audit import audit_of
    from engine.report.gate_results import totals

    audited = audit_of(study, date=date, source=source, check=check)
    paths = audited.write(folder, force=force)
    lines: list[Mapping[str, Any]] = [
        {
            "question": each.section.question,
            "answer": " ".join(each.sentences),
            "is_answered": each.is_answered,
        }
        for each in audited.answers
    ]
    sentences = [f"{line['question']} {line['answer']}" for line in lines]
    facts: dict[str, Any] = {
        "study": study.name,
        "folder": str(folder),
        "files": [path.name for path in paths],
    }
    if check is not None:
        facts |= {"status": check.status, "problem": check.problem}
        sentences.append(f"{check.status} ({check.problem or totals(check.results)}).")
    if further := list(_measures_of_quality(study)):
        facts["further"] = further
        place = str(study.files.path) if source is None else str(folder / STUDY_FOLDER / study.name)
        commands = join_names([f"`{next_command(None, 'measure', name, place)}`" for name in further])
        sentences.append(f"What remains once the quality of the answers is allowed for: {commands}.")
    if format == "table":
        print_rows(Rows((), {}, sentences), format)
    else:
        print_rows(Rows(lines, {"question": "Question", "answer": "Answer"}, facts=facts), format)
    say(f"wrote {paths[0]} and {len(paths) - 1} other files")
    say_undrawn("audit.html has no charts, and the figure was not written")
