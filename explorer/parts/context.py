"""What every page needs to know: the store, the study, and who asks; the head of each page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from engine.errors import SpbError
from engine.explore.filter_choices import Choices
from engine.store.study_files import StudyFiles, StudyInfo
from engine.study import Study
from engine.words import on_page
from explorer import data
from explorer.new_run import gallery
from explorer.parts import address, window
from explorer.parts.address import BY_NAME, PAGES, SAVED, Page
from explorer.team import login
from explorer.team.login import store_root
from explorer.workbench import filters, pins

STYLE = Path(__file__).parents[1] / "style.css"
DEFAULT_STUDY = "demo-health"
NARROW = 560
"""Pixels below which the links to the pages stand behind one button."""
LOOK_AGAIN = 3.0
"""Seconds after which an open page looks whether a study was added or changed."""

_CONTEXT = "_context"


@dataclass(frozen=True)
class Context:
    """The study that a page shows, as it was when the run began."""

    root: str
    studies: tuple[str, ...]
    name: str
    key: data.StudyKey
    page: Page
    pages: tuple[Page, ...] = PAGES

    def link(self, name: str, label: str) -> None:
        """Show a link to another page of this study, where that page is open to who is here."""
        page = BY_NAME[name]
        if page in self.pages:
            st.page_link(page.path, label=label, icon=page.icon, query_params={"study": [self.name]})

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
            login.account()
        if not studies:
            _links(page, pages)
            _watch(root, (), None)
            return
        name = _study_named(studies)
        with st.sidebar:
            name = _choose_study(studies, name)
        st.set_page_config(page_title=f"{page.title} · {name}")
        files = data.files(root, name)
        if SAVED in page.keys:
            _saved_slice(files)
        key = data.key_of(files)
        _links(page, pages, _lacking(key))
        st.session_state[_CONTEXT] = Context(root, studies, name, key, page, pages)
        _watch(root, studies, key)
    except SpbError as error:
        st.session_state[_CONTEXT] = error


def show(render: Callable[[Context], None], without: Callable[[str], None] | None = None) -> None:
    """Render a page; an error that a user can cause is shown as it is, never as a traceback.

    `without` renders it, told the store's root, where there is no study yet.
    """
    context = st.session_state.get(_CONTEXT)
    if context is None and (words := data.shut_out()) is not None:
        st.text(words)
        return
    if context is None and without is not None:
        _guarded(lambda: without(store_root()))
        return
    if context is None:
        _guarded(lambda: gallery.doors(store_root()))
        window.watch()
        return
    _guarded(lambda: _shown(context, render))


def _guarded(render: Callable[[], None]) -> None:
    """Run what draws a page; an error that a user can cause is shown in a box."""
    try:
        render()
    except SpbError as error:
        with st.container(border=True):
            st.text(on_page(str(error)))


def _shown(context: Context | SpbError, render: Callable[[Context], None]) -> None:
    if isinstance(context, SpbError):
        raise context
    closed = login.ask(context.page)
    if closed is not None:
        st.text(closed)
        return
    _head(context)
    render(context)
    window.watch()


def _study_named(studies: tuple[str, ...]) -> str:
    """Return the study of the address, or the default one; say so where it is not there."""
    flags = address.value("study")
    default = DEFAULT_STUDY if DEFAULT_STUDY in studies else studies[0]
    if flags is not None and flags not in studies:
        with st.container(border=True):
            st.text(f"There is no study {flags!r} in this store; {default!r} is shown instead.")
        login.note_shut(flags, default)
    name = flags if flags in studies else default
    address.view()["study"] = (name,)
    return name


def _choose_study(studies: tuple[str, ...], name: str) -> str:
    key = address.begin("study", name, has_default=False)
    st.selectbox("Study", studies, key=key, on_change=_study_changed)
    return str(st.session_state[key])


def _saved_slice(files: StudyFiles) -> None:
    """Take over the filters of the saved slice chosen."""
    lost = filters.settle_saved(files)
    address.until_changed("saved", [] if lost is None else [lost])


def _study_changed() -> None:
    address.choose("item")
    address.keep("study", (st.session_state[address.widget("study")],))


def _lacking(key: data.StudyKey) -> dict[str, str]:
    """Return the pages that the study cannot fill; none where it cannot be read, which its page says."""
    try:
        return data.lacking(key)
    except SpbError:
        return {}


def _links(current: Page, pages: tuple[Page, ...], lacking: Mapping[str, str] = MappingProxyType({})) -> None:
    """Draw the links to the pages; each carries what its page shows of the view.

    Those that the study cannot fill are grey, and say what they need. On a phone they stand behind one
    button, so that the answer is on the first screen.
    """
    if pages == (current,):
        return
    if window.narrower(NARROW):
        with (
            st.container(key="pages"),
            st.popover(current.title, icon=current.icon, type="tertiary", key="all_pages"),
        ):
            for page in pages:
                _link(page, current, lacking.get(page.name))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="pages"):
        for section, members in groupby(pages, lambda page: page.section):
            if section is None:
                for page in members:
                    _link(page, current, lacking.get(page.name))
                continue
            with st.popover(section, icon=":material/query_stats:", type="tertiary", key="more_pages"):
                for page in members:
                    _link(page, current, lacking.get(page.name))


def _link(page: Page, current: Page, needs: str | None) -> None:
    carried = {key: list(values) for key, values in address.parameters(page.keys).items()}
    if page is not current:
        carried.pop("item", None)
    st.page_link(
        page.path,
        label=page.title,
        icon=page.icon,
        query_params=carried,
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
