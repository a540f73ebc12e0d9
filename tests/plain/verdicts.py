"""Counted rubric verdicts, each with the reference (MEASURES sections 1 and 2)."""

from typing import Any, NamedTuple

from plain.agreement import is_agreed
from plain.asking import Query, is_shown, named, rows_asked, rubric_of
from plain.filters import is_favourable, rubric_is_kept
from plain.study import Row
from plain.truth import merged_verdict, reference_verdict


class Verdict(NamedTuple):
    """A judge's merged verdict and the reference's, raw and as favourable or not."""

    judge: str
    generator: str
    instance_id: str
    rubric_id: str
    met: bool
    truly_met: bool
    favourable: bool
    truly_favourable: bool


class Cell:
    """The counts of one judge on one generator.

    `over` of `lost`: unfavourable references (or lost comparisons) that the judge did not call so;
    `under` of `won` the other way round. `to_win` are the overestimations from a loss to a win.
    """

    def __init__(self) -> None:
        self.over = self.lost = self.under = self.won = self.to_win = 0

    def add(self, judged: int, true: int) -> None:
        """Count one outcome, each side +1, 0 or -1."""
        if true == -1:
            self.lost += 1
            self.over += judged > -1
            self.to_win += judged == 1
        if true == 1:
            self.won += 1
            self.under += judged < 1


Cells = dict[tuple[str, str], Cell]


def rows_in_slice(query: Query) -> list[Row]:
    """The rows that are shown and kept by the filters, whatever their status."""

    def select() -> list[Row]:
        rows = []
        for row in rows_asked(query):
            if not is_shown(query, row) or not named(query.position, row["position"]):
                continue
            rubric = rubric_of(query, row["instance_id"], row["rubric_id"])
            item = (row["instance_id"], row["generator"], row["rubric_id"])
            if rubric_is_kept(query, rubric) and is_agreed(query, row["judge"], item):
                rows.append(row)
        return rows

    rows: list[Row] = query.remembered("rows in slice", select)
    return rows


def counted_verdicts(query: Query) -> list[Verdict]:
    """The counted verdicts, computed once; all others are counted in `query.left_out`."""
    verdicts: list[Verdict] = query.remembered("counted verdicts", lambda: _counted(query))
    return verdicts


def _counted(query: Query) -> list[Verdict]:
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows_in_slice(query):
        if row["status"] != "ok":
            query.left_out[row["status"]] += 1
            continue
        item = (row["instance_id"], row["generator"], row["rubric_id"])
        truth = reference_verdict(query, row["judge"], item)
        if isinstance(truth, str):
            query.left_out[truth] += 1
            continue
        groups.setdefault((row["judge"], *item), []).append(row)
    verdicts = []
    for (judge, instance_id, generator, rubric_id), rows in groups.items():
        met = merged_verdict(query, rows)
        query.left_out["merged"] += len(rows) - (met is not None)
        if met is not None:
            verdicts.append(verdict(query, judge, (instance_id, generator, rubric_id), met))
    return only_common(query, verdicts)


def verdict(query: Query, judge: str, item: tuple[str, str, str], met: bool) -> Verdict:
    """The judge's verdict beside the reference's, which must be there."""
    instance_id, generator, rubric_id = item
    rubric = rubric_of(query, instance_id, rubric_id)
    true = reference_verdict(query, judge, item)
    assert isinstance(true, bool)
    return Verdict(
        judge,
        generator,
        instance_id,
        rubric_id,
        met,
        true,
        is_favourable(rubric, met),
        is_favourable(rubric, true),
    )


def only_common(query: Query, counted: list[Any]) -> list[Any]:
    """With `common`, the records in (instance, generator) cells that all judges with a counted row share.

    `counted` are records with judge, instance_id and generator; those dropped are counted as cells.
    """
    if not query.common:
        return counted
    cells: dict[str, set[tuple[str, str]]] = {}
    for record in counted:
        cells.setdefault(record.judge, set()).add((record.instance_id, record.generator))
    every = set().union(*cells.values()) if cells else set()
    shared = set.intersection(*cells.values()) if cells else set()
    query.memory["common cells"] = shared
    query.left_out["not_common"] = len(every - shared)
    return [record for record in counted if (record.instance_id, record.generator) in shared]


def rubric_cells(verdicts: list[Verdict]) -> Cells:
    """Equation 4's counts for each judge and generator."""
    cells: Cells = {}
    for v in verdicts:
        cell = cells.setdefault((v.judge, v.generator), Cell())
        cell.add(1 if v.favourable else -1, 1 if v.truly_favourable else -1)
    return cells
