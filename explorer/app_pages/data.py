"""Data: a file of another tool is uploaded, looked at, and imported as a study."""

import streamlit as st

from engine.errors import SpbError
from engine.importers import FOREIGN, foreign
from engine.importers.foreign.formats import Asked, pairs
from engine.importers.foreign.table import COLUMNS
from engine.read_only import read_only
from engine.store.store import Mode
from explorer import components, context, import_words, importing, open_studies
from explorer.importing import LARGEST_UPLOAD_MB, Looked, Uploaded, Wanted
from explorer.sitemap import BY_NAME

_LOOKED, _DONE = "_import_looked", "_import_done"
_ASKED_WORDS = {
    "judge": ("Judge", "Who judged, where the file does not say; its name in the study"),
    "generator": ("Generator", "Who answered, where the file does not say"),
    "baseline": ("Baseline", "Who the others were compared with, where the file does not say"),
}
_MODES: dict[Mode, str] = {
    "new": "leave it as it is",
    "append": "add to it",
    "replace": "put this in its place",
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
        return
    if st.button("Look at it", key="import_look", icon=":material/search:"):
        st.session_state.pop(_DONE, None)
        with st.spinner("Reading …"):
            st.session_state[_LOOKED] = (wanted.mark, importing.look(wanted))
    told = st.session_state.get(_LOOKED)
    if told and told[0] == wanted.mark:
        _import(root, wanted, told[1])
        import_words.show(told[1])


def _wanted() -> Wanted | None:
    """Show what can be said of a file and return it; None where there is no file yet."""
    first, second = st.columns(2)
    with first:
        name = st.selectbox(
            "Format", FOREIGN, key="import_format", format_func=lambda name: f"{foreign(name).title} ({name})"
        )
        form = foreign(name)
        file = st.file_uploader(
            "File",
            key="import_file",
            max_upload_size=LARGEST_UPLOAD_MB,
            help=f"Or a zip of a folder. Expected: {form.expected}.",
        )
        components.note(
            f"Up to {LARGEST_UPLOAD_MB} megabytes; larger files and whole folders: spb import {name} PATH",
            key="import_limit",
        )
    with second:
        given = {
            option: st.text_input(label, key=f"import_{option}", help=help_text, max_chars=200).strip()
            or None
            for option, (label, help_text) in _ASKED_WORDS.items()
            if option in form.options
        }
        told = {option: _lines(option) for option in ("map", "set") if option in form.options}
        models = st.file_uploader(
            "Models file", type="csv", key="import_models_file",
            help="CSV with model, family, and name where a model shall be called otherwise",
        )  # fmt: skip
        strict = st.toggle("Stop at the first bad row", key="import_strict")
    if file is None:
        return None
    return Wanted(name, _uploaded(file), models and _uploaded(models), Asked(**given, **told), strict)


def _lines(option: str) -> dict[str, str]:
    """Show a box of lines such as `judge=rater` and return what they say."""
    words = {"map": "Column = field of the file", "set": "Column = one value for all rows"}
    text = st.text_area(words[option], key=f"import_{option}", height=90, help="One on each line")
    if option == "map":
        with st.expander("The columns", key="import_columns"):
            for column, meaning in COLUMNS.items():
                st.text(f"{column}: {meaning}")
    return pairs(words[option], [line for line in text.splitlines() if line.strip()])


def _uploaded(file: "st.runtime.uploaded_file_manager.UploadedFile") -> Uploaded:
    return Uploaded(file.name, file.file_id, file.getvalue())


def _import(root: str, wanted: Wanted, looked: Looked) -> None:
    """Show where the file goes, and write it there."""
    with st.container(horizontal=True, vertical_alignment="bottom", border=True, key="import_target"):
        study = st.text_input(
            "Study", value=looked.name, key=f"import_study_{wanted.file.mark}", max_chars=100
        )
        mode = st.selectbox("If it exists", list(_MODES), format_func=_MODES.__getitem__, key="import_mode")
        pressed = st.button("Import", key="import_write", type="primary", icon=":material/download_done:")
    if pressed:
        try:
            open_studies.check_writable(study.strip())
            with st.spinner("Writing …"):
                importing.write(wanted, root, study.strip(), mode)
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
        st.page_link(BY_NAME["overview"].path, label="Open it", icon=":material/home:", query_params=link)


context.show(render, first)
