"""The visitor: login, personal links, and access to studies."""

import contextlib
import logging
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError

from engine import values
from engine.annotations import people
from engine.annotations.database import FILE, FOLDER, URL_VARIABLE, Database, has_database, open_database
from engine.errors import SpbError, UsageError
from engine.store import Store
from engine.values import read_only
from explorer.parts.page_list import PAGES, Page
from explorer.serving.addresses import is_public

# ------------------------------------------------------------------------------
# Logging in by OpenID Connect: the way there and back, and the messages of failures.


_LOG = logging.getLogger(__name__)
_DEFAULT = "default"
"""Streamlit's name for the login service declared in `[auth]` itself."""

_SEE_LOG = "The explorer's log has the reason."
_UNFINISHED = f"The login was not finished, so you are not logged in. Try again. {_SEE_LOG}"
_UNREACHED = f"The login service did not respond as expected. Try again later. {_SEE_LOG}"
_UNSET = f"Login is not set up correctly on this explorer. {_SEE_LOG}"
_ELSEWHERE = "People log in to this explorer at {place}: open it there."
_WAIT_S = 5.0
_SERVICE, _STORED, _BACK, _PROBLEM = "_login_going", "_login_stored", "_login_back", "_login_wrong"
_CLOSED = "_login_shut"
_LOGIN_COOKIE, _TOKEN_COOKIE = "spb_away", "spb_token"

_LOGIN_BROWSER = st.components.v2.component(
    "spb_away", js=(Path(__file__).parent / "login.js").read_text(encoding="utf-8")
)


def is_offered() -> bool:
    """Return whether Streamlit's login is configured: `[auth]` in its secrets."""
    return "is_logged_in" in st.user


def is_logged_in() -> bool:
    """Return whether the visitor has logged in."""
    return st.user.get("is_logged_in") is True


def has_failed() -> bool:
    """Return whether the visitor recently tried to log in, without success."""
    return not is_logged_in() and (_PROBLEM in st.session_state or _return_address() is not None)


def buttons() -> None:
    """Show a button for each login service, and why the last login failed; nothing once logged in."""
    if not is_offered() or is_logged_in():
        return
    if has_failed():
        st.text(st.session_state.get(_PROBLEM, _UNFINISHED))
    for name in _services():
        plain = name == _DEFAULT
        st.button(
            "Log in" if plain else f"Log in with {name}",
            key="log_in" if plain else f"log_in_{name}",
            icon=":material/login:",
            on_click=_start_login,
            args=(name,),
        )


def note_closed(study: str, replacement: str) -> None:
    """Note the closed study of an address and the one shown instead: a login leads back to the former."""
    st.session_state[_CLOSED] = {"asked": study, "shown": replacement}


def depart() -> None:
    """Send the browser to the login service once it has stored its address; ends the run.

    Stays here if the login is known to fail.
    """
    state = st.session_state
    if _SERVICE not in state:
        return
    if _STORED not in state:
        # Checked here, not in the button's callback: a run that overtakes a waiting callback ends it, and the
        # press is lost.
        problem = _problem(state[_SERVICE])
        if problem is not None:
            state[_PROBLEM] = problem
            del state[_SERVICE]
            return
        message = _to_browser(_LOGIN_COOKIE, leaving=state.get(_CLOSED, {}))
        _LOGIN_BROWSER(key="login_away", data=message, on_done_change=partial(state.update, {_STORED: True}))
        _stop()
    del state[_STORED]
    try:
        st.login(state.pop(_SERVICE))
    except StreamlitAuthError as error:
        _LOG.warning("nobody can log in: %s", error)
        state[_PROBLEM] = _UNSET
        return
    _stop()


