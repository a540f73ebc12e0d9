"""A run in one process, step by step: its models, its stages, its signals, its end and its report."""

import asyncio
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.dispatch.run_status import Counts
from engine.collect.run import one_process
from engine.collect.run.one_process import (
    _end_on_signals,
    _report,
    _run_session,
    _run_stages,
    _run_to_end,
    interrupt_active,
    run_in_one_process,
)
from engine.collect.run.prepared_run import SHARE
from engine.collect.run.run_report import RunReport
from engine.collect.run_folder import RunFolder
from engine.collect.run_options import RunOptions, Shard
from engine.errors import StoreError, UsageError
from engine.store import Store

from .small import config, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "data")


@pytest.mark.parametrize(
    ("run", "concurrency", "ceiling"),
    [
        ("concurrency = 5", None, 5),
        ("concurrency = 5", 3, 3),
        ("", None, None),
        ("concurrency = 5", "auto", None),
    ],
)
def test_the_models_have_the_runs_limits(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run: str, concurrency: Any, ceiling: int | None
) -> None:
    given: list[dict[str, Any]] = []

    def stop(*_: object) -> None:
        raise UsageError("stop")

    monkeypatch.setattr(one_process, "Models", lambda _, **limits: given.append(limits))
    monkeypatch.setattr(one_process, "check", stop)
    limits = "timeout_s = 7\nretries = 2\nretry_on = [418]"
    options = RunOptions(concurrency=concurrency)

    for mode in ("live", "batch"):
        with pytest.raises(UsageError, match="stop"):
            run_in_one_process(config(folder, run=f"{run}\n{limits}", mode=mode), Store(folder), options)

    shared = {"timeout_s": 7, "retries": 2, "retry_on": [418], "ceiling": ceiling}
    assert given == [shared | {"batch": False}, shared | {"batch": True}]


class Status:
    def __init__(self) -> None:
        self.counts, self.message, self.notes = Counts(), "", list[str]()
        self.states: list[tuple[str | None, dict[str, str]]] = []

    def set(self, state: str | None = None, **more: str) -> None:
        self.states.append((state, more))


def job(folder: Path, options: RunOptions | None = None, **more: Any) -> Any:
    """Return a run that is ready, in a folder of its own."""
    place = folder.parent / "run"
    place.mkdir(exist_ok=True)
    return SimpleNamespace(
        config=config(folder, **more), options=options or RunOptions(), store=Store(folder.parent / "store"),
        run_id="r", files=RunFolder(place), run_files=RunFolder(place), notes=("of batches",),
        study=SimpleNamespace(location=None), models=Models(),
    )  # fmt: skip


class Models:
    def __init__(self) -> None:
        self.closed, self.notes = 0, ["of models"]

    async def aclose(self) -> None:
        self.closed += 1

    def inform_simulated(self, _: object) -> None:
        """Hear nothing."""

    def batches(self) -> None:
        """Have none."""


REPORT = RunReport(run_id="r", end="time", ok=1, total=2, notes=["a note"])


@pytest.mark.parametrize(
    ("outcome", "last"),
    [
        (REPORT, ("time", {"message": REPORT.message})),
        (StoreError("the disk is full"), ("failed", {"message": "the disk is full"})),
        (KeyError("x"), ("failed", {"message": "stopped by KeyError"})),
        (KeyboardInterrupt(), ("failed", {"message": "stopped by KeyboardInterrupt"})),
    ],
)
def test_the_status_shows_the_end_even_if_it_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, outcome: Any, last: Any
) -> None:
    status, times = Status(), [10.0, 12.34567]

    async def end(*_: object) -> RunReport:
        if isinstance(outcome, BaseException):
            raise outcome
        return cast("RunReport", outcome)

    monkeypatch.setattr(one_process, "Status", lambda *_: status)
    monkeypatch.setattr(one_process, "_run_session", end)
    monkeypatch.setattr(one_process, "time", SimpleNamespace(monotonic=lambda: times.pop(0)))

    running = _run_to_end(job(folder), None)
    if outcome is REPORT:
        assert asyncio.run(running) == replace(REPORT, seconds=2.346)
        assert status.notes == ["a note"]
    else:
        with pytest.raises(type(outcome)):
            asyncio.run(running)
    assert [status.states[0], status.states[-1]] == [("starting", {}), last]


class Plan(list[str]):
    """Calls by their names, and what is missing for them."""

    def __init__(self, *calls: str, **missing: int) -> None:
        super().__init__(calls)
        self.missing = {(model, None): count for model, count in missing.items()}

    def shard(self, shard: Shard | None) -> "Plan":
        return self if shard is None else Plan(*self[: shard.number])


