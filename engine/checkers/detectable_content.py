"""Instructions about parts that can be found: `detectable_content:*`."""

import re
from collections.abc import Iterator

from engine.checkers.counting import Count, Text, counted
from engine.checkers.registry import Check

# The two markers that IFEval asks for may be written with a space after a full stop.
_POSTSCRIPTS = {"P.P.S": re.compile(r"p\.\s?p\.\s?s"), "P.S.": re.compile(r"p\.\s?s\.")}


def number_placeholders(num_placeholders: Count) -> Check:
    """Ask for at least so many placeholders in square brackets, each within a line."""
    return lambda text: counted(_bracketed(text), "at least", num_placeholders)


def postscript(postscript_marker: Text) -> Check:
    """Ask for the marker of a postscript; case does not count."""
    marker = postscript_marker.strip()
    pattern = _POSTSCRIPTS.get(marker, re.compile(re.escape(marker.lower())))
    return lambda text: pattern.search(text.lower()) is not None


def _bracketed(text: str) -> Iterator[str]:
    """Yield what stands from each opening bracket to the next closing one (a pattern would go back)."""
    for line in text.split("\n"):
        end = 0
        while (start := line.find("[", end)) >= 0 and (end := line.find("]", start) + 1) > 0:
            yield line[start:end]
