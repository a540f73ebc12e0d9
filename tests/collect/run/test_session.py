"""One call of a run, from its reserve to its record: the models, the disk and the study are replaced."""

import asyncio
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.collect.calls import CallRequest, Failure, Reply, Subject
from engine.collect.client.model_client import CallOutcome
from engine.collect.configuration.config import Price, RunConfig
from engine.collect.database.entries import Entry
from engine.collect.dispatch.calling import Session
from engine.collect.dispatch.prepared_calls import ForeseenAnswer, PreparedCall
from engine.collect.dispatch.run_status import Counts
from engine.collect.limits.spending import Charge, Spending
from engine.collect.run_options import RunOptions
from engine.errors import StoreError

from .small import MET, config, write_folder

A_DOLLAR_EACH = Price(input_per_million=0.0, output_per_million=1e6)
MET_REPLY = Reply(MET, cost_usd=2.0, completion_tokens=2)
DOWN = Failure("server", "down", 500)
GONE = Failure("model", "no such model", 404, "unknown_model")


def request(model: str = "a", role: Any = "judge", **subject: Any) -> CallRequest:
    about = Subject("x", "g", **({"rubric_ids": ("r",)} | subject))
    return CallRequest(role, model, "single_rubric" if role == "judge" else None, "default", about)


def call(call_made: CallRequest, logprobs: Any = False) -> PreparedCall:
    messages = [{"role": "user", "content": "Which?"}]
    return PreparedCall(call_made, messages, None, logprobs, 5, ForeseenAnswer(3, 3.0))


class Models:
    """Gives outcomes by name, in turn, each after charges for attempts without a result."""

    def __init__(self, **outcomes: list[Any]) -> None:
        self.outcomes, self.given_up = outcomes, dict[str, Failure]()
        self.unreachable: dict[str, str] = {}
        self.asked_names: list[str] = []
        self.lost: list[Charge] = []
        self.repeats: list[bool] = []
        self.prices: dict[str, Price | None] = {"a": A_DOLLAR_EACH, "b": A_DOLLAR_EACH}

    async def ask(self, name: str, _: Any, *, on_charge: Any, **how: Any) -> CallOutcome:
        assert how == {"logprobs": False, "schema": None, "tokens": 5}
        self.asked_names.append(name)
        self.repeats += [on_charge(charge) for charge in self.lost]
        return CallOutcome(self.outcomes[name].pop(0), 1 + len(self.lost))

    def price(self, name: str) -> Price | None:
        return self.prices[name]

    def identity(self, name: str, *_: Any) -> dict[str, object]:
        return {"model": name}

    def paces(self) -> list[Any]:
        return [SimpleNamespace(name="p", words="slow")]


class Cache(dict[str, Reply]):
    def put(self, key: str, _: str, reply: Reply) -> None:
        self[key] = reply


