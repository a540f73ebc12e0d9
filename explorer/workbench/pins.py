"""Pinning the view of a page: a quiet menu beside its title, with the stories kept with the study."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from engine.errors import SpbError
from engine.read_only import read_only
from engine.report import PAGES as SHOWN
from engine.store import StudyFiles
from engine.store.info import Pin
from engine.stories import LONGEST_NOTE, MAIN, View, move_pin, pin, rename_pin, unpin
from explorer import address, data, open_studies
from explorer.sitemap import BY_NAME, Page

if TYPE_CHECKING:
    from explorer.context import Context

STORY, TITLE, NOTE, CHOSEN = "pin_story", "pin_title", "pin_note", "pin_chosen"
NEW_TITLE, NEW_NOTE = "pin_new_title", "pin_new_note"
_TOLD = "_pin_told"


def control(here: "Context") -> None:
    """Show the menu that pins the view of this page, and lists what is pinned."""
    files = data.files(here.root, here.name)
    if here.page.name not in SHOWN or (read_only() and not files.info.stories):
        return
    menu = st.popover(
        "Pin",
        icon=":material/keep:",
        type="tertiary",
        key="pins",
        on_change="rerun",
        help="Keep this view in a story, to be presented or sent",
    )
    if menu.open:
        with menu:
            _menu(files, here.page)


def _menu(files: StudyFiles, page: Page) -> None:
    story = _choose_story(files)
    if not read_only():
        st.text_input("Title", key=TITLE, placeholder=page.title)
        st.text_area(
            "Note", key=NOTE, max_chars=LONGEST_NOTE, height=80, placeholder="What is to be seen here"
        )
        st.button("Pin this view", key="pin_view", on_click=_pin, args=(files, page), width="stretch")
    told = st.session_state.pop(_TOLD, None)
    if told:
        st.text(told)
    pins = tuple(files.info.stories.get(story, ()))
    if pins:
        _list(files, pins)
        target = BY_NAME["present"]
        asked = {"study": files.name, "story": story, "show": "pins"}
        st.page_link(target.path, label="Present", icon=target.icon, query_params=asked)


def _choose_story(files: StudyFiles) -> str:
    """Show the stories there are, one of which may be a new one, and return the one chosen."""
    names = list(dict.fromkeys([MAIN, *files.info.stories]))
    if st.session_state.get(STORY) not in names and read_only():
        st.session_state[STORY] = names[0]
    st.selectbox(
        "Story", names, key=STORY, accept_new_options=not read_only(), help="Type a name to begin another one"
    )
    return _story()


def _story() -> str:
    return str(st.session_state.get(STORY) or MAIN)


def _list(files: StudyFiles, pins: tuple[Pin, ...]) -> None:
    """Show the views of a story, and what can be done with the one chosen."""
    by_id = {one.id: one for one in pins}
    if st.session_state.get(CHOSEN) not in by_id:
        st.session_state[CHOSEN] = pins[-1].id
    with st.container(key="pin_list", gap=None):
        for place, one in enumerate(pins, start=1):
            st.text(f"{place}. {one.title}")
    titles = [one.title for one in pins]
    st.selectbox(
        "Change one",
        list(by_id),
        key=CHOSEN,
        format_func=lambda name: _label(by_id[name], titles),  # not its place: a label that changes is lost
    )
    chosen = by_id[st.session_state[CHOSEN]]
    with st.container(horizontal=True, gap="xsmall"):
        target = BY_NAME.get(chosen.page)
        if target is not None:
            asked = {"study": [files.name], **chosen.view}
            st.page_link(target.path, label="Open", icon=target.icon, query_params=asked)
        if read_only():
            return
        for label, icon, places_on in (("Up", "arrow_upward", -1), ("Down", "arrow_downward", 1)):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"pin_{label.lower()}",
                on_click=_move,
                args=(files, places_on),
            )
        st.button("Remove", key="pin_remove", on_click=_remove, args=(files,))
    with st.expander("Rename it", key="pin_rename"):
        keys = f"{NEW_TITLE}_{chosen.id}", f"{NEW_NOTE}_{chosen.id}"
        st.text_input("New title", chosen.title, key=keys[0])
        st.text_area("New note", chosen.note, key=keys[1], max_chars=LONGEST_NOTE, height=80)
        st.button("Save", key="pin_save", on_click=_rename, args=(files, chosen.id, keys))


def _label(one: Pin, titles: list[str]) -> str:
    """Return a view's title, with its id where another has the same one."""
    return one.title if titles.count(one.title) == 1 else f"{one.title} ({one.id})"


def _move(files: StudyFiles, places_on: int) -> None:
    _do(move_pin, files, st.session_state[CHOSEN], places_on, _story())


def _remove(files: StudyFiles) -> None:
    _do(unpin, files, st.session_state[CHOSEN], _story())


def _pin(files: StudyFiles, page: Page) -> None:
    """Pin what the page shows, under its own title where none was typed."""
    view = View(
        page.name, {key: texts for key, texts in address.parameters(page.keys).items() if key != "study"}
    )
    title = st.session_state[TITLE].strip() or page.title
    story = _story()
    if _do(pin, files, view, title, st.session_state[NOTE], story):
        st.session_state[TITLE] = st.session_state[NOTE] = ""
        st.session_state.pop(CHOSEN, None)  # the one just pinned is shown
        st.session_state[_TOLD] = f"Pinned to the story {story}."


def _rename(files: StudyFiles, pin_id: str, keys: tuple[str, str]) -> None:
    title, note = (st.session_state[key] for key in keys)
    _do(rename_pin, files, pin_id, title, note, _story())


def _do(change: Callable[..., StudyFiles], files: StudyFiles, *asked: object) -> bool:
    """Change the study's stories and return whether that could be done; an error is told in the menu."""
    try:
        open_studies.check_writable(files.name)
        change(files, *asked)
    except SpbError as error:
        st.session_state[_TOLD] = str(error)
        return False
    return True
