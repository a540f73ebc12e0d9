"""Saved slices: chosen by name, kept with the study, written into the address by their name.

A saved slice that is chosen sets the filters; changing one refines it, and taking one off leaves it.
"""

import streamlit as st

from engine.errors import SpbError
from engine.read_only import read_only
from engine.saved_slices import delete_slice, save_slice
from engine.store import StudyFiles
from explorer import address, filters, open_studies
from explorer.sitemap import SAVED

_NAME, _ERROR = "slice_name", "_slice_error"


def settle(files: StudyFiles, prefix: str = "") -> str | None:
    """Take over the filters of the saved slice chosen; return a sentence where there is no such slice."""
    key = prefix + SAVED
    name, slices = address.value(key), files.info.slices
    if name is None or name not in slices:
        address.imply(key, {})
        address.view().pop(key, None)
        st.session_state.pop(address.widget(key), None)
        return None if name is None else f"There is no saved slice {name!r} in this study; it was left out."
    told = {
        prefix + filter_: (texts,) if isinstance(texts, str) else tuple(texts)
        for filter_, texts in slices[name].items()
        if filter_ in filters.DECLARED
    }
    address.imply(key, told)
    for filter_, texts in told.items():
        if filter_ not in address.view():
            address.view()[filter_] = texts
            st.session_state.pop(address.widget(filter_), None)
    return None


def choose(files: StudyFiles, prefix: str = "") -> None:
    """Show the saved slices to choose from, and what saves and deletes them."""
    names = tuple(files.info.slices)
    key = prefix + SAVED
    if names:
        st.selectbox(
            "Saved slice",
            names,
            index=None,
            key=address.begin(key, address.value(key), has_default=False),
            placeholder="none",
            help="Filters kept with the study under a name; changing one refines the slice",
            on_change=_chosen,
            args=(prefix,),
        )
    if not read_only():
        icon = ":material/bookmark_add:"
        with st.popover("Save this slice", icon=icon, key=f"{prefix}save", width="stretch"):
            _write(files, prefix)


def _write(files: StudyFiles, prefix: str) -> None:
    st.text_input("Name", key=prefix + _NAME, placeholder=address.value(prefix + SAVED) or "such as: hard")
    st.button("Save", key=f"{prefix}save_slice", on_click=_save, args=(files, prefix), width="stretch")
    name = address.value(prefix + SAVED)
    if name is not None:
        st.button("Delete", key=f"{prefix}delete_slice", on_click=_delete, args=(files, prefix, name))
        st.text(f"Delete removes {name!r} from the study; the filters stay as they are.")
    error = st.session_state.pop(prefix + _ERROR, None)
    if error:
        st.text(error)


def _chosen(prefix: str) -> None:
    """Let the slice chosen set the filters; none leaves them as they are."""
    name = st.session_state[address.widget(prefix + SAVED)]
    if name is not None:
        filters.clear(prefix)
    address.choose(prefix + SAVED, name)


def _save(files: StudyFiles, prefix: str) -> None:
    name = st.session_state[prefix + _NAME].strip() or address.value(prefix + SAVED) or ""
    told = dict(filters.asked(prefix))
    try:
        open_studies.check_writable(files.name)
        save_slice(files, name, told)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
        return
    st.session_state[prefix + _NAME] = ""
    address.choose(prefix + SAVED, name)


def _delete(files: StudyFiles, prefix: str, name: str) -> None:
    try:
        open_studies.check_writable(files.name)
        delete_slice(files, name)
    except SpbError as error:
        st.session_state[prefix + _ERROR] = str(error)
    address.choose(prefix + SAVED)