class Disk:
    """Records at once, or fails."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.charges: list[tuple[str, str, float]] = []
        self.error: Exception | None = None
        self.database = SimpleNamespace(disk_is_full=False, path="run.sqlite")

    def add(self, entry: Entry) -> "asyncio.Future[int]":
        self.entries.append(entry)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        if self.error is None:
            future.set_result(1)
        else:
            future.set_exception(self.error)
        return future

    def begin(self, key: str, call_made: CallRequest, usd: float) -> None:
        self.charges.append((key, call_made.model, usd))


class Run:
    def __init__(
        self, settings: RunConfig, *, cap: float | None = None, cache: Any = None, **outcomes: Any
    ) -> None:
        self.models, self.disk, self.spending = Models(**outcomes), Disk(), Spending(cap)
        self.states: list[str] = []
        counts = Counts()
        status = SimpleNamespace(
            counts=counts,
            add=counts.add,
            set=lambda state, message: self.states.append(f"{state}: {message}"),
        )
        self.redo_keys: set[str] = set()
        self.session = Session(
            config=settings, options=RunOptions(grace_s=7.0), run_id="r", models=cast("Any", self.models),
            recorded=cast("Any", self.disk), under_way=cast("Any", self.disk), collector=cast("Any", None),
            completed=cast("Any", {request("done")}), spending=self.spending, status=cast("Any", status),
            cache=cache, exchanges=None, redo_keys=cast("Any", self.redo_keys),
        )  # fmt: skip
        self.session._collection = cast("Any", SimpleNamespace(count=lambda: None))
        self.session.outlook.calls_left = Counter({"a": 5})

    def make(self, prepared: PreparedCall) -> Entry:
        async def make() -> None:
            reservation = self.session._reserve(prepared)
            assert reservation is not None
            await self.session._make(prepared, reservation)

        asyncio.run(make())
        return self.disk.entries[-1]


@pytest.fixture
def settings(tmp_path: Path) -> RunConfig:
    limit = "params = { max_tokens = 4 }"
    causes = "fallback = ['b']\nfallback_on = ['outage', 'content_policy', 'unknown_model']"
    folder, limits = write_folder(tmp_path / "data"), "max_minutes = 2\ntimeout_s = 50"
    return config(folder, judges=["a"], a=f"{limit}\n{causes}", b=limit, run=limits)


def test_an_answer_is_recorded_and_its_cost_counted(settings: RunConfig) -> None:
    run = Run(settings, a=[MET_REPLY])

    entry = run.make(call(request()))

    assert (entry.status, entry.cost_usd, entry.calls, entry.model) == ("ok", 2.0, 1, "a")
    assert (run.spending.spent, run.spending.reserved) == (2.0, 0.0)
    assert run.disk.charges == [(request().key, "a", 4.0)]  # at most four tokens, before it is sent
    assert run.session.status.counts.ok == 1
    assert run.session.outlook.calls_left == {"a": 4}


def test_a_call_takes_milliseconds_of_its_attempts_by_all_models(
    settings: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([10.0, 11.23449, 20.0, 20.5])
    monkeypatch.setattr(
        "engine.collect.dispatch.calling.time", SimpleNamespace(monotonic=lambda: next(times))
    )

    assert Run(settings, a=[DOWN], b=[MET_REPLY]).make(call(request())).seconds == 1.734


def test_attempts_without_a_result_are_charged_before_the_next_one(settings: RunConfig) -> None:
    run = Run(settings, cap=10.0, a=[MET_REPLY])
    run.models.lost = [Charge(3.0), Charge(None, 0, 1)]

    entry = run.make(call(request()))

    assert [usd for _, _, usd in run.disk.charges] == [4.0, 3.0, 1.0]
    assert (entry.cost_usd, run.spending.spent, entry.calls) == (6.0, 6.0, 3)
    assert run.models.repeats == [True, True]


def test_an_answer_without_a_cost_counts_as_assumed(settings: RunConfig) -> None:
    priced, unpriced = Run(settings, a=[Reply(MET)]), Run(settings, a=[Reply(MET)])
    unpriced.models.prices["a"] = None

    assert priced.make(call(request())).cost_usd == 4.0
    assert unpriced.make(call(request())).cost_usd is None


@pytest.mark.parametrize("outcome", [DOWN, Reply("", finish_reason="content_filter"), GONE])
def test_a_fallback_answers_instead_and_what_the_first_cost_is_not_lost(
    settings: RunConfig, outcome: Reply | Failure
) -> None:
    run = Run(settings, a=[outcome], b=[MET_REPLY])

    entry = run.make(call(request()))

    assert (entry.model, entry.stood_in_for, entry.status, entry.calls) == ("b", "a", "ok", 2)
    assert run.models.asked_names == ["a", "b"]
    assert run.session.outlook.calls_left == {"a": 4}
    assert run.session.given_up == ({"a": "no such model"} if outcome is GONE else {})


def test_a_failed_fallback_leaves_the_first_outcome_with_the_cost_of_both(settings: RunConfig) -> None:
    filtered = Reply("", finish_reason="content_filter", cost_usd=1.0)
    run = Run(settings, a=[DOWN], b=[filtered])

    entry = run.make(call(request()))

    assert (entry.model, entry.failure, entry.cost_usd) == ("a", "server", 1.0)


@pytest.mark.parametrize(
    ("call_made", "outcome", "asked_names"),
    [
        (call(request()), Failure("request", "no", 400, "bad_parameter"), ["a"]),
        (call(request()), Failure("key", "no", 402, "quota"), ["a"]),  # not in `fallback_on`
        (call(request("b")), DOWN, ["b"]),  # without a fallback
        (call(request(role="generator", rubric_ids=())), DOWN, ["a"]),  # whose own answer is wanted
        (call(request(role="generator", rubric_ids=(), transform="t")), DOWN, ["a", "b"]),  # a rewriter
    ],
)
def test_a_fallback_is_called_for_its_causes_and_never_for_an_answer_of_the_models_own(
    settings: RunConfig, call_made: PreparedCall, outcome: Failure, asked_names: list[str]
) -> None:
    run = Run(settings, a=[outcome], b=[outcome if call_made.request.model == "b" else DOWN])

    run.make(call_made)

    assert run.models.asked_names == asked_names


def test_a_cached_answer_of_a_fallback_is_taken_unless_the_call_is_redone(settings: RunConfig) -> None:
    cache = Cache()
    run = Run(settings, cache=cache, a=[DOWN, DOWN], b=[MET_REPLY])
    cache[run.session._cache_key(request("b"), call(request()).messages, None)] = Reply(
        MET, cached=True, cost_usd=0.0
    )

    cached = run.make(call(request()))
    asked_names = list(run.models.asked_names)
    run.redo_keys.add(request().key)
    redone = run.make(call(request()))

    assert (cached.model, cached.cached, cached.calls, cached.seconds >= 0, asked_names) == (
        "b",
        True,
        1,
        True,
        ["a"],
    )
    assert cached.cost_usd == 0.0
    assert (redone.cached, run.models.asked_names) == (False, ["a", "a", "b"])


def test_an_answer_is_kept_in_the_cache_for_calls_that_are_not_redone(settings: RunConfig) -> None:
    cache = Cache()
    run = Run(settings, cache=cache, a=[MET_REPLY])
    run.make(call(request()))
    messages = call(request()).messages

    assert run.session.cached_reply(request(), messages) == MET_REPLY
    run.redo_keys.add(request().key)
    assert run.session.cached_reply(request(), messages) is None
    assert Run(settings).session.cached_reply(request(), messages) is None


def test_a_cap_without_room_ends_the_run_or_waits_for_calls_under_way(settings: RunConfig) -> None:
    run = Run(settings, cap=3.0)
    none = run.session._reserve(call(request()))
    assert (none, run.session.out_of_budget, run.session.is_over) == (None, True, True)

    busy = Run(settings, cap=5.0)
    first, second = (busy.session._reserve(call(request())) for _ in range(2))

    assert first is not None
    assert (second, busy.session.out_of_budget) == (None, False)


def test_a_fallback_waits_for_the_budget(settings: RunConfig) -> None:
    run = Run(settings, cap=5.0)

    async def wait() -> list[Any]:
        held = run.session._reserve(call(request()))
        assert held is not None
        waiting = asyncio.create_task(run.session._wait_for_budget(call(request("b"))))
        await asyncio.sleep(0)
        states = [waiting.done()]
        run.spending.end(held)
        run.session._call_ended.set()
        return [*states, await waiting]

    done, reservation = asyncio.run(wait())

    assert (done, reservation is not None) == (False, True)
    run.session.interrupted = True
    assert asyncio.run(run.session._wait_for_budget(call(request("b")))) is None


@pytest.mark.parametrize("kind", ["key", "model"])
def test_a_model_that_concerns_all_calls_is_given_up_and_called_no_more(
    settings: RunConfig, kind: Any
) -> None:
    run = Run(settings, b=[Failure(kind, "no", 401), DOWN])
    dropped: list[str] = []
    run.session._dispatch = cast("Any", SimpleNamespace(drop=dropped.append))

    run.make(call(request("b")))
    run.make(call(request("b")))

    assert (run.session.given_up, dropped) == ({"b": "no"}, ["b"])


def test_a_model_given_up_by_its_client_is_given_up_with_that_reason(settings: RunConfig) -> None:
    run = Run(settings, b=[DOWN])
    run.models.given_up["b"] = Failure("answer", "three in a row")

    run.make(call(request("b")))

    assert run.session.given_up == {"b": "three in a row"}


def test_an_answer_that_the_disk_does_not_take_ends_the_run_and_does_not_count(settings: RunConfig) -> None:
    run = Run(settings, a=[MET_REPLY])
    run.disk.error = StoreError("full")

    run.make(call(request()))

    assert (run.session.is_over, run.session.status.counts.ok) == (True, 0)


def test_an_answer_in_the_reserve_of_a_full_disk_counts_and_ends_the_run(settings: RunConfig) -> None:
    run = Run(settings, a=[MET_REPLY])
    run.disk.database.disk_is_full = True

    run.make(call(request()))

    assert (run.session.is_over, run.session.status.counts.ok) == (True, 1)
    assert "run.sqlite: the disk is full" in str(run.session._failure)


def test_what_was_answered_before_is_not_wanted_and_counts_once(settings: RunConfig) -> None:
    session = Run(settings).session
    session.outlook.calls_left = Counter({"done": 2, "a": 1})

    assert session.is_wanted(request())
    assert not session.is_wanted(request("done"))
    session.counted_paradigms = frozenset({"single_rubric"})
    assert not session.is_wanted(request("done"))

    assert session.status.counts.already_done == 1
    assert session.outlook.calls_left == {"done": 0, "a": 1}


def test_a_second_interruption_waits_for_nothing(settings: RunConfig) -> None:
    session = Run(settings).session

    session.interrupt()
    once = session._hurry.is_set()
    session.interrupt()

    assert (once, session._hurry.is_set(), session._stopped.is_set(), session._grace_s) == (
        False,
        True,
        True,
        7.0,
    )


def test_after_its_minutes_a_run_waits_as_long_as_an_answer_may_take(settings: RunConfig) -> None:
    run = Run(settings)
    before = run.session._grace_s

    run.session.end_in_time()

    assert (before, run.session._grace_s, run.session.out_of_time) == (7.0, 50.0, True)
    assert run.states == [
        "stopping: stopping: the 2 minutes of this start are over; waiting for the answers under way"
    ]
    run.session.interrupt()
    assert (run.session._hurry.is_set(), run.session._grace_s) == (True, 7.0)
    other = Run(settings)
    other.session.out_of_budget = True
    other.session.end_in_time()
    assert not other.session.out_of_time


def test_a_run_says_why_it_waits(settings: RunConfig) -> None:
    assert Run(settings).session._pace_words() == ["p: slow"]
    assert Run(settings, cap=8.0).session._pace_words() == ["p: slow", "$0 of $8 spent, $0 reserved"]


def test_the_first_reason_to_give_a_model_up_is_reported(settings: RunConfig) -> None:
    session = Run(settings).session

    session.give_up("a", "first")
    session.give_up("a", "second")

    assert session.given_up == {"a": "first"}
