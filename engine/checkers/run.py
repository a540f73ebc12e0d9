"""Running the programs of a study's rubrics over its responses, and writing references."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any

import pyarrow as pa

from engine.checkers.counts import Check
from engine.checkers.programs import (
    CORRECT,
    LOOSE,
    STRICT,
    Deciders,
    Program,
    programs_in,
    programs_of,
    verified_rubrics,
)
from engine.checkers.verdicts import Verdict
from engine.checkers.verifiers import VERIFIERS
from engine.errors import UsageError
from engine.paradigms import NO_ANSWER
from engine.store.arrow_types import plain_texts
from engine.store.study_files import StudyFiles
from engine.store.writer import exchange_table, replace_tables

ALARMED = ("boxed",)
"""Checkers that set an alarm against endless work, which only the main thread of a process can."""
PARALLEL_FROM = 20_000
"""Number of verdicts from which several processes are used: fewer take less time than starting them."""
_CHUNK = 64
_KEY = ("instance_id", "generator", "rubric_id", "source")


@dataclass(slots=True)
class CheckerTally:
    """Counts of one checker's verdicts; one is undecided if its strict or its loose verdict is missing."""

    met: int = 0
    not_met: int = 0
    met_loosely: int = 0
    undecided: int = 0

    def add(self, verdict: Verdict, *, has_loose: bool) -> None:
        self.met += verdict.strict is True
        self.not_met += verdict.strict is False
        self.met_loosely += verdict.loose is True
        self.undecided += verdict.strict is None or (has_loose and verdict.loose is None)


@dataclass(slots=True)
class CheckReport:
    """The counts of `check_study`.

    `missing` counts absent responses, over generators with at least one response; `textless` responses
    without a text. `problems` has the first error of each checker. With a verifier, `undecidable` counts
    instances without a reference answer, `others` those that another program decided.
    """

    responses: int = 0
    missing: int = 0
    textless: int = 0
    undecidable: int = 0
    others: int = 0
    by_checker: dict[str, CheckerTally] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def verdicts(self) -> int:
        return sum(tally.met + tally.not_met for tally in self.by_checker.values())


@dataclass(frozen=True, slots=True)
class _CheckedResponse:
    instance_id: str
    generator: str
    text: str
    rubrics: tuple[tuple[str, int], ...]


def check_study(
    files: StudyFiles, checker: str | None = None, *, processes: int | None = None
) -> CheckReport:
    """Run the checkers over all responses and write their verdicts, strict and loose, as references.

    They are those of the rubrics, or the verifier `checker` on the rubric `correct`, which is added where an
    instance with a reference answer lacks it. References with the same response, rubric and source are
    replaced; all others stay, including those of responses without a text. `processes` (None: one per
    processor) are used if there is enough work. Raises UsageError for a study with nothing to check, and the
    errors of `programs_of`; nothing is written then.
    """
    report = CheckReport()
    rubrics = None
    if checker is None:
        programs, by_instance = programs_of(files)
        if not by_instance:
            raise UsageError(
                f"no criterion of the study {files.name!r} names a checker; give the column `checker` of "
                f"`rubrics` an id, or name a verifier of reference answers: {', '.join(VERIFIERS)} "
                "(--checker)"
            )
    else:
        verified = verified_rubrics(files, checker)
        if not verified.decided:
            why = "no question has a reference answer; add the column reference_answer to questions"
            if verified.others:
                why = f"another program decided the criterion {CORRECT!r} of all that have a reference answer"
            raise UsageError(f"the study {files.name!r} has nothing for {checker!r} to check: {why}")
        report.undecidable, report.others = verified.undecidable, verified.others
        rubrics = exchange_table("rubrics", verified.rubrics)
        programs, by_instance = programs_in(files, verified.decided)
    responses = list(_responses(files, by_instance, report))
    if not responses:
        raise UsageError(
            f"the study {files.name!r} has no answer with a text to check; import answers, or collect "
            "them with `spb run`"
        )
    report.responses = len(responses)
    columns: dict[str, list[Any]] = {name: [] for name in (*_KEY, "met")}
    for response, verdicts in zip(responses, _judge_all(responses, programs, processes), strict=True):
        for (rubric, place), verdict in zip(response.rubrics, verdicts, strict=True):
            program = programs[place]
            report.by_checker.setdefault(program.checker, CheckerTally()).add(
                verdict, has_loose=not program.verifies
            )
            if verdict.problem is not None:
                subject = f"{response.generator!r} on {response.instance_id!r}, criterion {rubric!r}"
                report.problems.setdefault(program.checker, f"{subject}: {verdict.problem[:300]}")
            verdicts_by_source = {STRICT: verdict.strict, LOOSE: verdict.loose}
            for source, met in verdicts_by_source.items():
                if source == LOOSE and program.verifies:
                    continue
                row = (response.instance_id, response.generator, rubric, source, met)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    _write(files, columns, rubrics)
    return report


