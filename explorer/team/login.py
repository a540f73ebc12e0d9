"""Who is here, and what they may open.

Somebody is known by the token of their personal link, by Streamlit's login where `[auth]` stands in its
secrets, or, where nobody has a link or a login, as the one annotator of a laptop, who coordinates too.
The token is taken from the address once; the browser keeps it in a cookie until it is closed.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from engine import shipped
from engine.annotations.database import FILE, FOLDER, URL_VARIABLE, Database, is_there, open_database
from engine.annotations.people import (
    Role,
    anybody_known,
    local_name,
    local_person,
    person_of,
    person_with_email,
)
from engine.errors import SpbError
from engine.read_only import read_only
from engine.store import Store
from explorer import access, login, served
from explorer.sitemap import PAGES, Page

TOKEN = "token"  # noqa: S105 - the name of the address' parameter
COORDINATORS_ONLY = "SPB_COORDINATORS_ONLY"
"""Set to 1, the pages with numbers ask for a coordinator's link too, where anybody has a link."""

REFUSED = (
    "This link opens nothing: it was not copied as a whole, or it has ended. "
    "Ask whoever sent it to you for a new one."
)
_UNKNOWN_LOGIN = "{email} is not among those who label here. Ask whoever runs the labelling to add it."
_UNVERIFIED = "The login service has not verified {email!r}. Verify it there, then log in again."
_NAMELESS = (
    "The login service did not tell your e-mail, by which people are known here. "
    "Ask whoever runs this explorer to have it told."
)
_ASKED = {
    "annotator": "This page opens with your personal link. Ask whoever runs the labelling for it.",
    "coordinator": "This page opens with a coordinator's personal link. "
    "Whoever runs the server makes one with: spb annotators add NAME --role coordinator",
}
_TOKEN, _TOLD, _PENDING, _LEFT = "_token", "_token_told", "_token_pending", "_token_left"

