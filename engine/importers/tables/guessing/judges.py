"""Which column names the models that judged, or which columns have the verdicts of one judge each."""

import re
from collections.abc import Iterable
from functools import partial

from engine.importers.families import resolve
from engine.importers.import_options import ImportOptions
from engine.importers.model_names.name_remarks import VERDICT_WORDS, common_remark
from engine.importers.reading.rows import number_of
from engine.importers.tables.fractions import is_share
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import DECLARED, VERDICTS, matching, plain
from engine.importers.tables.verdict_names import REMARKS
from engine.importers.tables.verdict_words import MET, NO_VERDICT, OK, SIDES, lookup_key
from engine.phrases import join_names

_MOSTLY = 0.6
"""The least share of verdicts in a column that is called like a model; its other words are asked about."""

_PARTS = re.compile(r"([_. :]*)([^_. :]+)")
"""A word of a column's name, and what stands before it, which a model's name may have too: `gpt-4.1`."""

_IN_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")


def take_judge(table: GuessedTable) -> None:
    """Take the column of judges by its name, else a column for each judge, else the one of models.

    The only column of models may be the authors' where these are not known.
    """
    if table.has("judge") or table.wide:
        return
    if table.choose("judge", partial(may_be_judges, table)) or "judge" in table.result.open:
        return
    if judges := _wide_judges(table, table.free):
        table.result.judges = judges
        table.free = [column for column in table.free if column not in judges]
        return
    hits = [c for c in table.free if table.sample.is_name(c) and table.holds_models(c)]
    if table.is_of_pairs:
        of_sides = [DECLARED[name].groups() for name in ("first", "choice", "preference")]
        sides = matching(hits, (name for groups in of_sides for group in groups for name in group))
        hits = [column for column in hits if column not in sides]
    if len(hits) == 1 and table.models:
        table.take("judge", hits[0])
    elif len(hits) > 1 or "generator" in table.result.open:
        table.result.open["judge"] = tuple(hits)


def judges_of(table: GuessedTable) -> ImportOptions:
    """Return the guessed columns of judges, as options: one for each judge, or that of models that judged."""
    if table.result.judges:
        return ImportOptions(judges=tuple(table.result.judges))
    column = table.result.map.get("judge")
    if column is None or not table.holds_models(column):
        return ImportOptions()
    verdicts = {name: each for name in VERDICTS if (each := table.result.map.get(name)) is not None}
    return ImportOptions(map={"judge": column, **verdicts})


def may_be_judges(table: GuessedTable, column: str) -> bool:
    """Return whether a column may be the judges': annotators may be people, unless named like models."""
    may_be_people = plain(column).startswith(("annotat", "label", "vote"))
    return table.sample.is_name(column) and (not may_be_people or table.holds_models(column))


def name_wide_judges(table: GuessedTable) -> None:
    """Call the judges of the columns that the user named as they would be if nobody had named these."""
    if not table.wide:
        return
    names = _wide_judges(table, table.wide)
    table.result.judges = {column: names.get(column, column) for column in table.wide}
    if renamed := [f"{name} of {column!r}" for column, name in names.items() if column != name]:
        table.result.notes.append(f"the judges are named as other tables have them: {join_names(renamed)}")


def _wide_judges(table: GuessedTable, columns: Iterable[str]) -> dict[str, str]:
    """Return the columns that are named like models and hold verdicts, each with the judge's name."""
    judges = {}
    words = {*MET, *OK, *NO_VERDICT, *((*SIDES, *table.models) if table.is_of_pairs else ())}
    for column in columns:
        judge = _judge_of(column, table.models)
        labels = table.sample.labels(column)
        n_verdicts = sum(n for each, n in labels.items() if each in words or _is_number(each))
        if judge is not None and labels and n_verdicts >= _MOSTLY * labels.total():
            judges[column] = judge
    if remark := common_remark(list(judges.values()), table.models):
        before, after = map(len, remark)
        judges = {column: name[before : len(name) - after] for column, name in judges.items()}
    return judges if len(set(judges.values())) == len(judges) else {column: column for column in judges}


def _is_of_name(bracket: str) -> bool:
    """Return whether what stands in brackets after a judge's name may be a part of it."""
    return VERDICT_WORDS.isdisjoint(bracket.casefold().split())


def _is_number(label: str) -> bool:
    return number_of(label) is not None or is_share(label)


def _judge_of(column: str, answerers: set[str]) -> str | None:
    """Return the model that a column is named after, without words such as `verdict`; None for none.

    `answerers` are the models that answered, in the form for look-ups.
    """
    if lookup_key(column) in answerers:
        return column
    bare = _IN_BRACKETS.sub(lambda match: match[0] if _is_of_name(match[1]) else "", column)
    parts = [part for part in _PARTS.findall(bare) if part[1].casefold() not in VERDICT_WORDS]
    if not parts or {word.casefold() for _, word in parts} & REMARKS:
        return None
    name = "".join(map("".join, parts)).lstrip("_. :")
    return name if lookup_key(name) in answerers or resolve(name).state == "sure" else None
