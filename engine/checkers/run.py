"""Running the programs of a study's rubrics over its responses, and writing references."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from engine.checkers.counts import Check
from engine.checkers.making import make_check
from engine.checkers.verdicts import Verdict, judge
from engine.errors import BadInputError, SpbError, UsageError
from engine.schema import NO_ANSWER
from engine.store.arrow_types import plain_texts
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, slots=True)
class Program:
    """A checker with its arguments, as in a rubric: an id, and JSON (None: no arguments)."""

    checker: str
    kwargs: str | None

    def check(self) -> Check:
        """Make the check; raises the errors of `make_check`, and BadInputError if the JSON is no object."""
        try:
            arguments = json.loads(self.kwargs) if self.kwargs and self.kwargs.strip() else {}
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            raise BadInputError(
                f"checker {self.checker!r}: checker_kwargs is {self.kwargs!r}; "
                'give a JSON object, such as {"num_words": 300}'
            )
        return make_check(self.checker, arguments)


Deciders = dict[str, list[tuple[str, int]]]
"""The rubrics of each instance with a checker: (rubric id, index of the program)."""


def programs_of(files: StudyFiles) -> tuple[list[Program], Deciders]:
    """Return the programs of a study's rubrics, all tried, and for each instance the rubrics they decide."""
    table = files.table("rubrics", ("instance_id", "rubric_id", "checker", "checker_kwargs"))
    rows = table.filter(pc.is_valid(table["checker"]))
    places: dict[Program, int] = {}
    by_instance: Deciders = {}
    for row in rows.to_pylist():
        program = Program(row["checker"], row["checker_kwargs"])
        instance, rubric = row["instance_id"], row["rubric_id"]
        if program not in places:
            try:
                program.check()
            except SpbError as error:
                raise type(error)(f"rubrics: rubric {rubric!r} of instance {instance!r}: {error}") from error
            places[program] = len(places)
        by_instance.setdefault(instance, []).append((rubric, places[program]))
    return list(places), by_instance


STRICT, LOOSE = "program", "program:loose"
PARALLEL_FROM = 20_000
"""Number of verdicts from which several processes are used: fewer take less time than starting them."""
_CHUNK = 64
_KEY = ("instance_id", "generator", "rubric_id", "source")


@dataclass(slots=True)
class Tally:
    """Counts of one checker's verdicts; one is undecided if its strict or its loose verdict is missing."""

    met: int = 0
    not_met: int = 0
    met_loosely: int = 0
    undecided: int = 0

    def add(self, verdict: Verdict) -> None:
        self.met += verdict.strict is True
        self.not_met += verdict.strict is False
        self.met_loosely += verdict.loose is True
        self.undecided += verdict.strict is None or verdict.loose is None


@dataclass(slots=True)
class CheckReport:
    """The counts of `check_study`.

    `missing` counts absent responses, over generators with at least one response; `textless` responses
    without a text. `problems` has the first error of each checker.
    """

    responses: int = 0
    missing: int = 0
    textless: int = 0
    by_checker: dict[str, Tally] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def verdicts(self) -> int:
        return sum(tally.met + tally.not_met for tally in self.by_checker.values())


@dataclass(frozen=True, slots=True)
class _Response:
    instance_id: str
    generator: str
    text: str
    rubrics: tuple[tuple[str, int], ...]


def check_study(files: StudyFiles, *, processes: int | None = None) -> CheckReport:
    """Run the checkers over all responses and write their verdicts, strict and loose, as references.

    References with the same response, rubric and source are replaced; all others stay, including those of
    responses without a text. `processes` (None: one per processor) are used if there is enough work. Raises
    UsageError for a study with nothing to check, and the errors of `programs_of`; nothing is written then.
    """
    programs, by_instance = programs_of(files)
    if not by_instance:
        raise UsageError(
            f"no rubric of the study {files.name!r} names a checker; give the column checker of rubrics an id"
        )
    report = CheckReport()
    responses = list(_responses(files, by_instance, report))
    if not responses:
        raise UsageError(
            f"the study {files.name!r} has no response with a text to check; import responses, or collect "
            "them with `spb run`"
        )
    report.responses = len(responses)
    columns: dict[str, list[Any]] = {name: [] for name in (*_KEY, "met")}
    for response, verdicts in zip(responses, _judge_all(responses, programs, processes), strict=True):
        for (rubric, place), verdict in zip(response.rubrics, verdicts, strict=True):
            checker = programs[place].checker
            report.by_checker.setdefault(checker, Tally()).add(verdict)
            if verdict.problem is not None:
                subject = f"{response.generator!r} on {response.instance_id!r}, rubric {rubric!r}"
                report.problems.setdefault(checker, f"{subject}: {verdict.problem[:300]}")
            for source, met in ((STRICT, verdict.strict), (LOOSE, verdict.loose)):
                row = (response.instance_id, response.generator, rubric, source, met)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
    _write(files, columns)
    return report


def _responses(files: StudyFiles, by_instance: Deciders, report: CheckReport) -> Iterator[_Response]:
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
            yield _Response(**row, rubrics=tuple(by_instance[row["instance_id"]]))


def _judge_all(
    responses: Sequence[_Response], programs: Sequence[Program], processes: int | None
) -> Iterator[list[Verdict]]:
    verdicts = sum(len(response.rubrics) for response in responses)
    workers = min(processes or os.cpu_count() or 1, len(responses) // _CHUNK)
    if workers < 2 or (processes is None and verdicts < PARALLEL_FROM):
        yield from map(partial(_verdicts, [program.check() for program in programs]), responses)
        return
    # Spawned, not forked: the caller may have threads.
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(list(programs),)
    ) as pool:
        yield from pool.map(_in_worker, responses, chunksize=_CHUNK)


def _verdicts(checks: Sequence[Check], response: _Response) -> list[Verdict]:
    return [judge(checks[place], response.text) for _, place in response.rubrics]


_checks: list[Check] = []
"""The checks of a worker process, made there since functions cannot be sent to it."""


def _start_worker(programs: Iterable[Program]) -> None:
    _checks[:] = [program.check() for program in programs]


def _in_worker(response: _Response) -> list[Verdict]:
    return _verdicts(_checks, response)


def _write(files: StudyFiles, columns: Mapping[str, list[Any]]) -> None:
    types = pa.schema([*((name, pa.string()) for name in _KEY), ("met", pa.bool_())])
    new_rows = pa.table(columns, schema=types)
    table = plain_texts(files.table("references"))
    row = pa.array(range(table.num_rows), pa.int64())
    earlier = table.append_column("row", row).join(new_rows.select(_KEY), list(_KEY), join_type="left anti")
    earlier = earlier.sort_by("row").select(table.column_names)
    references = pa.concat_tables([earlier, new_rows], promote_options="default")
    files.replace_tables({"references": references})
