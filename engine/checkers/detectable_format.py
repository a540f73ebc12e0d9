"""Instructions about the format: `detectable_format:*`."""

import json
import re

from engine.checkers.counting import Count, Text, counted
from engine.checkers.registry import Check

CONSTRAINED = ("My answer is yes.", "My answer is no.", "My answer is maybe.")

# A star that is not doubled, or a hyphen, first on its line; what follows a star may be the next line.
_STAR = re.compile(r"^[^\S\n]*+\*[^*].*$", re.MULTILINE)
_HYPHEN = re.compile(r"^[^\S\n]*+-.*$", re.MULTILINE)
_EMPHASIS = re.compile(r"\*([^\n*]*)\*")
_STRONG = re.compile(r"\*\*([^\n*]*)\*\*")
_FENCE = re.compile(r"^```(?:json|Json|JSON)?")


def number_bullet_lists(num_bullets: Count) -> Check:
    """Ask for exactly so many bullet points, lines that begin with `*` or `-`."""
    return lambda text: sum(1 for p in (_STAR, _HYPHEN) for _ in p.finditer(text)) == num_bullets


def constrained_response() -> Check:
    """Ask for one of the three answers that IFEval allows, word for word."""
    return lambda text: any(answer in text for answer in CONSTRAINED)


def number_highlighted_sections(num_highlights: Count) -> Check:
    """Ask for at least so many passages between stars, single or double, that are not blank."""

    def check(text: str) -> bool:
        passages = (match[1] for pattern in (_EMPHASIS, _STRONG) for match in pattern.finditer(text))
        return counted((p for p in passages if p.strip()), "at least", num_highlights)

    return check


def multiple_sections(section_spliter: Text, num_sections: Count) -> Check:
    """Ask for at least so many sections, each begun with the word and a number (`SECTION 1`)."""
    pattern = re.compile(rf"{re.escape(section_spliter.strip())}\s?\d")
    return lambda text: counted(pattern.finditer(text), "at least", num_sections)


def json_format() -> Check:
    """Ask that the whole be JSON, within a fence or not.

    JSON that is nested too deep to be read raises RecursionError: no verdict.
    """

    def check(text: str) -> bool:
        bare = _FENCE.sub("", text.strip()).removesuffix("```").strip()
        try:
            json.loads(bare)
        except ValueError:
            return False
        return True

    return check


def title() -> Check:
    """Ask for a title in double angular brackets, `<<title>>`, on one line and not blank."""
    return lambda text: any(_has_title(line) for line in text.split("\n"))


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return 0 <= start < end - 2 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())
