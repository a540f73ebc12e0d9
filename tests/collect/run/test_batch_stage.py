"""The calls of a step made in batches: divided, submitted, polled and stored; all else is replaced."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from engine.collect.calls import CallRequest, Failure, Message, Reply, Subject
from engine.collect.client.litellm_batches import BatchError, BatchState
from engine.collect.client.openai_transport import Attempt
from engine.collect.configuration.config import ModelConfig, Price, RunConfig
from engine.collect.database.batch_records import BatchRecord, Chunk
from engine.collect.database.entries import Entry
from engine.collect.dispatch import batch_stage
from engine.collect.dispatch.batch_stage import Batching, check_batches
from engine.collect.limits.spending import Charge, Spending
from engine.collect.run_options import RunOptions, Shard
from engine.errors import UsageError

from .small import MET, config, write_folder

A_DOLLAR_EACH = Price(input_per_million=0.0, output_per_million=1e6)
"""A dollar for each token of an answer; `max_tokens` is 1."""
MET_REPLY = Attempt(Reply(MET, cost_usd=0.25))


def request(number: int, model: str = "a") -> CallRequest:
    return CallRequest(
        "judge", model, "single_rubric", "default", Subject(f"i{number}", "g", rubric_ids=("r",))
    )


class Plan:
    def __init__(self, **sizes: int) -> None:
        self.sizes = sizes

    def of_model(self, name: str) -> Iterator[CallRequest]:
        return (request(number, name) for number in range(self.sizes.get(name, 0)))

    def messages(self, call_made: CallRequest) -> list[Message]:
        return [{"role": "user", "content": call_made.subject.instance_id}]


class Records:
    """The batches on disk."""

    def __init__(self, *left_over: tuple[BatchRecord, list[CallRequest]]) -> None:
        self.of_batch = {record.label: (record, calls) for record, calls in left_over}
        self.steps: list[int] = []
        self.finished: list[list[Entry]] = []

    def open(self) -> list[BatchRecord]:
        return [record for record, _ in self.of_batch.values()]

    def add(self, step: int, chunk: Chunk) -> BatchRecord:
        self.steps.append(step)
        calls = [call_made for call_made, _ in chunk.calls]
        record = BatchRecord(
            f"l{len(self.steps)}", calls[0].model, step, len(calls), chunk.most, chunk.params, "2026-01-01"
        )
        self.of_batch[record.label] = record, calls
        return record

    def calls(self, record: BatchRecord) -> Iterator[tuple[str, CallRequest]]:
        return ((call_made.key, call_made) for call_made in self.of_batch[record.label][1])

    def lines(self, record: BatchRecord) -> bytes:
        return record.label.encode()

    def set_batch_id(self, record: BatchRecord, batch_id: str) -> BatchRecord:
        return replace(record, batch_id=batch_id)

    def finish(self, record: BatchRecord, entries: Iterable[Entry]) -> None:
        self.finished.append(list(entries))
        del self.of_batch[record.label]


class Provider:
    """Ends each batch once it has been asked for often enough, and answers all of its calls."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.submitted: list[str] = []
        self.found_id: str | None = None
        self.states: dict[str, list[BatchState | BatchError]] = {}
        self.read: Callable[[str, CallRequest], Iterable[tuple[str, Attempt | None]]] = answered
        self.refused: dict[str, BatchError] = {}
        self.bodies: dict[str, BatchError] = {}
        self.logprobs: list[bool] = []

    def body(self, name: str, messages: list[Message], *, logprobs: bool) -> dict[str, Any]:
        if name in self.bodies:
            raise self.bodies[name]
        self.logprobs.append(logprobs)
        return {"model": name, "messages": messages, "seed": 7}

    async def submit(self, name: str, label: str, content: bytes) -> str:
        assert content == label.encode()
        if name in self.refused:
            raise self.refused[name]
        self.submitted.append(label)
        return f"id-{label}"

    async def find(self, name: str, label: str, made_at: str) -> str | None:
        assert (name, label, made_at) == ("a", "l0", "2026-01-01")
        return self.found_id

    async def state(self, name: str, batch_id: str) -> BatchState:
        assert name in ("a", "b")
        states = self.states.get(batch_id.removeprefix("id-"), [])
        state = states.pop(0) if states else BatchState("completed", 0, "out")
        if isinstance(state, BatchError):
            raise state
        return state

    async def attempts_of(
        self, name: str, state: BatchState, params: Mapping[str, Any]
    ) -> AsyncIterator[tuple[str, Attempt | None]]:
        assert (state.ended, dict(params)) == (True, {"seed": 7})
        _, calls = next(iter(self.records.of_batch.values()))
        for call_made in calls:
            for each in self.read(name, call_made):
                yield each


