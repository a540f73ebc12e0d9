"""Telling what judges said from what is true: the one depends on who judged, the other does not."""

from collections.abc import Sequence

from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judged_things import dependence_on_judge, judged_things
from engine.importers.tables.guessing.truths import truth_name
from engine.importers.tables.guessing.verdicts import is_called_verdicts, may_be_verdicts
from engine.importers.tables.table_columns import TRUTHS, VERDICTS
from engine.importers.tables.verdict_names import is_plainly_of_judges, may_be_true
from engine.phrases import join_names


def tell_verdicts_from_truth(table: GuessedTable) -> None:
    """Read the verdicts from a column that judges decide, where one was taken that none does."""
    names = _names(table)
    if not table.mapped.keys().isdisjoint(VERDICTS) or table.columns_of_verdicts:
        return
    current = [column for name in names if (column := table.places.get(name)) is not None]
    maybe = current or [column for name in names for column in table.result.open.get(name, ())]
    if not maybe or len(current) > 1 or (things := judged_things(table)) is None:
        return
    others = [c for c in table.free if c not in maybe and may_be_verdicts(table, c, names)]
    spread = {column: dependence_on_judge(table, column, things) for column in (*maybe, *others)}
    called = [column for column in others if is_called_verdicts(table, column, names)]
    if current and called and may_be_true(current[0]) and not spread[current[0]].several:
        _leave_verdicts_open(table, [*current, *called])
        return
    rivals = [column for column in others if spread[column].differing]
    rivals = [column for column in rivals if column in called] or (
        [] if current and is_plainly_of_judges(current[0]) else rivals
    )
    verdicts = [c for c in maybe if not current and spread[c].differing] or rivals
    truths = [column for column in maybe if column not in verdicts]
    if truths and all(spread[t].is_truth_beside(spread[v]) for v in verdicts for t in truths):
        if len(verdicts) > 1:
            _leave_verdicts_open(table, verdicts)
        elif verdicts:
            _take_verdicts_instead(table, verdicts[0], truths)


def _names(table: GuessedTable) -> tuple[str, ...]:
    """Return our columns of the verdicts that a table of this kind may have."""
    return ("choice",) if table.is_of_pairs else ("met", "score")


def _verdict_name(table: GuessedTable, column: str) -> str:
    """Return our column that a column of verdicts is, by its values."""
    if table.is_of_pairs:
        return "choice"
    return "met" if table.is_truth(column) else "score"


def _leave_verdicts_open(table: GuessedTable, columns: Sequence[str]) -> None:
    _forget_verdicts(table)
    table.result.open[_verdict_name(table, columns[0])] = tuple(columns)


def _forget_verdicts(table: GuessedTable) -> None:
    for name in _names(table):
        table.result.open.pop(name, None)
        table.result.map.pop(name, None)
        if (column := table.places.pop(name, None)) is not None:
            table.free.append(column)


def _take_verdicts_instead(table: GuessedTable, verdict: str, truths: Sequence[str]) -> None:
    """Take a column for what judges said, and the only one of the truths for what is true."""
    _forget_verdicts(table)
    name = _verdict_name(table, verdict)
    table.take(name, verdict)
    do = "does" if len(truths) == 1 else "do"
    note = (
        f"{join_names(list(map(repr, truths)))} {do} not depend on who judged, and {verdict!r} does, "
        "which is taken for what judges said"
    )
    if len(truths) == 1 and not table.has(*TRUTHS):
        table.take(truth_name(table, truths[0]), truths[0])
        note += f", and {truths[0]!r} for what is true ({table.spelling.without(truths)} if it is not)"
    else:
        note += f" ({table.spelling.columns({name: 'FIELD'})} names another)"
    table.result.notes.append(note)
