"""A provider's batches with its requests replaced by given answers: submitted once, found, and read."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from engine.collect.calls import Failure, Reply
from engine.collect.client.litellm_batches import BatchError, Batches, BatchState, read_lines, request_body
from engine.collect.client.model_client import Models
from engine.collect.client.openai_transport import Attempt
from engine.collect.client.provider_errors import REMEDIES
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.limits.spending import Charge

from .asking import logged

PRICE = Price(input_per_million=1.0, output_per_million=10.0)
ANSWER = {
    "choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
}


class Provider:
    """Answers requests about batches in turn, by the name of the function; errors are raised."""

    def __init__(self, **answers: list[Any]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, dict[str, Any]]] = []

    async def call(self, name: str, function: str, **arguments: Any) -> Any:
        assert name == "m"
        self.requests.append((function, arguments))
        answer = self.answers[function].pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def names(self) -> list[str]:
        return [function for function, _ in self.requests]


class ServerError(Exception):
    status_code = 500


class RequestError(Exception):
    status_code = 400


def batches_of(provider: Provider, retries: int = 2, **fields: Any) -> Batches:
    config = ModelConfig(
        **({"model": "openai/x", "api_base": "http://127.0.0.1:9/v1", "price": PRICE} | fields)
    )
    batches = Models({"m": config}, retries=retries).batches()
    batches._call = provider.call  # type: ignore[method-assign]
    return batches


def page(*batches: Any, more: bool = False) -> Any:
    return SimpleNamespace(data=list(batches), has_more=more, _client=SimpleNamespace(close=lambda: None))


def batch(batch_id: str, label: str | None = None, created_at: float = 5_000.0) -> Any:
    metadata = None if label is None else {"spb_batch": label}
    return SimpleNamespace(id=batch_id, metadata=metadata, created_at=created_at)


def test_a_batch_whose_creation_failed_is_looked_for_before_it_is_created_again() -> None:
    provider = Provider(
        create_file=[SimpleNamespace(id="f")],
        create_batch=[ServerError("lost"), batch("b2")],
        list_batches=[page(batch("b1", "other"))],
    )

    batch_id = asyncio.run(batches_of(provider).submit("m", "mine", b"lines"))

    assert batch_id == "b2"
    assert provider.names() == ["create_file", "create_batch", "list_batches", "create_batch"]
    assert provider.requests[1][1]["metadata"] == {"spb_batch": "mine"}
    assert provider.requests[1][1]["input_file_id"] == "f"


def test_a_batch_whose_confirmation_was_lost_is_not_created_again() -> None:
    provider = Provider(
        create_file=[SimpleNamespace(id="f")],
        create_batch=[ServerError("lost")],
        list_batches=[page(batch("b1", "mine"))],
    )

    assert asyncio.run(batches_of(provider).submit("m", "mine", b"lines")) == "b1"


def test_a_refusal_is_final() -> None:
    provider = Provider(create_file=[RequestError("no files here")])

    with pytest.raises(BatchError, match="no files here") as caught:
        asyncio.run(batches_of(provider).submit("m", "mine", b"lines"))

    assert (caught.value.failure.kind, len(provider.requests)) == ("request", 1)


MADE_AT = "1970-01-01T03:00:00+00:00"  # 10,800 s


@pytest.mark.parametrize(
    ("pages", "found_ids", "requests"),
    [
        ([page(batch("b1"), batch("b2", "mine"))], "b2", 1),
        ([page(batch("b1", created_at=9_000.0), more=True), page(batch("b2", "mine"))], "b2", 2),
        ([page(batch("b1", created_at=9_000.0))], None, 1),
        ([page(batch("b1", created_at=7_200.0), more=True), page(batch("b2", "mine"))], "b2", 2),
        ([page(batch("b1", created_at=7_199.0), more=True)], None, 1),  # an hour before: clocks may differ
        ([page(more=True)], None, 1),
    ],
)
def test_a_batch_is_found_by_its_label_among_those_made_since(
    pages: list[Any], found_ids: str | None, requests: int
) -> None:
    provider = Provider(list_batches=pages)

    assert asyncio.run(batches_of(provider).find("m", "mine", MADE_AT)) == found_ids
    assert len(provider.requests) == requests
    assert provider.requests[0][1] == {"limit": 100}
    assert [each.get("after") for _, each in provider.requests[1:]] == ["b1"] * (requests - 1)


def state_of(**fields: Any) -> BatchState:
    values = {
        "status": "completed", "request_counts": SimpleNamespace(completed=3, failed=2, total=9),
        "output_file_id": "out", "error_file_id": "", "errors": None, "completed_at": 0.5,
    }  # fmt: skip
    provider = Provider(retrieve_batch=[SimpleNamespace(**(values | fields))])
    return asyncio.run(batches_of(provider).state("m", "b"))


def test_the_state_of_a_batch_has_its_files_its_calls_and_its_end() -> None:
    state = state_of()

    assert (state.ended, state.done, state.output_file, state.error_file) == (True, 5, "out", None)
    assert (state.ended_at, state.failure) == ("1970-01-01T00:00:00.500+00:00", None)


@pytest.mark.parametrize(
    ("fields", "ended", "done", "ended_at"),
    [
        ({"status": "in_progress", "in_progress_at": 1}, False, 5, None),
        ({"status": "expired", "expired_at": 1}, True, 5, "1970-01-01T00:00:01.000+00:00"),
        ({"status": "cancelled"}, True, 5, None),
        ({"request_counts": None, "completed_at": True}, True, 0, None),
        ({"request_counts": SimpleNamespace(completed=4), "completed_at": 1e30}, True, 4, None),
    ],
)
def test_a_state_described_otherwise_is_read_as_far_as_it_goes(
    fields: dict[str, Any], ended: bool, done: int, ended_at: str | None
) -> None:
    state = state_of(**fields)

    assert (state.ended, state.done, state.ended_at) == (ended, done, ended_at)


@pytest.mark.parametrize(
    ("errors", "kind", "words"),
    [
        (None, "request", "no reason was given"),
        ([SimpleNamespace(message="bad", code="x"), None], "request", "bad (x)"),
        (
            [SimpleNamespace(message="x", code="token_limit_exceeded")],
            "rate_limit",
            "x (token_limit_exceeded)",
        ),
        ([SimpleNamespace(message=f"e{n}", code=n) for n in range(4)], "request", "e0 (0); e1 (1); e2 (2)"),
    ],
)
def test_a_batch_refused_as_a_whole_has_its_reasons(errors: Any, kind: str, words: str) -> None:
    failure = state_of(status="failed", errors=errors and SimpleNamespace(data=errors)).failure

    assert failure == Failure(kind, f"model 'm': the batch was refused: {words}")  # type: ignore[arg-type]


def lines(*values: Any) -> Any:
    return SimpleNamespace(content="\n".join(json.dumps(each) for each in values).encode())


def attempts(
    state: BatchState, files: list[Any], params: dict[str, Any] | None = None, **fields: Any
) -> list[tuple[str, Attempt | None]]:
    provider = Provider(file_content=files)

    async def read() -> list[tuple[str, Attempt | None]]:
        return [
            each async for each in batches_of(provider, 0, **fields).attempts_of("m", state, params or {})
        ]

    return asyncio.run(read())


def attempt(line: dict[str, Any], params: dict[str, Any] | None = None, **fields: Any) -> Attempt | None:
    """Return what is read from one line of a batch's results."""
    state = BatchState("completed", 1, output_file="out")
    [(key, read)] = attempts(state, [lines({"custom_id": "k", **line})], params, **fields)
    assert key == "k"
    return read


