"""Codes, options and values of columns as people write them."""

import re

from engine.wording import Sentence

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_PARADIGM = re.compile(r"\b(?:single_rubric|all_rubrics|direct_assessment|score_rubric)\b")
MOST_VALUES = 12
"""So many values of a filter are named, such as those within a range; the rest are counted."""

_COMMAND = re.compile(r"(?:,? (?:with|by)|:)? (?:\(`spb [^`]*`\)|`spb [^`]*`)")


PLAIN_NAMES = frozenset({"axis", "theme", "category", "paradigm", "length", "dimension"})
"""Columns whose values are names of kinds, such as `context_seeking`; names of models stay as they are."""


_PARADIGMS = {
    "single_rubric": "single criterion",
    "all_rubrics": "all criteria",
    "score_rubric": "criterion score",
}
LEVELS = {"rubric": "single criteria", "instance": "comparisons of answers"}
"""What the levels of measures count."""


def paradigm_name(paradigm: object) -> str:
    """Return the name of a paradigm as people write it: `single criterion`."""
    return _PARADIGMS.get(str(paradigm), str(paradigm).replace("_", " "))


def value_words(column: str | None, value: object) -> str:
    """Return a value of a column as people write it: `context seeking`."""
    text = str(value)
    if column == "paradigm":
        return paradigm_name(text)
    if column == "level":
        return LEVELS.get(text, text)
    if column in _RANGES and (one := _ONE_LENGTH.fullmatch(text)):
        return one[1]
    return text.replace("_", " ") if column in PLAIN_NAMES else text


_RANGES = frozenset({"length", "response_length"})
_ONE_LENGTH = re.compile(r"(\d+)-\1")
"""A range of lengths that holds one."""


def on_page(text: str) -> str:
    """Return a terminal's text for a page: no commands, plain words for options and paradigms."""
    words = text.on_page() if isinstance(text, Sentence) else text
    plain = _FLAG.sub(lambda flag: flag[1].replace("-", " "), _COMMAND.sub("", words))
    return paradigms_in_words(plain)


def paradigms_in_words(text: str) -> str:
    """Return a text with its codes of paradigms as people write them."""
    return _PARADIGM.sub(lambda code: paradigm_name(code[0]), text)
