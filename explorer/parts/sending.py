"""Sending data to the browser without delay."""

import contextlib
import os
import socket
import stat

import streamlit as st

_OPEN = "/dev/fd"
"""Lists this process's descriptors; absent on Windows, where nothing is changed."""


@st.cache_resource(show_spinner=False)
def send_at_once() -> None:
    """Set TCP_NODELAY, once per server: later connections inherit it from the server's socket."""
    with contextlib.suppress(OSError):
        for name in os.listdir(_OPEN):
            with contextlib.suppress(OSError):
                _switch(int(name))


def _switch(descriptor: int) -> None:
    if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        return
    with socket.socket(fileno=os.dup(descriptor)) as copy:  # the option applies to both descriptors
        if copy.family in (socket.AF_INET, socket.AF_INET6) and copy.type == socket.SOCK_STREAM:
            copy.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
