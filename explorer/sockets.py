"""The server's sockets, told to send what is ready at once.

Streamlit binds its socket in a way that asyncio does not take for TCP, so that Nagle's algorithm stays on
(Kludex/uvicorn#3149): every file after a connection's first, and what follows another message, then waits
40 ms for the browser's acknowledgement. A page is a hundred small files.
"""

import contextlib
import os
import socket
import stat

import streamlit as st

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
