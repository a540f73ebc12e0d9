"""Blanks and characters that nobody sees, which tell no name, id or text from another."""

import re

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff"))
"""Zero-width spaces, marks of direction, soft hyphens; not the joiners, which words of some scripts need."""

_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
"""Blanks of other widths."""


def cleaned_name(name: str) -> str:
    """Return a name without blanks around it and invisible characters, its other blanks as plain ones."""
    if name.isascii():
        return name.strip()
    return _BLANKS.sub(" ", name.translate(_INVISIBLE)).strip()


def with_plain_blanks(text: str) -> str:
    """Return a text without invisible characters, with one plain blank for each run of blanks."""
    return " ".join(text.translate(_INVISIBLE).split())
