"""The form of an import: the files, their format, and what the files do not state."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import PurePath

import streamlit as st

from engine.importers.families import resolve
from engine.importers.format_loading import row_format, row_formats
from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import Format
from engine.importers.tables.column_candidates import JUDGES
from engine.words.plain_names import on_page
from explorer.new_run.form_words import (
    BASELINE,
    GENERATOR,
    JUDGE,
    MORE,
    RUN,
    STRICT,
    WHOLE_IDS,
    FormWords,
)
from explorer.new_run.hand_choices import HandChoices
from explorer.new_run.importing import FirstLook, ImportRequest, first_look
from explorer.new_run.table_form import choose_columns, show_rows
from explorer.new_run.table_sample import TableSample
from explorer.new_run.uploaded_files import Upload
from explorer.parts import components
from explorer.serving.uploads import LARGEST_UPLOAD_MB, allow_uploads

_FIRST = "_import_first"
_OPTION_WORDS = {
    "judge": (JUDGE, "If the file does not name it"),
    "generator": (GENERATOR, "The model that answered, if the file does not name it"),
    "baseline": (BASELINE, "The model that others were compared with, if the file does not name it"),
}
_SOME_JUDGE = "gpt-4o-2024-05-13"


@dataclass(frozen=True)
class ImportChoices:
    """What is imported and how, and what is still to be decided before it can be."""

    request: ImportRequest
    open: tuple[str, ...]


def upload() -> tuple[Upload, ...]:
    """Show where files are dropped, and return those that were."""
    allow_uploads()
    uploads = st.file_uploader(
        "Files with judgments",
        key="import_file",
        accept_multiple_files=True,
        max_upload_size=LARGEST_UPLOAD_MB,
    )
    if not uploads:
        components.note(
            "One file, several of one kind, or a zipped folder. For larger files, see the documentation.",
            "You see what the file holds before anything is written.",
            key="import_limit",
        )
    return tuple(map(_upload_of, uploads or ()))


def recognise(files: tuple[Upload, ...], root: str, study: str | None) -> tuple[Format, TableSample | None]:
    """Show the format with its reason, and the first rows of a table; return both.

    `study` is the one that the files would be added to, None for that of their name, empty for none.
    """
    first = _first_look(files, root, study)
    form = row_format(_format(files, first))
    is_table = "value" in form.options and first.sample is not None and bool(first.sample.columns)
    if is_table and first.sample is not None:
        show_rows(first.sample)
        return form, first.sample
    return form, None


def choose(files: tuple[Upload, ...], form: Format, sample: TableSample | None) -> ImportChoices:
    """Show the fields that the format needs, and a list for each column of a table."""
    guessed = {*(() if sample is None else sample.guessed.values())}
    guessed |= {"judge"} if JUDGES in guessed else set()
    by_hand = HandChoices(mark_of(files), "" if sample is None else sample.mark)
    texts = {
        option: _text(option, files[0].name, sample, by_hand)
        for option in _OPTION_WORDS
        if option in form.options and option not in guessed
    }
    options = ImportOptions(
        judge=texts.get("judge"),
        generator=texts.get("generator"),
        baseline=texts.get("baseline"),
        spelling=FormWords(),
    )
    unclear: tuple[str, ...] = ()
    if sample is not None:
        given = {name: text for name, text in texts.items() if text is not None}
        columns = choose_columns(sample, by_hand, given)
        unclear = columns.open
        options = replace(
            columns.options,
            judge=options.judge,
            generator=options.generator,
            baseline=options.baseline,
            no_guess=True,  # the lists begin with the guesses
        )
    with st.expander(MORE, key="import_more"):
        models = st.file_uploader(
            "Models file", type="csv", key="import_models_file",
            help="CSV with columns model, family and, to rename a model, name",
        )  # fmt: skip
        strict = st.toggle(STRICT, key="import_strict")
        if "whole_ids" in form.options:
            before = ImportOptions() if sample is None else sample.before
            shown = by_hand.value("import_whole_ids", before.whole_ids)
            whole_ids = st.toggle(WHOLE_IDS, shown, **by_hand.field("import_whole_ids"))
            options = replace(options, whole_ids=whole_ids)
        run = st.text_input(
            RUN, key="import_run", max_chars=100, help="A name of its own, if the judges judged once more"
        ).strip()
    models_file = _upload_of(models) if models is not None else None
    return ImportChoices(ImportRequest(form.name, files, models_file, options, strict, run or None), unclear)


def mark_of(files: tuple[Upload, ...]) -> str:
    """Return a short name for these uploads, which differs for others."""
    return hashlib.sha256("\n".join(file.mark for file in files).encode()).hexdigest()[:12]


def _text(option: str, file: str, sample: TableSample | None, by_hand: HandChoices) -> str | None:
    label, about = _OPTION_WORDS[option]
    name = PurePath(file).stem
    example = name if resolve(name).state == "sure" else _SOME_JUDGE
    placeholder = f"for example {example}" if option == "judge" else None
    before = "" if sample is None else getattr(sample.before, option) or ""
    text = st.text_input(
        label, by_hand.value(f"import_{option}", before), **by_hand.field(f"import_{option}"), help=about,
        max_chars=200, placeholder=placeholder,
    )  # fmt: skip
    return text.strip() or None


def _first_look(files: tuple[Upload, ...], root: str, study: str | None) -> FirstLook:
    """Return what the files look like, cached until they or the study that they are added to change."""
    marks = tuple(file.mark for file in files)
    stored = st.session_state.get(_FIRST)
    if stored is None or stored[0] != marks or study not in (None, stored[1].study):
        with st.spinner("Looking …"):
            look = first_look(files, root, study)
            if stored is not None and stored[0] == marks:
                look = look.after(stored[1])
            stored = st.session_state[_FIRST] = (marks, look)
    return stored[1]


def _format(files: tuple[Upload, ...], first: FirstLook) -> str:
    """Show the formats, with the likely one selected, and return the choice."""
    names = row_formats()
    guess = first.likeness.form if first.likeness and first.likeness.form in names else "table"
    with st.container(key="import_format"):
        name = st.selectbox(
            "Format", names, index=names.index(guess), key=f"import_form_{mark_of(files)}",
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
            f"{first.problem}.", f"Expected: {on_page(row_format(name).expected)}.", key="import_likeness"
        )
    return str(name)


def _upload_of(file: "st.runtime.uploaded_file_manager.UploadedFile") -> Upload:
    return Upload(file.name, file.file_id, file.getvalue())
