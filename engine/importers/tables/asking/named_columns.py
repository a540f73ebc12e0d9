"""Columns that options name wrongly: what was perhaps meant, and the options with that in its place."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from engine.errors import UsageError, nearest, unknown
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import OptionSpelling
from engine.importers.tables.asking.questions import TableQuestion
from engine.importers.tables.column_candidates import NOT_OF_PAIRS, OF_PAIRS
from engine.importers.tables.table_columns import COLUMNS, DECLARED, imported_as, matching, plain
from engine.importers.tables.verdict_words import GOOD_OR_BAD, MET, NO_VERDICT, lookup_key
from engine.phrases import join_names

_VERDICTS = ("met", "reference_met")
_MEANINGS = {*MET, *NO_VERDICT, *GOOD_OR_BAD}


class UnknownFieldError(UsageError):
    """An option names a field that no row has; `name` is our column, `likely` the field that was meant."""

    def __init__(
        self, name: str, place: str, fields: Sequence[str], shown: str, spelling: OptionSpelling
    ) -> None:
        by_plain = {plain(field): field for field in fields if plain(field) not in COLUMNS}
        close = [by_plain[each] for each in get_close_matches(plain(place), by_plain, 1)]
        so_called = (matching(fields, group) for group in DECLARED[name].groups())
        self.name, self.likely = name, next(iter((*next(filter(None, so_called), ()), *close)), None)
        meant = "" if self.likely is None else f"; did you mean {self.likely!r}"
        problem = f"{spelling.column(name)} names {place!r}, which no row has"
        if several := _several_of(place, fields):
            names = join_names(list(map(repr, several)))
            of_criteria = name in ("met", "score")
            criteria = f"; if each is a criterion, give {spelling.criteria(several)}" if of_criteria else ""
            super().__init__(
                f"{problem}; {names} are columns each, and one fills {spelling.name(name)}: give one of "
                f"them, such as {spelling.columns({name: several[0]})}{criteria}"
            )
            return
        super().__init__(
            f"{problem}{meant}; the fields are {shown}; "
            f"for one value in every row, give {spelling.constant(name, place)}"
        )

    def corrected(self, options: ImportOptions) -> ImportOptions:
        """Return the options with the field that was meant, or without one if none is alike."""
        others = {name: place for name, place in options.map.items() if name != self.name}
        return replace(options, map=others | ({} if self.likely is None else {self.name: self.likely}))


def _several_of(place: str, fields: Sequence[str]) -> list[str]:
    """Return the fields that a name lists with commas between them; empty if it lists anything else too."""
    parts = [part.strip() for part in place.split(",")]
    by_plain = {plain(field): field for field in fields}
    return [by_plain[plain(each)] for each in parts] if {*map(plain, parts)} <= by_plain.keys() else []


def with_known_names(
    options: ImportOptions, fields: Collection[str] = ()
) -> tuple[ImportOptions, list[TableQuestion]]:
    """Return the options with our names for columns, and what is wrong with those that are none.

    `fields` are those of the file, once they have been read: they tell a column that we call otherwise from
    one that is given the wrong way round.
    """
    questions: list[TableQuestion] = []
    options = _by_our_columns(options)
    pairs = "opponent" in options.map
    mapped = _renamed("map", options, questions, fields, pairs=pairs)
    constants = _renamed("set", options, questions, fields, pairs=pairs)
    meanings = _renamed("value", options, questions, fields, pairs=pairs)
    for name in _VERDICTS:
        words = meanings.get(name, {})
        for value, word in words.items():
            if lookup_key(word) not in _MEANINGS:
                given = options.spelling.meanings(name, {value: word})
                problem = f"{given}: {word!r} is no verdict; give yes, no, good, bad, none or refused"
                questions.append(TableQuestion(problem))
        if name in meanings:
            meanings[name] = {value: word for value, word in words.items() if lookup_key(word) in _MEANINGS}
    meanings = {name: words for name, words in meanings.items() if words}
    return (replace(options, map=mapped, set=constants, value=meanings) if questions else options), questions


def _by_our_columns(options: ImportOptions) -> ImportOptions:
    """Return the options with the meanings of a field's values as those of our column that it fills."""
    meanings, spelling = dict(options.value), options.spelling
    for field in [name for name in options.value if name not in COLUMNS]:
        for name in [each for each, place in options.map.items() if place == field]:
            meanings.pop(field, None)
            if name in options.value:
                both = [spelling.meanings(each, options.value[each]) for each in (name, field)]
                raise UsageError(f"{both[0]} and {both[1]} are of one column, {field!r}; give all in one")
            meanings[name] = options.value[field]
    return replace(options, value=meanings)


def _renamed(
    option: str,
    options: ImportOptions,
    questions: list[TableQuestion],
    fields: Collection[str],
    *,
    pairs: bool,
) -> dict[str, Any]:
    """Return what an option gives for each of our columns; a name that is none is replaced, or left out."""
    given: Mapping[str, Any] = getattr(options, option)
    kind = options.spelling.column_of(option)
    unlikely = NOT_OF_PAIRS if pairs else OF_PAIRS
    columns = {name: value for name, value in given.items() if name in COLUMNS}
    for name in [each for each in given if each not in COLUMNS]:
        value = given[name]
        synonyms = sorted(imported_as(name), key=unlikely.__contains__)
        meant = synonyms[0] if synonyms else nearest(name, COLUMNS)
        if option == "map" and value in COLUMNS and not (meant and value in fields and name not in fields):
            pair = options.spelling.columns({value: name})
            hint, meant, value = f"the name of our column comes first: {pair}", value, name
        elif meant is not None:
            hint = f"it is called {meant} here" if synonyms else f"did you mean {meant}"
        else:
            questions.append(TableQuestion(str(unknown(kind, name, COLUMNS))))
            continue
        questions.append(TableQuestion(f"unknown {kind} {name!r}; {hint}"))
        columns.setdefault(meant, value)
    return columns