class Work:
    """A session and its batches: notes what is made, and fails at calls that are called `broken`."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.is_over, self.collected, self.left_over = False, 0, -1
        self.completed: Any = None
        self.counted_paradigms: frozenset[str] = frozenset()
        self.collector, self.begun_steps = object(), list[tuple[int, int]]()

    async def make(self, plan: Plan) -> None:
        self.calls.append(list(plan))
        if "broken" in plan:
            raise UsageError("broken")

    async def collect_all(self) -> None:
        self.collected += 1
        raise StoreError("the disk is full")

    def begin(self, number: int, last: int) -> bool:
        self.begun_steps.append((number, last))
        return number == self.left_over


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The plans of the stages to come, and what is done besides calls."""
    done: dict[str, list[Any]] = {"plans": [], "checked": [], "shared": [], "counted": []}
    monkeypatch.setattr(one_process, "StudyFiles", lambda _: "study")
    monkeypatch.setattr(one_process, "make_plan", lambda *_, **__: done["plans"].pop(0))
    monkeypatch.setattr(one_process, "check_collected", lambda *_: done["checked"].append(len(done["plans"])))
    monkeypatch.setattr(one_process, "share_answers", lambda plan, *_: done["shared"].append(list(plan)))
    monkeypatch.setattr(one_process.store_plan, "store_plan", lambda _, study, __: study)
    monkeypatch.setattr(one_process.CompletedCalls, "of_run", lambda *_: "completed")

    def calls_after(*arguments: Any) -> int:
        done["counted"].append(arguments[2])
        return 10 + int(arguments[2])

    monkeypatch.setattr(one_process.stages, "calls_after", calls_after)
    return done


def make_stages(work: Work, prepared: Any, status: Status, batching: Any = None) -> Any:
    return asyncio.run(_run_stages(prepared, cast("Any", work), cast("Any", status), batching))


def test_stages_are_made_in_order_and_those_without_calls_are_passed_over(
    folder: Path, stages: dict[str, list[Any]]
) -> None:
    stages["plans"] = [Plan("answer"), Plan(), Plan("one", "two", a=3)]
    work, status = Work(), Status()

    missing = make_stages(work, job(folder, checker="exact"), status)

    assert work.calls == [["answer"], ["one", "two"]]
    assert missing == {("a", None): 3}
    assert (status.counts.total, status.counts.later) == (3, 12)
    assert (work.completed, work.counted_paradigms) == ("completed", {"single_rubric"})
    assert (stages["checked"], stages["shared"], stages["counted"]) == ([1], [["one", "two"]], [0, 2])
    planning = ("running", {"stage": "planning"})
    responses, judgments = ((None, {"stage": name}) for name in ("responses", "judgments"))
    assert status.states == [planning, responses, planning, planning, judgments]


def test_quality_that_is_judged_first_counts_once(folder: Path, stages: dict[str, list[Any]]) -> None:
    stages["plans"] = [Plan(), Plan(), Plan("q1", "q2"), Plan("q1", "q2", "p1")]
    work, status = Work(), Status()
    prepared = job(folder, paradigms=["pairwise", "quality"], pairs=["equal"], quality_judges=["a"])

    make_stages(work, prepared, status)

    assert status.counts.total == 3
    assert stages["shared"] == [["q1", "q2"], ["q1", "q2", "p1"]]


def test_a_stage_alone_is_made_of_a_shard_and_counts_nothing_later(
    folder: Path, stages: dict[str, list[Any]]
) -> None:
    stages["plans"] = [Plan("one", "two", "three")]
    work, status = Work(), Status()
    status.counts.later = 5

    make_stages(work, job(folder, RunOptions(step=2, shard=Shard(2, 3))), status)

    assert (work.calls, stages["plans"], stages["counted"]) == ([["one", "two"]], [], [])
    assert (status.counts.total, status.counts.later) == (2, 0)


def test_a_run_that_is_over_plans_nothing_more(folder: Path, stages: dict[str, list[Any]]) -> None:
    work = Work()
    work.is_over = True

    assert make_stages(work, job(folder), Status()) == {}
    assert stages["checked"] == work.calls == []


def test_batches_left_by_an_earlier_start_are_collected_though_no_call_is_new(
    folder: Path, stages: dict[str, list[Any]]
) -> None:
    stages["plans"] = [Plan(), Plan(), Plan("one")]
    session, batching = Work(), Work()
    batching.left_over = 1

    make_stages(session, job(folder), Status(), batching)

    assert (session.calls, batching.calls) == ([], [[], ["one"]])
    assert batching.begun_steps == [(0, 2), (1, 2), (2, 2)]


