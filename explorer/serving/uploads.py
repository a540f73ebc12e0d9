"""Uploads: accepted only from sessions that show an uploader, bounded, and freed with their session.

Streamlit keeps every file that a visitor sends in memory, whether or not a page asks for one.
"""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx

LARGEST_UPLOAD_MB = 200
"""Most megabytes of one upload; larger files are imported with `spb import`."""

MOST_BYTES = 2 << 30
"""Most bytes of uploads that the server holds at once, of all sessions."""

MOST_BYTES_OF_SESSION = 600 << 20
"""Most bytes of uploads that the server holds for one session: three files of the largest size."""


@dataclass
class _Session:
    """A session: whether it shows an uploader, its files' sizes by id, and when it was last seen.

    Bytes that are on their way count as held: several uploads may arrive at once.
    """

    last_seen: float
    open: bool = False
    files: dict[str, int] = field(default_factory=dict)
    arriving: int = 0

    @property
    def held(self) -> int:
        return sum(self.files.values()) + self.arriving


@dataclass
class UploadLedger:
    """The sessions of a server, and the bytes of uploads that each of them holds."""

    clock: Callable[[], float] = time.monotonic
    most_bytes: int = MOST_BYTES
    most_bytes_of_session: int = MOST_BYTES_OF_SESSION
    _sessions: dict[str, _Session] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, session_id: str) -> None:
        """Note that a session runs."""
        with self._lock:
            self._sessions.setdefault(session_id, _Session(0.0)).last_seen = self.clock()

    def open(self, session_id: str) -> None:
        """Let a session upload."""
        with self._lock:
            self._sessions.setdefault(session_id, _Session(self.clock())).open = True

    def close(self, session_id: str) -> None:
        """Let a session upload no more, and forget its files."""
        with self._lock:
            if session_id in self._sessions:
                session = self._sessions[session_id]
                session.open, session.files = False, {}

    def is_open(self, session_id: str) -> bool:
        """Return whether a session shows an uploader."""
        with self._lock:
            return session_id in self._sessions and self._sessions[session_id].open

    def reserve(self, session_id: str, size: int) -> bool:
        """Reserve bytes for an upload that arrives, and return whether there is room for it."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session is None or session.held + size > self.most_bytes_of_session:
                return False
            if sum(each.held for each in self._sessions.values()) + size > self.most_bytes:
                return False
            session.arriving += size
            return True

    def settle(self, session_id: str, file_id: str, reserved: int, *, stored: bool) -> None:
        """Turn a reservation into a file of its session, or release it."""
        with self._lock:
            session = self._sessions.get(session_id)
            if session is not None:
                session.arriving -= reserved
                if stored:
                    session.files[file_id] = reserved

    def remove(self, session_id: str, file_id: str) -> None:
        """Note that a file was removed."""
        with self._lock:
            if session_id in self._sessions:
                self._sessions[session_id].files.pop(file_id, None)

    def ended(self, is_active: Callable[[str], bool], grace_s: float) -> list[str]:
        """Return the sessions that have had no connection for longer than the grace, and forget them."""
        with self._lock:
            now = self.clock()
            for session_id, session in self._sessions.items():
                if is_active(session_id):
                    session.last_seen = now
            ended = [name for name, session in self._sessions.items() if now - session.last_seen > grace_s]
            for name in ended:
                del self._sessions[name]
            return ended


LEDGER = UploadLedger()
"""The server's own; a process serves one explorer."""


def allow_uploads() -> None:
    """Let this visitor upload while the page shows an uploader; called beside each `st.file_uploader`.

    Whoever calls it has checked that the visitor may write.
    """
    context = get_script_run_ctx()
    if context is not None:
        _SHOWN.sessions.add(context.session_id)
        LEDGER.open(context.session_id)


class _Shown(threading.local):
    """The sessions whose uploaders the current run has shown: a run has a thread of its own."""

    def __init__(self) -> None:
        self.sessions: set[str] = set()


_SHOWN = _Shown()


@contextmanager
def run_of_session() -> Iterator[None]:
    """Surround a run of the app: at its end, a session that shows no uploader may upload no more.

    Files that it has sent are freed then. A run that another one replaces decides nothing.
    """
    context = get_script_run_ctx()
    session_id = "" if context is None else context.session_id
    LEDGER.note(session_id)
    _SHOWN.sessions.discard(session_id)
    try:
        yield
    except RerunException:
        raise
    except BaseException:
        _end_of_run(session_id)
        raise
    else:
        _end_of_run(session_id)


def _end_of_run(session_id: str) -> None:
    if session_id in _SHOWN.sessions or not LEDGER.is_open(session_id):
        return
    LEDGER.close(session_id)
    if runtime.exists():
        runtime.get_instance().uploaded_file_mgr.remove_session_files(session_id)


def close_ended_sessions() -> None:
    """Close the sessions whose browsers have gone, and give their memory back.

    A browser that has lost its connection has half of the time that Streamlit gives it to come back: after
    all of it Streamlit forgets the session, and on a quiet server keeps its memory until somebody else comes.
    """
    server = runtime.get_instance()
    ended = LEDGER.ended(server.is_active_session, st.get_option("server.disconnectedSessionTTL") / 2)
    for session_id in ended:
        with suppress(KeyError):  # Streamlit has forgotten it in the meantime
            server.close_session(session_id)
        server.uploaded_file_mgr.remove_session_files(session_id)
    if ended:
        gc.collect()  # sessions refer to themselves, and collection is rare here
