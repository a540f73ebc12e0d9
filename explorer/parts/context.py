"""What every page needs: the store, the study and its head, with the menu that pins its view."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from engine.errors import SpbError, UsageError
from engine.explore.filter_choices import Choices
from engine.phrases import join_names, quantity
from engine.report import Form
from engine.report.exhibit import (
    LONGEST_NOTE,
    LONGEST_TITLE,
    MAIN,
    PinnedView,
    move_pin,
    pin,
    pins_of,
    rename_pin,
    unpin,
)
from engine.store.study_files import Pin, StudyFiles, StudyInfo
from engine.study import Study
from engine.views.registry import VIEWS
from engine.words.provenance import provenance_words
from explorer import data, page_list, permissions
from explorer.new_run import first_study
from explorer.page_list import BY_NAME, PAGES, SAVED, SECTION_ICONS, Page
from explorer.parts import components, downloads, leaving, notices, page_width, selection
from explorer.parts.sections import section
from explorer.team import refusals, visitors
from explorer.team.visitors import store_root
from explorer.workbench import saved_slices

STYLE = Path(__file__).parents[1] / "style.css"
DEFAULT_STUDY = "demo-health"
NARROW = 700
"""Width in pixels below which the links to pages collapse into one button."""
STUDY_WIDTH = 190
"""Width in pixels of the list of studies, beside that button on a phone."""
_MOST_NAMED = 20
"""Studies that are named where there is not the one of the address."""

LOOK_AGAIN = 3.0
"""Seconds between an open page's checks for added or changed studies."""


_CONTEXT, _SHOWN, _ADDRESSES, _TITLE = "_context", "_shown", "_addresses", "_title"


@dataclass(frozen=True)
class Context:
    """The study that a page shows, as it was when the run started."""

    root: str
    studies: tuple[str, ...]
    name: str
    key: data.StudyKey
    page: Page
    pages: tuple[Page, ...] = PAGES
    top: DeltaGenerator | None = None
    """Where the links to the pages are drawn, left of the list of studies."""

    def link(self, name: str, label: str, keys: Mapping[str, Sequence[str]] | None = None) -> None:
        """Show a link to another page of this study or to a view, if the visitor may open it."""
        page, query = page_list.link(name, {"study": [self.name], **(keys or {})})
        if page in self.pages:
            st.page_link(page.path, label=label, icon=page.icon, query_params=query)

    @property
    def study(self) -> Study:
        """The opened study."""
        return data.study(self.key)

    @property
    def info(self) -> StudyInfo:
        """The contents of `study.json`."""
        return self.study.info

    @property
    def choices(self) -> Choices:
        """The values that filters and groupings of the study can take."""
        return data.choices(self.key)


def addresses(pages: tuple[Page, ...]) -> list[StreamlitPage]:
    """Return an entry of Streamlit's navigation for each name of these pages; built once in a session.

    Each run has copies of its own: Streamlit marks an entry as the one to run, and a run that is to be
    stopped may still go on beside the next one of its session.
    """
    built: dict[tuple[str, ...], list[StreamlitPage]] = st.session_state.setdefault(_ADDRESSES, {})
    key = tuple(page.name for page in pages)
    if key not in built:
        home, *others = pages
        # Streamlit serves its default page only at /, so a second entry serves the first page under its name.
        names = [(home, home.name), *((page, name) for page in pages for name in page.former)]
        built[key] = [
            st.Page(home.path, title=home.title, url_path="start", default=True),
            *(st.Page(page.path, title=page.title) for page in others),
            *(st.Page(page.path, title=page.title, url_path=name) for page, name in names),
        ]
    return [copy(entry) for entry in built[key]]


def title() -> str:
    """Return the title of the browser's tab, as the last run set it."""
    return str(st.session_state.get(_TITLE, "Self-preference explorer"))


def _set_title(name: str) -> None:
    if name != title():
        st.session_state[_TITLE] = name
        st.set_page_config(page_title=name)


