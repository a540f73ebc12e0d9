"""Logging in by OpenID Connect: the way there and back, and what to say where it fails.

Streamlit sends the browser to the login service. It comes back to the start page, without a word where it
failed. So a cookie keeps, while somebody is away, the address that they left.
"""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import streamlit as st
from streamlit.errors import StreamlitAuthError

from explorer import served

_LOG = logging.getLogger(__name__)
_DEFAULT = "default"
"""Streamlit's name for the login service that stands in `[auth]` itself."""

_UNFINISHED = (
    "The login was not finished, so you are not logged in. Try again; if that does not help, whoever runs "
    "this explorer finds the reason in its log."
)
_UNREACHED = (
    "The login service does not answer as it should. Try again later; whoever runs this explorer finds the "
    "reason in its log."
)
_UNSET = (
    "The login of this explorer is not set up as it should be. Whoever runs it finds the reason in its log."
)
_ELSEWHERE = "People log in to this explorer at {place}: open it there."
_WAIT_S = 5.0
_GOING, _KEPT, _BACK, _WRONG = "_login_going", "_login_kept", "_login_back", "_login_wrong"
_SHUT = "_login_shut"

_BROWSER = st.components.v2.component(
    "spb_away", js=(Path(__file__).parent / "login.js").read_text(encoding="utf-8")
)


def offered() -> bool:
    """Return whether Streamlit's login is configured: `[auth]` in its secrets."""
    return "is_logged_in" in st.user


def done() -> bool:
    """Return whether who is here has logged in."""
    return st.user.get("is_logged_in") is True


def verified() -> bool:
    """Return whether the e-mail of a login may be believed: the service says so, or does not say."""
    # Some services write their truth values as words.
    return str(st.user.get("email_verified", True)).lower() == "true"


def failed() -> bool:
    """Return whether who is here tried to log in, a short while ago, and has not."""
    return not done() and (_WRONG in st.session_state or _left() is not None)


def buttons() -> None:
    """Show a button for each login service to who has not logged in, and why the last try was none."""
    if not offered() or done():
        return
    if failed():
        st.text(st.session_state.get(_WRONG, _UNFINISHED))
    for name in _services():
        plain = name == _DEFAULT
        st.button(
            "Log in" if plain else f"Log in with {name}",
            key="log_in" if plain else f"log_in_{name}",
            icon=":material/login:",
            on_click=_set_out,
            args=(name,),
        )


def note_shut(asked: str, shown: str) -> None:
    """Note which study of an address is shut and which is shown instead: a login leads back to the former."""
    st.session_state[_SHUT] = {"asked": asked, "shown": shown}


def depart() -> None:
    """Send a browser that sets out to the login service once it keeps its address; the run ends for that."""
    state = st.session_state
    if _GOING not in state:
        return
    if not state.pop(_KEPT, False):
        told = {"cookie": _cookie(), "path": served.path(), "leaving": state.get(_SHUT, {})}
        _BROWSER(key="login_away", data=told, on_done_change=_kept)
        _stop()
    try:
        st.login(state.pop(_GOING))
    except StreamlitAuthError as error:
        _LOG.warning("nobody can log in: %s", error)
        state[_WRONG] = _UNSET
        return
    _stop()


def come_back(pages: Collection[str]) -> None:
    """Return who has logged in to the address that they left, where its page is among those open to them.

    The browser forgets the address; the run ends for that.
    """
    left = _left()
    if not done() or left is None or _BACK in st.session_state:
        return
    page = urlsplit(left).path.removeprefix(served.path()).strip("/")
    told = {"cookie": _cookie(), "path": served.path(), "back": left if page in ("", *pages) else ""}
    _BROWSER(key="login_back", data=told, on_done_change=_back)
    _stop()


def _stop() -> None:
    st.text("Opening …")
    st.stop()


def _kept() -> None:
    st.session_state[_KEPT] = True


def _back() -> None:
    st.session_state[_BACK] = True


def _set_out(name: str) -> None:
    """Let the browser set out, unless it is known now that nobody would come back logged in."""
    wrong = _problem(name)
    if wrong is None:
        st.session_state.pop(_WRONG, None)
        st.session_state[_GOING] = name
    else:
        st.session_state[_WRONG] = wrong


def _problem(name: str) -> str | None:
    """Return words for what keeps a login service from being used, None where nothing seems to."""
    settings = _settings()
    back = str(settings.get("redirect_uri", "")).replace("{port}", str(st.get_option("server.port")))
    here = served.origin()
    if back and here is not None:
        wanted = served.path().rstrip("/") + "/oauth2callback"
        if urlsplit(back).path != wanted:
            _LOG.warning("nobody can log in: redirect_uri in [auth] is %r, and must end in %r", back, wanted)
            return _UNSET
        origin = f"{urlsplit(back).scheme}://{urlsplit(back).netloc}"
        if origin != here:
            _LOG.warning("nobody can log in at %s: redirect_uri in [auth] is %r", here, back)
            return _ELSEWHERE.format(place=origin + served.path())
    service = settings.get(name, settings)
    metadata = service.get("server_metadata_url") if isinstance(service, Mapping) else None
    if metadata and not _answers(str(metadata)):
        return _UNREACHED
    return None


def _answers(metadata: str) -> bool:
    """Return whether a login service tells where to log in; what Streamlit would only say in a blank page."""
    try:
        import httpx
    except ImportError:  # Streamlit says what is not installed
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
    """Return the names of the login services in `[auth]`."""
    settings = _settings()
    named = [name for name, told in settings.items() if isinstance(told, Mapping) and name != "client_kwargs"]
    return list(dict.fromkeys([_DEFAULT, *named])) if "client_id" in settings or not named else named


def _settings() -> Mapping[str, Any]:
    try:
        found = st.secrets.get("auth")
    except FileNotFoundError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _left() -> str | None:
    """Return the address that the browser keeps; None where it has not set out, or not lately."""
    kept = st.context.cookies.get(_cookie())
    return unquote(kept) if isinstance(kept, str) and kept else None


def _cookie() -> str:
    return served.cookie("spb_away")
