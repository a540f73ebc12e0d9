"""Instructions about capital and small letters: `change_case:*`."""

from engine.checkers.counting import Count, Relation, capital_words, counted
from engine.checkers.language import detected
from engine.checkers.registry import Check


def capital_word_frequency(capital_frequency: Count, capital_relation: Relation) -> Check:
    """Ask for at least, or less than, so many words in capital letters."""
    return lambda text: counted(capital_words(text), capital_relation, capital_frequency)


def english_capital() -> Check:
    """Ask for English in capital letters; a text without a word to tell the language by passes for it."""
    return lambda text: text.isupper() and detected(text) in ("en", None)


def english_lowercase() -> Check:
    """Ask for English in small letters; a text without a word to tell the language by passes for it."""
    return lambda text: text.islower() and detected(text) in ("en", None)