def begin_page(page: Page, pages: tuple[Page, ...] = PAGES) -> None:
    """Choose the study and store the context for the page.

    `pages` are those the visitor may open. A page that shows no study opens none.
    """
    st.html(STYLE)
    st.session_state.pop(_CONTEXT, None)
    if "study" not in page.keys:
        _set_title(page.title)
        _links(page, pages)
        return
    root = store_root()
    try:
        studies = tuple(data.studies(root))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="top"):
            top = st.container(key="links")
            beside = st.container(horizontal=True, vertical_alignment="center", key="beside", width="content")
        with beside:
            visitors.account()
        if not studies:
            with top:
                _links(page, pages)
            _watch(root, (), None)
            return
        with beside:
            name = _choose_study(studies)
        if name is None and visitors.refusal(page) is not None:
            name = studies[0]  # of which the refusal shows nothing
        if name is None:
            _set_title(page.title)
            with top:
                _links(page, pages)
            _watch(root, studies, None)
            names = join_names(studies, _MOST_NAMED)
            raise UsageError(
                f"There is no study {selection.value('study')!r} in this store. It has: {names}."
            )
        _set_title(f"{page.title} · {name}")
        files = data.files(root, name)
        if SAVED in page.keys:
            notices.until_changed("saved", saved_slices.apply_saved(files))
        key = data.key_of(files)
        st.session_state[_CONTEXT] = Context(root, studies, name, key, page, pages, top)
        _watch(root, studies, key)
    except SpbError as error:
        st.session_state[_CONTEXT] = error


def show_page(render: Callable[[Context], None], without: Callable[[str], None] | None = None) -> None:
    """Render a page; an error that a user can cause is shown as a message, never as a traceback.

    `without` renders it from the store's root if there is no study yet.
    """
    context = st.session_state.get(_CONTEXT)
    try:
        if context is not None:
            _render(context, render)
        elif (words := permissions.closed_message()) is not None:
            st.text(words)
        elif without is not None:
            without(store_root())
        else:
            first_study.doors(store_root())
            page_width.watch_width()
    except SpbError as error:
        components.say(str(error))


def _render(context: Context | SpbError, render: Callable[[Context], None]) -> None:
    if isinstance(context, SpbError):
        raise context
    head = st.container()
    refusal = visitors.refusal(context.page)
    if refusal is not None:
        _page_links(context)
        st.text(refusal)
        if context.page.needs == "coordinator":
            refusals.show_new_link()
        return
    shown = context.page.name, context.name
    again = st.session_state.get(_SHOWN) == shown
    if not again:
        _top(head, context)
    with head:
        notices.until_changed("address", selection.unknown_keys())
    section(render)(context)
    if again:  # the browser still shows it, and whoever clicks waits for what the click changes
        _top(head, context)
    st.session_state[_SHOWN] = shown
    page_width.watch_width()


def _top(place: DeltaGenerator, context: Context) -> None:
    """Draw what is above every page: the links to all pages, and the title."""
    _page_links(context)
    with place:
        _head(context)


def _page_links(context: Context) -> None:
    with context.top or st.container():
        _links(context.page, context.pages, _lacking(context.key))


def _choose_study(studies: tuple[str, ...]) -> str | None:
    """Show the studies, first that in the address or the default one; None if there is not that study."""
    preferred = (os.environ.get("SPB_STUDY"), DEFAULT_STUDY)
    default = next((name for name in preferred if name in studies), studies[0])
    name = selection.value("study") or default
    selection.view()["study"] = (name,)
    exists = name in studies
    widget = selection.begin("study", name if exists else None, has_default=False)
    return st.selectbox(  # whose value a second click can take from the session while this one runs
        "Study",
        studies,
        index=0 if exists else None,
        key=widget,
        placeholder="choose a study",
        on_change=_study_changed,
        label_visibility="collapsed",
        width=STUDY_WIDTH,
    )


def _study_changed() -> None:
    selection.choose("item")
    selection.keep("study", (st.session_state[selection.widget("study")],))


def _lacking(key: data.StudyKey) -> dict[str, str]:
    """Return what the pages that the study cannot fill need; none if it is unreadable: its page says so."""
    try:
        return data.lacking(key)
    except SpbError:
        return {}


def _links(current: Page, pages: tuple[Page, ...], lacking: Mapping[str, str] = MappingProxyType({})) -> None:
    """Draw the links to the pages; each carries the part of the view that its page shows.

    Pages that the study cannot fill are greyed out and say what they need. On a phone the links collapse into
    one button, so that the answer is on the first screen.
    """
    if pages == (current,):
        return
    if page_width.is_narrower(NARROW):
        with (
            st.container(key="pages"),
            st.popover(current.title, icon=current.icon, type="tertiary", key="all_pages"),
        ):
            _section(pages, current, lacking)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="pages"):
        for section, members in groupby(pages, lambda page: page.section):
            if section is None:
                _section(members, current, lacking)
                continue
            icon, key = SECTION_ICONS[section], f"pages_{section.lower()}"
            with st.popover(section, icon=icon, type="tertiary", key=key):
                _section(members, current, lacking)


