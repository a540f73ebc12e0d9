"""Reading the stored answers of one run anew, by today's readers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from engine.collect.calls import Reply
from engine.collect.paradigms import read
from engine.collect.paradigms.answers.user_forms import AnswerForm
from engine.collect.paradigms.thinking import without_thinking
from engine.collect.plan.study_texts import Library
from engine.collect.plan.subjects import request_of_row
from engine.paradigms import TRAITS, Shortfall
from engine.store.study_files import StudyFiles

Row = dict[str, Any]
_READ = ("ok", "unparsed")
"""The statuses of answers that are read anew; refusals and errors stay."""
_VALUES = ("met", "score", "choice")
_CHANGED = (*_VALUES, "position", "status", "explanation", "shortfall")
_OF_LETTERS = ("p_generator", "p_tie", "p_mass")


@dataclass(frozen=True)
class Change:
    """Verdicts that became others: `before` and `after` are values, or `unparsed` with the shortfall."""

    judge: str
    paradigm: str
    variant: str
    before: str
    after: str


@dataclass
class Reparsed:
    """The result of reading anew: the verdicts read, how they changed, and what could not be read anew.

    `without_answer` counts verdicts stored without the answer's text, `unmatched` those whose rubrics are not
    those that were shown. `runs` maps each run with changes to its new run_id.
    """

    verdicts: int = 0
    without_answer: int = 0
    unmatched: int = 0
    changes: Counter[Change] = field(default_factory=Counter)
    runs: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        changes = [vars(change) | {"verdicts": count} for change, count in self.changes.most_common()]
        names = ("verdicts", "without_answer", "unmatched", "runs")
        return {name: getattr(self, name) for name in names} | {
            "changed": self.changes.total(),
            "changes": changes,
        }


@dataclass
class RunReading:
    study: StudyFiles
    run_id: str
    form: AnswerForm | None
    report: Reparsed

    def __post_init__(self) -> None:
        self._library = Library(self.study)

    def rows(self) -> Iterator[Row]:
        """Yield the run's judgments as they are read now, counting the changes."""
        for call_id, group in groupby(self.stored(), key=lambda row: row["call_id"]):
            rows = list(group)
            if call_id is None:  # imported: their importers know their form
                yield from rows
            else:
                yield from self._read_call(rows)

    def stored(self) -> Iterator[Row]:
        """Yield the run's judgments as they are in the study."""
        for table in self.study.judgment_batches(where={"run_id": [self.run_id]}):
            for batch in table.to_batches(max_chunksize=10_000):
                yield from (row for row in batch.to_pylist() if row["run_id"] == self.run_id)

    def _read_call(self, rows: Sequence[Row]) -> Iterable[Row]:
        first = rows[0]
        if any(row["status"] not in _READ for row in rows):
            return rows
        if first["raw"] is None:
            self.report.without_answer += len(rows)
            return rows
        lists = TRAITS[first["paradigm"]].lists_rubrics
        rubrics = [row["rubric_id"] for row in rows] if lists else None
        request = request_of_row(self._library, first, rubrics)
        reply = self._reply(first)
        new_rows = [] if request is None else read(request, reply)
        if [_item(row) for row in new_rows] != [_item(row) for row in rows]:
            self.report.unmatched += len(rows)
            return rows
        self.report.verdicts += len(rows)
        return [self._changed(old, new, reply) for old, new in zip(rows, new_rows, strict=True)]

    def _reply(self, row: Row) -> Reply:
        text, shortfall = row["raw"], row["shortfall"]
        form = (
            self.form if self.form is not None and self.form.fits(row["paradigm"], row["variant"]) else None
        )
        if form is not None and shortfall != "only_thinking":
            values = form.json_of(without_thinking(text))
            text = text if values is None else values
        shortfall = None if shortfall == "malformed" else shortfall
        return Reply(text, finish_reason=row["finish_reason"], shortfall=shortfall)

    def _changed(self, old: Row, new: Mapping[str, Any], reply: Reply) -> Row:
        values = {name: new[name] for name in _CHANGED if name != "shortfall"}
        values["shortfall"] = None if values["status"] == "ok" else _shortfall(old, reply)
        if all(values[name] == old[name] for name in (*_VALUES, "status")):
            return old
        change = Change(old["judge"], old["paradigm"], old["variant"], _words(old), _words(values))
        self.report.changes[change] += 1
        if values["choice"] != old["choice"]:
            values |= dict.fromkeys(_OF_LETTERS)
        return old | values


def _item(row: Mapping[str, Any]) -> tuple[str | None, str]:
    """Return what a row of a call is about, besides the call's subject."""
    return row["rubric_id"], row["generator"]


def _shortfall(row: Row, reply: Reply) -> Shortfall:
    shortfall: Shortfall | None = row["shortfall"]
    if shortfall is not None:
        return shortfall
    if reply.finish_reason == "length":
        return "cut_off"
    return "malformed" if (row["raw"] or "").strip() else "empty"


def _words(row: Mapping[str, Any]) -> str:
    if row["status"] != "ok":
        return f"{row['status']} ({row['shortfall'] or 'malformed'})"
    value = next(row[name] for name in _VALUES if row[name] is not None)
    if isinstance(value, bool):
        return "met" if value else "not met"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
