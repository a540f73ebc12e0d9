"""Uploaded files: previewed and imported."""

import re
import shlex
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO

import pandas as pd
import streamlit as st

from engine.errors import BadInputError, SpbError
from engine.explore.doctor import Answer, Diagnosis, examine
from engine.importers.families import NONE, as_csv, read_corrections
from engine.importers.pipeline import MappingReport, Reading, preview, reading
from engine.importers.reading.format import ImportOptions, arguments, files_in
from engine.importers.reading.json_rows import (
    UPLOAD_LIMITS,
    allowance,
    apply_limits,
    check_entries,
    look,
)
from engine.importers.reading.rows import ImportStats
from engine.importers.reading.shapes import file_rows
from engine.importers.reading.tables import SUFFIXES
from engine.importers.registry import Likeness, format_of, row_format, row_formats
from engine.store import Mode, Store
from engine.study import Study
from engine.values import quantity
from engine.words import on_page
from explorer.new_run.table_form import TableSample, choose_columns, sample_of
from explorer.parts import components
from explorer.serving.uploads import LARGEST_UPLOAD_MB, allow_uploads

# ------------------------------------------------------------------------------
# Uploaded files of other tools: stored briefly under safe names, unpacked within limits, read, written.


LARGEST_MODELS_MB = 1
"""Most megabytes of a models file, which has a line for each model."""

UNPACKED_BYTES = UPLOAD_LIMITS.unpacked
MOST_MEMBERS = 10_000
DEEPEST = 8
"""Most nested folders in an archive."""

_BLOCK = 1 << 20
_LONGEST_NAME = 100
_SAMPLED_ROWS = 200
_MOST_QUESTIONS = 10
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class Upload:
    """A file as uploaded; `mark` identifies the upload."""

    name: str
    mark: str
    content: bytes


@dataclass(frozen=True)
class ImportRequest:
    """The files to read, and how to read them."""

    form: str
    files: tuple[Upload, ...]
    models: Upload | None
    options: ImportOptions
    strict: bool

    @property
    def mark(self) -> tuple[object, ...]:
        """A value that identifies this request."""
        options = tuple((name, str(getattr(self.options, name))) for name in self.options.option_names())
        marks = tuple(file.mark for file in self.files)
        return self.form, marks, self.models and self.models.mark, options, self.strict

    def command(self, study: str, *, models: bool) -> str:
        """Return the equivalent command line."""
        path = self.files[0].name.removesuffix(".zip") if len(self.files) == 1 else "FOLDER"
        words = ["spb", "import", self.form, path, *arguments(replace(self.options, no_guess=False))]
        words += ["--models", "models.csv"] if models else []
        words += ["--strict"] if self.strict else []
        return shlex.join([*words, "--study", study])


@dataclass(frozen=True)
class Edits:
    """Changes in the table of models, by the models' names in the study."""

    families: Mapping[str, str]
    names: Mapping[str, str]


UNCHANGED = Edits({}, {})


@dataclass(frozen=True)
class FirstLook:
    """A guess about files: their format with the reason, and the first rows as a table."""

    likeness: Likeness | None
    problem: str
    sample: TableSample | None


@dataclass(frozen=True)
class ImportPreview:
    """The preview of an import, before anything is written."""

    name: str
    report: MappingReport
    diagnosis: Diagnosis


def first_look(files: tuple[Upload, ...]) -> FirstLook:
    """Return what the files look like; the sample is None if they are no table."""
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder, apply_limits(UPLOAD_LIMITS):
        try:
            path = _write_files(files, Path(folder))
            likeness, problem = format_of(path), ""
        except SpbError as error:
            return FirstLook(None, in_form(str(error)), None)
        with suppress(SpbError):
            return FirstLook(likeness, problem, _sample(path))
    return FirstLook(likeness, problem, None)


_IN_FORM = (
    (r"; name its fields with --map judge=FIELD generator=FIELD", ""),
    (r"; name one \(spb import table PATH --map \.\.\.\)", "; choose one"),
    (r"Name it with --map \w+=FIELD", "Choose it in the form"),
    (r"Give such as --value \S+", "Choose their meaning in the form"),
    (
        r"Give --set scale=(\S+), which divides them, or a higher one",
        r"Set the highest possible score, \1 or more",
    ),
    (r"; give --map rubric_id=FIELD or .*", "; choose it in the form"),
    (r"(?s) All together[^:]*: .*", ""),
    (r" \((?:--set scale=10 divides it|--value choice:VALUE=a says which)\)", ""),
    (r"; say what its values mean \(--value\), or name another \(--map\)", ""),
    (
        r"import the file that has the \.0 with --whole-ids",
        "import that file with whole numbers as ids (More)",
    ),
    (r"; name its members with --members", ""),
    (r"give it that name on import \(--models\)", "give it that name in the table of models"),
)
"""What a command's messages advise, and what the form has instead."""


