"""Two texts side by side, with what the other one lacks marked."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from html import escape

_WORDS = re.compile(r"\S+\s*|\s+")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
MOST_WORDS = 4_000
"""Words of a text up to which words are compared, else lines."""


def marked(one: str, two: str) -> tuple[str, str]:
    """Return both texts as HTML: all their characters escaped, and `<mark>` around what the other lacks."""
    pattern = _WORDS
    if max(len(_WORDS.findall(text)) for text in (one, two)) > MOST_WORDS:
        pattern = _LINES
    parts = pattern.findall(one), pattern.findall(two)
    bare = tuple([part.strip() for part in side] for side in parts)
    blocks = SequenceMatcher(None, *bare).get_opcodes()
    left = ((tag == "equal", parts[0][start:end]) for tag, start, end, _, _ in blocks)
    right = ((tag == "equal", parts[1][start:end]) for tag, _, _, start, end in blocks)
    return _html(left), _html(right)


def _html(blocks: Iterable[tuple[bool, list[str]]]) -> str:
    written = []
    for same, parts in blocks:
        text = escape("".join(parts))
        if text:
            written.append(text if same else f"<mark>{text}</mark>")
    return "".join(written)