def _responses(files: StudyFiles, by_instance: Deciders, report: CheckReport) -> Iterator[_CheckedResponse]:
    rows = files.table(
        "responses", ("instance_id", "generator", "text", "shortfall"), {"transform": ["none"]}
    )
    report.missing = len(rows["generator"].unique()) * len(by_instance)
    for row in rows.to_pylist():
        if row["instance_id"] not in by_instance:
            continue
        report.missing -= 1
        if row["text"] is None or row.pop("shortfall") in NO_ANSWER:
            report.textless += 1
        else:
            yield _CheckedResponse(**row, rubrics=tuple(by_instance[row["instance_id"]]))


def _judge_all(
    responses: Sequence[_CheckedResponse], programs: Sequence[Program], processes: int | None
) -> Iterator[list[Verdict]]:
    verdicts = sum(len(response.rubrics) for response in responses)
    workers = min(processes or os.cpu_count() or 1, len(responses) // _CHUNK)
    if any(program.checker in ALARMED for program in programs):
        yield from _in_processes(responses, programs, max(workers, 1))
        return
    if workers < 2 or (processes is None and verdicts < PARALLEL_FROM):
        yield from map(partial(_verdicts, programs, [each.check() for each in programs]), responses)
        return
    yield from _in_processes(responses, programs, workers)


def _in_processes(
    responses: Sequence[_CheckedResponse], programs: Sequence[Program], workers: int
) -> Iterator[list[Verdict]]:
    # Spawned, not forked: the caller may have threads.
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(list(programs),)
    ) as pool:
        yield from pool.map(_in_worker, responses, chunksize=_CHUNK)


def _verdicts(
    programs: Sequence[Program], checks: Sequence[Check], response: _CheckedResponse
) -> list[Verdict]:
    return [programs[place].decide(checks[place], response.text) for _, place in response.rubrics]


_programs: list[Program] = []
_checks: list[Check] = []
"""The programs of a worker process, and their checks, made there since functions cannot be sent to it."""


def _start_worker(programs: Iterable[Program]) -> None:
    _programs[:] = programs
    _checks[:] = [program.check() for program in _programs]


def _in_worker(response: _CheckedResponse) -> list[Verdict]:
    return _verdicts(_programs, _checks, response)


def _write(files: StudyFiles, columns: Mapping[str, list[Any]], rubrics: pa.Table | None) -> None:
    types = pa.schema([*((name, pa.string()) for name in _KEY), ("met", pa.bool_())])
    new_rows = pa.table(columns, schema=types)
    table = plain_texts(files.table("references"))
    row = pa.array(range(table.num_rows), pa.int64())
    earlier = table.append_column("row", row).join(new_rows.select(_KEY), list(_KEY), join_type="left anti")
    earlier = earlier.sort_by("row").select(table.column_names)
    references = pa.concat_tables([earlier, new_rows], promote_options="default")
    replace_tables(files, ({} if rubrics is None else {"rubrics": rubrics}) | {"references": references})
