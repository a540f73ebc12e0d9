"""Makes checks from checkers' ids, runs them over a study's responses, and writes the references."""

import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from multiprocessing import get_context
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pydantic

from engine.checkers import ifeval
from engine.checkers.ifeval import SENTENCES, Check
from engine.errors import BadInputError, SpbError, UsageError, unknown
from engine.plain_words import mistake_words
from engine.schema import NO_ANSWER
from engine.store.arrow_types import plain_texts
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# From a checker's id and its arguments to a check.


Maker = Callable[..., Check]
"""Makes a check from the arguments of `checker_kwargs`."""

ENTRY_POINTS = "spb.checkers"
"""The group of entry points by which another package adds a checker.

The entry point's name is the id, its object a function that takes the arguments by name and returns a check.
It is loaded when a rubric names it.
"""

SHIPPED: tuple[str, ...] = tuple(SENTENCES)
"""The instruction types of IFEval. `group:name` is the function `name` of `ifeval`."""


def checker_ids() -> list[str]:
    return [*SHIPPED, *(name for name in _plugins() if name not in SHIPPED)]


_validated = pydantic.validate_call(config=pydantic.ConfigDict(arbitrary_types_allowed=True))


def make_check(checker: str, kwargs: Mapping[str, object]) -> Check:
    """Return the check of that id; errors name the checker and the argument. Null arguments are dropped."""
    maker = _maker(checker)
    arguments = {name: value for name, value in kwargs.items() if value is not None}
    try:
        inspect.signature(maker).bind(**arguments)
        check: Check = _validated(maker)(**arguments)
    except pydantic.ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name, remedy = ".".join(map(str, problem["loc"])), mistake_words(problem)
        raise BadInputError(
            f"checker {checker!r}: argument {name} is {problem['input']!r}; {remedy}"
        ) from error
    except (TypeError, ValueError) as error:
        names = ", ".join(inspect.signature(maker).parameters) or "no arguments"
        raise BadInputError(f"checker {checker!r}: {error}; it takes {names}, given {arguments!r}") from error
    if not callable(check):
        raise UsageError(f"checker {checker!r} made {check!r}; its function must return a function of a text")
    return check


def rubric_columns(checker: str, kwargs: Mapping[str, object]) -> dict[str, str]:
    """Return the columns of a rubric with a shipped checker; raises the same errors as `make_check`."""
    arguments = {name: value for name, value in kwargs.items() if value is not None}
    make_check(checker, arguments)
    return {
        "criterion": SENTENCES[checker](arguments),
        "axis": checker.partition(":")[0],
        "checker": checker,
        "checker_kwargs": json.dumps(arguments, ensure_ascii=False),
    }


@cache
def _maker(checker: str) -> Maker:
    plugin = _plugins().get(checker)
    if checker in SHIPPED:
        if plugin is not None:
            raise UsageError(
                f"checker {checker!r} is shipped, and the entry point {plugin.value!r} has the same name; "
                "give yours another name"
            )
        function: Maker = getattr(ifeval, checker.partition(":")[2])
        return function
    if plugin is None:
        raise unknown("checker", checker, checker_ids())
    try:
        function = plugin.load()
    except Exception as error:
        raise UsageError(f"checker {checker!r}: {plugin.value!r} cannot be loaded: {error}") from error
    if not callable(function):
        raise UsageError(f"checker {checker!r}: {plugin.value!r} is {function!r}; give a function")
    return function


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


# ------------------------------------------------------------------------------
# The rubrics of a study with checkers, and their checks.


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


# ------------------------------------------------------------------------------
# A check's verdicts on a text: strict, and loose as in IFEval.


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a response meets an instruction; None if the check failed, with the reason in `problem`."""

    strict: bool | None
    loose: bool | None
    problem: str | None = None


def judge(check: Check, text: str) -> Verdict:
    """Return both verdicts. A blank text meets no instruction; a check that raises gives no verdict."""
    try:
        strict = bool(text.strip()) and bool(check(text))
    except Exception as error:
        # Checkers may be users' own and get any text: an error means no verdict, and is reported.
        return Verdict(None, None, f"{type(error).__name__}: {error}")
    if strict:
        return Verdict(strict=True, loose=True)
    try:
        return Verdict(strict=False, loose=any(check(variant) for variant in variants(text)))
    except Exception as error:
        return Verdict(strict=False, loose=None, problem=f"{type(error).__name__}: {error}")


def variants(text: str) -> Iterator[str]:
    """Yield the variants of a text; the loose verdict is true if the text or any variant passes.

    They are the text without its first line, its last, and both (an introduction, a closing remark), and all
    four without asterisks (Markdown). Blank and repeated ones are left out.
    """
    lines = text.split("\n")
    parts = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    candidates = [*parts, *(variant.replace("*", "") for variant in (text, *parts))]
    return (variant for variant in dict.fromkeys(candidates) if variant != text and variant.strip())


# ------------------------------------------------------------------------------
# Running the programs of a study's rubrics over its responses, and writing references.


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
