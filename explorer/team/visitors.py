"""The visitor, and what they may open."""

import os
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from engine import shipped_files
from engine.annotations import people
from engine.annotations.database import FILE, FOLDER, URL_VARIABLE, Database, has_database, open_database
from engine.errors import SpbError
from engine.process import read_only
from engine.store import Store
from explorer.page_list import PAGES, Page
from explorer.serving.addresses import is_public
from explorer.team.login import (
    TOKEN_COOKIE,
    buttons,
    depart,
    has_failed,
    is_logged_in,
    is_offered,
    return_to_page,
    to_browser,
)
from explorer.team.server_address import cookie_name
from explorer.team.study_access import access_rules

TOKEN = "token"  # noqa: S105 - the name of the address's parameter
COORDINATORS_ONLY = "SPB_COORDINATORS_ONLY"
"""If 1, the pages with numbers also need a coordinator's link, once anybody has a link."""


ANYONE_MAY_WRITE = "SPB_ANYONE_MAY_WRITE"
"""If 1, writing needs no coordinator where others than the user of this machine reach the explorer."""


BAD_LINK = "This link does not work: it is incomplete or has expired. Ask the sender for a new one."
_NO_LABELS = (
    "This explorer has no labels at the moment, so no link works. Tell the person who sent you yours."
)
_UNKNOWN_LOGIN = (
    "{email} is not on the list of people who label here. Ask whoever runs the labelling to add it."
)
_UNVERIFIED = "The login service has not verified {email!r}. Verify it there, then log in again."
_NAMELESS = (
    "The login service did not send your e-mail address, which this explorer needs. "
    "Ask whoever runs this explorer to turn that on."
)
_INVITATIONS = {
    "annotator": "This page opens with your personal link. Ask whoever runs the labelling for it.",
    "coordinator": "This page opens with a coordinator's personal link. "
    "Whoever runs this explorer can make one, as its documentation on labelling says.",
}
_STILL = "What this browser could open before, it still can."
_TOKEN, _LAST_TOKEN, _PENDING, _FORGOTTEN = "_token", "_token_last", "_token_pending", "_token_forgotten"
_DEAD = "_token_dead"


