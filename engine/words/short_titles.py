"""Short titles of fields, filters, measures and axes, from their declarations."""

from collections.abc import Iterator, Mapping
from typing import Any

from engine.measures.catalogue import MEASURES
from engine.measures.entry import Measure
from engine.measures.scorecard.judge_numbers import BIASES, COMPUTED, OTHERS
from engine.phrases import shortened
from engine.slices import FLAGS
from engine.words.plain_names import value_words

ROW_KINDS = {
    "overestimation": "Overestimations",
    "underestimation": "Underestimations",
    "disagreement": "Disagreements with the reference",
    "failed": "All that the reference failed",
    "all": "All verdicts",
}
"""The kinds of rows of `engine.explore.judgment_page`."""


def title(name: str) -> str:
    """Return a field's or filter's short title: the declared one, else its name in words.

    Of a p-value it is that of its number, and whether it is adjusted: `p, matched ratio, adjusted`.
    """
    if name in _TITLES:
        return _TITLES[name]
    if name.endswith("_p_adjusted") and (of := name.removesuffix("_adjusted")) in _TITLES:
        return f"{_TITLES[of]}, adjusted"
    for suffix, words in _P_VALUES.items():
        if name.endswith(suffix) and (number := name.removesuffix(suffix)) in _NUMBERS:
            return words.format(within_words(title(number)))
    for suffix, word in (("_least", "lowest"), ("_most", "highest")):
        if name.endswith(suffix) and (number := name.removesuffix(suffix)) in _NUMBERS:
            return f"{title(number)}, {word}"
    first, *others = (_ABBREVIATIONS.get(word, word) for word in name.split("_"))
    return " ".join([first if first in ("n", "p") else first[:1].upper() + first[1:], *others])


_P_VALUES = {
    "_p_tastes_adjusted": "p with tastes, {}",
    "_p_tastes": "p with tastes, {}, not adjusted",
    "_p_adjusted": "p, {}, adjusted",
    "_p": "p, {}, not adjusted",
}
_ABBREVIATIONS = {
    **{
        word: word.upper() for word in ("dbg", "hspp", "ilsp", "mipa", "mra", "pir", "sd", "spb", "usd", "f1")
    },
    "mcnemar": "McNemar",
}


def field_title(measure: Measure, name: str) -> str:
    """Return the short title of a field in a measure's table: its own, else that of the name elsewhere."""
    declared = (field.title for field in measure.fields if field.name == name and field.title)
    return next(declared, "") or title(name)


def measure(name: str) -> str:
    """Return the short title of a measure or a number of `together` or `association`: that of its field."""
    if name in COMPUTED:
        return COMPUTED[name]
    field = MEASURES[name].headline if name in MEASURES else _FIELDS.get(name, name)
    return within_words(title(field))


def axis_title(measure: Measure, field: str) -> str:
    """Return the title of the axis on which claims of a measure's field are drawn."""
    declared = (each.axis for each in measure.fields if each.name == field and each.axis)
    return next(declared, "") or title(field)


def place_of_slice(row: Mapping[str, Any]) -> str:
    """Return the slice of a row of `find` in words, with the only criterion that it holds."""
    return slice_place(row["where"], criterion=row.get("criterion"))


LONGEST_CRITERION = 60
"""Most characters of a criterion that is named beside its slice."""


def slice_place(where: str, between: str = " and ", criterion: str | None = None) -> str:
    """Return a slice found by the finder in words: `polarity negative and axis context seeking`.

    The only `criterion` that it holds is named behind it.
    """
    parts = (part.partition("=") for part in where.split("; "))
    words = ((within_words(title(column)), value_words(column, value)) for column, _, value in parts)
    place = between.join(" ".join(part).strip() for part in words)
    return place if criterion is None else f'{place} (only "{shortened(criterion, LONGEST_CRITERION)}")'


def _declared() -> Iterator[tuple[str, str]]:
    """Yield declared titles, a filter's last and the first measure's before: the last of a name counts."""
    fields = (field for measure in reversed(MEASURES.values()) for field in measure.fields if field.title)
    for field in fields:
        yield field.name, field.title
        if field.null is not None:
            number = within_words(field.title.removesuffix(", points"))
            yield f"{field.name}_p_adjusted", f"p, {number}, adjusted"
    yield from ((flag.name, flag.title) for flag in FLAGS if flag.title)
    yield "by", "Group by"


def within_words(title: str) -> str:
    """Return a title as it stands within words: `Matched ratio` in small letters, `HSPP ratio` as it is."""
    return title[0].lower() + title[1:] if title[1:2].islower() else title


_TITLES = dict(_declared())
_NUMBERS = {field.name for measure in MEASURES.values() for field in measure.fields}
_FIELDS = {number.name: number.field for number in (*BIASES, *OTHERS)}


DECIDING_AXES = {
    "odds_self": "odds (1 = no preference)",
    "hspp_matched": "ratio (1 = no preference)",
    "vote_outside": "votes above other judges'",
    "bonus_outside": "points above other judges'",
}
"""The titles of the axes of deciding numbers, if there is little room."""
