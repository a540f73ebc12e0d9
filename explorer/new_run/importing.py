"""Imports of uploaded files: recognised, previewed and written."""

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from engine.errors import SpbError
from engine.explore.diagnosis import Diagnosis
from engine.explore.doctor import examine
from engine.importers.declared.mapping_file import mapping_file
from engine.importers.detection import Likeness, format_of
from engine.importers.format_loading import row_format
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.model_names.corrections import NONE, read_corrections
from engine.importers.pipeline import ImportedFile, preview, reading, study_name
from engine.importers.reading.files import files_in
from engine.importers.reading.json_rows import UPLOAD_LIMITS, allowance, apply_limits, look
from engine.importers.reading.option_file import arguments
from engine.importers.reading.rows import ImportStats
from engine.importers.reading.shapes import file_rows
from engine.importers.reading.tables import SUFFIXES
from engine.importers.tables.table_sample import SAMPLE
from engine.store import Mode, Store
from engine.store.location import check_name
from engine.store.study_files import ImportRecord
from engine.study import Study
from engine.words.plain_names import on_page
from explorer.new_run.table_sample import TableSample, sample_of
from explorer.new_run.uploaded_files import LARGEST_MODELS_MB, Upload, write_file, write_files

TABLE = "table"  # the format whose columns the user names
_SAMPLED_ROWS = SAMPLE  # so that the form asks about each value that the reader asks about


@dataclass(frozen=True)
class ImportRequest:
    """The files to read, and how to read them."""

    form: str
    files: tuple[Upload, ...]
    models: Upload | None
    options: ImportOptions
    strict: bool
    run: str | None = None

    @property
    def mark(self) -> tuple[object, ...]:
        """A value that identifies this request."""
        options = tuple((name, str(getattr(self.options, name))) for name in self.options.option_names())
        marks = tuple(file.mark for file in self.files)
        return self.form, marks, self.models and self.models.mark, options, self.strict, self.run

    def command(self, study: str, *, models: bool) -> str:
        """Return the equivalent command line."""
        path = self.files[0].name.removesuffix(".zip") if len(self.files) == 1 else "FOLDER"
        words = ["spb", "import", self.form, path, *arguments(replace(self.options, no_guess=False))]
        words += ["--models", "models.csv"] if models else []
        words += ["--strict"] if self.strict else []
        words += ["--run", self.run] if self.run else []
        return shlex.join([*words, "--study", study])


@dataclass(frozen=True)
class Edits:
    """Changes in the table of models, by the models' names in the study."""

    families: Mapping[str, str]
    names: Mapping[str, str]


UNCHANGED = Edits({}, {})


@dataclass(frozen=True)
class FirstLook:
    """A guess about files: their format with the reason, and the first rows as a table.

    `study` is the one whose earlier imports the guess heeds.
    """

    likeness: Likeness | None
    problem: str
    sample: TableSample | None
    study: str = ""

    def after(self, before: "FirstLook") -> "FirstLook":
        """Return this look, with the guesses `before` unless this study's earlier imports say otherwise."""
        if before.sample is None or self.sample is None or self.sample.note:
            return self
        return replace(self, sample=replace(before.sample, note=""))


@dataclass(frozen=True)
class ImportPreview:
    """The preview of an import, before anything is written."""

    name: str
    report: MappingReport
    diagnosis: Diagnosis
    mapping: str | None = None
    """Of a table, the format that reads others of its kind, as TOML."""


def first_look(files: tuple[Upload, ...], root: str | None = None, study: str | None = None) -> FirstLook:
    """Return what the files look like; the sample is None if they are no table.

    A table with the columns of one that was imported into the study is taken for what that one was. None is
    the study of the files' name; the store is at `root`.
    """
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder, apply_limits(UPLOAD_LIMITS):
        try:
            path = write_files(files, Path(folder))
            likeness, problem = format_of(path), ""
        except SpbError as error:
            return FirstLook(None, on_page(error.message), None)
        study = study_name(path) if study is None else study
        with suppress(SpbError):
            return FirstLook(likeness, problem, _sample(path, _earlier(root, study)), study)
    return FirstLook(likeness, problem, None, study)


def _earlier(root: str | None, study: str) -> tuple[ImportRecord, ...]:
    """Return the imports of a study that a file would be added to."""
    store = None if root is None else Store(root)
    return (
        () if store is None or study not in store.studies() else tuple(store.open(study).info.imports or ())
    )


def _sample(path: Path, earlier: tuple[ImportRecord, ...]) -> TableSample:
    files = files_in(path, *SUFFIXES, expected="a table")
    with look(_SAMPLED_ROWS):
        rows = list(islice(file_rows(files[0], ImportStats(), "a table"), _SAMPLED_ROWS))
    allowance().check_columns(files[0].name, max((len(row.values) for row in rows), default=0))
    return sample_of(files[0].name, rows, earlier)


def preview_import(request: ImportRequest) -> ImportPreview:
    """Read the files and report content and measures; SpbError if they, or all verdicts, cannot be read."""
    with _open_reading(request) as source:
        source.check_verdicts()
        diagnosis = preview(source, source.name, lambda files: examine(Study(files)))
        name, report = source.name, source.report
    return ImportPreview(name, report, diagnosis, _mapping(request, name))


def _mapping(request: ImportRequest, name: str) -> str | None:
    if request.form != TABLE:
        return None
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder, apply_limits(UPLOAD_LIMITS):
        return mapping_file(write_files(request.files, Path(folder)), request.options, name)


def write(request: ImportRequest, root: str, study: str, mode: Mode, edits: Edits = UNCHANGED) -> str:
    """Read the files again, write them as a study of the store at `root`, and return a caution if any.

    Raises the errors of `Store.write`, and NoVerdictError if no verdict can be read.
    """
    store = Store(root)
    if mode == "append":
        request = _added_to(store, study, request)
    with _open_reading(request, edits) as source:
        source.check_verdicts()
        cautions = []
        if mode == "append":
            cautions = [source.apart_from_study(store, study), source.unshared_criteria(store, study)]
        source.write_to(store, study, mode=mode)
    return ". ".join(filter(None, cautions))


def why_not_added(request: ImportRequest, root: str, study: str, edits: Edits = UNCHANGED) -> str:
    """Return why the files cannot be added to a study, such as a contradiction; empty if they can."""
    store = Store(root)
    try:
        with _open_reading(_added_to(store, study, request), edits) as source:
            source.write_to(store, study, mode="append", dry_run=True)
    except SpbError as error:
        return on_page(error.message)
    return ""


def _added_to(store: Store, study: str, request: ImportRequest) -> ImportRequest:
    """Return a request by which files are read as an addition to a study, if there is one."""
    if study not in store.studies():
        return request
    return replace(request, options=replace(request.options, study=store.open(study)))


@contextmanager
def _open_reading(request: ImportRequest, edits: Edits = UNCHANGED) -> Iterator[ImportedFile]:
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder:
        corrections = NONE
        if request.run is not None:
            check_name(request.run, "name of the run")
        if request.models is not None:
            models = write_file(request.models, Path(folder) / "models", LARGEST_MODELS_MB)
            corrections = read_corrections(models)
        path = write_files(request.files, Path(folder))
        with reading(
            row_format(request.form),
            path,
            request.options,
            corrections=corrections.edit(edits.families, edits.names),
            strict=request.strict,
            limits=UPLOAD_LIMITS,
            run=request.run,
        ) as source:
            yield source