def test_answers_are_added_when_a_stage_breaks_and_the_first_error_is_reported(
    folder: Path, stages: dict[str, list[Any]]
) -> None:
    stages["plans"] = [Plan("broken"), Plan(), Plan("one")]
    work = Work()

    with pytest.raises(UsageError, match="broken"):
        make_stages(work, job(folder), Status())

    assert (work.collected, work.calls) == (1, [["broken"]])


def as_session(**values: Any) -> Any:
    spending = SimpleNamespace(spent=1.5, before=0.25, assumed=2, assumed_usd=0.5, cap=9.0)
    status = SimpleNamespace(counts=values.pop("counts", Counts(total=2, ok=2)))
    flags = dict.fromkeys(("interrupted", "out_of_budget", "out_of_time"), False)
    return SimpleNamespace(
        **(flags | {"given_up": {}, "abandoned": 0} | values), spending=spending, status=status
    )


@pytest.mark.parametrize(
    ("values", "missing", "unread", "end"),
    [
        ({}, {}, False, "done"),
        ({}, {}, True, "unread"),
        ({}, {("a", None): 1}, True, "errors"),
        ({"counts": Counts(total=3, ok=2)}, {}, True, "errors"),
        ({"out_of_time": True}, {("a", None): 1}, True, "time"),
        ({"out_of_time": True, "out_of_budget": True}, {}, False, "budget"),
        ({"interrupted": True, "out_of_budget": True}, {}, False, "interrupted"),
    ],
)
def test_the_report_names_the_end_that_comes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, values: Any, missing: Any, unread: bool, end: str
) -> None:
    monkeypatch.setattr(one_process, "StudyFiles", lambda _: None)
    monkeypatch.setattr(one_process, "is_unread", lambda *_: unread)

    report = _report(job(folder), as_session(**values, given_up={"a": "gone"}, abandoned=4), missing, 7)

    assert (report.end, report.missing, report.with_provider) == (end, missing, 7)
    spent = (report.spent, report.spent_before, report.assumed, report.assumed_usd, report.cap)
    assert spent == (1.5, 0.25, 2, 0.5, 9.0)
    assert (report.given_up, report.abandoned, report.ok) == ({"a": "gone"}, 4, 2)


class Loop:
    """Calls at once what is called from other threads, unless it has ended."""

    def __init__(self, ended: bool = False) -> None:
        self.ended = ended

    def call_soon_threadsafe(self, function: Callable[..., None], *arguments: Any) -> None:
        if self.ended:
            raise RuntimeError("it has ended")
        function(*arguments)


@pytest.mark.parametrize(("hurry", "interruptions"), [(False, [1, 0, 0]), (True, [1, 1, 0])])
def test_a_runs_sessions_are_interrupted_once_unless_it_is_in_a_hurry(
    monkeypatch: pytest.MonkeyPatch, hurry: bool, interruptions: list[int]
) -> None:
    heard: list[int] = []
    sessions = [
        SimpleNamespace(
            run_id=run_id, interrupted=interrupted, interrupt=lambda number=number: heard.append(number)
        )
        for number, (run_id, interrupted) in enumerate(
            (("r", False), ("r", True), ("other", False), ("r", False))
        )
    ]
    loops = [Loop(), Loop(), Loop(), Loop(ended=True)]
    monkeypatch.setattr(one_process, "_active", list(zip(loops, sessions, strict=True)))

    interrupt_active("r", hurry=hurry)

    assert [heard.count(number) for number in range(3)] == interruptions


