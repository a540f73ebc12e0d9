"""Two texts side by side, with their differences marked."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from html import escape

_WORDS = re.compile(r"\S+\s*|\s+")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
MOST_PARTS = 2_000
"""Words that are compared, apart from a common beginning and end. Of more, lines are; of more lines, none is.

Comparing takes time by the square of their number: a third of a second for as many, whatever they say.
"""


def differences(first: str, second: str) -> tuple[str, str]:
    """Return both texts as HTML: all their characters escaped, and `<mark>` around what the other lacks."""
    left, right = _WORDS.findall(first), _WORDS.findall(second)
    if _longest_middle(left, right) > MOST_PARTS:
        left, right = _LINES.findall(first), _LINES.findall(second)
    blocks = _matches([part.strip() for part in left], [part.strip() for part in right])
    return (
        _html((is_common, left[start:end]) for is_common, start, end, _, _ in blocks),
        _html((is_common, right[start:end]) for is_common, _, _, start, end in blocks),
    )


def _longest_middle(left: list[str], right: list[str]) -> int:
    head, tail = _common_ends(left, right)
    return max(len(left), len(right)) - head - tail


def _common_ends(left: list[str], right: list[str]) -> tuple[int, int]:
    """Return how many parts two texts share at their beginning, and at the end of what is left."""
    shortest = min(len(left), len(right))
    head = next((place for place in range(shortest) if left[place] != right[place]), shortest)
    rest = shortest - head
    tail = next((place for place in range(rest) if left[-1 - place] != right[-1 - place]), rest)
    return head, tail


def _matches(left: list[str], right: list[str]) -> list[tuple[bool, int, int, int, int]]:
    """Return the blocks of two texts, each with whether both have it, and where it is in either."""
    head, tail = _common_ends(left, right)
    left_end, right_end = len(left) - tail, len(right) - tail
    middle: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, left_end - head, 0, right_end - head)]
    if _longest_middle(left, right) <= MOST_PARTS:
        middle = SequenceMatcher(None, left[head:left_end], right[head:right_end]).get_opcodes()
    return [
        (True, 0, head, 0, head),
        *((tag == "equal", head + a, head + b, head + c, head + d) for tag, a, b, c, d in middle),
        (True, left_end, len(left), right_end, len(right)),
    ]


def _html(blocks: Iterable[tuple[bool, list[str]]]) -> str:
    pieces = []
    for is_common, parts in blocks:
        text = escape("".join(parts))
        if text:
            pieces.append(text if is_common else f"<mark>{text}</mark>")
    return "".join(pieces)
