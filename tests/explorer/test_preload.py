"""The part of the program that draws charts is named to the browser with each page that may have one."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from explorer.serving.preload import CHARTS, STATIC, Preload, link_of

PROGRAM = {
    "index.html": {"file": "js/index.js", "isEntry": True, "imports": ["_react.js"]},
    "_react.js": {"file": "js/react.js", "imports": ["index.html"]},
    "chart.tsx": {"file": "js/chart.js", "name": CHARTS, "imports": ["_react.js", "_vega.js", "_arrow.js"]},
    "_vega.js": {"file": "js/vega.js", "imports": ["_arrow.js"]},
    "_arrow.js": {"file": "js/arrow.js"},
    "table.tsx": {"file": "js/table.js", "name": "DataFrame", "imports": ["_arrow.js"]},
}


def files_of(header: str) -> list[str]:
    return re.findall(r"<\./([^>]+)>; rel=modulepreload; crossorigin; fetchpriority=low", header)


def program(folder: Path, manifest: str) -> Path:
    (folder / "manifest.json").write_text(manifest, "utf-8")
    return folder


def header_of(static: Path, response: Response, path: str = "/") -> str | None:
    """Return the header `Link` of a service's response."""
    starts: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            starts.append(message)

    asyncio.run(Preload(response, static)({"type": "http", "path": path}, receive, send))
    [start] = starts
    return next((text.decode() for name, text in start["headers"] if name.lower() == b"link"), None)


def test_a_page_names_the_files_that_only_charts_need(tmp_path: Path) -> None:
    static = program(tmp_path, json.dumps(PROGRAM))

    header = header_of(static, HTMLResponse("<html>"), "/spb/judges")

    assert header is not None
    assert files_of(header) == ["js/chart.js", "js/vega.js", "js/arrow.js"]
    assert header.count("<") == 3


def test_streamlit_has_such_a_part() -> None:
    files = files_of(link_of(STATIC))

    assert any(CHARTS in name for name in files)
    assert all((STATIC / name).is_file() for name in files)
    assert len(link_of(STATIC)) < 4_000  # proxies take headers of 4 kB


@pytest.mark.parametrize(
    ("response", "path"),
    [
        (PlainTextResponse("ok"), "/_stcore/health"),
        (Response("1", media_type="application/javascript"), "/static/js/chart.js"),
        (HTMLResponse("<html>"), "/annotate"),
        (HTMLResponse("<html>"), "/spb/annotate"),
    ],
)
def test_other_responses_name_none(tmp_path: Path, response: Response, path: str) -> None:
    assert header_of(program(tmp_path, json.dumps(PROGRAM)), response, path) is None


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        '{"index.html": []}',
        "{}",
        json.dumps({"a": {"name": CHARTS, "imports": ["b"], "file": "a.js"}}),
    ],
)
def test_a_program_of_another_form_is_served_without(tmp_path: Path, manifest: str) -> None:
    assert header_of(program(tmp_path, manifest), HTMLResponse("<html>")) is None


def test_a_program_without_a_manifest_is_served_without(tmp_path: Path) -> None:
    assert header_of(tmp_path, HTMLResponse("<html>")) is None
