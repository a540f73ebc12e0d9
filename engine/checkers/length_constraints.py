"""Instructions about length: `length_constraints:*`."""

import re

from engine.checkers.counting import Count, Relation, Text, counted, paragraphs, sentences, words
from engine.checkers.registry import Check

_WORD_END = re.compile(r"[.,?!'\"]")


def number_words(num_words: Count, relation: Relation) -> Check:
    """Ask for at least, or less than, so many words (runs of letters, digits and underscores)."""
    return lambda text: counted(words(text), relation, num_words)


def number_sentences(num_sentences: Count, relation: Relation) -> Check:
    """Ask for at least, or less than, so many sentences."""
    return lambda text: counted(sentences(text), relation, num_sentences)


def number_paragraphs(num_paragraphs: Count) -> Check:
    """Ask for exactly so many paragraphs, parted by `***`; none between two others is blank."""
    return lambda text: paragraphs(text) == num_paragraphs


def nth_paragraph_first_word(num_paragraphs: Count, nth_paragraph: Count, first_word: Text) -> Check:
    """Ask for so many paragraphs, parted by blank lines, of which the nth begins with the word.

    Blank paragraphs are not counted, but they count in finding the nth, as in IFEval. The word ends at the
    first full stop, comma, question or exclamation mark or quotation mark; case does not count.
    """

    def check(text: str) -> bool:
        parts = text.split("\n\n")
        size = sum(bool(part.strip()) for part in parts)
        if size != num_paragraphs or not 1 <= nth_paragraph <= size:
            return False
        first, *_ = parts[nth_paragraph - 1].split(maxsplit=1) or [""]
        start = first.lstrip("'").lstrip('"')
        return _WORD_END.split(start, maxsplit=1)[0].lower() == first_word.lower() and bool(first)

    return check