_TOKEN_BROWSER = st.components.v2.component(
    "spb_token", js=(Path(__file__).parent / "token.js").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Visitor:
    """A visitor of the page. `name` and `role` are None if unknown; `refused` says what went wrong.

    `local` marks the one user of a laptop, whose name may not be in the database yet.
    `closed` reserves the pages with numbers for coordinators. `email` is that of their login.
    """

    name: str | None = None
    role: people.Role | None = None
    local: bool = False
    refused: str | None = None
    closed: bool = False
    email: str | None = None

    def may(self, role: people.Role | None) -> bool:
        """Return whether they may open a page that needs this role."""
        if self.role == "coordinator":
            return True
        if role is None:
            return self.role is None and not self.closed
        return self.role == role

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages in their navigation: only their own for annotators, all for others, some with a login."""
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
    folder = Path("results")
    return str(folder if folder.is_dir() else shipped_files.RESULTS)


def database() -> Database | None:
    """Return the open database of labels; None if there is none yet: this creates none.

    Raises the same errors as `engine.annotations.database.open_database`.
    """
    root = store_root()
    return _open(root, *_database_place(root)) if has_database(Store(root)) else None


def ensure_database() -> Database:
    """Return the open database of labels, created if there is none; raises like `database`."""
    root = store_root()
    if not has_database(Store(root)):
        open_database(Store(root)).close()
    return _open(root, *_database_place(root))


def visitor() -> Visitor:
    """Return the visitor, looked up anew, so that an expired link opens nothing.

    Raises StoreError or UsageError if the database of labels cannot be opened, UsageError if the access rules
    cannot be read.
    """
    restricted = access_rules() is not None
    labels = database()
    token = _token()
    if token is not None:
        person = None if labels is None else people.person_of(labels, token)
        if person is None:
            return Visitor(refused=_NO_LABELS if labels is None else BAD_LINK)
        return Visitor(person.name, person.role)
    if is_logged_in():
        return _logged_in_visitor(labels, str(st.user.get("email") or ""), restricted=restricted)
    if restricted or is_offered() or has_people_with_links():
        return Visitor(closed=_for_coordinators_only())
    if is_public() and not anyone_may_write():
        return Visitor()
    return Visitor(
        None if read_only() else people.local_name(), None if read_only() else "coordinator", local=True
    )


def anyone_may_write() -> bool:
    """Return whether the server was started for everybody to write who may see a study."""
    return os.environ.get(ANYONE_MAY_WRITE) == "1"


def has_people_with_links() -> bool:
    """Return whether somebody has a link or a login for labelling, so that visitors must identify."""
    labels = database()
    return labels is not None and people.has_accounts(labels)


def arrive() -> Visitor:
    """Take a token from the address and return the visitor; ends the run if there is nothing more to show.

    If the database cannot be reached, unknown visitors may open the pages with numbers, unless these are
    closed or restricted.
    """
    _take_token()
    depart()
    if _DEAD in st.session_state:
        _show_dead_link(st.session_state[_DEAD])
    try:
        restricted = access_rules() is not None
    except SpbError as error:
        _show_only(str(error))
    try:
        person = visitor()
    except SpbError as error:
        if restricted or _for_coordinators_only() or is_logged_in() or _token() is not None:
            _show_only(str(error))
        return Visitor()
    return_to_page({name for page in person.pages for name in (page.name, *page.former)})
    if person.refused:
        _show_only(person.refused)
    if not person.pages:
        _show_only(_INVITATIONS["annotator"])
    return person


def store_token() -> None:
    """Let the browser store a token that has just arrived, or forget one; ends the run.

    The browser removes it from the address in place, so that Back does not find it either, and does only that
    with one that does not work. Called after the navigation is known, which would rewrite the address.
    """
    if _PENDING in st.session_state:
        pending = st.session_state.pop(_PENDING)
        message = to_browser(TOKEN_COOKIE, token=pending)
        # The callback only has to cause a rerun.
        _TOKEN_BROWSER(key="browser_token", data=message, on_kept_change=lambda: None)
        st.text("This browser has forgotten who you are." if pending == "" else "Opening …")
        st.stop()


def refusal(page: Page) -> str | None:
    """Return why the visitor may not open a page, None if they may; shows the login if there is one."""
    if page.needs is None or visitor().may(page.needs):
        return None
    if "study" not in page.keys or not _login_beside_study():
        buttons()
    if read_only() and visitor().local:
        return "This explorer is read only: people label elsewhere."
    return _INVITATIONS[page.needs]


def leave_button() -> None:
    """Show the button that makes the browser forget the visitor."""
    if _token() is not None:
        st.button("Leave", key="leave", icon=":material/logout:", type="tertiary", on_click=_leave)
    elif is_logged_in():
        st.button("Log out", key="log_out", icon=":material/logout:", type="tertiary", on_click=st.logout)


def account() -> None:
    """Show who has logged in, with the logout button; else, if it opens studies, a login."""
    if is_logged_in():
        st.text(str(st.user.get("email")))
        leave_button()
    elif _login_beside_study():
        buttons()


@st.cache_resource(show_spinner=False)
def _open(root: str, url: str | None, file: int | None) -> Database:  # noqa: ARG001 - a cache key
    return open_database(Store(root), url)


def _database_place(root: str) -> tuple[str | None, int | None]:
    url = os.environ.get(URL_VARIABLE) or None
    if url is not None:
        return url, None
    return None, (Path(Store(root).location.path) / FOLDER / FILE).stat().st_ino


def _logged_in_visitor(database: Database | None, email: str, *, restricted: bool) -> Visitor:
    if not email:
        return Visitor(refused=_NAMELESS)
    # A boolean, for some services a text, or absent.
    if str(st.user.get("email_verified", True)).lower() != "true":
        return Visitor(refused=_UNVERIFIED.format(email=email))
    person = None if database is None else people.person_with_email(database, email)
    if person is not None:
        return Visitor(person.name, person.role, email=email)
    if restricted:
        return Visitor(email=email, closed=_for_coordinators_only())
    return Visitor(refused=_UNKNOWN_LOGIN.format(email=repr(email)))


def _for_coordinators_only() -> bool:
    return os.environ.get(COORDINATORS_ONLY) == "1"


def _login_beside_study() -> bool:
    """Return whether the pages with numbers show the login: if it opens studies, or has just failed."""
    return access_rules() is not None or has_failed()


def _take_token() -> None:
    state = st.session_state
    token = st.query_params.get(TOKEN)
    if token is None or token == state.get(_LAST_TOKEN):
        return
    state[_LAST_TOKEN] = token
    problem = _problem_of(token)
    if problem is not None:
        state[_DEAD], state[_PENDING] = problem, None
        return
    state[_TOKEN] = state[_PENDING] = token
    state.pop(_FORGOTTEN, None)
    state.pop(_DEAD, None)


def _problem_of(token: str) -> str | None:
    """Return why a token opens nothing; None if it does, or if the database cannot be reached."""
    try:
        labels = database()
        works = labels is not None and people.person_of(labels, token) is not None
    except SpbError:
        return None
    return None if works else _NO_LABELS if labels is None else BAD_LINK


def _leave() -> None:
    st.session_state.pop(_TOKEN, None)
    st.session_state[_FORGOTTEN] = True
    st.session_state[_PENDING] = ""


def _token() -> str | None:
    """Return the token of this session or of its browser, which forgets it when closed."""
    if _TOKEN in st.session_state:
        return str(st.session_state[_TOKEN])
    if st.session_state.get(_FORGOTTEN):
        return None
    cookie = st.context.cookies.get(cookie_name(TOKEN_COOKIE))
    return cookie if isinstance(cookie, str) else None  # Streamlit's test harness gives no texts


def _show_dead_link(problem: str) -> None:
    """Say why the link of the address does not work, and lead on as if it had not been opened."""
    store_token()
    st.text(f"{problem} {_STILL}")
    st.button("Go on without it", key="go_on", on_click=st.session_state.pop, args=(_DEAD, None))
    st.stop()


def _show_only(words: str) -> None:
    store_token()
    st.text(words)
    leave_button()
    buttons()
    st.stop()
