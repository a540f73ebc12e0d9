"""Data: a file of another tool, its first rows, what its columns mean, and its import as a study."""

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from engine.errors import SpbError
from engine.phrases import sentence_case
from engine.store import Mode
from engine.words.plain_names import on_page
from explorer import data, permissions
from explorer.new_run import first_study, import_form, import_report, importing
from explorer.new_run.importing import UNCHANGED, Edits, ImportPreview, ImportRequest
from explorer.new_run.uploaded_files import Upload
from explorer.page_list import BY_NAME
from explorer.parts import components, leaving
from explorer.parts.context import Context, show_page
from explorer.team import refusals

_PREVIEW, _DONE, _CAUTION = "_import_looked", "_import_done", "_import_caution"
_TARGET, _REFUSAL = "_import_target", "_import_refusal"
_MODES: dict[Mode, str] = {"append": "add to it", "replace": "replace it"}
# Bytes of files that are previewed at each change; larger ones when a button is pressed.
_READ_AT_ONCE = 4 << 20


def render(context: Context) -> None:
    """Show the page below the head of a study."""
    show(context.root)


def first(root: str) -> None:
    """Show the page of a store without a study."""
    st.header(BY_NAME["data"].title, anchor=False)
    show(root)


def show(root: str) -> None:
    """Show the form, beside it what the import gives, and write it into the store at `root`."""
    if (refusal := permissions.writing_refusal()) is not None:
        refusals.show_writing_refusal(refusal)
        return
    files = import_form.upload()
    _show_done()
    if not files:
        first_study.gallery(root)
        return
    form, sample = import_form.recognise(files, root, _target(files).earlier)
    left, right = st.columns(2, gap="large")
    with left:
        choices = import_form.choose(files, form, sample)
    with right:
        preview = _preview(choices)
        target = st.container()
        if preview is not None:
            import_report.show_found(preview.report)
    edits = UNCHANGED if preview is None else import_report.show_models(preview)
    if preview is not None:
        with target:
            _import(root, choices.request, preview, edits)


@dataclass(frozen=True)
class _Target:
    """The study that files are written to, as far as that was chosen, and how."""

    name: str | None = None
    mode: Mode = "append"

    @property
    def earlier(self) -> str | None:
        """The study whose earlier imports are heeded: none if it is replaced."""
        return "" if self.mode == "replace" else self.name


def _target(files: tuple[Upload, ...]) -> _Target:
    """Return what the fields of the target hold; they are not shown while something is open."""
    mark, target = st.session_state.get(_TARGET) or ("", _Target())
    name = st.session_state.get(f"import_study_{files[0].mark}")
    if name is None:
        return target if mark == files[0].mark else _Target()
    replaces = st.session_state.get("import_mode") == "replace"
    return _Target(name.strip() or None, "replace" if replaces else "append")


def _show_done() -> None:
    """Show the study that was imported with a caution, which is read before the study is opened."""
    if done := st.session_state.get(_DONE):
        with st.container(border=True, key="import_done"):
            st.text(f"The study {done!r} was imported.")
            components.note(f"{sentence_case(st.session_state[_CAUTION])}.", key="import_caution")
            link = {"study": [done]}
            st.page_link(BY_NAME["judges"].path, label="Open it", icon=":material/home:", query_params=link)


def _preview(choices: import_form.ImportChoices) -> ImportPreview | None:
    """Return what the import gives; None, and say why, if something is open or cannot be read."""
    request = choices.request
    if choices.open:
        components.say(*choices.open, key="import_open")
        return None
    mark, preview = st.session_state.get(_PREVIEW) or (None, None)
    if mark == request.mark:
        if isinstance(preview, str):
            components.say(preview, key="import_unread")
            return None
        return preview if isinstance(preview, ImportPreview) else None
    large = sum(len(file.content) for file in request.files) > _READ_AT_ONCE
    if large and not st.button("Read the whole file", key="import_look", icon=":material/search:"):
        return None
    st.session_state.pop(_DONE, None)
    try:
        with st.spinner("Reading …"):
            preview = importing.preview_import(request)
    except SpbError as error:
        preview = on_page(error.message)
        components.say(preview, key="import_unread")
    st.session_state[_PREVIEW] = (request.mark, preview)
    return preview if isinstance(preview, ImportPreview) else None