_BROWSER = st.components.v2.component(
    "spb_token", js=(Path(__file__).parent / "token.js").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Visitor:
    """Who has a page open. `name` and `role` are None for somebody unknown; `refused` says what went wrong.

    `local` is the one annotator of a laptop: their name may not be in the database yet (`entered`).
    `closed` says that the pages with numbers are for coordinators. `email` is that of their login.
    """

    name: str | None = None
    role: Role | None = None
    local: bool = False
    refused: str | None = None
    closed: bool = False
    email: str | None = None

    def may(self, needed: Role | None) -> bool:
        """Return whether a page that needs this role is open to them."""
        if self.role == "coordinator":
            return True
        if needed is None:
            return self.role is None and not self.closed
        return self.role == needed

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages they find: annotators theirs alone, others all, some of which ask who they are."""
        if self.refused:
            return ()
        if self.role == "annotator" or self.closed:
            return tuple(page for page in PAGES if self.may(page.needs))
        return PAGES


def store_root() -> str:
    """Return SPB_STORE, else `results` here, else the repository's own."""
    root = os.environ.get("SPB_STORE")
    if root:
        return root
    here = Path("results")
    return str(here if here.is_dir() else shipped.RESULTS)


def database() -> Database | None:
    """Return the open database of labels; None where there is none yet, which looking does not make.

    Raises as `engine.annotations.database.open_database`.
    """
    root = store_root()
    return _opened(root, *_whereabouts(root)) if is_there(Store(root)) else None


def made_database() -> Database:
    """Return the open database of labels, made where there is none; raises as `database`."""
    opened = database()
    if opened is not None:
        return opened
    open_database(Store(store_root())).close()
    root = store_root()
    return _opened(root, *_whereabouts(root))


def visitor() -> Visitor:
    """Return who is here, looked up anew, so that a link that has ended opens nothing more.

    Raises StoreError or UsageError where the database of labels cannot be opened, UsageError where it cannot
    be told which studies are open to whom.
    """
    restricted = access.rules() is not None
    opened = database()
    token = _token()
    if token is not None:
        person = None if opened is None else person_of(opened, token)
        if person is None:
            return Visitor(refused=REFUSED)
        return Visitor(person.name, person.role)
    if login.done():
        return _of_login(opened, str(st.user.get("email") or ""), restricted=restricted)
    if restricted or login.offered() or (opened is not None and anybody_known(opened)):
        return Visitor(closed=_closed())
    return Visitor(None if read_only() else local_name(), None if read_only() else "coordinator", local=True)


def entered(database: Database, who: Visitor) -> str:
    """Return the visitor's name, which is in the database afterwards; for what is written under it."""
    assert who.name is not None  # noqa: S101 - pages that write ask first
    return local_person(database, who.name).name if who.local else who.name


def arrive() -> Visitor:
    """Take a token from the address and return who came; the run ends where nothing more is to be shown.

    An error in reaching the database leaves the pages with numbers open to somebody unknown, unless those are
    closed, or open to some only.
    """
    _take_token()
    login.depart()
    try:
        restricted = access.rules() is not None
    except SpbError as error:
        _alone(str(error))
    try:
        who = visitor()
    except SpbError as error:
        if restricted or _closed() or login.done() or _token() is not None:
            _alone(str(error))
        return Visitor()
    login.come_back({page.name for page in who.pages})
    if who.refused:
        _alone(who.refused)
    if not who.pages:
        _alone(_ASKED["annotator"])
    return who


def settle() -> None:
    """Let the browser keep a token that has just come, or forget one; the run ends for that.

    The browser takes it off the address in place, so that going back does not find it either. Called after
    the navigation is known, which would write the address anew.
    """
    pending = st.session_state.pop(_PENDING, None)
    if pending is not None:
        told = {"cookie": _cookie(), "path": served.path(), "token": pending}
        _BROWSER(key="browser_token", data=told, on_kept_change=_kept)
        st.text("Opening …" if pending else "This browser has forgotten who you are.")
        st.stop()


def ask(page: Page) -> str | None:
    """Return why a page stays shut to who is here, None where it is open; shows the login where one is."""
    if page.needs is None or visitor().may(page.needs):
        return None
    if "study" not in page.keys or not _login_in_sidebar():
        login.buttons()
    if read_only() and visitor().local:
        return "This explorer is read only: people label elsewhere."
    return _ASKED[page.needs]


def leave_button() -> None:
    """Show the button with which a browser forgets who used it."""
    if _token() is not None:
        st.button("Leave", key="leave", icon=":material/logout:", type="tertiary", on_click=_leave)
    elif login.done():
        st.button("Log out", key="log_out", icon=":material/logout:", type="tertiary", on_click=st.logout)


def account() -> None:
    """Show who has logged in, and the button that ends that; else, where it opens studies, a login."""
    if login.done():
        st.text(str(st.user.get("email")))
        leave_button()
    elif _login_in_sidebar():
        login.buttons()


@st.cache_resource(show_spinner=False)
def _opened(root: str, url: str | None, file: int | None) -> Database:  # noqa: ARG001 - a new file is a new one
    return open_database(Store(root), url)


def _whereabouts(root: str) -> tuple[str | None, int | None]:
    url = os.environ.get(URL_VARIABLE) or None
    if url is not None:
        return url, None
    return None, (Path(Store(root).location.path) / FOLDER / FILE).stat().st_ino


def _of_login(opened: Database | None, email: str, *, restricted: bool) -> Visitor:
    if not email:
        return Visitor(refused=_NAMELESS)
    if not login.verified():
        return Visitor(refused=_UNVERIFIED.format(email=email))
    person = None if opened is None else person_with_email(opened, email)
    if person is not None:
        return Visitor(person.name, person.role, email=email)
    if restricted:
        return Visitor(email=email, closed=_closed())
    return Visitor(refused=_UNKNOWN_LOGIN.format(email=repr(email)))


def _closed() -> bool:
    return os.environ.get(COORDINATORS_ONLY) == "1"


def _login_in_sidebar() -> bool:
    """Return whether the pages with numbers show the login: where it opens studies, or has just failed."""
    return access.rules() is not None or login.failed()


def _kept() -> None:
    """Nothing is left to do but to run again."""


def _take_token() -> None:
    """Take the token of the address into the session."""
    state = st.session_state
    given = st.query_params.get(TOKEN)
    if given is not None and given != state.get(_TOLD):
        state[_TOKEN] = state[_TOLD] = state[_PENDING] = given
        state.pop(_LEFT, None)


def _leave() -> None:
    st.session_state.pop(_TOKEN, None)
    st.session_state[_LEFT] = True
    st.session_state[_PENDING] = ""


def _token() -> str | None:
    """Return the token this session came with; a browser that was closed and opened has none."""
    if _TOKEN in st.session_state:
        return str(st.session_state[_TOKEN])
    if st.session_state.get(_LEFT):
        return None
    kept = st.context.cookies.get(_cookie())
    return kept if isinstance(kept, str) else None  # Streamlit's own test frame gives no texts


def _cookie() -> str:
    return served.cookie("spb_token")


def _alone(words: str) -> None:
    """Show these words and nothing else."""
    settle()
    st.text(words)
    leave_button()
    login.buttons()
    st.stop()
