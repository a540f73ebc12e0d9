"""The server sends data without delay from its start: the first page has a hundred small files."""

import asyncio
import socket

import streamlit as st

from explorer.serving.server import lifetime


def no_delay(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


async def live_and_end() -> None:
    async with lifetime(st.App("app.py")):
        pass


def test_connections_of_a_server_that_has_started_send_without_delay() -> None:
    with socket.socket() as server, socket.socket() as early, socket.socket() as late:
        server.bind(("127.0.0.1", 0))
        server.listen()
        early.connect(server.getsockname())
        first, _ = server.accept()
        before = no_delay(first)

        asyncio.run(live_and_end())
        late.connect(server.getsockname())
        second, _ = server.accept()

        with first, second:
            assert not before
            assert no_delay(first)
            assert no_delay(second)
