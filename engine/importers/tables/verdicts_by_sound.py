"""What words that are no known verdicts mean, as far as they say it themselves: `not convincing` is no.

Words that say that there is no verdict are read so, and asked about only where they may be one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import that_columns
from engine.importers.reading.rows import number_of
from engine.importers.tables.verdict_words import MET, NO_VERDICT, OK, lookup_key
from engine.phrases import join_names

_NO = re.compile(
    r"\W*(no(?! (error|issue|problem|mistake|violation)s?\b)|not|never|bad|poor|weak|low|wrong|worse|worst"
    r"|(reject|fail|miss)(s|ed|ing)?|insufficient|nein|non|não|nao|нет)\b"
)
_YES = re.compile(
    r"\W*(yes|good|great|fine|ok|okay|excellent|strong|high|perfect|best|better|right|(accept|succeed)(s|ed)?"
    r"|success|successful|sufficient|ja|oui|si|sí|sì|sim|да)\b"
)
_NONE = re.compile(
    r"\W*((i('m| am) )?sorry|as an ai"
    r"|(i('m| am)? )?(cannot|can not|can't|could not|couldn't|unable|not able|refuse[sd]?)"
    r"|(i am |i'm )?not (sure|certain|applicable|assess(ed|able)|judged)|unsure|undecided|inconclusive"
    r"|abstain(s|ed)?|skipped|no (answer|opinion|judge?ment|decision|reply))\b"
)
_NEGATION = re.compile(r"(un|in|im|ir|dis|mis|non|not|does not|doesn't)[\W_]*")

_BLANKS = frozenset(("", "null", "nan"))
"""How programs write that a cell is empty."""

_FREQUENT = 0.1
"""A word for a missing verdict that is so large a share of all values may be a verdict."""


def may_be_verdicts(values: Mapping[str, int]) -> list[str]:
    """Return the frequent words for a missing verdict that may be verdicts, as `error` opposite `ok`.

    `values` have their counts. There are none beside words that say yes and words that say no.
    """
    words = [value for value in values if value not in NO_VERDICT]
    meanings = {"yes" if MET[word] else "no" for word in words if word in MET}
    meanings |= {OK[word] for word in words if word in OK}
    unclear = [word for word in words if word not in MET and not says_no_verdict(word, words)]
    if not words or len(meanings) == 2 or (unclear and truths_by_sound(unclear, words) is not None):
        return []
    n_filled = sum(count for value, count in values.items() if value not in _BLANKS)
    return [
        value
        for value, count in values.items()
        if value in NO_VERDICT - _BLANKS and number_of(value) is None and count >= _FREQUENT * n_filled
    ]


def no_verdict_note(
    name: str, fields: Sequence[str], values: Mapping[str, int], spelling: OptionSpelling
) -> str | None:
    """Return which words of a column were read as no verdict, and what is given if one is a verdict.

    `name` is our column, `fields` those of the file, several of a wide table, `values` words for a missing
    verdict with their counts. None for blanks alone.
    """
    words = {value: count for value, count in values.items() if value not in _BLANKS}
    if not words:
        return None
    shown = join_names([f"{word!r} ({count:,})" for word, count in words.items()])
    meaning = {"met": "no", "reference_met": "no", "choice": "b", "preference": "b"}.get(name, "0")
    given = spelling.meanings(name, {next(iter(words)): meaning})
    otherwise = f"if it is a verdict, give such as {given}"
    return f"{that_columns(fields, 'holds', 'hold')} {shown}, read as no verdict ({otherwise})"


def says_no_verdict(value: str, values: Sequence[str]) -> bool:
    """Return whether a word says that nothing was decided, and is not the opposite of another one."""
    return _NONE.match(value) is not None and not _negates(value, values)


def meanings_by_sound(values: Sequence[str], meanings: Iterable[str] = ()) -> dict[str, str]:
    """Return yes, no or none (no verdict) for those of a few words that say which.

    `meanings` are those of the other values of the column; yes and no are said of all or of none.
    """
    none = [value for value in values if says_no_verdict(value, values)]
    others = [value for value in values if value not in none]
    truths = truths_by_sound(others, meanings) if others else []
    return dict.fromkeys(none, "none") | dict(zip(others, truths or (), strict=False))


def truths_by_sound(values: Sequence[str], meanings: Iterable[str] = ()) -> list[str] | None:
    """Return yes or no for each of a few words if all say which, and some say yes and others no; else None.

    `meanings` are those of the other values of the column.
    """
    truths = []
    for value in values:
        if (truth := _truth(value, values)) is None:
            return None
        truths.append(truth)
    others = ("yes" if MET[word] else "no" for word in map(lookup_key, meanings) if word in MET)
    return truths if {*truths, *others} == {"yes", "no"} else None


def _truth(value: str, values: Sequence[str]) -> str | None:
    """Return what a word says: no if it negates another or says so, yes if it says that or is negated."""
    if _NO.match(value) or _negates(value, values):
        return "no"
    return "yes" if _YES.match(value) or any(_negates(other, [value]) for other in values) else None


def _negates(value: str, values: Sequence[str]) -> bool:
    negation = _NEGATION.match(value)
    return negation is not None and value[negation.end() :] in values