def return_to_page(pages: Collection[str]) -> None:
    """Return visitors who have logged in to the address that they left, if they may open its page.

    Ends the run, so that the browser forgets the address.
    """
    address, state = _return_address(), st.session_state
    if not is_logged_in() or address is None or _BACK in state:
        return
    page = urlsplit(address).path.removeprefix(base_path()).strip("/")
    message = _to_browser(_LOGIN_COOKIE, back=address if page in ("", *pages) else "")
    _LOGIN_BROWSER(key="login_back", data=message, on_done_change=partial(state.update, {_BACK: True}))
    _stop()


def _to_browser(cookie: str, **request: object) -> dict[str, object]:
    """Return the message for a script in the browser: the cookie, its path, and the request."""
    return {"cookie": cookie_name(cookie), "path": base_path(), **request}


def _stop() -> None:
    st.text("Opening …")
    st.stop()


def _start_login(name: str) -> None:
    st.session_state.pop(_PROBLEM, None)
    st.session_state[_SERVICE] = name


def _problem(name: str) -> str | None:
    """Return why a login service cannot be used, None if no reason is known."""
    settings = _settings()
    back = str(settings.get("redirect_uri", "")).replace("{port}", str(st.get_option("server.port")))
    address = origin()
    if back and address is not None:
        path = base_path().rstrip("/") + "/oauth2callback"
        if urlsplit(back).path != path:
            _LOG.warning("nobody can log in: redirect_uri in [auth] is %r, and must end in %r", back, path)
            return _UNSET
        login_origin = f"{urlsplit(back).scheme}://{urlsplit(back).netloc}"
        if login_origin != address:
            _LOG.warning("nobody can log in at %s: redirect_uri in [auth] is %r", address, back)
            return _ELSEWHERE.format(place=login_origin + base_path())
    service = settings.get(name, settings)
    metadata = service.get("server_metadata_url") if isinstance(service, Mapping) else None
    if metadata and not _answers(str(metadata)):
        return _UNREACHED
    return None


def _answers(metadata: str) -> bool:
    """Return whether a login service says where to log in; if not, Streamlit would show a blank page."""
    try:
        import httpx
    except ImportError:  # Streamlit reports what is not installed
        return True
    try:
        answer = httpx.get(metadata, timeout=_WAIT_S).raise_for_status().json()
        if "authorization_endpoint" in answer:
            return True
        reason = "it names no authorization_endpoint"
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError) as error:
        reason = str(error)
    _LOG.warning("nobody can log in: server_metadata_url %s: %s", metadata, reason)
    return False


def _services() -> list[str]:
    settings = _settings()
    names = [
        name for name, service in settings.items() if isinstance(service, Mapping) and name != "client_kwargs"
    ]
    return list(dict.fromkeys([_DEFAULT, *names])) if "client_id" in settings or not names else names


def _settings() -> Mapping[str, Any]:
    try:
        section = st.secrets.get("auth")
    except FileNotFoundError:
        return {}
    return section if isinstance(section, Mapping) else {}


def _return_address() -> str | None:
    """Return the address that the browser stored at a recent login; None if there is none."""
    cookie = st.context.cookies.get(cookie_name(_LOGIN_COOKIE))
    return unquote(cookie) if isinstance(cookie, str) and cookie else None


# ------------------------------------------------------------------------------
# The visitor, and what they may open.


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
_TOKEN, _LAST_TOKEN, _PENDING, _FORGOTTEN = "_token", "_token_told", "_token_pending", "_token_left"

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
    return str(folder if folder.is_dir() else values.RESULTS)


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
    if restricted or is_offered() or (labels is not None and people.has_accounts(labels)):
        return Visitor(closed=_for_coordinators_only())
    if is_public() and not anyone_may_write():
        return Visitor()
    return Visitor(
        None if read_only() else people.local_name(), None if read_only() else "coordinator", local=True
    )


def anyone_may_write() -> bool:
    """Return whether the server was started for everybody to write who may see a study."""
    return os.environ.get(ANYONE_MAY_WRITE) == "1"


