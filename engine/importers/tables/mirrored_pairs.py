"""Whether the pairs of a table are there both ways round, by the column that names their questions."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import Choice
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows

_NEARLY_ALL = 0.9


def share_of_mirrored(
    rows: Iterable[Mapping[str, Any]], question: str, judge: str | None, generator: str, opponent: str
) -> float:
    """Return the share of the pairs of a question and judge that are there twice, once each way round."""
    ways: dict[int, list[int]] = {}  # by hashes, as there may be millions
    for row in rows:
        models = [str(value_at(row, column)) for column in (generator, opponent)]
        who = None if judge is None else str(value_at(row, judge))
        pair = hash((who, str(value_at(row, question)), *sorted(models)))
        ways.setdefault(pair, [0, 0])[models[0] > models[1]] += 1
    return sum(each == [1, 1] for each in ways.values()) / max(len(ways), 1)


def are_mirrored(
    rows: Iterable[Mapping[str, Any]], question: str, judge: str | None, generator: str, opponent: str
) -> bool:
    """Return whether nearly all pairs of a question and judge are there twice, once each way round."""
    return share_of_mirrored(rows, question, judge, generator, opponent) >= _NEARLY_ALL


def shown_first_if_mirrored(plan: TablePlan, rows: Iterable[Mapping[str, Any]]) -> Choice | None:
    """Return the side that is taken to be shown first, since `rows` have each pair both ways round, if so.

    That is only known of all rows: among some of them many a pair lacks its other order.
    """
    question = plan.places.get("instance_id") or plan.places.get("prompt")
    judge, generator, opponent = map(plan.places.get, ("judge", "generator", "opponent"))
    if plan.first_if_mirrored is None or question is None or generator is None or opponent is None:
        return None
    return plan.first_if_mirrored if are_mirrored(rows, question, judge, generator, opponent) else None


def id_of_one_order(plan: TablePlan, sample: FirstRows) -> str | None:
    """Return a doubt about an id by which no pair is there both ways round, if by an unread column each is.

    To judge more would not help then.
    """
    names = ("instance_id", "generator", "opponent")
    question, generator, opponent = (plan.places.get(name) for name in names)
    judge = plan.places.get("judge")
    if question is None or generator is None or opponent is None:
        return None
    if share_of_mirrored(sample.rows, question, judge, generator, opponent) > 0:
        return None
    for column in filter(sample.is_label, plan.unread(sample.columns)):
        if are_mirrored(sample.rows, column, judge, generator, opponent):
            given = plan.options.spelling.columns({"instance_id": column})
            return (
                f"by {question!r} as the question's id no pair is there in both orders, and by {column!r} "
                f"each is: if that names the question, give {given}; nothing more is to be judged then"
            )
    return None