def _section(pages: Iterable[Page], current: Page, lacking: Mapping[str, str]) -> None:
    for page in pages:
        query = {key: list(values) for key, values in selection.parameters(page.keys).items()}
        if page is not current:
            query.pop("item", None)
            if not set(query.get(page.part_key, ())) <= set(page.parts):
                query.pop(page.part_key)  # a part of another page
        needs = lacking.get(page.name)
        st.page_link(
            page.path,
            label=page.title,
            icon=page.icon,
            query_params=query,
            disabled=needs is not None,
            help=needs,
        )


def _head(context: Context) -> None:
    """Draw the page's title and, on a page of the study, its name and where its numbers come from."""
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.header(context.page.title, anchor=False, width="content")
        if not context.page.of_study:
            return
        provenance = context.info.provenance
        if provenance in ("simulated", "mixed"):
            st.badge(
                "simulated" if provenance == "simulated" else "partly simulated",
                icon=":material/science:",
                color="orange",
                help="A program simulated the judgments of this study, with a bias of known size.",
            )
        else:
            st.badge(
                provenance_words(context.info),
                color="gray",
                help="Where the judgments of this study come from.",
            )
        st.text(context.info.title or context.name, width="content")
        pin_menu(context)


@st.fragment(run_every=LOOK_AGAIN)
def _watch(root: str, studies: tuple[str, ...], key: data.StudyKey | None) -> None:
    """Rerun the open page when a study is added, removed or changed."""
    try:
        now = tuple(data.studies(root))
        changed = now != studies or (
            key is not None and data.key_of(data.files(root, Path(key.path).name)) != key
        )
    except SpbError:
        return
    if changed:
        st.rerun()


def open_page(name: str, **choices: tuple[str, ...]) -> None:
    """Go to another page with these keys of its view set and the others unchanged."""
    page = BY_NAME[name]
    for key in page.keys:
        if key in choices:
            selection.choose(key, *choices[key])
    query = {key: list(values) for key, values in selection.parameters(page.keys).items()}
    leaving.leave_for(page, query)


STORY, TITLE, NOTE, CHOSEN_PIN = "pin_story", "pin_title", "pin_note", "pin_chosen"
NEW_TITLE, NEW_NOTE = "pin_new_title", "pin_new_note"
_NOTICE = "_pin_notice"


def pin_menu(context: Context) -> None:
    """Show the menu that pins the view of this page, and lists what is pinned."""
    files = data.files(context.root, context.name)
    name = page_list.pinned_view(context.page, selection.view(), context.study)
    if name is None or (not permissions.may_write() and not files.info.stories):
        return
    menu = st.popover(
        "Pin",
        icon=":material/keep:",
        type="tertiary",
        key="pins",
        on_change="rerun",
        help="Save this view in a story, to present or send",
    )
    if menu.open:
        with menu:
            _menu(files, context.page, name)


def _menu(files: StudyFiles, page: Page, name: str) -> None:
    story = _choose_story(files)
    if permissions.may_write():
        st.text_input("Title", key=TITLE, placeholder=page.title)
        st.text_area("Note", key=NOTE, max_chars=LONGEST_NOTE, height=80, placeholder="What to look at")
        st.button("Pin this view", key="pin_view", on_click=_pin, args=(files, page, name), width="stretch")
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
    """Show the stories, let the user name a new one, and return the chosen one."""
    names = story_names(files.info)
    if st.session_state.get(STORY) not in names and not permissions.may_write():
        st.session_state[STORY] = names[0]
    st.selectbox(
        "Story",
        names,
        key=STORY,
        accept_new_options=permissions.may_write(),
        help="Type a name to start a new story",
    )
    return _story()


def _story() -> str:
    return str(st.session_state.get(STORY) or MAIN)


