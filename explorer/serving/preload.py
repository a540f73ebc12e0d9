"""Preload: the browser fetches the part of Streamlit's program that draws charts while it starts the rest.

Without it the browser learns from the page's first run that it needs this part, and fetches it then.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = Path(st.__file__).parent / "static"
"""Streamlit's program, with Vite's manifest of its parts."""

CHARTS = "ArrowVegaLiteChart"
"""Streamlit's name for the part that draws charts."""

WITHOUT_CHARTS = ("annotate",)
"""Pages that people open on phones, and that draw no chart."""


class Preload:
    """Middleware that names the files in the header `Link` of each page."""

    def __init__(self, app: ASGIApp, static: Path = STATIC) -> None:
        self._app = app
        self._static = static

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header if the response is a page."""

        async def send_with_link(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_page(message):
                MutableHeaders(scope=message)["Link"] = link_of(self._static)
            await send(message)

        draws = scope["type"] == "http" and scope["path"].rpartition("/")[2] not in WITHOUT_CHARTS
        await self._app(scope, receive, send_with_link if draws and link_of(self._static) else send)


@cache
def link_of(static: Path) -> str:
    """Return the header for the files that only charts need; empty if the program has no such part."""
    try:
        manifest = json.loads((static / "manifest.json").read_text("utf-8"))
        starts = [name for name, part in manifest.items() if part.get("isEntry")]
        charts = [name for name, part in manifest.items() if part.get("name") == CHARTS]
        at_once = set(_with_imports(manifest, starts))
        files = [manifest[name]["file"] for name in _with_imports(manifest, charts) if name not in at_once]
    except (OSError, ValueError, KeyError, AttributeError):  # another form: the browser asks as it always did
        return ""
    # Relative as Streamlit's own, so that a proxy may serve the page below another path.
    return ", ".join(f"<./{file}>; rel=modulepreload; crossorigin; fetchpriority=low" for file in files)


def _with_imports(manifest: dict[str, Any], names: list[str]) -> Iterator[str]:
    """Yield parts of the program, and all that they import, each once."""
    waiting, seen = list(names), set(names)
    while waiting:
        name = waiting.pop(0)
        yield name
        imported = [each for each in manifest[name].get("imports", ()) if each not in seen]
        seen.update(imported)
        waiting += imported


def _is_page(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")
