"""Telling a model's thinking from its answer, where both arrive in one text."""

import re

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"
_OPENINGS = rf"<(?:{_TAGS})>|◁think▷|\[THINK\]|<\|channel\|>\s*analysis\s*<\|message\|>"
_CLOSINGS = (
    rf"</(?:{_TAGS})>|◁/think▷|\[/THINK\]|(?:<\|end\|>\s*)?(?:<\|start\|>\s*assistant\s*)?"
    r"<\|channel\|>\s*final\s*<\|message\|>"
)
"""How thinking begins and ends: tags of most models, Kimi's, Mistral's, and the channels of gpt-oss."""

_WORDS = ("think", "thought", "reasoning", "reflection", "scratchpad", "channel")

_OPENING = re.compile(_OPENINGS, re.IGNORECASE)
_CLOSING = re.compile(_CLOSINGS, re.IGNORECASE)
_LEADING = re.compile(rf"\s*(?:{_OPENINGS})(.*?)(?:{_CLOSINGS}|\Z)", re.IGNORECASE | re.DOTALL)
_ON_ITS_LINE = re.compile(
    rf"^[ \t]*(?:{_OPENINGS}).*?(?:{_CLOSINGS}|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)


def split_thinking(text: str) -> tuple[str, str | None]:
    """Return the answer and the thinking before it, None if there is none.

    The thinking has tags around it, or its closing tag alone (the opening one was part of the prompt); if it
    is never closed, all of it is thinking.
    """
    if not _may_think(text):
        return text, None
    thoughts = []
    while opening := _LEADING.match(text):
        thoughts.append(opening[1].strip())
        text = text[opening.end() :]
    closing = None if thoughts else _CLOSING.search(text)
    if closing and not _OPENING.search(text):
        thoughts.append(text[: closing.start()].strip())
        text = text[closing.end() :]
    if not thoughts:
        return text, None
    return text.lstrip(), "\n".join(filter(None, thoughts)) or None


def without_thinking(text: str) -> str:
    """Return a judge's answer without thinking that begins on a line of its own, wherever that is."""
    return _ON_ITS_LINE.sub("", split_thinking(text)[0]) if _may_think(text) else text


def _may_think(text: str) -> bool:
    words = text.lower()
    return any(word in words for word in _WORDS)  # quicker than the patterns, for long texts


def answer_start(text: str) -> int | None:
    """Return where the answer begins after thinking, 0 without any; None if it is all thinking."""
    opening, closing = _LEADING.match(text), _CLOSING.search(text)
    if closing is None:
        return None if opening else 0
    if not opening and _OPENING.search(text):
        return 0
    return closing.end()
