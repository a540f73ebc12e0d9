"""What every page needs to know: the store, the study, and who asks; the head of each page."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import streamlit as st

from engine.choices import Choices
from engine.errors import SpbError
from engine.read_only import read_only
from engine.store import StudyFiles, StudyInfo
from engine.study import Study
from explorer import address, data, identity, login, notices, open_studies, pins, saved
from explorer.identity import store_root
from explorer.sitemap import BY_NAME, PAGES, SAVED, Page

STYLE = Path(__file__).parent / "style.css"
DEFAULT_STUDY = "demo-health"
LOOK_AGAIN = 3.0
"""Seconds after which an open page looks whether a study was added or changed."""

_CONTEXT = "_context"
_FIRST_STUDIES = """spb import --help      # files of other tools, or an exchange folder
spb simulate --help    # a study with a planted bias, to try things out
spb demo               # an explorer of its own, on the studies that are shipped"""


@dataclass(frozen=True)
class Context:
    """The study that a page shows, as it was when the run began."""

    root: str
    studies: tuple[str, ...]
    name: str
    key: data.StudyKey
    page: Page

    @property
    def study(self) -> Study:
        """The opened study."""
        return data.study(self.key)

    @property
    def info(self) -> StudyInfo:
        """What `study.json` says."""
        return self.study.info

    @property
    def choices(self) -> Choices:
        """What can be chosen in the study."""
        return data.choices(self.key)


def begin(page: Page, pages: tuple[Page, ...] = PAGES) -> None:
    """Choose the study, draw what stands on every page, and keep the context for the page.

    `pages` are those open to who is here. For a page that shows no study none is opened.
    """
    st.html(STYLE)
    st.session_state.pop(_CONTEXT, None)
    if "study" not in page.keys:
        _links(page, pages)
        return
    root = store_root()
    try:
        studies = tuple(data.studies(root))
        with st.sidebar:
            identity.account()
        if not studies:
            _links(page, pages)
            _watch(root, (), None)
            return
        name = _study_named(studies)
        with st.sidebar:
            name = _choose_study(studies, name)
        files = data.files(root, name)
        if SAVED in page.keys:
            _saved_slice(files)
        _links(page, pages)
        key = data.key_of(files)
        st.session_state[_CONTEXT] = Context(root, studies, name, key, page)
        _watch(root, studies, key)
    except SpbError as error:
        st.session_state[_CONTEXT] = error


def show(render: Callable[[Context], None], without: Callable[[str], None] | None = None) -> None:
    """Render a page; an error that a user can cause is shown as it is, never as a traceback.

    `without` renders it, told the store's root, where there is no study yet.
    """
    context = st.session_state.get(_CONTEXT)
    if context is None and (words := open_studies.shut_out()) is not None:
        st.text(words)
        return
    if context is None and without is not None:
        _guarded(lambda: without(store_root()))
        return
    if context is None:
        _no_study()
        return
    _guarded(lambda: _shown(context, render))


def _no_study() -> None:
    """Say how a study comes into a store that has none; it appears by itself then."""
    st.header("No study yet")
    st.text(f"Studies are looked for in {store_root()}. The first one appears here as soon as it is there.")
    if not read_only():
        st.page_link(
            BY_NAME["data"].path, label="Bring in judgments of another tool", icon=BY_NAME["data"].icon
        )
    st.text("Or on the command line, where this explorer runs:")
    st.code(_FIRST_STUDIES, language="sh")


def _guarded(render: Callable[[], None]) -> None:
    """Run what draws a page; an error that a user can cause is shown in a box."""
    try:
        render()
    except SpbError as error:
        with st.container(border=True):
            st.text(str(error))


def _shown(context: Context | SpbError, render: Callable[[Context], None]) -> None:
    if isinstance(context, SpbError):
        raise context
    closed = identity.ask(context.page)
    if closed is not None:
        st.text(closed)
        return
    _head(context)
    render(context)


def _study_named(studies: tuple[str, ...]) -> str:
    """Return the study of the address, or the default one; say so where it is not there."""
    asked = address.value("study")
    default = DEFAULT_STUDY if DEFAULT_STUDY in studies else studies[0]
    if asked is not None and asked not in studies:
        with st.container(border=True):
            st.text(f"There is no study {asked!r} in this store; {default!r} is shown instead.")
        login.note_shut(asked, default)
    name = asked if asked in studies else default
    address.view()["study"] = (name,)
    return name


def _choose_study(studies: tuple[str, ...], name: str) -> str:
    key = address.begin("study", name, has_default=False)
    st.selectbox("Study", studies, key=key, on_change=_study_changed)
    return str(st.session_state[key])


def _saved_slice(files: StudyFiles) -> None:
    """Take over the filters of the saved slice chosen, and show the choice."""
    lost = saved.settle(files)
    with st.sidebar:
        saved.choose(files)
    notices.until_changed("saved", [] if lost is None else [lost])


def _study_changed() -> None:
    address.choose("item")
    address.keep("study", (st.session_state[address.widget("study")],))


def _links(current: Page, pages: tuple[Page, ...]) -> None:
    """Draw the links to the pages; each carries what its page shows of the view."""
    if pages == (current,):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="pages"):
        for section, members in groupby(pages, lambda page: page.section):
            if section is None:
                for page in members:
                    _link(page, current)
                continue
            with st.popover(section, icon=":material/query_stats:", type="tertiary", key="more_pages"):
                for page in members:
                    _link(page, current)


def _link(page: Page, current: Page) -> None:
    carried = {key: list(values) for key, values in address.parameters(page.keys).items()}
    if page is not current:
        carried.pop("item", None)
    st.page_link(page.path, label=page.title, icon=page.icon, query_params=carried)


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
                help="Judgments of this study were made up by a simulation with a planted bias.",
            )
        else:
            st.badge(provenance, color="gray", help="Where the judgments of this study come from.")
        st.text(context.info.title or context.name, width="content")
        pins.control(context)


@st.fragment(run_every=LOOK_AGAIN)
def _watch(root: str, studies: tuple[str, ...], key: data.StudyKey | None) -> None:
    """Run the page again when a study came, went or changed while it is open."""
    try:
        now = tuple(data.studies(root))
        changed = now != studies or (key is not None and _key_now(root, key) != key)
    except SpbError:
        return
    if changed:
        st.rerun()


def _key_now(root: str, key: data.StudyKey) -> data.StudyKey:
    return data.key_of(data.files(root, Path(key.path).name))


def open_page(name: str, **chosen: tuple[str, ...]) -> None:
    """Go to another page with these keys of its view chosen, the others as they are."""
    page = BY_NAME[name]
    for key in page.keys:
        if key in chosen:
            address.choose(key, *chosen[key])
    carried = {key: list(values) for key, values in address.parameters(page.keys).items()}
    st.switch_page(page.path, query_params=carried)
