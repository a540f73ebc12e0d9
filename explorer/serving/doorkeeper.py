"""What every request passes before Streamlit sees it: the name asked for, uploads, sizes and headers."""

import json
from http import HTTPStatus

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.serving import addresses
from explorer.serving.uploads import LARGEST_UPLOAD_MB, LEDGER, UploadLedger

HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
"""Sent with every response: no page of another site shows the explorer in a frame, or learns an address."""

UPLOAD = "_stcore/upload_file"
HEALTH = "/_stcore/health"
"""Answered under every name, as those who watch a server use its number."""

LARGEST_MESSAGE = 4 << 20
"""Most bytes of one message from a browser: choices and short texts, which a session keeps."""

_OTHER_NAME = (
    "This explorer does not answer to the name {name}. If it should, whoever runs it names the address, such "
    "as SPB_ADDRESS=https://spb.example.org, and starts it again."
)
_CLOSED = "No page that is open here takes files."
_FULL = "The server holds as many uploads as it may. Close other pages with uploads, or wait a minute."


class Doorkeeper:
    """The middleware, around Streamlit."""

    def __init__(self, app: ASGIApp, ledger: UploadLedger = LEDGER) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _with_headers(send))
        else:
            await self._app(scope, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_answered(scope):
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, _of_bounded_messages(receive), send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_answered(scope) and not scope["path"].endswith(HEALTH):
            name = json.dumps(Headers(scope=scope).get("host", ""))
            await _refuse(HTTPStatus.FORBIDDEN, _OTHER_NAME.format(name=name), scope, receive, send)
            return
        place = _upload_place(scope["path"])
        if place is None or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
        elif scope["method"] == "DELETE":
            await self._app(scope, receive, send)
            self._ledger.remove(*place)
        else:
            await self._upload(*place, scope, receive, send)

    async def _upload(
        self, session_id: str, file_id: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if not self._ledger.is_open(session_id):
            await _refuse(HTTPStatus.FORBIDDEN, _CLOSED, scope, receive, send)
            return
        size = _announced_size(scope)
        if not self._ledger.reserve(session_id, size):
            await _refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _FULL, scope, receive, send)
            return
        statuses: list[int] = []

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            stored = any(status < HTTPStatus.BAD_REQUEST for status in statuses)
            self._ledger.settle(session_id, file_id, size, stored=stored)


def _is_answered(scope: Scope) -> bool:
    return addresses.answers_to(Headers(scope=scope).get("host"), addresses.answered_names())


def _upload_place(path: str) -> tuple[str, str] | None:
    """Return the session and the file of an upload's path; None for any other path."""
    _, route, place = path.partition(f"/{UPLOAD}/")
    session_id, _, file_id = place.partition("/")
    return (session_id, file_id) if route else None


def _announced_size(scope: Scope) -> int:
    """Return how large an upload says it is; the largest possible if it does not say."""
    most = int(st.get_option("server.maxUploadSize") or LARGEST_UPLOAD_MB) << 20
    text = Headers(scope=scope).get("content-length", "")
    return min(int(text), most) if text.isdecimal() and text.isascii() else most


async def _refuse(status: HTTPStatus, words: str, scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):  # discarded: a browser reads no answer while it sends
        pass
    response = PlainTextResponse(words, status_code=status, headers={"Connection": "close"})
    await response(scope, receive, send)


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers


def _of_bounded_messages(receive: Receive) -> Receive:
    """Return messages as they arrive; a larger one than any page sends ends the connection."""

    async def receive_bounded() -> Message:
        message = await receive()
        if max(len(message.get(kind) or "") for kind in ("bytes", "text")) > LARGEST_MESSAGE:
            return {"type": "websocket.disconnect", "code": 1009}
        return message

    return receive_bounded