@pytest.mark.parametrize("status", [200, "200", "200 OK", None])
@pytest.mark.parametrize("body", [ANSWER, json.dumps(ANSWER)])
def test_an_answer_is_read_in_any_form_with_its_price_and_address(status: Any, body: Any) -> None:
    read = attempt({"response": {"status_code": status, "body": body}})

    assert read is not None
    assert isinstance(read.outcome, Reply)
    assert (read.outcome.text, read.outcome.cost_usd) == ("Yes.", pytest.approx(210e-6))
    assert read.outcome.address == "http://127.0.0.1:9/v1"


def test_a_key_in_an_answer_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("M_KEY", "a-secret-of-mine")
    body = {"choices": [{"message": {"content": "It is a-secret-of-mine."}}]}

    read = attempt({"response": {"status_code": 200, "body": body}}, api_key_env="M_KEY")

    assert read is not None
    assert isinstance(read.outcome, Reply)
    assert "a-secret" not in read.outcome.text


@pytest.mark.parametrize(
    ("line", "kind", "charge"),
    [
        ({"response": {"status_code": 200, "body": {}}}, "answer", True),
        ({"response": {"status_code": 200, "body": None}}, "answer", True),
        ({"response": {"status_code": 500, "body": {"error": {"message": "down"}}}}, "server", False),
        ({"response": {"status_code": 429, "body": {"error": {"message": "slow"}}}}, "rate_limit", False),
        ({"response": None, "error": {"code": "batch_expired", "message": "late"}}, "timeout", False),
        ({"response": None, "error": {"code": "batch_cancelled", "message": "late"}}, "timeout", False),
        ({"response": {"status_code": 400, "body": {"error": {"message": "no"}}}}, "request", False),
        ({"error": "broken"}, "server", False),
        ({"response": {"status_code": 200, "body": {"error": {"message": "down"}}}}, "server", False),
        ({}, "server", False),
    ],
)
def test_a_line_without_an_answer_fails_by_its_error(line: dict[str, Any], kind: str, charge: bool) -> None:
    read = attempt(line)

    assert read is not None
    assert isinstance(read.outcome, Failure)
    assert (read.outcome.kind, read.unknown_charge) == (kind, charge)