def arrive() -> Visitor:
    """Take a token from the address and return the visitor; ends the run if there is nothing more to show.

    If the database cannot be reached, unknown visitors may open the pages with numbers, unless these are
    closed or restricted.
    """
    _take_token()
    depart()
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

    The browser removes it from the address in place, so that Back does not find it either. Called after the
    navigation is known, which would rewrite the address.
    """
    pending = st.session_state.pop(_PENDING, None)
    if pending is not None:
        message = _to_browser(_TOKEN_COOKIE, token=pending)
        # The callback only has to cause a rerun.
        _TOKEN_BROWSER(key="browser_token", data=message, on_kept_change=lambda: None)
        st.text("Opening …" if pending else "This browser has forgotten who you are.")
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
    if token is not None and token != state.get(_LAST_TOKEN):
        state[_TOKEN] = state[_LAST_TOKEN] = state[_PENDING] = token
        state.pop(_FORGOTTEN, None)


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
    cookie = st.context.cookies.get(cookie_name(_TOKEN_COOKIE))
    return cookie if isinstance(cookie, str) else None  # Streamlit's test harness gives no texts


def _show_only(words: str) -> None:
    store_token()
    st.text(words)
    leave_button()
    buttons()
    st.stop()


# ------------------------------------------------------------------------------
# Access to studies: `[access]` in Streamlit's secrets.


TABLE = "access"
"""The table of the secrets that names who may see which studies, beside `[auth]`:

    [access]
    "demo-*" = ["*"]
    health = ["ann@example.org", "*@clinic.example.org"]
"""

ANYBODY = "*"
"""Stands for everybody, whether they have logged in or not."""

Rules = Mapping[str, tuple[str, ...]]
"""Patterns of study names, each with patterns of the e-mails that may see them."""


def access_rules() -> Rules | None:
    """Return who may see which studies, None if everybody may see all.

    Raises UsageError if the secrets cannot be read, as they may hold rules, or if the rules are malformed.
    """
    try:
        table = st.secrets.get(TABLE)
    except FileNotFoundError as error:  # also raised for a file that is not TOML
        if any(Path(place).exists() for place in st.get_option("secrets.files")):
            raise UsageError(
                "the secrets of this explorer cannot be read, so nothing is shown; correct "
                ".streamlit/secrets.toml where it is served"
            ) from error
        return None
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise _rules_error(TABLE)
    for study, emails in table.items():
        if not isinstance(emails, list) or not all(isinstance(email, str) for email in emails):
            raise _rules_error(study)
    return {study: tuple(emails) for study, emails in table.items()}


def opens(rules: Rules, study: str, email: str | None) -> bool:
    """Return whether the e-mail of a login may see a study; None stands for no login."""
    allowed = {
        person
        for pattern, emails in rules.items()
        if study == pattern or fnmatchcase(study, pattern)
        for person in emails
    }
    if ANYBODY in allowed:
        return True
    if email is None or email.count("@") != 1:
        return False
    return any(fnmatchcase(email.lower(), person.lower()) for person in allowed)


def _rules_error(place: str) -> UsageError:
    return UsageError(
        f"{place!r} of [{TABLE}] in this explorer's secrets is not a list of e-mails, so nothing is shown; "
        'write a line such as "demo-*" = ["ann@example.org", "*@example.org"] for each study'
    )


# ------------------------------------------------------------------------------
# Where the explorer is served, as the browser sees it.


def base_path() -> str:
    """Return the path that the explorer is served under: `/`, or a sub-path such as `/spb`."""
    return "/" + str(st.get_option("server.baseUrlPath") or "").strip("/")


def origin() -> str | None:
    """Return the scheme, host and port of the address, such as `https://example.org`; None where unknown."""
    place = urlsplit(st.context.url or "")
    return f"{place.scheme}://{place.netloc}" if place.netloc else None


def cookie_name(name: str) -> str:
    """Return a cookie name that is distinct for each port of a host; sub-paths have their own path."""
    with contextlib.suppress(ValueError):
        return f"{name}_{urlsplit(st.context.url or '').port or ''}"
    return f"{name}_"
