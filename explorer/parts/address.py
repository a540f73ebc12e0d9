"""The address: of a view, of the pages that there are, and of the explorer itself."""

import contextlib
import os
import socket
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from engine.annotations.people import Role
from engine.slices import FLAGS

# ------------------------------------------------------------------------------
# The view and the address: what is chosen is written there, and what stands there is chosen.


View = dict[str, tuple[str, ...]]

_VIEW, _WRITTEN, _PAGE, _TOUCHED, _BARE = "_view", "_written", "_page", "_touched", "_bare"
_IMPLIED = "_implied"

NOTHING = ("none",)
"""What stands in an address for a key that is not chosen, where the page's name would imply a choice."""


def view() -> View:
    """Return the session's view."""
    state: View = st.session_state.setdefault(_VIEW, {})
    return state


def value(key: str) -> str | None:
    """Return the one text chosen for a key, None where nothing is."""
    chosen = view().get(key, ())
    return chosen[0] if chosen else None


def choose(key: str, *values: str | None) -> None:
    """Choose texts for a key, or nothing; in a callback, or before the key's widget is made."""
    keep(key, tuple(text for text in values if text is not None))
    st.session_state.pop(widget(key), None)


def keep(key: str, values: tuple[str, ...]) -> None:
    """Keep what a widget shows; for the widget's `on_change`.

    Notes too that this run comes from the page itself: such a run may carry an address that is a step
    behind, because the last one written has not reached the browser yet.
    """
    if values:
        view()[key] = values
    else:
        view().pop(key, None)
    st.session_state[_TOUCHED] = True


def widget(key: str) -> str:
    """Return the session's key of the widget that shows a key of the view."""
    return f"w_{key}"


def begin(key: str, value: Any, *, has_default: bool = True) -> str:
    """Let the widget of a key show a value where it shows none yet; return the session's key of it.

    Whoever makes the widget gives it the same value as its own default. The session's is told to the browser
    in one run only: where a click breaks that run off, or comes before the browser has loaded what draws the
    widget, it is lost, and a widget without a default would come up empty and be taken for a choice of
    nothing. A list of one choice has no default, because Streamlit would not let it be cleared: its value
    is set in every run.
    """
    name = widget(key)
    if not has_default or name not in st.session_state:
        st.session_state[name] = value
    return name


def read(page: str, keys: Iterable[str], implied: Mapping[str, tuple[str, ...]] | None = None) -> None:
    """Take over the address where it was changed from outside: opened, reloaded, gone back to, edited.

    `keys` are those that the page shows; what the address lacks of them is taken as not chosen, or as
    `implied` by the page's name. An address without any parameter changes nothing.
    """
    state, known = st.session_state, tuple(keys)
    parameters_given = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    touched, moved = state.pop(_TOUCHED, False), state.get(_PAGE) != page
    state[_PAGE] = page
    state[_BARE] = not parameters_given and not moved and state.get(_WRITTEN) is not None
    if moved:  # a widget of the same key on another page is another widget, which begins empty
        for key in known:
            state.pop(widget(key), None)
    nothing_new = parameters_given == state.get(_WRITTEN) if parameters_given else not implied
    if touched or (nothing_new and not moved) or not (parameters_given or implied):
        return
    state[_WRITTEN] = parameters_given  # now, as this run may be broken off by the next step in the history
    chosen = parameters_given if implied is None else renamed(implied, parameters_given)
    for key in known:
        view().pop(key, None)
        state.pop(widget(key), None)
        if chosen.get(key, NOTHING) != NOTHING:
            view()[key] = chosen[key]


def write(keys: Iterable[str], implied: Mapping[str, tuple[str, ...]] | None = None) -> None:
    """Write the view's `keys` into the address, as one step of the browser's history.

    What the page's name would imply is written where it is not so. An address without any parameter that was
    gone back to stays as it is, so that Back can leave it.
    """
    wanted = dict.fromkeys(implied or (), NOTHING) | parameters(keys)
    here = {key: tuple(st.query_params.get_all(key)) for key in st.query_params}
    before, st.session_state[_WRITTEN] = st.session_state.get(_WRITTEN), wanted
    if here != wanted and not (st.session_state[_BARE] and before == wanted):
        st.query_params.from_dict({key: list(values) for key, values in wanted.items()})


