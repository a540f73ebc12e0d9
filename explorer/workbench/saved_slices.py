"""Saved slices: chosen by name, stored with the study, written to the address by name."""

import streamlit as st

from engine.errors import SpbError
from engine.phrases import shortened
from engine.saved_slices import delete_slice, save_slice
from engine.store.study_files import StudyFiles
from explorer import permissions
from explorer.page_list import SAVED
from explorer.parts import selection
from explorer.parts.safe_markdown import escape_markdown
from explorer.workbench import filter_values
from explorer.workbench.filter_values import FILTER_FLAGS

_NAME, _ERROR = "slice_name", "_slice_error"


def apply_saved(files: StudyFiles, prefix: str = "") -> list[str]:
    """Apply the filters of the chosen saved slice; return a sentence if there is no such slice."""
    key = prefix + SAVED
    name, slices = selection.value(key), files.info.slices
    if name is None or name not in slices:
        selection.imply(key, {})
        selection.view().pop(key, None)
        st.session_state.pop(selection.widget(key), None)
        missing = f"There is no saved slice {name!r} in this study; it was left out."
        return [] if name is None else [missing]
    choices = {
        prefix + filter_: (texts,) if isinstance(texts, str) else tuple(texts)
        for filter_, texts in slices[name].items()
        if filter_ in FILTER_FLAGS
    }
    selection.imply(key, choices)
    for filter_, texts in choices.items():
        if filter_ not in selection.view():
            selection.view()[filter_] = texts
            st.session_state.pop(selection.widget(filter_), None)
    return []


def show_menu(files: StudyFiles, prefix: str) -> None:
    """Show the saved slices, and the controls that save and delete them."""
    names, key = tuple(files.info.slices), prefix + SAVED
    if not names and not permissions.may_write():
        return
    name = selection.value(key)
    with st.popover(
        "Slices" if name is None else f"Slice: {escape_markdown(shortened(name, filter_values.LONGEST))}",
        icon=":material/bookmark:",
        key=f"{prefix}saved_slices",
        help="Filters saved with the study",
    ):
        if names:
            st.selectbox(
                "Saved slice",
                names,
                index=None,
                key=selection.begin(key, name, has_default=False),
                placeholder="none",
                help="A filter chosen beside it takes the place of its own",
                on_change=_apply_saved_choice,
                args=(prefix,),
            )
        if permissions.may_write():
            _write(files, prefix)


def _write(files: StudyFiles, prefix: str) -> None:
    name = selection.value(prefix + SAVED)
    st.text_input("Name for these filters", key=prefix + _NAME, placeholder=name or "for example: hard")
    st.button("Save", key=f"{prefix}save_slice", on_click=_save, args=(files, prefix), width="stretch")
    if name is not None:
        st.button("Delete", key=f"{prefix}delete_slice", on_click=_delete, args=(files, prefix, name))
        st.text(f"Deleting {name!r} leaves the filters as they are.")
    error = st.session_state.pop(prefix + _ERROR, None)
    if error:
        st.text(error)


def _apply_saved_choice(prefix: str) -> None:
    """Replace the filters by the chosen slice; choosing none leaves them as they are."""
    name = st.session_state[selection.widget(prefix + SAVED)]
    if name is not None:
        filter_values.clear(prefix)
    selection.choose(prefix + SAVED, name)


def _save(files: StudyFiles, prefix: str) -> None:
    name = st.session_state[prefix + _NAME].strip() or selection.value(prefix + SAVED) or ""
    settings = dict(filter_values.flag_values(prefix))
    try:
        permissions.check_writable(files.name)
        save_slice(files, name, settings)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
        return
    st.session_state[prefix + _NAME] = ""
    selection.choose(prefix + SAVED, name)


def _delete(files: StudyFiles, prefix: str, name: str) -> None:
    try:
        permissions.check_writable(files.name)
        delete_slice(files, name)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
    selection.choose(prefix + SAVED)
