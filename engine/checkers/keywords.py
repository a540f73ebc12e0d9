"""Instructions about words and letters: `keywords:*`. Case never counts."""

import re
from typing import Annotated

import pydantic

from engine.checkers.counting import Count, Relation, Text, Texts, fulfils
from engine.checkers.registry import Check


def existence(keywords: Texts) -> Check:
    """Ask for each keyword, be it within a word."""
    wanted = [_plain(keyword) for keyword in keywords]
    return lambda text: all(pattern.search(text) for pattern in wanted)


def frequency(keyword: Text, frequency: Count, relation: Relation) -> Check:
    """Ask for the keyword at least, or less than, so many times, be it within a word."""
    pattern = _plain(keyword.strip())
    return lambda text: fulfils(sum(1 for _ in pattern.finditer(text)), relation, frequency)


def forbidden_words(forbidden_words: Texts) -> Check:
    """Ask that none of the words occur as a word of its own."""
    banned = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in forbidden_words]
    return lambda text: not any(pattern.search(text) for pattern in banned)


def letter_frequency(
    letter: Annotated[str, pydantic.Field(min_length=1, max_length=1)],
    let_frequency: Count,
    let_relation: Relation,
) -> Check:
    """Ask for the letter (or another character, such as `#`) at least, or less than, so many times."""
    small = letter.lower()
    return lambda text: fulfils(text.lower().count(small), let_relation, let_frequency)


def _plain(keyword: str) -> re.Pattern[str]:
    return re.compile(re.escape(keyword), re.IGNORECASE)
