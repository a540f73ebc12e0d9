"""A report parsed as a browser would."""

import json
import re
from html.parser import HTMLParser
from typing import Any

SCRIPT = re.compile(r'<script type="application/json" id="charts">(.*?)</script>', re.DOTALL)


class Outline(HTMLParser):
    """The tags of a page with their attributes, and its text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._silent = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)

    @property
    def text(self) -> str:
        return "\n".join(self.words)

    def attributes_of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def charts_of(page: str) -> list[dict[str, Any]]:
    """Return the specifications of a page's charts."""
    script = SCRIPT.search(page)
    return [] if script is None else json.loads(script.group(1))
