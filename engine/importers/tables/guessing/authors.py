"""Which columns name the models that answered: one author, or the two of a pair."""

from collections.abc import Sequence

from engine.importers.families import resolve
from engine.importers.reading.columns import value_at
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.table_columns import DECLARED, SidedColumns, matching, sided
from engine.importers.tables.verdict_names import is_called_author
from engine.importers.tables.verdict_words import lookup_key


def take_authors(table: GuessedTable) -> None:
    """Take the author of the answers and, in a table of pairs, the opponent."""
    _take_partner(table)
    if not table.has("generator", "opponent"):
        _take_pair(table)
    if table.choose("generator", table.sample.is_name):
        # A judge's own column may be called a baseline's only if the table is of pairs.
        table.choose("opponent", table.sample.is_name)
    elif not table.has("generator", "opponent"):
        _leave_pair_open(table)
    for name in ("generator", "opponent"):
        column = table.places.get(name)
        if column is not None:
            table.models |= set(table.sample.labels(column))


def take_author_beside_judge(table: GuessedTable) -> None:
    """Take for the author of the answers the one other column of judges' names, whatever it is called.

    Not one called like a winner or an opponent, nor one that nearly always names the judge itself.
    """
    judge, answered, is_name = table.places.get("judge"), ("generator", "opponent"), table.sample.is_name
    if table.has(*answered) or not table.result.open.keys().isdisjoint(("judge", *answered)):
        return
    others = {each for name in ("choice", "opponent") for each in table.candidates(name, is_name)}
    free = [each for each in table.free if each not in others and is_name(each)]
    hits = [column for column in free if judge is not None and _names_other_judges(table, column, judge)]
    if len(hits) == 1:
        table.take("generator", hits[0])
        table.models |= set(table.sample.labels(hits[0]))
    elif hits:
        table.result.open["generator"] = tuple(hits)
    else:
        _take_only_models(table, free)


def _names_other_judges(table: GuessedTable, column: str, judge: str) -> bool:
    """Return whether a column names judges, and mostly others than the row's own."""
    names, judges = (table.sample.labels(each).keys() for each in (column, judge))
    n_own = sum(value_at(row, column) == value_at(row, judge) for row in table.sample.rows)
    return len(names & judges) > max(1, len(names) // 2) and 2 * n_own <= len(table.sample.rows)


def _take_only_models(table: GuessedTable, columns: Sequence[str]) -> None:
    """Take the only one of some columns that holds models if it is called an author's.

    So one whose models are those of columns of verdicts. One of another name may be the author's where the
    judge is known.
    """
    hits = [column for column in columns if table.holds_models(column)]
    if len(hits) != 1:
        return
    judges = {lookup_key(name) for name in table.result.judges.values()}
    answerers = table.sample.labels(hits[0]).keys()
    if is_called_author(hits[0]) or 2 * len(judges & answerers) > len(answerers):
        table.take("generator", hits[0])
        table.models |= set(table.sample.labels(hits[0]))
    elif table.has("judge"):
        table.result.open["generator"] = (hits[0],)


def _take_partner(table: GuessedTable) -> None:
    """Take the other side's column where that of one side is known: `model_b` beside `model_a`."""
    for name, other, place in (("generator", "opponent", 0), ("opponent", "generator", 1)):
        column = table.places.get(other)
        if not table.has(name) and column is not None:
            partners = [p for p in sided(table.sample.columns) if column == (p.second, p.first)[place]]
            hits = [(p.first, p.second)[place] for p in partners]
            if len(hits) == 1 and hits[0] in table.free and table.sample.is_name(hits[0]):
                table.take(name, hits[0])


def _take_pair(table: GuessedTable) -> None:
    """Take the pair of columns that holds models; of several those called so, else those that judge too."""
    pairs = _pairs_of_names(table)
    models = (
        [p for p in pairs if _share_of_models(table, p) > 0.5]
        or [p for p in pairs if p.may_be_models]
        or [p for p in pairs if _names_judges(table, p)]
    )
    best = models
    if len(models) > 1:
        called_models = [p for p in models if "model" in p.words]
        best = called_models or [p for p in models if _names_judges(table, p)] or models
    if len(best) == 1:
        table.take("generator", best[0].first)
        table.take("opponent", best[0].second)
    elif best:
        table.result.open["generator"] = tuple(pair.first for pair in best)
        table.result.open["opponent"] = tuple(pair.second for pair in best)


def _leave_pair_open(table: GuessedTable) -> None:
    """Note the one pair of columns that says nothing but the sides, and has the same names on both."""
    labels = table.sample.labels
    pairs = [
        pair
        for pair in _pairs_of_names(table)
        if (not pair.words or pair.may_be_texts) and labels(pair.first).keys() & labels(pair.second).keys()
    ]
    if len(pairs) == 1 and "generator" not in table.result.open:
        table.result.open |= {"generator": (pairs[0].first,), "opponent": (pairs[0].second,)}


def _pairs_of_names(table: GuessedTable) -> list[SidedColumns]:
    is_name = table.sample.is_name
    return [pair for pair in sided(table.free) if is_name(pair.first) and is_name(pair.second)]


def _names_judges(table: GuessedTable, pair: SidedColumns) -> bool:
    """Return whether both columns have names that a column called like the judges' has too."""
    sample, column = table.sample, table.places.get("judge")
    called = [name for group in DECLARED["judge"].groups() for name in group]
    columns = [column] if column is not None else matching(table.free, called)
    judges = {name for each in columns if sample.is_name(each) for name in sample.labels(each)}
    return all(judges & sample.labels(each).keys() for each in (pair.first, pair.second))


def _share_of_models(table: GuessedTable, pair: SidedColumns) -> float:
    names = {str(value) for c in (pair.first, pair.second) for value in table.sample.values(c)}
    return sum(resolve(name).state == "sure" for name in names) / max(len(names), 1)
