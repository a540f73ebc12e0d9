"""The meaning of a column as people read it: other columns by their titles, codes and levels in words."""

import re

from engine.conclusions import WORDS
from engine.words.plain_names import paradigms_in_words
from engine.words.short_titles import title

_CODE = re.compile(r"`?\b[a-z]+(?:_[a-z0-9]+)+\b`?")
_LEVELS = {
    "at level `instance`": "between whole answers",
    "`rubric` or `instance`": "single criteria or comparisons of answers",
}


def meaning_in_words(meaning: str) -> str:
    """Return a declared meaning, `own_given minus own_expected`, as `“Given” minus “Expected”`."""
    for code, words in _LEVELS.items():
        meaning = meaning.replace(code, words)
    return _CODE.sub(lambda code: _words_of(code[0].strip("`")), paradigms_in_words(meaning))


def _words_of(code: str) -> str:
    return WORDS.get(code) or f"“{title(code)}”"
