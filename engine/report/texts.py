"""Texts of a study made harmless: seen as they are, never obeyed."""

import html
import re
import shlex
import unicodedata

_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$])")
_LINKS = re.compile(r"(?i)(\bwww|\bhttps?:/|\bftp:/|\bmailto|\bxmpp)([./:])")
_START = re.compile(r"^(\d*)([#+\-=.)])")


def visible(text: str) -> str:
    r"""Return the text with control characters, line separators and direction marks written out: `\u202e`.

    Line feeds and tabs stay. Nothing that remains can end a line unseen or turn the text around it.
    """
    return "".join(letter if _shown(letter) else _written(letter) for letter in text)


def markup(text: str) -> str:
    """Return the text as HTML that shows it, in an element or between the quotes of an attribute."""
    return html.escape(visible(text), quote=True)


def markdown(text: str) -> str:
    """Return the text as Markdown that shows it, on one line, wherever it stands."""
    line = " ".join(visible(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", line).replace("&", "&amp;").replace("@", "&#64;")
    return _START.sub(r"\1\\\2", _LINKS.sub(r"\1\\\2", escaped))


def command(line: str) -> str:
    r"""Return a shell's command that does the same, with what cannot be seen written out: `$'\u202e'`."""
    if all(_shown(letter) and letter not in "\n\t" for letter in line):
        return line
    return " ".join(_word(word) for word in shlex.split(line))


def _word(word: str) -> str:
    if all(_shown(letter) and letter not in "\n\t" for letter in word):
        return shlex.quote(word)
    parts = (
        f"\\{letter}"
        if letter in "\\'"
        else letter
        if _shown(letter) and letter not in "\n\t"
        else _written(letter)
        for letter in word
    )
    return "$'" + "".join(parts) + "'"


def _shown(letter: str) -> bool:
    if letter in "\n\t":
        return True
    return letter not in _DIRECTION and unicodedata.category(letter) not in _HIDDEN


def _written(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
