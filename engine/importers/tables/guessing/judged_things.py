"""What a judge judged, and how far a column depends on the judge of it."""

from collections.abc import Sequence

from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.judge_agreement import Dependence, dependence


def judged_things(table: GuessedTable) -> list[str] | None:
    """Return the columns that say what a judge judged; None if question, author or judge are unknown.

    For an author who is to be named by the user, the columns of models and answers stand in.
    """
    question = table.question
    if question is None or not table.has("judge"):
        return None
    names = ("generator", "opponent", "rubric_id", "criterion", "first")
    columns = {column for name in names if (column := table.places.get(name)) is not None}
    if not table.has("generator"):
        authors = {c for c in table.free if table.sample.is_name(c) and table.holds_models(c)}
        authors |= {*table.result.open.get("generator", ()), table.places.get("response") or ""} - {""}
        if not authors:
            return None
        columns |= authors
    return [question, *sorted(columns)]


def dependence_on_judge(table: GuessedTable, column: str, things: Sequence[str]) -> Dependence:
    """Return how far a column depends on the judge; not at all where all rows are of one."""
    judge = table.places["judge"]
    return Dependence(0, 0) if judge is None else dependence(table.sample, column, judge, things)
