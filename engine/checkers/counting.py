"""What instructions count in a text: words, sentences, paragraphs, words in capitals.

Texts come from models and may be anything, so nothing here takes time that grows faster than the text does.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import pydantic

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer

Relation = Literal["at least", "less than"]
Count = Annotated[int, pydantic.Field(ge=0)]
Text = Annotated[str, pydantic.Field(min_length=1)]
Texts = Annotated[list[Text], pydantic.Field(min_length=1)]

MOST_CHARACTERS = 1_000_000
"""A longer text is not split into sentences: no answer of a model is that long, and it would take minutes."""

_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\S+")
# A token ends where the Penn Treebank's conventions part a word from what follows it.
_MARKS = re.compile(r"\.{2,}|--|[][(){}<>\"“”‘’«»„`;@#$%&?!…–—]|[:,](?!\d)|[^\w\s'*.]'|''")
_CLITIC = re.compile(r"(?<=[^'\s])('(?:s|m|d|ll|re|ve)|n't)(?!\w)", re.IGNORECASE)
_JOINED = re.compile(r"\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b", re.IGNORECASE)


class TooLongError(ValueError):
    """A text that is too long for what is asked of it; the instruction gets no verdict."""


def fulfils(count: int, relation: Relation, wanted: int) -> bool:
    """Return whether the count is as the relation asks."""
    return count >= wanted if relation == "at least" else count < wanted


def counted(items: Iterator[object], relation: Relation, wanted: int) -> bool:
    """Return whether there are as many items as asked; none is looked for beyond the wanted number."""
    return fulfils(sum(1 for _ in islice(items, wanted)), relation, wanted)


def words(text: str) -> Iterator[str]:
    """Yield runs of letters, digits and underscores."""
    return (match.group() for match in _WORD.finditer(text))


def sentences(text: str) -> Iterator[str]:
    """Yield sentences as Punkt finds them (Kiss & Strunk 2006), with the English model that NLTK hands out.

    Raises TooLongError for a text of more than a million characters.
    """
    if len(text) > MOST_CHARACTERS:
        raise TooLongError(f"the text has {len(text):,} characters, more than {MOST_CHARACTERS:,}")
    return (text[start:end] for start, end in _splitter().span_tokenize(text))


def capital_words(text: str) -> Iterator[str]:
    """Yield the tokens without a small letter and with a capital one, parted as in the Penn Treebank.

    Contractions are parted too (`CAN'T` is two), and marks from words, but not asterisks or full stops.
    """
    for match in _BLANKS.finditer(text):
        word = match.group()
        if word.isupper() or word != word.lower():  # few words have a capital
            yield from (token for token in _tokens(word) if token.isupper())


def paragraphs(text: str) -> int | None:
    """Return how many paragraphs are parted by `***`, or None where one between two others is blank."""
    parts = re.split(r"\s?\*\*\*\s?", text)
    if any(not part.strip() for part in parts[1:-1]):
        return None
    ends = parts[:1] + parts[1:][-1:]
    return len(parts) - sum(not part.strip() for part in ends)


def _tokens(word: str) -> list[str]:
    parted = _CLITIC.sub(r" \1", _MARKS.sub(" ", word))
    return _JOINED.sub(lambda match: " ".join(filter(None, match.groups())), parted).split()


@cache
def _splitter() -> "PunktSentenceTokenizer":
    import punkt

    return punkt.tokenizer_for("english")