def _list(files: StudyFiles, pins: tuple[Pin, ...]) -> None:
    """Show the views of a story, and the actions on the chosen one."""
    by_id = {each.id: each for each in pins}
    if st.session_state.get(CHOSEN_PIN) not in by_id:
        st.session_state[CHOSEN_PIN] = pins[-1].id
    with st.container(key="pin_list", gap=None):
        for place, each in enumerate(pins, start=1):
            st.text(f"{place}. {each.title}")
    titles = [each.title for each in pins]
    # No number: a changed label loses the choice.
    labels = {
        each.id: each.title if titles.count(each.title) == 1 else f"{each.title} ({each.id})" for each in pins
    }
    st.selectbox("Edit a pin", list(by_id), key=CHOSEN_PIN, format_func=labels.__getitem__)
    pin = by_id[st.session_state[CHOSEN_PIN]]
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        if pin.page in BY_NAME or pin.page in page_list.PARTS_OF_VIEWS:
            target, flags = page_list.link(pin.page, {"study": [files.name], **pin.view})
            st.page_link(target.path, label="Open", icon=target.icon, query_params=flags)
        if not permissions.may_write():
            return
        for label, icon, places_on in (("Up", "arrow_upward", -1), ("Down", "arrow_downward", 1)):
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"pin_{label.lower()}",
                on_click=_with_pin,
                args=(move_pin, files, places_on),
            )
        st.button("Remove", key="pin_remove", on_click=_with_pin, args=(unpin, files))
    with st.expander("Rename", key="pin_rename"):
        keys = f"{NEW_TITLE}_{pin.id}", f"{NEW_NOTE}_{pin.id}"
        st.text_input("New title", pin.title, key=keys[0])
        st.text_area("New note", pin.note, key=keys[1], max_chars=LONGEST_NOTE, height=80)
        st.button("Save", key="pin_save", on_click=_rename, args=(files, pin.id, keys))


def _with_pin(change: Callable[..., StudyFiles], files: StudyFiles, *flags: object) -> None:
    _change_stories(change, files, st.session_state[CHOSEN_PIN], *flags, _story())


def _pin(files: StudyFiles, page: Page, name: str) -> None:
    """Pin the view of a page that has this name, under the page's title and judge if no title was typed."""
    keys = VIEWS[name].key_names
    view = PinnedView(
        name, {key: texts for key, texts in selection.parameters(keys).items() if key != "study"}
    )
    usual = ": ".join((page.title, *view.keys.get("judge", ())[:1]))[:LONGEST_TITLE]
    title = st.session_state[TITLE].strip() or usual
    story = _story()
    if _change_stories(pin, files, view, title, st.session_state[NOTE], story):
        st.session_state[TITLE] = st.session_state[NOTE] = ""
        st.session_state.pop(CHOSEN_PIN, None)  # the one just pinned is shown
        st.session_state[_NOTICE] = f"Pinned to the story {story}."


def _rename(files: StudyFiles, pin_id: str, keys: tuple[str, str]) -> None:
    title, note = (st.session_state[key] for key in keys)
    _change_stories(rename_pin, files, pin_id, title, note, _story())


def _change_stories(change: Callable[..., StudyFiles], files: StudyFiles, *values: object) -> bool:
    """Change the study's stories and return whether that succeeded; the menu shows an error."""
    try:
        permissions.check_writable(files.name)
        change(files, *values)
    except SpbError as error:
        st.session_state[_NOTICE] = str(error)
        return False
    return True


FORMS: downloads.Forms[Form] = {
    "One HTML file": ("html", "text/html", "html"),
    "Markdown": ("md", "text/markdown", "markdown"),
}
REPORT_STORY = "report_story"


def story_names(info: StudyInfo) -> tuple[str, ...]:
    """Return the stories that can be presented, the main one first."""
    return tuple(dict.fromkeys([MAIN, *info.stories]))


@st.fragment
def report_button(context: Context) -> None:
    """Show the menu that writes the findings and a story's pinned views into a file."""
    info = data.files(context.root, context.name).info
    meaning = "Findings and pinned views in one file that works offline"
    menu = st.popover("Report", icon=":material/send:", key="report", help=meaning, on_change="rerun")
    if not menu.open:
        return
    with menu:
        names = story_names(info)
        story = MAIN
        if len(names) > 1:
            story = str(st.selectbox("Story", names, key=REPORT_STORY))
        pins = pins_of(info, story)
        if pins:
            st.text(f"With {quantity(len(pins), 'pinned view')}.")
        write = partial(data.report, context.key, story, datetime.now(UTC).date().isoformat(), repr(pins))
        downloads.buttons("report", "report", downloads.files(FORMS, write))
