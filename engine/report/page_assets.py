"""The scripts and the style of a page that is sent, and the policy that blocks all others."""

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from engine.extras import drawing_package
from engine.report.escape import visible


@functools.cache
def vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from vl-convert: nothing is fetched."""
    script: str = drawing_package().javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return _escape_script(script)


@functools.cache
def page_script() -> str:
    """Return the script that draws the charts of a page."""
    return _escape_script(files("engine.report").joinpath("page.js").read_text("utf-8"))


@functools.cache
def style() -> str:
    """Return the style sheet."""
    return files("engine.report").joinpath("page.css").read_text("utf-8")


def data(charts: Sequence[Mapping[str, Any]]) -> str:
    """Return specifications as ASCII JSON that cannot end its element or hide a character."""
    text = json.dumps(_visible(list(charts)), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(*, charts: bool) -> str:
    """Return the content policy: only these scripts and this style, by their hashes."""
    scripts = " ".join(map(_hash, (vega(), page_script()))) if charts else "'none'"
    parts = {
        "default-src": "'none'",
        "script-src": scripts,
        "style-src": _hash(style()),
        "style-src-attr": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _escape_script(script: str) -> str:
    """Return an equivalent script without what would end its element or start a comment."""
    return re.sub(r"(?i)<(/script|!--)", r"\\x3c\1", script)


def _visible(part: Any) -> Any:
    """Return a specification with `visible` applied to all keys and texts."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, Mapping):
        return {visible(str(name)): _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part
