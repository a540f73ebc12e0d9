"""The word `median` as an end of a range of numbers."""

import re
from collections.abc import Callable

MEDIAN = r"\bmedian\b"
"""The pattern of the word, in any case."""

_MEDIAN = re.compile(MEDIAN, re.IGNORECASE)


def has_median(text: str) -> bool:
    """Return whether an end of a range is the word."""
    return _MEDIAN.search(text) is not None


def put_median(text: str, median: Callable[[], float]) -> str:
    """Return a range with the number in place of the word; without the word it is not computed."""
    return _MEDIAN.sub(lambda _: f"{median():.15g}", text)