def parameters(keys: Iterable[str]) -> View:
    """Return the part of the view that the address of a page with these keys holds.

    What a saved slice says is left out: its name says it.
    """
    implied = {key: values for values_of in _implied().values() for key, values in values_of.items()}
    chosen = view()  # once: each look into the session takes longer than all the rest
    return {key: chosen[key] for key in keys if chosen.get(key) and chosen[key] != implied.get(key)}


def imply(name: str, values: View) -> None:
    """Note what the name chosen for a key stands for: choices that the address need not repeat."""
    _implied()[name] = values


def implied_by(name: str) -> View:
    """Return what the name chosen for a key stands for."""
    return _implied().get(name, {})


def _implied() -> dict[str, View]:
    state: dict[str, View] = st.session_state.setdefault(_IMPLIED, {})
    return state


# ------------------------------------------------------------------------------
# The pages there are, and what of the view each of them shows.


FOLDER = Path(__file__).parents[1] / "app_pages"

SAVED = "slice"
"""The key of the saved slice chosen."""

FILTERS = (SAVED, *(flag.name for flag in FLAGS if flag.name != "min_instances"))
"""The keys that say which slice is shown."""

READING = ("beside", "differ", "rendered")
"""How judgments are read: what is set beside each, and texts plain or rendered."""


@dataclass(frozen=True)
class Page:
    """One page: its file, its title, and the keys of the view that its address holds.

    The links to pages of one `section` stand behind one button. `needs` is the role that its visitor must
    have; None for pages with numbers. A page that shows no `study` never opens one; a page that is not
    `of_study` says nothing of the one that is open. `former` are names of pages that it took the place
    of, each with what their addresses did not need to say: these addresses, and pinned views, lead to it.
    """

    name: str
    title: str
    icon: str
    keys: tuple[str, ...]
    section: str | None = None
    needs: Role | None = None
    of_study: bool = True
    former: Mapping[str, View] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The page's file."""
        return FOLDER / f"{self.name}.py"


COMPARING = ("compare", "number", "common", "judge_a", "judge_b", "run_a", "run_b", "b_study", "side")
"""What is compared, by which number, and the side whose verdicts are listed."""

SECOND = "b_"
"""What stands before the keys of the second side, where two are compared."""

CHART = ("chart", "against", "by", "sort", "shade", "find")
"""What the chart shows of a slice, and how."""

LISTED = ("judge", "generator", "value", "show", "q", "item")
"""Which verdicts are listed, and the one that is read."""

PLANNED = tuple(
    f"plan_{name}"
    for name in (
        *("effect", "judges", "generators", "families", "rubrics_per_instance", "failure_rate"),
        *("overestimation", "clustering", "power", "tokens_in", "tokens_out", "price_in", "price_out"),
    )
)
"""What is assumed of a study to come, and what its calls cost."""

MORE = "More"
"""The section of all pages but those that one slices with: a row of links has no room for more."""

