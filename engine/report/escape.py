"""Escaping: texts of a study are shown, never interpreted, in HTML, in Markdown and in a shell."""

import html
import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence

_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$])")
_LINKS = re.compile(r"(?i)(\bwww|\bhttps?:/|\bftp:/|\bmailto|\bxmpp)([./:])")
_START = re.compile(r"^(\d*)([#+\-=.)])")


def visible(text: str) -> str:
    r"""Return the text with control characters, line separators and direction marks written out: `\u202e`.

    Line feeds and tabs stay. Nothing left can end a line invisibly or reverse the text around it.
    """
    return "".join(letter if _is_visible(letter) else _escape(letter) for letter in text)


def markup(text: str) -> str:
    """Return the text escaped for HTML, in an element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, on one line, for any place in it."""
    line = " ".join(visible(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", line).replace("&", "&amp;").replace("@", "&#64;")
    return _START.sub(r"\1\\\2", _LINKS.sub(r"\1\\\2", escaped))


def markdown_table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return rows of texts as a table in Markdown, each text escaped."""
    lines = [list(map(escape_markdown, cells)) for cells in (heads, *rows)]
    lines.insert(1, ["---"] * len(heads))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def command(line: str) -> str:
    r"""Return an equivalent shell command with invisible characters written out: `$'\u202e'`."""
    return line if _plain(line) else " ".join(map(_word, shlex.split(line)))


def _word(word: str) -> str:
    if _plain(word):
        return shlex.quote(word)
    letters = (letter if _plain(letter) else _escape(letter) for letter in word)
    escaped = (f"\\{letter}" if letter in ("\\", "'") else letter for letter in letters)
    return "$'" + "".join(escaped) + "'"


def _plain(text: str) -> bool:
    return all(_is_visible(letter) and letter not in "\n\t" for letter in text)


def _is_visible(letter: str) -> bool:
    if letter in "\n\t":
        return True
    return letter not in _DIRECTION and unicodedata.category(letter) not in _HIDDEN


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
