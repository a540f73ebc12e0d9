"""The text of an article that is HTML."""

import re
from html.parser import HTMLParser

_TAGS = re.compile(r"</?(?:html|body|div|p|br|pre|h[1-6])\b[^<>]*>", re.IGNORECASE)
_BLOCKS = frozenset(
    [
        "article",
        "blockquote",
        "body",
        "br",
        "div",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
_UNSEEN = frozenset(("script", "style", "head", "title"))


def page_text(article: str) -> str:
    """Return an article's text with a line for each paragraph; a text without HTML as it is."""
    if not _TAGS.search(article):
        return article
    page = _Page()
    page.feed(article)
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.parts).split(_BREAK))
    return "\n".join(line for line in lines if line)


_BREAK = "\0"


class _Page(HTMLParser):
    """The seen text of a page in `parts`, its blocks set apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the base class has it
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append(_BREAK)

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        if tag in _BLOCKS:
            self.parts.append(_BREAK)

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data.replace(_BREAK, " "))