PAGES = (
    Page(
        "judges",
        "Judges",
        ":material/home:",
        ("study", "judge", "beside", "all_claims"),
        former={"overview": {}, "together": {}},
    ),
    Page("findings", "Findings", ":material/lightbulb:", ("study", "part", "all_claims")),
    Page(
        "workbench",
        "Workbench",
        ":material/filter_alt:",
        ("study", *FILTERS, *CHART, *COMPARING, *(SECOND + name for name in FILTERS), *LISTED, *READING),
        former={
            "slice": {},
            "matrix": {"chart": ("matrix",)},
            "compare": {"compare": ("slices",)},
            "verdicts": {},
        },
    ),
    Page(
        "paradigms",
        "Paradigms and committee",
        ":material/groups:",
        ("study", *FILTERS, "part", "common", "members"),
    ),
    Page(
        "equal_quality",
        "Equal quality",
        ":material/balance:",
        ("study", *FILTERS, "epsilon", "quality"),
        MORE,
    ),
    Page(
        "quality_baseline",
        "Quality baseline",
        ":material/align_vertical_bottom:",
        ("study", *FILTERS, "proxies", "judge"),
        MORE,
    ),
    Page(
        "order_effects",
        "Order effects",
        ":material/format_list_numbered:",
        ("study", *FILTERS, "orders", "scale", "search", "along"),
        MORE,
    ),
    Page("power", "Power", ":material/bolt:", ("study", *PLANNED), MORE),
    Page("new_run", "New run", ":material/play_circle:", ("study", "started"), MORE),
    Page("data", "Data", ":material/upload_file:", ("study",), MORE, of_study=False),
    Page("annotate", "Annotate", ":material/edit_note:", ("task",), MORE, needs="annotator"),
    Page(
        "coordinate",
        "Coordinate",
        ":material/supervisor_account:",
        ("study", *FILTERS, "task", "desk", "listed", "case", "rendered"),
        MORE,
        needs="coordinator",
    ),
    Page("present", "Present", ":material/slideshow:", ("study", "story", "show", "screen"), MORE),
    Page("measures", "Measures", ":material/menu_book:", ("study", "measure"), MORE),
)

BY_NAME = {name: page for page in PAGES for name in (page.name, *page.former)}
"""The pages by their names, former ones too."""


def link(name: str, keys: Mapping[str, Sequence[str]]) -> tuple[Page, dict[str, list[str]]]:
    """Return the page that a view's name leads to, and the part of its keys that the page shows."""
    page = BY_NAME[name]
    whole = renamed(page.former[name], keys) if name in page.former else keys
    return page, {key: list(texts) for key, texts in whole.items() if key in page.keys}


RENAMED = {"row": "judge", "row_order": "sort"}
"""Keys of former pages that have another name now."""


def renamed(implied: Mapping[str, Sequence[str]], keys: Mapping[str, Sequence[str]]) -> View:
    """Return the view of a former page by its keys of today, with what its name implied."""
    now = {RENAMED.get(key, key): tuple(texts) for key, texts in keys.items()}
    return {key: tuple(texts) for key, texts in implied.items()} | now


# ------------------------------------------------------------------------------
# Sentences about what was taken out of a view, shown until something else is chosen.


_NOTICES = "_notices"


def until_changed(name: str, sentences: Sequence[str]) -> None:
    """Show sentences here, now and again as long as the view stays as it is; `name` tells places apart."""
    notices = st.session_state.setdefault(_NOTICES, {})
    now = repr(sorted(view().items()))
    if sentences:
        notices[name] = (tuple(sentences), now)
    words, when = notices.get(name, ((), None))
    if when == now:
        for sentence in words:
            with st.container(border=True):
                st.text(sentence)


# ------------------------------------------------------------------------------
# Where the explorer is served, as the browser sees it, and that its server sends at once.


def path() -> str:
    """Return the path that the explorer is served under: `/`, or a sub-path such as `/spb`."""
    return "/" + str(st.get_option("server.baseUrlPath") or "").strip("/")


def origin() -> str | None:
    """Return the scheme, host and port of the address, such as `https://example.org`; None where unknown."""
    place = urlsplit(st.context.url or "")
    return f"{place.scheme}://{place.netloc}" if place.netloc else None


def cookie(name: str) -> str:
    """Return a cookie's name that tells ports apart, as its path tells sub-paths, of one host."""
    with contextlib.suppress(ValueError):
        return f"{name}_{urlsplit(st.context.url or '').port or ''}"
    return f"{name}_"


_OPEN = "/dev/fd"
"""Names the descriptors of the process that looks; absent on Windows, where nothing is changed."""


@st.cache_resource(show_spinner=False)
def send_at_once() -> None:
    """Switch the delay off, once for a server: connections that come later take that over from its socket."""
    with contextlib.suppress(OSError):
        for name in os.listdir(_OPEN):
            with contextlib.suppress(OSError):
                _switch(int(name))


def _switch(descriptor: int) -> None:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return
    with socket.socket(fileno=os.dup(descriptor)) as same:  # what is set holds for both
        if same.family in (socket.AF_INET, socket.AF_INET6) and same.type == socket.SOCK_STREAM:
            same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
