"""The server's files and batches: calls are uploaded in a file, and their answers fetched in another."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from email.parser import BytesParser
from itertools import count
from typing import Any, Literal

from .http import Connection, Request, reset, send, status_of
from .replies import completion

End = Literal["completed", "expired", "cancelled", "failed"]
Met = Callable[[dict[str, Any]], tuple[str, str]]
"""Counts a call and says which word of the script it meets, and the text that answers it."""

_LATE = "This request could not be executed before the completion window expired."


@dataclass
class Batch:
    """A batch: its parameters, its result files, and how often it was polled."""

    id: str
    input_file_id: str
    endpoint: str
    completion_window: str
    metadata: dict[str, str] | None
    created_at: int
    total: int
    output_file_id: str | None = None
    error_file_id: str | None = None
    polls: int = 0


@dataclass
class Batches:
    """The server's batches, and how they are to behave.

    A batch ends after `polls` polls, with status `ends`: an `expired` or `cancelled` one
    answers the first half of its lines, a `failed` one none, for the reason `failed_code`. `making` are words
    for the requests that create a batch, one after the other: `500` fails, `lost` creates it and breaks the
    connection before the answer. `asking` are those for the requests that poll one. Files are deleted
    if `forgets` is set, those of errors if `forgets_errors`. `rewrite` changes a result file as it is sent,
    and `extra` are fields of an ended batch.
    """

    polls: int = 1
    ends: End = "completed"
    failed_code: str = "invalid_json_line"
    making: list[str] = field(default_factory=list)
    asking: list[str] = field(default_factory=list)
    uploading: list[str] = field(default_factory=list)
    forgets: bool = False
    forgets_errors: bool = False
    rewrite: Callable[[bytes], bytes] = bytes
    extra: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    by_id: dict[str, Batch] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def answer(self, request: Request, connection: Connection, met: Met) -> bool | None:
        """Answer a request about files or batches; None for any other."""
        method, path, _, _ = request
        name = path.partition("?")[0].removeprefix("/v1/")
        match method, *name.split("/"):
            case "POST", "files":
                return await self._met(self.uploading, connection, lambda: self._upload(request))
            case "GET", "files", file_id, "content":
                return await self._content(file_id, connection)
            case "POST", "batches":
                return await self._met(self.making, connection, lambda: self._make(request, met))
            case "GET", "batches":
                return await self._met([], connection, self._list)
            case "GET", "batches", batch_id:
                return await self._met(self.asking, connection, lambda: self._status(batch_id))
        return None

    async def _met(
        self, words: list[str], connection: Connection, answer: Callable[[], dict[str, Any] | None]
    ) -> bool:
        word = words.pop(0) if words else "ok"
        if word.isdecimal():
            await send(connection.writer, int(word), _error("Something broke.", "error"))
            return True
        content = answer()
        if word == "lost":
            return reset(connection.writer)
        if word == "hang":
            await asyncio.Event().wait()
        if content is None:
            await send(connection.writer, 404, _error("No such batch.", "not_found"))
        else:
            await send(connection.writer, 200, json.dumps(content).encode())
        return True

    def _upload(self, request: Request) -> dict[str, Any]:
        content = _part(request, "file")
        file_id = f"file-{next(self._numbers)}"
        self.files[file_id] = content
        facts = {"id": file_id, "object": "file", "bytes": len(content), "created_at": int(time.time())}
        return facts | {"filename": "batch.jsonl", "purpose": "batch", "status": "processed"}

    async def _content(self, file_id: str, connection: Connection) -> bool:
        is_lost = self.forgets_errors and any(file_id == each.error_file_id for each in self.by_id.values())
        if self.forgets or is_lost or file_id not in self.files:
            await send(connection.writer, 404, _error("No such file.", "not_found"))
        else:
            await send(connection.writer, 200, self.rewrite(self.files[file_id]))
        return True

    def _make(self, request: Request, met: Met) -> dict[str, Any]:
        body = json.loads(request[3])
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        batch = Batch(
            id=f"batch_{next(self._numbers)}",
            input_file_id=body["input_file_id"],
            endpoint=body["endpoint"],
            completion_window=body["completion_window"],
            metadata=body.get("metadata"),
            created_at=int(time.time()),
            total=len(lines),
        )
        self.by_id[batch.id] = batch
        if self.ends != "failed":
            half = len(lines) // 2 if self.ends != "completed" else len(lines)
            results = [_result(line, met) for line in lines[:half]]
            late = [_late(line) for line in lines[half:]]
            self._store(batch, results, late)
        return self._values(batch, "validating")

    def _store(self, batch: Batch, results: list[dict[str, Any]], late: list[dict[str, Any]]) -> None:
        answered = [each for each in results if each["response"]["status_code"] == 200]
        failed = [each for each in results if each["response"]["status_code"] != 200]
        batch.output_file_id = self._file(list(reversed(answered)))  # no order is promised
        batch.error_file_id = self._file(failed + late)

    def _file(self, lines: list[dict[str, Any]]) -> str | None:
        if not lines:
            return None
        file_id = f"file-{next(self._numbers)}"
        self.files[file_id] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return file_id

    def _list(self) -> dict[str, Any]:
        batches = [self._values(batch, "in_progress") for batch in reversed(self.by_id.values())]
        return {"object": "list", "data": batches, "has_more": False}

    def _status(self, batch_id: str) -> dict[str, Any] | None:
        batch = self.by_id.get(batch_id)
        if batch is None or self.forgets:
            return None
        batch.polls += 1
        return self._values(batch, self.ends if batch.polls >= self.polls else "in_progress")

    def _values(self, batch: Batch, status: str) -> dict[str, Any]:
        values = asdict(batch)
        del values["polls"], values["total"]
        is_final = status in ("completed", "expired", "cancelled", "failed")
        values |= {"object": "batch", "status": status}
        values["request_counts"] = {
            "total": batch.total,
            "completed": batch.total if is_final else 0,
            "failed": 0,
        }
        if is_final:
            values[f"{status}_at"] = batch.created_at + 60
        else:
            values["output_file_id"] = values["error_file_id"] = None
        if status == "failed":
            error = {"code": self.failed_code, "message": "It cannot be taken.", "line": 1, "param": None}
            values["errors"] = {"object": "list", "data": [error]}
        return values | (self.extra if is_final else {})


def _part(request: Request, name: str) -> bytes:
    """Return the content of a part of a multipart form."""
    kind = request[2]["content-type"].encode()
    form = BytesParser().parsebytes(b"content-type: " + kind + b"\r\n\r\n" + request[3])
    for part in form.get_payload():
        if part.get_param("name", header="content-disposition") == name:  # type: ignore[union-attr]
            content: bytes = part.get_payload(decode=True)  # type: ignore[union-attr,assignment]
            return content
    raise ValueError(f"the form has no part {name!r}")


def _result(line: dict[str, Any], met: Met) -> dict[str, Any]:
    """Return the result of a line of the input."""
    word, text = met(line["body"])
    status, body = status_of(word, line["body"])
    if body is None:
        body = json.loads(completion(word, line["body"], text))
    response = {"status_code": status, "request_id": "req", "body": body}
    return {"id": "batch_req", "custom_id": line["custom_id"], "response": response, "error": None}


def _late(line: dict[str, Any]) -> dict[str, Any]:
    error = {"code": "batch_expired", "message": _LATE}
    return {"id": "batch_req", "custom_id": line["custom_id"], "response": None, "error": error}


def _error(message: str, code: str) -> bytes:
    return json.dumps({"error": {"message": message, "code": code, "type": "error"}}).encode()
