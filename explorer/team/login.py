"""Logging in by OpenID Connect: the way there and back, and the messages of failures."""

import logging
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError

from explorer.team.server_address import base_path, cookie_name, origin

_LOG = logging.getLogger(__name__)
_DEFAULT = "default"
"""Streamlit's name for the login service declared in `[auth]` itself."""


_SEE_LOG = "The explorer's log has the reason."
_UNFINISHED = f"The login was not finished, so you are not logged in. Try again. {_SEE_LOG}"
_UNREACHED = f"The login service did not respond as expected. Try again later. {_SEE_LOG}"
_UNSET = f"Login is not set up correctly on this explorer. {_SEE_LOG}"
_ELSEWHERE = "People log in to this explorer at {place}: open it there."
_WAIT_S = 5.0
_SERVICE, _STORED, _BACK, _PROBLEM = "_login_under_way", "_login_stored", "_login_back", "_login_problem"
_LOGIN_COOKIE, TOKEN_COOKIE = "spb_away", "spb_token"


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
        message = to_browser(_LOGIN_COOKIE, leaving=True)
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
    message = to_browser(_LOGIN_COOKIE, back=address if page in ("", *pages) else "")
    _LOGIN_BROWSER(key="login_back", data=message, on_done_change=partial(state.update, {_BACK: True}))
    _stop()


def to_browser(cookie: str, **request: object) -> dict[str, object]:
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