def in_form(text: str) -> str:
    """Return what an import says to a terminal as the form says it."""
    for command, form in _IN_FORM:
        text = re.sub(command, form, text)
    return on_page(text)


def _sample(path: Path) -> TableSample:
    files = files_in(path, *SUFFIXES, expected="a table")
    with look(_SAMPLED_ROWS):
        rows = list(islice(file_rows(files[0], ImportStats(), "a table"), _SAMPLED_ROWS))
    allowance().check_columns(files[0].name, max((len(row.values) for row in rows), default=0))
    return sample_of(files[0].name, rows)


def preview_import(request: ImportRequest) -> ImportPreview:
    """Read the files and report content and measures; SpbError if they, or all verdicts, cannot be read."""
    with _open_reading(request) as source:
        source.check_verdicts()
        diagnosis = preview(source, lambda files: examine(Study(files)))
        return ImportPreview(source.name, source.report, diagnosis)


def write(request: ImportRequest, root: str, study: str, mode: Mode, edits: Edits = UNCHANGED) -> str:
    """Read the files again, write them as a study of the store at `root`, and return a caution if any.

    Raises the errors of `Store.write`, and NoVerdictError if no verdict can be read.
    """
    store = Store(root)
    with _open_reading(request, edits) as source:
        source.check_verdicts()
        caution = source.split_ids(store, study if mode == "append" else None)
        source.write(store, study, mode=mode)
    return in_form(caution)


@contextmanager
def _open_reading(request: ImportRequest, edits: Edits = UNCHANGED) -> Iterator[Reading]:
    with tempfile.TemporaryDirectory(prefix="spb-upload-") as folder:
        corrections = NONE
        if request.models is not None:
            models = _write_file(request.models, Path(folder) / "models", LARGEST_MODELS_MB)
            corrections = read_corrections(models)
        path = _write_files(request.files, Path(folder))
        with reading(
            row_format(request.form),
            path,
            request.options,
            corrections=corrections.edit(edits.families, edits.names),
            strict=request.strict,
            limits=UPLOAD_LIMITS,
        ) as source:
            yield source


def _write_files(files: tuple[Upload, ...], folder: Path) -> Path:
    """Write uploads into a folder; return the file, or the folder of several or of an unpacked archive."""
    if len(files) > 1:
        target_folder = folder / "files"
        for number, file in enumerate(files, start=1):
            path = _write_file(file, folder / f"file-{number}")
            target_folder.mkdir(exist_ok=True)
            target = target_folder / path.name
            path.rename(target if not target.exists() else target_folder / f"{number}-{path.name}")
        return target_folder
    path = _write_file(files[0], folder / "file")
    return unpack(path, folder / "unpacked" / path.stem) if path.suffix.lower() == ".zip" else path


def _write_file(file: Upload, folder: Path, largest_mb: int | None = None) -> Path:
    """Write an upload into a folder under a safe name; BadInputError if it is too large."""
    limit = LARGEST_UPLOAD_MB if largest_mb is None else largest_mb
    if len(file.content) > limit << 20:
        raise BadInputError(f"{file.name!r} has more than {limit} megabytes; split it into smaller files")
    folder.mkdir()
    path = folder / safe_name(file.name)
    path.write_bytes(file.content)
    return path


