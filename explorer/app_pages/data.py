"""Data: a file of another tool is uploaded, looked at, and imported as a study."""

from dataclasses import replace

import streamlit as st

from engine.errors import SpbError
from engine.importers.reading.format import ImportOptions
from engine.importers.registry import row_format, row_formats
from engine.store import Mode
from engine.values import read_only
from explorer import data
from explorer.new_run import gallery, importing, table_mapping
from explorer.new_run.importing import LARGEST_UPLOAD_MB, Edits, FirstLook, Looked, Uploaded, Wanted
from explorer.parts import components, context
from explorer.parts.address import BY_NAME

_LOOKED, _DONE, _FIRST = "_import_looked", "_import_done", "_import_first"
_OPTION_WORDS = {
    "judge": ("Judge", "The judge, if the file does not name it"),
    "generator": ("Generator", "The model that answered, if the file does not name it"),
    "baseline": ("Baseline", "The model that others were compared with, if the file does not name it"),
}
_MODES: dict[Mode, str] = {
    "new": "leave it as it is",
    "append": "add to it",
    "replace": "replace it",
}


def render(here: context.Context) -> None:
    """Show the page below the head of a study."""
    show(here.root)


def first(root: str) -> None:
    """Show the page of a store without a study."""
    st.header(BY_NAME["data"].title, anchor=False)
    show(root)


def show(root: str) -> None:
    """Show the form, what was found, and the import, into the store at `root`."""
    if read_only():
        components.say("This explorer is read only: files are imported elsewhere.", key="read_only")
        return
    wanted = _wanted()
    if done := st.session_state.get(_DONE):
        _imported(done)
    if wanted is None:
        components.note("Nothing is written before you have seen what the file holds.", key="import_first")
        gallery.gallery(root)
        return
    if st.button("Look at it", key="import_look", icon=":material/search:"):
        st.session_state.pop(_DONE, None)
        with st.spinner("Reading …"):
            st.session_state[_LOOKED] = (wanted.mark, importing.look(wanted))
    mark, looked = st.session_state.get(_LOOKED) or (None, None)
    if looked is not None and mark == wanted.mark:
        target = st.container()
        edits = importing.show(looked)
        with target:
            _import(root, wanted, looked, edits)


def _wanted() -> Wanted | None:
    """Show what can be said of the files and return it; None where there is no file yet."""
    sent = st.file_uploader(
        "Files of judgments",
        key="import_file",
        accept_multiple_files=True,
        max_upload_size=LARGEST_UPLOAD_MB,
    )
    components.note(
        f"Up to {LARGEST_UPLOAD_MB} MB each: one file, several of one kind, or a zip of a folder. Larger "
        "files: see the documentation.",
        key="import_limit",
    )
    if not sent:
        return None
    files = tuple(map(_uploaded, sent))
    first = _first_look(files)
    name = _format(files, first)
    form = row_format(name)
    given = {
        option: st.text_input(label, key=f"import_{option}", help=help_text, max_chars=200).strip() or None
        for option, (label, help_text) in _OPTION_WORDS.items()
        if option in form.options and not (name == "table" and option != "judge")
    }
    options = ImportOptions(
        judge=given.get("judge"), generator=given.get("generator"), baseline=given.get("baseline")
    )
    if "value" in form.options and first.sample is not None and first.sample.columns:
        mapping = table_mapping.choose(first.sample)
        given_judge = {"judge"} if options.judge else set()
        columns = {name: column for name, column in mapping.map.items() if name not in given_judge}
        options = replace(options, map=columns, set=mapping.set, value=mapping.value, judges=mapping.judges)
    with st.expander("More", key="import_more"):
        models = st.file_uploader(
            "Models file", type="csv", key="import_models_file",
            help="CSV with columns model, family and, to rename a model, name",
        )  # fmt: skip
        strict = st.toggle("Stop at the first bad row", key="import_strict")
    return Wanted(name, files, _uploaded(models) if models is not None else None, options, strict)


def _first_look(files: tuple[Uploaded, ...]) -> FirstLook:
    """Return what the files look like; they are looked at once."""
    marks = tuple(file.mark for file in files)
    before = st.session_state.get(_FIRST)
    if before is None or before[0] != marks:
        with st.spinner("Looking …"):
            before = st.session_state[_FIRST] = (marks, importing.first_look(files))
    return before[1]


def _format(files: tuple[Uploaded, ...], first: FirstLook) -> str:
    """Show which format the files look like, as a list to choose another from, and return the choice."""
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
            f"Taken for {first.likeness.form}: {first.likeness.reason}.",
            *(
                ["This format cannot be imported here; see the documentation."]
                if first.likeness.form not in names
                else []
            ),
            key="import_likeness",
        )
    else:
        components.note(f"{first.problem}.", f"Expected: {row_format(name).expected}.", key="import_likeness")
    return str(name)


def _uploaded(file: "st.runtime.uploaded_file_manager.UploadedFile") -> Uploaded:
    return Uploaded(file.name, file.file_id, file.getvalue())


def _import(root: str, wanted: Wanted, looked: Looked, edits: Edits) -> None:
    """Show where the files go, write them there, and say which command does the same."""
    with st.container(horizontal=True, vertical_alignment="bottom", border=True, key="import_target"):
        study = st.text_input(
            "Study", value=looked.name, key=f"import_study_{wanted.files[0].mark}", max_chars=100
        )
        mode = st.selectbox("If it exists", list(_MODES), format_func=_MODES.__getitem__, key="import_mode")
        pressed = st.button("Import", key="import_write", type="primary", icon=":material/download_done:")
    changed = bool(edits.families or edits.names or wanted.models)
    with st.expander("The same on the command line", key="import_command"):
        command = wanted.command(study.strip() or looked.name, models=changed)
        st.code(command, language=None, wrap_lines=True)
    if pressed:
        try:
            data.check_writable(study.strip())
            with st.spinner("Writing …"):
                importing.write(wanted, root, study.strip(), mode, edits)
        except SpbError as error:
            components.say(str(error), key="import_refused")
        else:
            st.session_state[_DONE] = study.strip()
            st.session_state.pop(_LOOKED, None)
            st.rerun()


def _imported(study: str) -> None:
    with st.container(border=True, key="import_done"):
        st.text(f"The study {study!r} is in the store.")
        link = {"study": [study]}
        st.page_link(BY_NAME["judges"].path, label="Open it", icon=":material/home:", query_params=link)


context.show(render, first)
