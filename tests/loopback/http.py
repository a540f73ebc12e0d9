"""Reads one request from a connection, and writes what a word of the script asks for."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, NamedTuple

from .replies import completion

REASONS = {
    200: "OK", 307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required",
    403: "Forbidden", 404: "Not Found", 413: "Content Too Large", 422: "Unprocessable Content",
    429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 529: "Overloaded",
}  # fmt: skip
HTML = b"<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad Gateway</h1></body></html>"
SLOW_S = 0.05
STATUS_OF = {"429": 429, "429-after": 429, "429-date": 429, "429-long": 429, "quota": 429, "502-html": 502}

Request = tuple[str, str, dict[str, str], bytes]
"""Method, path, headers (names in small letters) and body."""


class Connection(NamedTuple):
    """The two ends of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the next request of the connection; None if the client has left."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", 0))
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        return method, path, headers, await reader.readexactly(length)
    return None


async def send(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    """Write a whole response."""
    writer.write(head(status, len(body), headers) + body)
    await writer.drain()


def head(status: int, length: int, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the head of a response of `length` bytes, of JSON unless the headers say otherwise."""
    lines = {"content-type": "application/json", "content-length": str(length), **(headers or {})}
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} {REASONS[status]}\r\n{text}\r\n".encode("latin-1")


async def misbehave(
    word: str, request: Request, connection: Connection, body: dict[str, Any], text: str
) -> bool:
    """Do what the word says; return whether the connection stays open. `text` is the answer, if any."""
    writer = connection.writer
    if word.isdecimal() or word in STATUS_OF or word.startswith("400-"):
        await _status(word, body, request[2], writer, text)
        return True
    if word == "hang":
        await connection.reader.read()  # until the client leaves
        return False
    if word == "reset":
        return reset(writer)
    if word in ("half", "reset-half"):
        response = completion("ok", body, text)
        writer.write(head(200, len(response)) + response[: len(response) // 2])
        await writer.drain()
        return reset(writer) if word == "reset-half" else False
    if word == "slow":
        await asyncio.sleep(SLOW_S)
    if word == "key":
        text = f"The key was {request[2].get('authorization')}.\n{text}"  # a verdict stands after a sentence
    if word == "html":
        await send(writer, 200, HTML, {"content-type": "text/html"})
    else:
        await send(writer, 200, completion(word, body, text))
    return True


def reset(writer: asyncio.StreamWriter) -> bool:
    """Close with a reset instead of a clean shutdown."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


async def _status(
    word: str, body: dict[str, Any], headers: Mapping[str, str], writer: asyncio.StreamWriter, text: str
) -> None:
    status, content = status_of(word, body, headers)
    if content is None:
        return await send(writer, 200, completion("ok", body, text))
    if word == "502-html":
        return await send(writer, status, HTML, {"content-type": "text/html"})
    await send(writer, status, json.dumps(content).encode(), _retry_after(word))
    return None


def status_of(
    word: str, body: dict[str, Any], headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any] | None]:
    """Return the status that a word asks for, and the error object; None if there is an answer."""
    has_status = word in STATUS_OF or word[:3].isdecimal()
    if not has_status or (word == "400-temperature" and "temperature" not in body):
        return 200, None
    if word == "400-top" and body.get("top_logprobs", 0) <= 5:
        return 200, None
    status = STATUS_OF.get(word) or int(word[:3])
    message, code = _error(word, headers or {})
    kind = "invalid_request_error" if status < 429 else "error"
    return status, {"error": {"message": message, "type": kind, "code": code}}


def _retry_after(word: str) -> dict[str, str]:
    if word == "429-date":
        return {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)}
    return {"429-after": {"retry-after": "1"}, "429-long": {"retry-after": "86400"}}.get(word, {})


def _error(word: str, headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the message and the code of an error, in the words of providers."""
    key = headers.get("authorization", "").removeprefix("Bearer ")
    return {
        "400": ("Your input is not valid.", "invalid_value"),
        "400-temperature": (
            "Unsupported value: 'temperature' does not support 0 with this model.",
            "unsupported_value",
        ),
        "400-top": ("Invalid value: top_logprobs must be at most 5.", "integer_above_max_value"),
        "400-policy": ("Your request was stopped by the filter.", "content_policy_violation"),
        "401": (f"Incorrect API key provided: {key}.", "invalid_api_key"),
        "403": ("You have no permission for this.", "permission_denied"),
        "404": ("The model does not exist.", "model_not_found"),
        "quota": ("You exceeded your current quota.", "insufficient_quota"),
        "503": ("The engine is overloaded.", "overloaded"),
    }.get(word, ("Slow down." if word.startswith("429") else "Something broke.", "error"))