def safe_name(name: str) -> str:
    """Return the last part of a file's name in letters, digits, dots, dashes and underscores."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "_", last)[-_LONGEST_NAME:].lstrip(".") or "upload"


def unpack(path: Path, folder: Path) -> Path:
    """Unpack a zip archive into a folder; BadInputError if it is broken or exceeds the limits.

    Nested archives stay packed. Paths outside the folder, links, and too many files, nested folders or bytes
    are refused.
    """
    folder.mkdir(parents=True)
    check_entries(path, MOST_MEMBERS)
    remaining = UNPACKED_BYTES
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                target = folder / _member_path(path.name, info)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("xb") as file:
                    remaining -= _copy(packed, file, remaining, path.name)
    except _BROKEN as error:
        raise BadInputError(f"{path.name!r} cannot be unpacked ({error}); pack it again") from error
    return folder


def _member_path(archive: str, info: zipfile.ZipInfo) -> PurePosixPath:
    place = PurePosixPath(info.filename.replace("\\", "/"))
    member = f"{archive!r} holds {info.filename[:80]!r}"
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise BadInputError(f"{member}, which is outside of it; pack it again")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise BadInputError(f"{member}, which is a link; pack the file itself")
    if len(place.parts) > DEEPEST:
        raise BadInputError(f"{member}, more than {DEEPEST} folders deep; pack it flatter")
    return PurePosixPath(*(safe_name(part) for part in place.parts))


def _copy(packed: IO[bytes], file: IO[bytes], limit: int, archive: str) -> int:
    size = 0
    while block := packed.read(_BLOCK):
        size += len(block)
        if size > limit:
            raise BadInputError(
                f"{archive!r} unpacks to more than {UNPACKED_BYTES:,} bytes; upload parts of it"
            )
        file.write(block)
    return size


# ------------------------------------------------------------------------------
# What an import found, in words and tables: fields, rows left out, models, and what can be measured.


_FIELDS = {
    "field": "Field of the file",
    "becomes": "Becomes",
    "note": "How",
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
}
_LEFT_OUT = {
    "reason": "Reason",
    "rows": st.column_config.NumberColumn("Rows", format="localized"),
    "examples": "Examples",
}
_MODELS = {
    "model": st.column_config.TextColumn("Model"),
    "family": st.column_config.TextColumn("Family", max_chars=200),
    "name": st.column_config.TextColumn("Name in the study"),
    "judges": st.column_config.CheckboxColumn("Judges"),
    "answers": st.column_config.CheckboxColumn("Answers"),
    "about": st.column_config.TextColumn("Suggested by its name"),
}
_MEASURES = {
    "measure": "Measure",
    "answer": "Can be measured",
    "of": ("Rows", "Rows with a defined number, out of all rows"),
    "width": ("95% interval", "Half its width (median over rows)"),
    "why": "What is missing",
}


def show(preview: ImportPreview) -> Edits:
    """Show the preview, and return the changes in the table of models."""
    edits = _mapping(preview.report)
    _measures(preview.diagnosis)
    return edits


def _mapping(report: MappingReport) -> Edits:
    n_left_out = report.rows_read - report.rows_stored
    rows_read = quantity(report.rows_read, "row")
    sentences = [
        f"{report.title}: {rows_read} read, {report.rows_stored:,} taken, {n_left_out:,} left out.",
        f"The study gets {report.contents()}.",
    ]
    if report.judgments:
        sentences.append(f"Judgments: {report.verdicts()}.")
    components.say(*sentences, *report.notes, key="import_found")
    if report.left_out:
        st.subheader("Rows left out", anchor=False)
        rows = [(why, out.count, "; ".join(out.examples)) for why, out in report.left_out.items()]
        components.table(rows, _LEFT_OUT, "import_left_out")
    st.subheader("Models and families", anchor=False)
    edits = _families(report)
    with st.expander("Which field became which column", key="import_mapping"):
        fields = [(field.name, field.becomes, field.note, count) for field, count in report.present]
        components.table(fields, _FIELDS, "import_fields")
        lacking = ", ".join(field.name for field in report.absent)
        unused = ", ".join(report.unused)
        components.note(
            *([f"Missing in every row: {lacking}."] if lacking else []),
            *([f"Not stored: {unused}."] if unused else []),
            key="import_unused",
        )
    return edits


def _families(report: MappingReport) -> Edits:
    """Show the models with families and names that can be changed in place, and return the changes."""
    columns = ["model", "family", "name", "judges", "answers"]
    rows = [(row.model, row.family, row.model, row.judges, row.answers) for row in report.models]
    about = ["" if row.corrected else row.parsed_name.words for row in report.models]
    frame = pd.DataFrame(rows, columns=columns).assign(about=about)
    edited = st.data_editor(
        frame, key="import_models", hide_index=True, column_config=_MODELS, width="stretch",
        disabled=["model", "judges", "answers", "about"],
    )  # fmt: skip
    cells = zip(frame["model"], frame["family"], edited["family"], edited["name"], strict=True)
    families, names = {}, {}
    for model, before, family, name in cells:
        if family and str(family).strip() not in ("", before):
            families[model] = str(family).strip()
        if name and str(name).strip() not in ("", model):
            names[model] = str(name).strip()
    content = as_csv([row.model for row in report.models], families, names)
    st.download_button(
        "models.csv", content, "models.csv", "text/csv",
        icon=":material/download:", type="tertiary", key="import_models_csv",
    )  # fmt: skip
    questions = [f"To decide: {question}" for question in report.questions[:_MOST_QUESTIONS]]
    n_more = len(report.questions) - _MOST_QUESTIONS
    components.note(
        "Families are guessed from names; correct families and names in the table. Models given the same "
        "name become one.",
        *questions,
        *([f"and {n_more:,} more to decide"] if n_more > 0 else []),
        *(f"The same model? {', '.join(group)}." for group in report.twins),
        key="import_families",
    )
    return Edits(families, names)


def _measures(diagnosis: Diagnosis) -> None:
    st.subheader("What can be measured", anchor=False)
    sentences = [in_form(sentence) for sentence in (*diagnosis.relations(), *diagnosis.cautions)]
    if sentences:
        components.say(*sentences, key="import_kinship")
    order: dict[Answer, int] = {"yes": 0, "partly": 1, "no": 2}
    verdicts = sorted(diagnosis.measures, key=lambda verdict: order[verdict.answer])
    rows = [
        (
            verdict.title,
            verdict.answer,
            f"{verdict.defined:,} of {verdict.rows:,}" if verdict.rows else "",
            "" if verdict.width is None else f"±{verdict.width:.2g}",
            "" if verdict.answer == "yes" else in_form(verdict.why),
        )
        for verdict in verdicts
    ]
    components.table(rows, _MEASURES, "import_measures")


# ------------------------------------------------------------------------------
# The form of an import: the files, their format, and what the files do not state.


_FIRST = "_import_first"
_OPTION_WORDS = {
    "judge": ("Judge of the whole file", "If the file does not name it"),
    "generator": ("Generator of the whole file", "The model that answered, if the file does not name it"),
    "baseline": ("Baseline", "The model that others were compared with, if the file does not name it"),
}


def import_form() -> ImportRequest | None:
    """Show the form and return the request; None if there is no file yet."""
    allow_uploads()
    uploads = st.file_uploader(
        "Files with judgments",
        key="import_file",
        accept_multiple_files=True,
        max_upload_size=LARGEST_UPLOAD_MB,
    )
    components.note(
        "One file, several of one kind, or a zipped folder. For larger files, see the documentation.",
        key="import_limit",
    )
    if not uploads:
        return None
    files = tuple(map(_upload_of, uploads))
    first = _first_look(files)
    name = _format(files, first)
    form = row_format(name)
    texts = {
        option: st.text_input(label, key=f"import_{option}", help=help_text, max_chars=200).strip() or None
        for option, (label, help_text) in _OPTION_WORDS.items()
        if option in form.options and not (name == "table" and option != "judge")
    }
    options = ImportOptions(
        judge=texts.get("judge"), generator=texts.get("generator"), baseline=texts.get("baseline")
    )
    if "value" in form.options and first.sample is not None and first.sample.columns:
        mapping = choose_columns(first.sample)
        constants = {"judge"} if options.judge else set()
        columns = {name: column for name, column in mapping.map.items() if name not in constants}
        options = replace(
            options,
            map=columns,
            set=mapping.set,
            value=mapping.value,
            judges=mapping.judges,
            rows=mapping.rows,
            no_guess=True,  # the lists begin with the guesses
        )
    with st.expander("More", key="import_more"):
        models = st.file_uploader(
            "Models file", type="csv", key="import_models_file",
            help="CSV with columns model, family and, to rename a model, name",
        )  # fmt: skip
        strict = st.toggle("Stop at the first bad row", key="import_strict")
        if "whole_ids" in form.options:
            whole_ids = st.toggle("Read a question's id 1.0 as 1", key="import_whole_ids")
            options = replace(options, whole_ids=whole_ids)
    return ImportRequest(name, files, _upload_of(models) if models is not None else None, options, strict)


def _first_look(files: tuple[Upload, ...]) -> FirstLook:
    """Return what the files look like, cached until they change."""
    marks = tuple(file.mark for file in files)
    stored = st.session_state.get(_FIRST)
    if stored is None or stored[0] != marks:
        with st.spinner("Looking …"):
            stored = st.session_state[_FIRST] = (marks, first_look(files))
    return stored[1]


def _format(files: tuple[Upload, ...], first: FirstLook) -> str:
    """Show the formats, with the likely one selected, and return the choice."""
    names = row_formats()
    guess = first.likeness.form if first.likeness and first.likeness.form in names else "table"
    marks = "_".join(file.mark for file in files)
    with st.container(key="import_format"):
        name = st.selectbox(
            "Format", names, index=names.index(guess), key=f"import_form_{marks}",
            format_func=lambda name: f"{row_format(name).title} ({name})",
        )  # fmt: skip
    if first.likeness is not None:
        components.note(
            f"Looks like {first.likeness.form}: {first.likeness.reason}.",
            *(
                ["This format cannot be imported here; see the documentation."]
                if first.likeness.form not in names
                else []
            ),
            key="import_likeness",
        )
    else:
        components.note(
            f"{first.problem}.", f"Expected: {in_form(row_format(name).expected)}.", key="import_likeness"
        )
    return str(name)


def _upload_of(file: "st.runtime.uploaded_file_manager.UploadedFile") -> Upload:
    return Upload(file.name, file.file_id, file.getvalue())
