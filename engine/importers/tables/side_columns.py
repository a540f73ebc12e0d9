"""What a winner's word means where the two columns of models are called by it: `left` beside `left_model`."""

from collections.abc import Collection

from engine.importers.reading.rows import Choice, number_of
from engine.importers.tables.table_columns import side_marks
from engine.importers.tables.verdict_words import LETTERS, NO_VERDICT, PLACES, SIDES, lookup_key

LETTER_OF = {"generator": "a", "opponent": "b"}
"""A side in the words of options."""


def words_of_columns(generator: str | None, opponent: str | None) -> dict[str, Choice]:
    """Return the side of each word by which one of the two columns of models is called."""
    if generator is None or opponent is None or (marks := side_marks(generator, opponent)) is None:
        return {}
    names = lookup_key(generator), lookup_key(opponent)
    return {word: side for first, second in (marks, names) for word, side in _pair(first, second).items()}


def sides_by_columns(
    labels: Collection[str], generator: str | None, opponent: str | None, *, of_order: bool, has_order: bool
) -> dict[str, Choice]:
    """Return the sides of words among `labels`, and of their partners, as far as the columns' names say them.

    Numbers count if all are so called. A letter is not read by the columns where it may be of a place too.
    What is left out has this meaning anyway, or another one that is asked about.
    """
    words = words_of_columns(generator, opponent)
    numbers = {label for label in labels if number_of(label) is not None} - NO_VERDICT
    if not numbers <= words.keys():
        words = {word: side for word, side in words.items() if number_of(word) is None}
    present = {word for pair in _pairs_of(words) if not pair.isdisjoint(labels) for word in pair}
    unlike = {word for word in present if SIDES.get(word) != words[word]}
    places = set() if of_order else present & PLACES.keys()
    letters = present & LETTERS.keys() if has_order and not of_order else set[str]()
    return {word: words[word] for word in words if word in (unlike | places) - letters}


def _pair(first: str, second: str) -> dict[str, Choice]:
    return {first: "generator", second: "opponent"}


def _pairs_of(words: dict[str, Choice]) -> list[set[str]]:
    names = list(words)
    return [set(names[place : place + 2]) for place in range(0, len(names), 2)]
