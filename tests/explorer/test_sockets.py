"""The server sends data without delay."""

import socket

from explorer.parts.sending import send_at_once


def no_delay(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_open_and_later_connections_send_without_delay() -> None:
    with socket.socket() as server, socket.socket() as early, socket.socket() as late:
        server.bind(("127.0.0.1", 0))
        server.listen()
        early.connect(server.getsockname())
        first, _ = server.accept()
        before = no_delay(first)

        send_at_once.clear()
        send_at_once()
        late.connect(server.getsockname())
        second, _ = server.accept()

        with first, second:
            assert not before
            assert no_delay(first)
            assert no_delay(second)
