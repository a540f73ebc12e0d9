"""The calls that are already answered in the study."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from engine import paradigms, schema
from engine.collect.calls import CallRequest
from engine.collect.rows.new_rows import Value, footers_of_run
from engine.errors import StudyChangedError
from engine.store.study_files import StudyFiles

_PARTS = tuple(name for name in schema.JUDGMENTS.key if name != "run_id")


class CompletedCalls:
    """The calls of a run that have an `ok`, `unparsed` or `refused` answer; errors are requested again.

    A call is identified by its rows' key, so that a later version of the program, which may compute other
    call_ids, requests nothing twice. Each takes eight bytes.
    """

    def __init__(self) -> None:
        self._rows: Counter[int] = Counter()

    def __contains__(self, request: CallRequest) -> bool:
        subject, traits = request.subject, _traits(request.paradigm)
        if request.role == "generator":
            return _hash("responses", subject.instance_id, subject.generator, subject.transform) in self._rows
        rubric = subject.rubric_ids[0] if traits and traits.one_rubric_a_call and subject.rubric_ids else None
        generator = "" if traits and traits.of_lists else subject.generator
        prompt = (request.model, request.paradigm, request.variant, subject.transform)
        sides = (subject.instance_id, generator, subject.opponent, subject.first)
        call = _judgment_hash(*prompt, *sides, rubric, subject.ordering, subject.trial)
        rows_per_call = len(subject.rubric_ids) if traits and traits.lists_rubrics else 1
        return self._rows[call] >= max(rows_per_call, 1)

    def has_row(self, table: str, row: Mapping[str, Any]) -> bool:
        return _row_hash(table, row) in self._rows

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        self._rows[_row_hash(table, row)] += 1

    @classmethod
    def of_run(
        cls,
        study: StudyFiles,
        run_id: str,
        is_repeated: Callable[[str, Mapping[str, Any]], bool] = lambda *_: False,
    ) -> "CompletedCalls":
        """Read the run's judgments in the study, and all its responses, whichever run collected them.

        Rows of which `is_repeated(table, row)` is true are left out.
        """
        columns = ["shortfall", "status", "stood_in_for", "run_id"]

        def read_calls(study: StudyFiles) -> CompletedCalls:
            calls = cls()
            for row in judgments_of_run(study, run_id, [*_PARTS, *columns]):
                if row["status"] != "error" and not is_repeated("judgments", row):
                    calls.add("judgments", row)
            for row in row_dicts(study.table("responses", ["instance_id", "generator", "transform"])):
                if not is_repeated("responses", row):
                    calls.add("responses", row)
            return calls

        return read_as_it_is(study, read_calls)


def read_as_it_is(study: StudyFiles, reader: Callable[[StudyFiles], Value]) -> Value:
    """Return what is read of a study opened anew; as often as it is replaced meanwhile, from the beginning.

    The shards of a run replace it whenever they add rows.
    """
    while True:
        with suppress(StudyChangedError):
            return reader(StudyFiles(study.location))


def judgments_of_run(study: StudyFiles, run_id: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a run's judgments; `run_id` must be among the columns."""
    for rows in study.judgment_batches(columns=columns, parts=list(footers_of_run(study, run_id))):
        yield from (row for row in row_dicts(rows) if row["run_id"] == run_id)


def row_dicts(rows: Any) -> Iterator[dict[str, Any]]:
    for batch in rows.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _row_hash(table: str, row: Mapping[str, Any]) -> int:
    if table == "responses":
        return _hash("responses", row["instance_id"], row["generator"], row.get("transform") or "none")
    values = {name: row.get(name) for name in _PARTS}
    for name in ("variant", "transform", "trial"):
        if values[name] is None:
            values[name] = schema.JUDGMENTS.column(name).default
    values["judge"] = row.get("stood_in_for") or values["judge"]
    traits = _traits(values["paradigm"])
    if traits is None or not traits.one_rubric_a_call:
        values["rubric_id"] = None
    if traits is not None and traits.of_lists:
        values["generator"] = ""
    return _judgment_hash(*values.values())


def _traits(paradigm: str | None) -> paradigms.ParadigmTraits | None:
    return paradigms.TRAITS.get(paradigm or "")


def _judgment_hash(*parts: Any) -> int:
    """Return the identity of a call; (A, B, first generator) equals (B, A, first opponent)."""
    judge, paradigm, variant, transform, instance, generator, opponent, first, *details = parts
    if opponent is not None and opponent < generator:
        generator, opponent = opponent, generator
        first = {"generator": "opponent", "opponent": "generator"}.get(first, first)
    return _hash(judge, paradigm, variant, transform, instance, generator, opponent, first, *details)


def _hash(*parts: object) -> int:
    text = "\0".join("\1" if part is None else str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