def test_an_unreadable_answer_is_charged_for_the_tokens_that_it_states() -> None:
    read = attempt({"response": {"status_code": 200, "body": {"usage": ANSWER["usage"]}}})

    assert read is not None
    assert read.charge == Charge(None, 10, 20)


def test_a_blocked_prompt_is_a_refusal_that_costs_nothing() -> None:
    body = {"promptFeedback": {"blockReason": "SAFETY"}}

    read = attempt({"response": {"status_code": 200, "body": body}})

    assert read is not None
    assert isinstance(read.outcome, Reply)
    assert (read.outcome.refused, read.outcome.cost_usd) == (True, 0.0)


def test_a_filters_refusal_is_one_too() -> None:
    error = {"message": "The prompt was flagged.", "code": "content_filter"}

    read = attempt({"response": {"status_code": 400, "body": {"error": error}}})

    assert read is not None
    assert isinstance(read.outcome, Reply)
    assert read.outcome.refused


def test_a_call_with_a_refused_parameter_is_to_be_made_again_without_it() -> None:
    error = {"error": {"message": "temperature is not supported"}}
    line = {"response": {"status_code": 400, "body": error}}

    with logged() as notices:
        again = attempt(line, {"temperature": 0.0})
        not_sent = attempt(line, {})

    assert again is None
    assert not_sent is not None
    assert isinstance(not_sent.outcome, Failure)
    assert notices == ["model 'm' does not accept 'temperature'; it is not sent"]


