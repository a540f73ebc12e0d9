"""Data: upload files of another tool, preview them, and import them as a study."""

import streamlit as st

from engine.errors import SpbError
from engine.store import Mode
from engine.values import sentence_case
from explorer import data
from explorer.new_run import importing, studies
from explorer.new_run.importing import Edits, ImportPreview, ImportRequest
from explorer.parts import components
from explorer.parts.context import Context, show_page
from explorer.parts.page_list import BY_NAME

_PREVIEW, _DONE, _CAUTION = "_import_looked", "_import_done", "_import_caution"
_MODES: dict[Mode, str] = {
    "new": "leave it as it is",
    "append": "add to it",
    "replace": "replace it",
}


def render(context: Context) -> None:
    """Show the page below the head of a study."""
    show(context.root)


def first(root: str) -> None:
    """Show the page of a store without a study."""
    st.header(BY_NAME["data"].title, anchor=False)
    show(root)


def show(root: str) -> None:
    """Show the form, the preview, and the import into the store at `root`."""
    if (refusal := data.writing_refusal()) is not None:
        components.say(f"{sentence_case(refusal)}.", key="read_only")
        return
    request = importing.import_form()
    if done := st.session_state.get(_DONE):
        with st.container(border=True, key="import_done"):
            st.text(f"The study {done!r} was imported.")
            if caution := st.session_state.get(_CAUTION):
                components.note(f"{sentence_case(caution)}.", key="import_caution")
            link = {"study": [done]}
            st.page_link(BY_NAME["judges"].path, label="Open it", icon=":material/home:", query_params=link)
    if request is None:
        components.note("You see what the file holds before anything is written.", key="import_first")
        studies.gallery(root)
        return
    if st.button("Preview", key="import_look", icon=":material/search:"):
        st.session_state.pop(_DONE, None)
        try:
            with st.spinner("Reading …"):
                st.session_state[_PREVIEW] = (request.mark, importing.preview_import(request))
        except SpbError as error:
            components.say(importing.in_form(str(error)), key="import_unread")
    mark, preview = st.session_state.get(_PREVIEW) or (None, None)
    if preview is not None and mark == request.mark:
        target = st.container()
        edits = importing.show(preview)
        with target:
            _import(root, request, preview, edits)


def _import(root: str, request: ImportRequest, preview: ImportPreview, edits: Edits) -> None:
    """Show the target study, import into it, and show the equivalent command."""
    with st.container(horizontal=True, vertical_alignment="bottom", border=True, key="import_target"):
        study = st.text_input(
            "Study", value=preview.name, key=f"import_study_{request.files[0].mark}", max_chars=100
        )
        mode = st.selectbox(
            "If the study exists", list(_MODES), format_func=_MODES.__getitem__, key="import_mode"
        )
        import_now = st.button("Import", key="import_write", type="primary", icon=":material/download_done:")
    changed = bool(edits.families or edits.names or request.models)
    with st.expander("The same on the command line", key="import_command"):
        command = request.command(study.strip() or preview.name, models=changed)
        st.code(command, language=None, wrap_lines=True)
    if import_now:
        try:
            data.check_writable(study.strip())
            with st.spinner("Writing …"):
                st.session_state[_CAUTION] = importing.write(request, root, study.strip(), mode, edits)
        except SpbError as error:
            components.say(str(error), key="import_refused")
        else:
            st.session_state[_DONE] = study.strip()
            st.session_state.pop(_PREVIEW, None)
            st.rerun()


show_page(render, first)
