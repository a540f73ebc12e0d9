"""Sending data to the browser without delay."""

import contextlib
import os
import socket
import stat

_OPEN = "/dev/fd"
"""Lists this process's descriptors; absent on Windows, where nothing is changed."""


def send_at_once() -> None:
    """Set TCP_NODELAY on the server's socket, from which its connections inherit it.

    Streamlit opens that socket without it: the first visitor after a start would wait 40 ms for each file.
    """
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
