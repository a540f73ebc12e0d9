"""Views that are pinned, presented and written into a report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from engine.errors import SpbError
from engine.findings.claims import Findings
from engine.report import Form
from engine.report.figures import CONCLUSION
from engine.report.stories import LONGEST_NOTE, MAIN, View, move_pin, pin, pins_of, rename_pin, unpin
from engine.report.views import PAGES as SHOWN
from engine.store.study_files import Pin, StudyFiles
from engine.values import read_only
from engine.words import counted
from explorer import data
from explorer.parts import address, components
from explorer.parts.address import BY_NAME, Page

if TYPE_CHECKING:
    from engine.store.study_files import StudyInfo
    from explorer.parts.context import Context


# ------------------------------------------------------------------------------
# Pinning the view of a page: a quiet menu beside its title, with the stories kept with the study.


STORY, TITLE, NOTE, CHOSEN = "pin_story", "pin_title", "pin_note", "pin_chosen"
NEW_TITLE, NEW_NOTE = "pin_new_title", "pin_new_note"
_NOTICE = "_pin_told"


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
    message = st.session_state.pop(_NOTICE, None)
    if message:
        st.text(message)
    pins = tuple(files.info.stories.get(story, ()))
    if pins:
        _list(files, pins)
        target = BY_NAME["present"]
        flags = {"study": files.name, "story": story, "show": "pins"}
        st.page_link(target.path, label="Present", icon=target.icon, query_params=flags)


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
        if chosen.page in BY_NAME:
            target, flags = address.link(chosen.page, {"study": [files.name], **chosen.view})
            st.page_link(target.path, label="Open", icon=target.icon, query_params=flags)
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
        st.session_state[_NOTICE] = f"Pinned to the story {story}."


def _rename(files: StudyFiles, pin_id: str, keys: tuple[str, str]) -> None:
    title, note = (st.session_state[key] for key in keys)
    _do(rename_pin, files, pin_id, title, note, _story())


def _do(change: Callable[..., StudyFiles], files: StudyFiles, *flags: object) -> bool:
    """Change the study's stories and return whether that could be done; an error is told in the menu."""
    try:
        data.check_writable(files.name)
        change(files, *flags)
    except SpbError as error:
        st.session_state[_NOTICE] = str(error)
        return False
    return True


# ------------------------------------------------------------------------------
# A study presented: findings and pinned views, one on a screen, each with an address of its own.


START = "start"
PRESENTED = ("findings", "pins", "all")
"""What is presented: findings that stand, pinned views, findings in doubt too; both where none is named."""

_FINDING, _PIN = "finding:", "pin:"


@dataclass(frozen=True)
class Screen:
    """One screen: its name in the address, and the claim or pinned view that it shows.

    The first one names neither: it is the board.
    """

    name: str
    claim: str | None = None
    pin: Pin | None = None


@dataclass(frozen=True)
class Presented:
    """The screens in their order, the one that is shown, and what is said of a name that is none."""

    screens: tuple[Screen, ...]
    place: int
    lost: str | None = None

    @property
    def screen(self) -> Screen:
        """The screen that is shown."""
        return self.screens[self.place]

    def at(self, place: int) -> str:
        """Return the name of the screen at a place, of the nearest one where there is none."""
        return self.screens[min(max(place, 0), len(self.screens) - 1)].name


def presented(
    findings: Findings | None, pins: Sequence[Pin], screen_name: str | None, *, doubtful: bool = False
) -> Presented:
    """Return the screens of findings (of none where None is given) and of pinned views.

    `screen_name` is the screen that is shown; a finding in doubt of that name is shown too. `doubtful`: all
    of them are.
    """
    screens = [Screen(START)]
    if findings is not None:
        screens += _of_findings(findings, screen_name, doubtful=doubtful)
    screens += [Screen(f"{_PIN}{one.id}", pin=one) for one in pins]
    names = [screen.name for screen in screens]
    if screen_name is None or screen_name in names:
        return Presented(tuple(screens), names.index(screen_name or START))
    notice = f"There is no screen {screen_name!r} in this study now; the first is shown."
    return Presented(tuple(screens), 0, notice)


def _of_findings(findings: Findings, flags: str | None, *, doubtful: bool) -> list[Screen]:
    """Return a screen for each claim; the conclusions on judges stand on the board already."""
    shown = [claim for claim in findings.shown if claim.question != "advice"]
    return [
        Screen(f"{_FINDING}{claim.id}", claim=claim.id)
        for claim in findings.claims
        if flags == f"{_FINDING}{claim.id}"
        or (claim in shown and (claim.stands or doubtful) and claim.rule != CONCLUSION)
    ]


def stories(info: "StudyInfo") -> tuple[str, ...]:
    """Return the stories that can be presented, the main one first."""
    return tuple(dict.fromkeys([MAIN, *info.stories]))


# ------------------------------------------------------------------------------
# The report of a study, to be sent: a menu that writes it when it is opened.


FORMS: dict[Form, tuple[str, str, str]] = {
    "html": ("One HTML file", "html", "text/html"),
    "markdown": ("Markdown", "md", "text/markdown"),
}
REPORT_STORY = "report_story"


@st.fragment
def button(here: "Context") -> None:
    """Show the menu that writes the findings and a story's pinned views into a file."""
    info = data.files(here.root, here.name).info
    meaning = "Findings and pinned views in one file that needs no network"
    menu = st.popover("Report", icon=":material/send:", key="report", help=meaning, on_change="rerun")
    if not menu.open:
        return
    with menu:
        names = stories(info)
        story = MAIN
        if len(names) > 1:
            story = str(st.selectbox("With the story", names, key=REPORT_STORY))
        pins = pins_of(info, story)
        st.text(f"With {counted(len(pins), 'pinned view')}.")
        document = data.report(here.key, story, datetime.now(UTC).date().isoformat(), repr(pins))
        files = [
            components.File(label, ending, kind, partial(document.__getitem__, form))
            for form, (label, ending, kind) in FORMS.items()
        ]
        components.buttons("report", "report", files)
