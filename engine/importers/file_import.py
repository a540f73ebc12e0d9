"""A file or folder as a study of a store, for `engine.import_file`; `spb import` reads by the same steps."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from engine.errors import UsageError, quoted
from engine.importers import frame_arguments
from engine.importers.detection import format_of
from engine.importers.format_list import OWN_FORMAT
from engine.importers.format_loading import AUTO, importer, own_format
from engine.importers.frame_words import FILE_ARGUMENTS, call_with, warn, warn_of_report, written_arguments
from engine.importers.frames import FrameColumns, is_in_no_order, questions_in_python
from engine.importers.import_options import ImportOptions
from engine.importers.model_names.corrections import NONE, Corrections
from engine.importers.pipeline import ImportedFile, reading, study_name
from engine.importers.reading.format import Format, WholeFormat
from engine.store import Mode, Store, check_mode
from engine.store.location import check_name
from engine.store.study_files import StudyFiles
from engine.store.without_run import check_replaceable
from engine.store.writer import existing_study
from engine.values import true_or_false


def format_named(name: str) -> Format | WholeFormat:
    """Return a format by its name, or by the TOML file that declares it."""
    return own_format(name) if name.endswith(OWN_FORMAT) else importer(name)


@contextmanager
def reading_for(
    store: Store,
    study: str,
    form: Format,
    path: str | Path,
    options: ImportOptions,
    *,
    mode: Mode,
    corrections: Corrections = NONE,
    run: str | None = None,
    replaces: bool = False,
    strict: bool = False,
    dry_run: bool = False,
) -> Iterator[ImportedFile]:
    """Read a file for a study of a store, once nothing is in its way; see `reading`.

    A table that is added to a study is read like the tables that were added before, but for that of the run
    that it `replaces`.
    """
    if run is not None:
        check_name(run, "name of the run")
    if not dry_run:
        existing_study(store, study, mode)  # refused before questions on columns are answered
    if replaces and run is not None:
        check_replaceable(store.open(study), run)
    if mode == "append" and study in store.studies():
        files = store.open(study)
        before = tuple(each for each in files.info.imports or () if not replaces or each.run != run)
        options = replace(options, earlier=before, study=files)
    with reading(form, path, options, corrections=corrections, strict=strict, run=run) as content:
        for record in content.info.imports or ():
            record.path = None if Path(path).is_absolute() else str(path)  # others may get the study
        yield content


def import_file(
    path: str | Path,
    columns: FrameColumns,
    *,
    study: str | None,
    store: str | Path | None,
    mode: Mode,
    run: str | None,
    form: str | None,
    families: Mapping[str, str],
    strict: bool,
    **arguments: Any,
) -> StudyFiles:
    """Write a file as a study, and return it; see `engine.import_file`."""
    check_mode(mode)
    if not isinstance(path, str | os.PathLike):
        raise UsageError(
            f"the path is {quoted(path)}; give that of a file or folder; a frame is for from_frame"
        )
    families, strict = frame_arguments.families_of(families), true_or_false("strict", strict)
    options = frame_arguments.import_options(columns, spelling=FILE_ARGUMENTS, **arguments)
    source = format_named(format_of(path).form if form in (None, AUTO) else str(form))
    target, name = Store(store), study or study_name(Path(path))
    if isinstance(source, WholeFormat):
        _refuse_arguments(source.name, options, {"families": families, "run": run, "strict": strict})
        report = source.importer(str(path), target, study, mode=mode)
        warn("import_file", report.warnings)
        return target.open(name if report.study is None else Path(report.study).name)
    given: dict[str, object] = {
        "study": study,
        "store": store,
        "run": run,
        "format": form,
        "families": dict(families),
    }
    given |= {"mode": mode if mode != "new" else None, "strict": strict}
    call = partial(call_with, call="import_file", first=repr(str(path)), last=written_arguments(given))
    with (
        questions_in_python(call),
        reading_for(
            target,
            name,
            source,
            path,
            _for_format(options, source),
            mode=mode,
            corrections=NONE.edit(families, {}),
            run=run,
            strict=strict,
        ) as content,
    ):
        content.check_verdicts()
        further = []
        if mode == "append":
            further = [content.apart_from_study(target, name), content.unshared_criteria(target, name)]
        further += content.write(target, study, mode=mode).warnings
    files = target.open(name)
    in_no_order = "first" not in options.set and is_in_no_order(files)
    warn_of_report("import_file", content.report, families, in_no_order=in_no_order, further=further)
    return files


def _for_format(options: ImportOptions, form: Format) -> ImportOptions:
    """Return the options with the names of models as the format takes them."""
    if "map" not in form.options and options.map:
        name = next(iter(options.map))
        problem = f"{name}= names a column of a table, and the file is read as {form.name!r}"
        raise UsageError(f"{problem}; leave it out, or give format='table'")
    if "set" in form.options:
        return options
    names: dict[str, Any] = {name: text for name, text in options.set.items() if name in form.options}
    constants = {name: text for name, text in options.set.items() if name not in names}
    return replace(options, set=constants, **names)


def _refuse_arguments(form: str, options: ImportOptions, others: Mapping[str, object]) -> None:
    """Raise UsageError for arguments on how rows are read, where the format is read as a whole."""
    names = ("guess" if name == "no_guess" else name for name in options.option_names())
    given = [*options.map, *names, *(name for name, value in others.items() if value)]
    if given:
        raise UsageError(f"{given[0]}= does not apply to {form!r}; leave it out")