def _import(root: str, request: ImportRequest, preview: ImportPreview, edits: Edits) -> None:
    """Show the target study, import into it, and show the equivalent command."""
    mode: Mode = "new"
    before = _target(request.files)
    goes = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", border=True, key="import_target"):
        name = st.text_input(
            "Study", value=preview.name if before.name is None else before.name,
            key=f"import_study_{request.files[0].mark}", max_chars=100,
            placeholder=f"{preview.name}, if empty",
        )  # fmt: skip
        study = name.strip() or preview.name
        if study in data.studies(root):
            mode = st.selectbox(
                "This study exists", list(_MODES), format_func=_MODES.__getitem__, key="import_mode",
                index=int(before.mode == "replace"),
            )  # fmt: skip
        st.session_state[_TARGET] = (request.files[0].mark, _Target(study, mode))
        refusal = _why_not_added(root, request, study, edits) if mode == "append" else ""
        import_now = st.button(
            "Import", key="import_write", type="primary", icon=":material/download_done:",
            disabled=bool(refusal),
        )  # fmt: skip
    if refusal:
        components.say(refusal, key="import_refused")
    if mode == "replace":
        with goes, suppress(SpbError, OSError):  # a study that is unreadable can be replaced too
            import_report.say_what_goes(data.files(root, study), preview.report)
    changed = bool(edits.families or edits.names or request.models)
    with st.expander("The same on the command line", key="import_command"):
        st.code(request.command(study, models=changed), language=None, wrap_lines=True)
        if preview.mapping is not None:
            _keep(preview.name, preview.mapping)
    if import_now:
        _write(root, request, study, mode, edits)


def _why_not_added(root: str, request: ImportRequest, study: str, edits: Edits) -> str:
    """Return why files cannot be added to a study, looked up once; of large ones the import says so."""
    if sum(len(file.content) for file in request.files) > _READ_AT_ONCE:
        return ""
    mark = _mark_of_addition(root, request, study, edits)
    stored = st.session_state.get(_REFUSAL)
    if stored is None or stored[0] != mark:
        with st.spinner("Comparing …"):
            stored = st.session_state[_REFUSAL] = (mark, importing.why_not_added(request, root, study, edits))
    return str(stored[1])


def _mark_of_addition(root: str, request: ImportRequest, study: str, edits: Edits) -> tuple[object, ...]:
    return request.mark, data.files(root, study).stamp(), str(edits)


def _keep(name: str, mapping: str) -> None:
    """Offer the mapping of a table as a file, which reads further tables of the same kind."""
    components.note(
        f"For further tables like this one, keep its mapping and write: spb import {name}.toml FILE",
        key="import_keep_note",
    )
    st.download_button(
        "Keep this mapping", mapping, f"{name}.toml", "application/toml", key="import_keep",
        on_click="ignore", icon=":material/save:",
    )  # fmt: skip


def _write(root: str, request: ImportRequest, study: str, mode: Mode, edits: Edits) -> None:
    """Write the study and open it, or show its caution first; say why if it cannot be written."""
    try:
        permissions.check_writable(study)
        with st.spinner("Writing …"):
            caution = importing.write(request, root, study, mode, edits)
    except SpbError as error:
        components.say(error.message, key="import_refused")
        return
    st.session_state.pop(_PREVIEW, None)
    if not caution:
        leaving.leave_for(BY_NAME["judges"], {"study": [study]})
    st.session_state[_DONE], st.session_state[_CAUTION] = study, caution
    st.session_state[_REFUSAL] = (_mark_of_addition(root, request, study, edits), "")  # it was added just now
    st.rerun()


show_page(render, first)
