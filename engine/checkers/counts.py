"""Counts in a text: words, sentences, paragraphs, words in capitals."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated, Literal

import pydantic

Relation = Literal["at least", "less than"]
Count = Annotated[int, pydantic.Field(ge=0)]
Text = Annotated[str, pydantic.Field(min_length=1)]
Texts = Annotated[list[Text], pydantic.Field(min_length=1)]
Letter = Annotated[str, pydantic.Field(min_length=1, max_length=1)]
LanguageCode = Annotated[str, pydantic.Field(pattern="^[a-z]{2,3}(-[a-z]{2})?$")]

Check = Callable[[str], bool]
"""Returns whether a text meets an instruction."""

MOST_CHARACTERS = 1_000_000
"""The longest text to split into sentences: a longer one would take minutes, and is no model's answer."""

WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\S+")
# Tokens are split by the Penn Treebank's conventions.
_MARKS = re.compile(r"\.{2,}|--|[][(){}<>\"“”‘’«»„`;@#$%&?!…–—]|[:,](?!\d)|[^\w\s'*.]'|''")
_CLITIC = re.compile(r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)|n't)(?!\w)", re.IGNORECASE)
_JOINED = re.compile(r"\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b", re.IGNORECASE)


class TooLongError(ValueError):
    """The text is too long for the check; the instruction gets no verdict."""


def fulfils(count: int, relation: Relation, limit: int) -> bool:
    return count >= limit if relation == "at least" else count < limit


def has_count(items: Iterator[object], relation: Relation, limit: int) -> bool:
    """Return whether the number of items satisfies the relation; stops counting at the limit."""
    return fulfils(sum(1 for _ in islice(items, limit)), relation, limit)


def capital_words(text: str) -> Iterator[str]:
    """Yield the tokens with a capital and no small letter, split as in the Penn Treebank.

    Contractions are split too (`CAN'T` is two), and marks from words, but not asterisks or full stops.
    """
    for match in _BLANKS.finditer(text):
        word = match.group()
        if word.isupper() or word != word.lower():  # few words have a capital
            spaced = _CLITIC.sub(r" \1", _MARKS.sub(" ", word))
            spaced = _JOINED.sub(lambda parts: " ".join(filter(None, parts.groups())), spaced)
            yield from filter(str.isupper, spaced.split())