def test_both_files_are_read_and_that_of_errors_may_be_lost() -> None:
    state = BatchState("completed", 2, output_file="out", error_file="err")
    answered = lines({"custom_id": "a", "response": {"status_code": 200, "body": ANSWER}})
    failed = lines({"custom_id": "b", "response": {"status_code": 500, "body": {}}})

    both = [key for key, _ in attempts(state, [answered, failed])]
    with logged() as notices:
        one = [key for key, _ in attempts(state, [answered, RequestError("gone")])]

    assert (both, one) == (["a", "b"], ["a"])
    assert notices[0].startswith(
        "the errors of a batch cannot be fetched: model 'm': the request was refused"
    )
    for state in (BatchState("completed", 1, "out", "err"), BatchState("completed", 1, None, "err")):
        with pytest.raises(BatchError):
            attempts(state, [RequestError("gone")])


def test_lines_without_an_id_are_left_out_with_a_warning() -> None:
    content = b'\xef\xbb\xbf{"custom_id": "a"}\n\n  \nno json\n[1]\n{"custom_id": 7}\n{"custom_id": "b\nc"}\n'

    with logged() as notices:
        found_ids = [key for key, _ in read_lines(content)]

    assert found_ids == ["a"]
    assert len(notices) == 5


def test_a_line_may_have_marks_that_are_not_escaped_and_bytes_that_are_no_text() -> None:
    content = b'{"custom_id": "a", "text": "one\ttwo \xff"}\n'

    assert list(read_lines(content)) == [("a", {"custom_id": "a", "text": "one\ttwo \ufffd"})]


@pytest.mark.parametrize("extra", [{}, {"extra_body": None}, {"extra_body": {"min_p": 0.1}}])
def test_a_body_has_a_providers_own_parameters_beside_those_that_litellm_maps(
    monkeypatch: pytest.MonkeyPatch, extra: dict[str, Any]
) -> None:
    mapped: list[dict[str, Any]] = []

    def get_optional_params(**given: Any) -> dict[str, Any]:
        mapped.append(given)
        return {"max_completion_tokens": given["max_tokens"], "stream": False, **extra}

    litellm = SimpleNamespace(utils=SimpleNamespace(get_optional_params=get_optional_params))
    monkeypatch.setattr("engine.collect.client.litellm_batches.load", lambda: litellm)

    body = request_body(ModelConfig(model="hosted_vllm/org/x", api_base="http://x/v1"), {"max_tokens": 5})

    assert mapped == [{"model": "org/x", "custom_llm_provider": "hosted_vllm", "max_tokens": 5}]
    assert body == {"model": "org/x", "max_completion_tokens": 5, **(extra.get("extra_body") or {})}


class Mapping:
    """Stands in for litellm's mapping of parameters: counts, and refuses some."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses, self.seen = refuses, list[dict[str, Any]]()

    def __call__(self, config: ModelConfig, params: dict[str, Any]) -> dict[str, Any]:
        self.seen.append(params)
        if self.refuses in params:
            raise RequestError(f"{self.refuses} is not supported")
        return {"model": config.model, **params}


def test_the_parameters_of_a_body_are_mapped_once_for_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    mapping = Mapping("top_p")
    monkeypatch.setattr("engine.collect.client.litellm_batches.request_body", mapping)
    batches = batches_of(Provider(), params={"top_p": 1.0, "seed": 3})
    message = {"role": "user", "content": "Which?"}

    bodies = [batches.body("m", [message], logprobs=logprobs) for logprobs in (False, False, True)]

    assert bodies[0] == bodies[1] == {"model": "openai/x", "seed": 3, "messages": [message]}
    assert bodies[2]["top_logprobs"] == 20
    assert mapping.seen == [
        {"top_p": 1.0, "seed": 3},
        {"seed": 3},
        {"seed": 3, "logprobs": True, "top_logprobs": 20},
    ]


def test_a_parameter_that_cannot_be_left_out_fails_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.client.litellm_batches.request_body", Mapping("max_tokens"))
    batches = batches_of(Provider(), params={"max_tokens": 1})

    with pytest.raises(BatchError, match="max_tokens is not supported") as caught:
        batches.body("m", [], logprobs=False)

    assert REMEDIES["bad_parameter"] in caught.value.failure.message