def answered(_: str, call_made: CallRequest) -> Iterable[tuple[str, Attempt | None]]:
    return [(call_made.key, MET_REPLY)]


class Session:
    """The rest of a run."""

    def __init__(self, settings: RunConfig, spending: Spending, options: RunOptions) -> None:
        self.config, self.spending, self.options = settings, spending, options
        self.run_id, self.cache, self.models, self.status = "run", None, self, self
        self.completed: set[CallRequest] = set()
        self.given_up: dict[str, str] = {}
        self.is_over = self.out_of_budget = False
        self.counted: list[Entry] = []
        self.messages: list[str] = []
        self.pauses = 0
        self.cached: dict[str, Reply] = {}
        self.stored: list[CallRequest] = []
        self.unwanted: set[str] = set()
        self.free = False

    def price(self, _: str) -> Price | None:
        return None if self.free else A_DOLLAR_EACH

    def is_wanted(self, call_made: CallRequest) -> bool:
        return call_made.key not in self.unwanted

    def cached_reply(self, call_made: CallRequest, _: list[Message]) -> Reply | None:
        return self.cached.get(call_made.key)

    async def store_cached(self, call_made: CallRequest, _: Reply) -> None:
        self.stored.append(call_made)

    def give_up(self, name: str, words: str) -> None:
        self.given_up.setdefault(name, words)

    async def until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        await work

    async def pause(self, seconds: float) -> None:
        assert seconds == self.config.run.poll_s
        self.pauses += 1
        self.is_over = self.pauses > 5

    def set(self, *, message: str) -> None:
        self.messages.append(message)

    def count(self, entry: Entry) -> None:
        self.counted.append(entry)


@pytest.fixture
def settings(tmp_path: Path) -> RunConfig:
    limit = "params = { max_tokens = 1 }"
    return config(write_folder(tmp_path / "data"), mode="batch", a=limit, b=limit)


class Stage:
    def __init__(
        self,
        settings: RunConfig,
        *left_over: tuple[BatchRecord, list[CallRequest]],
        cap: float | None = None,
        **options: Any,
    ) -> None:
        self.session = Session(settings, Spending(cap), RunOptions(**options))
        self.records = Records(*left_over)
        self.provider = Provider(self.records)
        self.batching = Batching(
            cast("Any", self.session), cast("Any", self.records), cast("Any", self.provider)
        )

    def make(self, plan: Plan, step: int = 0, last: int = 0) -> None:
        self.batching.begin(step, last)
        asyncio.run(self.batching.make(cast("Any", plan)))

    @property
    def sizes(self) -> list[int]:
        """The numbers of calls of the batches that were finished."""
        return [len(entries) for entries in self.records.finished]

    @property
    def statuses(self) -> list[str]:
        return [entry.failure or entry.status for entries in self.records.finished for entry in entries]


def test_a_batch_has_the_calls_of_one_model_and_no_more_than_it_may(settings: RunConfig) -> None:
    stage = Stage(settings, batch_calls=2)

    stage.make(Plan(a=5, b=1), step=3, last=4)

    assert stage.sizes == [2, 2, 1, 1]
    assert stage.records.steps == [3] * 4
    assert stage.provider.submitted == ["l1", "l2", "l3", "l4"]
    assert {entry.key for entry in stage.session.counted} == {
        call_made.key
        for name, count in (("a", 5), ("b", 1))
        for call_made in Plan(**{name: count}).of_model(name)
    }
    assert stage.batching.calls_under_way == 0
    assert stage.session.messages[-1] == ""


