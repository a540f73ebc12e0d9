"""Which calls the study holds an answer to already."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine import schema
from engine.calls import Request
from engine.store import StudyFiles
from engine.store.collected import run_parts

_PARTS = tuple(name for name in schema.JUDGMENTS.key if name != "run_id")
_ONE_RUBRIC = ("single_rubric", "score_rubric")
"""The paradigms in which each rubric is a call of its own."""


class Answered:
    """The calls of a run that have an `ok`, `unparsed` or `refused` answer; an error is asked again.

    A call is known by what identifies its rows, so that a later version of the program, which may write
    requests otherwise, asks nothing twice. Eight bytes are kept of each.
    """

    def __init__(self) -> None:
        self._rows: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, request: Request) -> bool:
        needed = len(request.subject.rubric_ids) if request.paradigm == "all_rubrics" else 1
        return self._rows[_of_request(request)] >= max(needed, 1)

    def has_row(self, table: str, row: Mapping[str, Any]) -> bool:
        """Return whether the row's call has an answer."""
        return _of_row(table, row) in self._rows

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Take note of a row with an answer."""
        self._rows[_of_row(table, row)] += 1

    @classmethod
    def of_run(cls, study: StudyFiles, run_id: str) -> "Answered":
        """Read what the study holds of the run, and all responses that it holds, whoever collected them."""
        answered = cls()
        for rows in study.judgment_batches(
            columns=[*_PARTS, "run_id", "status"], parts=run_parts(study, run_id)
        ):
            answered._add_all("judgments", _dicts(rows), run_id)
        responses = study.table("responses", ["instance_id", "generator", "transform"])
        answered._add_all("responses", _dicts(responses), None)
        return answered

    def _add_all(self, table: str, rows: Iterable[dict[str, Any]], run_id: str | None) -> None:
        for row in rows:
            if run_id is None or (row["run_id"] == run_id and row["status"] != "error"):
                self.add(table, row)


def _dicts(rows: Any) -> Iterable[dict[str, Any]]:
    for batch in rows.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _of_request(request: Request) -> int:
    subject = request.subject
    if request.role == "generator":
        return _hash("responses", subject.instance_id, subject.generator, subject.transform)
    rubric = subject.rubric_ids[0] if request.paradigm in _ONE_RUBRIC and subject.rubric_ids else None
    return _of_judgment(
        request.model,
        request.paradigm,
        request.variant,
        subject.transform,
        subject.instance_id,
        subject.generator,
        subject.opponent,
        subject.first,
        rubric,
        subject.ordering,
        subject.trial,
    )


def _of_row(table: str, row: Mapping[str, Any]) -> int:
    if table == "responses":
        return _hash("responses", row["instance_id"], row["generator"], row.get("transform") or "none")
    values = {name: row.get(name) for name in _PARTS}
    for name in ("variant", "transform", "trial"):
        if values[name] is None:
            values[name] = schema.JUDGMENTS.column(name).default
    if values["paradigm"] not in _ONE_RUBRIC:
        values["rubric_id"] = None
    return _of_judgment(*values.values())


def _of_judgment(*parts: Any) -> int:
    """Return the identity of a call; (A, B, first generator) is (B, A, first opponent)."""
    judge, paradigm, variant, transform, instance, generator, opponent, first, *rest = parts
    if opponent is not None and opponent < generator:
        generator, opponent = opponent, generator
        first = {"generator": "opponent", "opponent": "generator"}.get(first, first)
    return _hash(judge, paradigm, variant, transform, instance, generator, opponent, first, *rest)


def _hash(*parts: object) -> int:
    text = "\0".join("\1" if part is None else str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