@pytest.mark.parametrize(("minutes", "seconds"), [(None, []), (0.5, [30.0])])
def test_signals_and_the_time_end_a_run_while_it_lasts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, minutes: float | None, seconds: list[float]
) -> None:
    events: list[Any] = []
    limits = "" if minutes is None else f"max_minutes = {minutes}"
    session = SimpleNamespace(config=config(folder, run=limits), interrupt=1, end_in_time=2)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        handle = SimpleNamespace(cancel=lambda: events.append("cancelled"))
        for name, result in (
            ("add_signal_handler", None),
            ("remove_signal_handler", None),
            ("call_later", handle),
        ):
            monkeypatch.setattr(
                loop, name, lambda *given, name=name, result=result: events.append((name, *given)) or result
            )
        with _end_on_signals(cast("Any", session)):
            events.append(len(one_process._active))

    asyncio.run(run())

    added = [("add_signal_handler", number, 1) for number in (signal.SIGINT, signal.SIGTERM)]
    removed = [("remove_signal_handler", number) for number in (signal.SIGTERM, signal.SIGINT)]
    timed = [("call_later", each, 2) for each in seconds]
    assert events[:6] == [*added, *timed, 1, *["cancelled"] * len(seconds), *removed][:6]
    assert one_process._active == []


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The parts of a session's run, replaced: what they were given and what they are to return."""
    parts: dict[str, Any] = {"gold": [], "runs": [], "abandoned": 0, "under_way": None, "cache": None}

    async def run_stages(*_: object) -> Any:
        if isinstance(parts.get("fails"), Exception):
            raise parts["fails"]
        return {("a", None): 1}

    def session(**given: Any) -> Any:
        parts["session"] = given
        return as_session(config=given["config"], abandoned=parts["abandoned"], interrupt=None)

    collector = SimpleNamespace(
        study=None,
        runs=SimpleNamespace(begin_start=lambda: parts["runs"].append("begin"), set_end="end"),
        change_runs=parts["runs"].append,
    )
    for name, value in {
        "open_cache": lambda *_: parts["cache"],
        "recover_calls": lambda _: (collector, ["of damage"]),
        "withdraw_calls": lambda *_: parts["runs"].append("withdraw"),
        "withdrawn_calls": lambda _: frozenset(["c"]),
        "spending_of": lambda *_: "spending",
        "Session": session,
        "Batching": lambda *_: SimpleNamespace(calls_under_way=5),
        "_run_stages": run_stages,
        "run_notes": lambda *_, **_whole: ["of answers"],
        "StudyFiles": lambda _: None,
        "is_unread": lambda *_: False,
        "unread_judges": lambda *_: [],
    }.items():
        monkeypatch.setattr(one_process, name, value)
    monkeypatch.setattr(
        "engine.collect.plan.gold_outcomes.write_gold_outcomes", lambda *_: parts["gold"].append("written")
    )
    return parts


def run_session(prepared: Any) -> RunReport:
    (prepared.files.path / SHARE).write_text("1.0")
    return asyncio.run(_run_session(prepared, cast("Any", Status())))


def test_a_run_adds_what_was_left_withdraws_makes_its_stages_and_says_what_happened(
    folder: Path, parts: dict[str, Any]
) -> None:
    prepared = job(folder)

    report = run_session(prepared)

    assert report.notes == ["of batches", "of damage", "of models", "of answers"]
    assert (report.missing, report.with_provider) == ({("a", None): 1}, 0)
    assert parts["runs"] == ["begin", "withdraw", "end"]
    assert prepared.models.closed == 1
    assert prepared.files.config.read_text() == prepared.config.text
    assert not (prepared.files.path / SHARE).exists()
    assert (parts["session"]["exchanges"], parts["session"]["redo_keys"]) == (None, frozenset())


def test_calls_that_were_abandoned_count_against_the_share_until_the_next_start(
    folder: Path, parts: dict[str, Any]
) -> None:
    prepared, parts["abandoned"] = job(folder), 1

    run_session(prepared)

    assert (prepared.files.path / SHARE).exists()


def test_in_batches_the_calls_with_the_provider_are_reported(folder: Path, parts: dict[str, Any]) -> None:
    assert run_session(job(folder, mode="batch")).with_provider == 5
    assert parts["session"]["cache"] is None


def test_with_a_cache_calls_that_were_withdrawn_are_not_taken_from_it(
    folder: Path, parts: dict[str, Any]
) -> None:
    closed: list[int] = []
    parts["cache"] = SimpleNamespace(close=lambda: closed.append(1))

    run_session(job(folder))

    assert (parts["session"]["redo_keys"], closed) == ({"c"}, [1])


@pytest.mark.parametrize(
    ("option", "run", "recorded"), [(True, "", True), (False, "keep_raw = true", True), (False, "", False)]
)
def test_exchanges_are_recorded_if_the_command_or_the_configuration_says_so(
    folder: Path, parts: dict[str, Any], option: bool, run: str, recorded: bool
) -> None:
    run_session(job(folder, RunOptions(keep_raw=option), run=run))

    assert (parts["session"]["exchanges"] is not None) is recorded


@pytest.mark.parametrize(
    ("shard", "panel", "written"), [(None, True, 1), (Shard(1, 2), True, 0), (None, False, 0)]
)
def test_a_whole_run_with_a_gold_panel_writes_its_outcomes(
    folder: Path, parts: dict[str, Any], shard: Shard | None, panel: bool, written: int
) -> None:
    prepared = job(folder, RunOptions(shard=shard))
    if panel:
        prepared.config = prepared.config.model_copy(update={"gold_judges": ["a", "b", "c"]})

    run_session(prepared)

    assert len(parts["gold"]) == written


def test_the_models_are_closed_when_a_stage_breaks(folder: Path, parts: dict[str, Any]) -> None:
    prepared, parts["fails"] = job(folder), UsageError("broken")

    with pytest.raises(UsageError, match="broken"):
        run_session(prepared)

    assert (prepared.models.closed, parts["runs"]) == (1, ["begin", "withdraw"])