def test_a_batch_is_full_at_its_size_in_bytes(settings: RunConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = Chunk()
    chunk.add(request(0), {"model": "a", "messages": Plan().messages(request(0)), "seed": 7}, 0.0)
    monkeypatch.setattr(batch_stage, "BATCH_BYTES", 2 * chunk.weight)
    stage = Stage(settings)

    stage.make(Plan(a=5))

    assert stage.sizes == [2, 2, 1]


def test_what_is_not_wanted_or_cached_is_in_no_batch(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.session.unwanted = {request(0).key}
    stage.session.cached = {request(1).key: Reply(MET)}

    stage.make(Plan(a=4))

    assert stage.sizes == [2]
    assert stage.session.stored == [request(1)]


def test_a_cap_bounds_the_batches_and_what_is_left_of_one_the_next(settings: RunConfig) -> None:
    stage = Stage(settings, cap=4.0)

    stage.make(Plan(a=9))

    # Each call costs $1 at most, and $0.25: 4, then 3 of the $3 left, then 2 of the $2.25.
    assert stage.sizes == [4, 3, 2]
    assert not stage.session.out_of_budget


def test_a_cap_without_room_for_one_call_ends_the_run(settings: RunConfig) -> None:
    stage = Stage(settings, cap=0.5)
    stage.session.is_over = False

    stage.make(Plan(a=2))

    assert (stage.sizes, stage.session.out_of_budget) == ([], True)


def test_with_batches_under_way_a_cap_is_waited_for(settings: RunConfig) -> None:
    stage = Stage(settings, cap=2.0)
    stage.provider.states = {"l1": [BatchState("in_progress", 1), BatchState("completed", 2, "out")]}

    stage.make(Plan(a=3))

    assert (stage.sizes, stage.session.out_of_budget, stage.session.pauses) == ([2, 1], False, 1)
    assert stage.session.messages[0] == "1 batch under way, 1 of 2 calls done there"


def test_a_model_without_a_body_is_given_up_and_the_others_are_called(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.provider.bodies = {"a": BatchError(Failure("request", "no such parameter"))}

    stage.make(Plan(a=3, b=2))

    assert stage.sizes == [2]
    assert stage.session.given_up == {"a": "no such parameter"}


@pytest.mark.parametrize("kind", ["key", "model", "request"])
def test_a_batch_that_was_refused_fails_with_all_its_calls(settings: RunConfig, kind: Any) -> None:
    stage = Stage(settings)
    stage.provider.refused = {"a": BatchError(Failure(kind, "refused"))}

    stage.make(Plan(a=3, b=1))

    assert stage.statuses == [kind] * 3 + ["ok"]
    assert stage.session.given_up == {"a": "refused"}
    assert [entry.cost_usd for entry in stage.records.finished[0]] == [0.0] * 3


def test_a_batch_that_may_exist_stays_open(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.provider.refused = {"a": BatchError(Failure("server", "down"))}

    stage.make(Plan(a=3))

    assert (stage.sizes, stage.batching.calls_under_way) == ([], 3)
    assert stage.session.given_up == {"a": "down"}


def left(
    label: str = "l0", step: int = 0, batch_id: str | None = None
) -> tuple[BatchRecord, list[CallRequest]]:
    record = BatchRecord(label, "a", step, 2, 2.0, {"seed": 7}, "2026-01-01", batch_id)
    return record, [request(0), request(1)]


@pytest.mark.parametrize(("found_id", "submitted"), [("id-l0", ["l1"]), (None, ["l0", "l1"])])
def test_a_batch_of_an_earlier_start_is_submitted_unless_it_is_found(
    settings: RunConfig, found_id: str | None, submitted: list[str]
) -> None:
    stage = Stage(settings, left())
    stage.provider.found_id = found_id

    stage.make(Plan(a=3))

    assert stage.provider.submitted == submitted
    assert stage.sizes == [2, 1]  # its calls are in no other batch


def test_an_earlier_batch_that_cannot_be_looked_for_stays_open(settings: RunConfig) -> None:
    stage = Stage(settings, left())
    refusal = BatchError(Failure("key", "no key"))

    async def find(*_: object) -> None:
        raise refusal

    stage.provider.find = find  # type: ignore[assignment,method-assign]
    stage.make(Plan(a=2))

    assert (stage.sizes, stage.batching.calls_under_way) == ([], 2)


@pytest.mark.parametrize(
    ("of_batch", "step", "last", "due"), [(0, 0, 1, True), (1, 0, 1, False), (1, 1, 2, True), (2, 1, 1, True)]
)
def test_a_batch_is_collected_in_its_step_or_later(
    settings: RunConfig, of_batch: int, step: int, last: int, due: bool
) -> None:
    stage = Stage(settings, left(step=of_batch, batch_id="id-l0"))

    assert stage.batching.begin(step, last) is due
    stage.make(Plan(), step, last)
    assert stage.sizes == ([2] if due else [])


def test_calls_refused_for_a_parameter_are_made_again_after_the_others(settings: RunConfig) -> None:
    stage = Stage(settings)
    again = {request(1).key}

    def read(_: str, call_made: CallRequest) -> Iterable[tuple[str, Attempt | None]]:
        if call_made.key in again:
            again.remove(call_made.key)
            return [(call_made.key, None)]
        return [(call_made.key, MET_REPLY)]

    stage.provider.read = read
    stage.make(Plan(a=3))

    assert stage.sizes == [2, 1]
    assert stage.statuses == ["ok"] * 3
    assert stage.records.finished[1][0].key == request(1).key


def test_an_answer_never_yields_to_another_line_of_its_call_nor_to_one_of_no_call(
    settings: RunConfig,
) -> None:
    stage = Stage(settings)
    down = Attempt(Failure("server", "down"))

    def read(_: str, call_made: CallRequest) -> Iterable[tuple[str, Attempt | None]]:
        return [
            (call_made.key, down),
            (call_made.key, MET_REPLY),
            (call_made.key, down),
            (call_made.key, None),
            ("other", MET_REPLY),
        ]

    stage.provider.read = read
    stage.make(Plan(a=2))

    assert stage.statuses == ["ok", "ok"]


def test_a_call_that_a_batch_leaves_out_fails_with_its_state(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.provider.read = lambda *_: []
    stage.provider.states = {"l1": [BatchState("expired", 0, "out", ended_at="2026-02-03T00:00:00Z")]}

    stage.make(Plan(a=1))

    [entry] = stage.records.finished[0]
    assert (entry.failure, entry.at, entry.calls) == ("answer", "2026-02-03T00:00:00Z", 1)
    assert entry.message == "model 'a': the batch 'id-l1' is expired, without this call"


FULL = BatchState("failed", 0, failure=Failure("rate_limit", "too many tokens"))


def test_a_batch_without_room_beside_others_is_made_again_after_them(settings: RunConfig) -> None:
    stage = Stage(settings, batch_calls=2)
    stage.provider.states = {"l1": [FULL]}

    stage.make(Plan(a=4))

    assert stage.sizes == [0, 2, 2]
    assert stage.statuses == ["ok"] * 4


def test_a_batch_without_room_alone_fails(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.provider.states = {"l1": [FULL]}

    stage.make(Plan(a=2, b=1))

    assert stage.statuses == ["rate_limit", "rate_limit", "ok"]


@pytest.mark.parametrize("kind", ["key", "model", "request", "answer"])
def test_a_batch_that_cannot_be_fetched_is_reported_and_not_submitted_again(
    settings: RunConfig, kind: Any
) -> None:
    stage = Stage(settings)
    stage.provider.states = {"l1": [BatchError(Failure(kind, "gone"))]}

    stage.make(Plan(a=1))

    assert (stage.sizes, stage.provider.submitted, stage.session.pauses) == ([], ["l1"], 1)
    assert stage.session.given_up["a"].startswith("gone; the batch 'id-l1' of 1 call cannot be fetched")


def test_a_passing_failure_of_a_look_is_tried_again(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.provider.states = {"l1": [BatchError(Failure("server", "down"))]}

    stage.make(Plan(a=1))

    assert (stage.sizes, stage.session.pauses, stage.session.given_up) == ([1], 1, {})


@pytest.mark.parametrize(
    ("attempt", "cost"),
    [
        (MET_REPLY, 0.25),
        (Attempt(Reply(MET)), 1.0),  # its share of what the batch may cost
        (Attempt(Failure("server", "down")), 0.0),
        (Attempt(Failure("answer", "odd"), unknown_charge=True), 1.0),
        (Attempt(Failure("answer", "odd"), unknown_charge=True, charge=Charge(None, 5, 3)), 3.0),
        (Attempt(Failure("answer", "odd"), unknown_charge=True, charge=Charge(None, 5)), 1.0),
    ],
)
def test_a_call_costs_what_it_states_or_its_share(settings: RunConfig, attempt: Attempt, cost: float) -> None:
    stage = Stage(settings, cap=10.0)
    stage.provider.read = lambda _, call_made: [(call_made.key, attempt)]

    stage.make(Plan(a=2))

    assert [entry.cost_usd for entry in stage.session.counted] == [cost, cost]
    assert (stage.session.spending.spent, stage.session.spending.reserved) == (2 * cost, 0.0)


def test_without_a_price_a_cost_is_unknown(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.session.free = True
    stage.provider.read = lambda _, call_made: [(call_made.key, Attempt(Reply(MET), unknown_charge=True))]

    stage.make(Plan(a=1))

    assert [entry.cost_usd for entry in stage.session.counted] == [None]


def test_an_answer_that_the_study_has_is_not_stored_again(settings: RunConfig) -> None:
    stage = Stage(settings)
    stage.session.completed = {request(0)}

    stage.make(Plan(a=2))

    assert [entry.key for entry in stage.session.counted] == [request(1).key]


@pytest.mark.parametrize(
    ("run", "options", "says"),
    [
        ("keep_raw = true", RunOptions(), "leave keep_raw out"),
        ("", RunOptions(keep_raw=True), "leave keep_raw out"),
        ("", RunOptions(shard=Shard(1, 2)), "leave --shard out"),
    ],
)
def test_what_batches_cannot_do_is_refused(tmp_path: Path, run: str, options: RunOptions, says: str) -> None:
    folder = write_folder(tmp_path / "data")

    with pytest.raises(UsageError, match=says):
        check_batches(config(folder, mode="batch", run=run), options)


def test_a_provider_without_batches_is_named_with_those_that_have_them(settings: RunConfig) -> None:
    other = settings.model_copy(update={"models": {"a": ModelConfig(model="anthropic/x")}})

    check_batches(settings, RunOptions())
    with pytest.raises(UsageError, match=r"models\.a\.model is 'anthropic/x'.* openai/\.\.\., hosted_vllm/"):
        check_batches(other, RunOptions())
