"""Providers' batches through litellm."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from engine.collect import litellm_gateway
from engine.collect.calls import Failure, Message, Reply
from engine.collect.config import ModelConfig, Price
from engine.collect.litellm_gateway import TroubleError, Wire, stopped_by_filter, trouble_of
from engine.collect.model_settings import ParameterFallback, key_of, provider_of, scrub, without
from engine.collect.openai_replies import reply_of
from engine.errors import SpbError

PROVIDERS = ("openai", "hosted_vllm", "litellm_proxy")
"""Whose batches are asked for in OpenAI's way, with files; litellm has others', which are made otherwise."""

ENDPOINT = "/v1/chat/completions"
_LABEL = "spb_batch"
_PAGE = 100


def has_batches(model: str) -> bool:
    """Return whether calls of a litellm model string can be made in batches."""
    return provider_of(model) in PROVIDERS


def request_body(config: ModelConfig, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a live call would send beside its messages; raises litellm's errors for a parameter."""
    litellm = litellm_gateway.load()
    model = config.model.partition("/")[2]
    mapped = litellm.utils.get_optional_params(
        model=model, custom_llm_provider=provider_of(config.model), **params
    )
    more = mapped.pop("extra_body", None) or {}
    mapped.pop("stream", None)
    return {"model": model, **mapped, **more}


_ENDED = ("completed", "failed", "expired", "cancelled")
_LATE = ("batch_expired", "batch_cancelled")
_CLOCKS_S = 3_600.0
"""By how much the provider's clock may differ from this machine's."""

T = TypeVar("T")
Answered = tuple[str, Reply | Failure | None]
"""A call's key and what came of it; None: to be asked again, as a parameter was found not to be taken."""


class BatchError(SpbError):
    """A request about a batch failed for good; whether the batch is there is known from `failure`'s kind."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class LineError(Exception):
    """A line of a batch that was answered by an error, worded as litellm words those of live calls."""

    def __init__(self, status: int | None, body: Any) -> None:
        error = body.get("error", body) if isinstance(body, dict) else body
        known = error if isinstance(error, dict) else {"message": str(error)}
        super().__init__(str(known.get("message") or known.get("code") or "no reason was given"))
        self.status_code, self.code, self.body = status, known.get("code"), known


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a provider says of a batch: how many of its lines are done, and once it has ended its files.

    `ended_at` is a time in ISO form; `failure` is why a batch failed as a whole, before any call was made.
    """

    status: str
    done: int
    total: int
    files: tuple[str, ...] = ()
    ended_at: str | None = None
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in _ENDED


class Batches:
    """The batches of a run's models, by their names in the configuration; made by `Models.batches`.

    Requests that fail are tried again as those of live calls are. Raises BatchError where that does not help.
    """

    def __init__(
        self,
        configs: Mapping[str, ModelConfig],
        params: Mapping[str, dict[str, Any]],
        adapting: Mapping[str, ParameterFallback],
        *,
        price: Callable[[str], Price | None],
        tries: Callable[[], Any],
        on_notice: Callable[[str, str], None],
        timeout_s: float,
    ) -> None:
        self._configs, self._params, self._adapting = configs, params, adapting
        self._price, self._tries, self._on_notice = price, tries, on_notice
        self._timeout_s = timeout_s
        self._mapped: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def body(self, name: str, messages: Sequence[Message], *, logprobs: bool) -> dict[str, Any]:
        """Return what a call of the model sends, as a line of a batch has it.

        Raises BatchError for a parameter that litellm knows the model not to take, and that cannot be left
        out.
        """
        while True:
            sent = self._adapting[name].parameters(self._params[name], logprobs=logprobs)
            known = self._mapped.get(name)  # the same for all calls, and litellm takes a millisecond for it
            if known is not None and known[0] == sent:
                return {**known[1], "messages": list(messages)}
            try:
                self._mapped[name] = sent, request_body(self._configs[name], sent)
            except Exception as error:  # litellm's errors have no common base
                if not self._learnt(name, str(error), sent):
                    raise BatchError(self._trouble(name, error).failure) from error

    async def submit(self, name: str, label: str, content: bytes) -> str:
        """Hand over the lines of a batch, labelled, and return the batch's id; it is made once at most."""
        since = datetime.now(UTC).timestamp()
        file = ("batch.jsonl", content, "application/jsonl")
        uploaded = await self._retried(name, "create_file", file=file, purpose="batch")
        tried = False

        async def make() -> str:
            nonlocal tried
            if tried:  # it may have been made, and only the answer was lost
                batch_id = await self._id_of(name, label, since)
                if batch_id is not None:
                    return batch_id
            tried = True
            batch = await self._called(
                name,
                "create_batch",
                completion_window="24h",
                endpoint=ENDPOINT,
                input_file_id=str(uploaded.id),
                metadata={_LABEL: label},
            )
            return str(batch.id)

        return await self._again(name, make)

    async def find(self, name: str, label: str, made_at: str) -> str | None:
        """Return the id of the batch with this label, which may have been made since `made_at`."""
        since = datetime.fromisoformat(made_at).timestamp()
        return await self._again(name, lambda: self._id_of(name, label, since))

    async def _id_of(self, name: str, label: str, since: float) -> str | None:
        """Return the id of the batch with this label, None where there is none.

        The provider's list has the newest first; what was made before `since` (seconds of the epoch) is not
        looked at.
        """
        after: dict[str, str] = {}
        while True:
            page = await self._called(name, "list_batches", limit=_PAGE, **after)
            batches = list(page.data)
            page._client.close()  # litellm sends lists without the headers that would close it
            for batch in batches:
                if (batch.metadata or {}).get(_LABEL) == label:
                    return str(batch.id)
            is_last = not getattr(page, "has_more", False)
            if is_last or not batches or batches[-1].created_at < since - _CLOCKS_S:
                return None
            after = {"after": str(batches[-1].id)}

    async def state(self, name: str, batch_id: str) -> BatchState:
        """Ask how far a batch is."""
        batch = await self._retried(name, "retrieve_batch", batch_id=batch_id)
        counts = batch.request_counts
        ended = getattr(batch, f"{batch.status}_at", None) if batch.status in _ENDED else None
        return BatchState(
            status=batch.status,
            done=(counts.completed + counts.failed) if counts else 0,
            total=counts.total if counts else 0,
            files=tuple(each for each in (batch.output_file_id, batch.error_file_id) if each),
            ended_at=datetime.fromtimestamp(ended, UTC).isoformat(timespec="milliseconds") if ended else None,
            failure=_whole_failure(name, batch),
        )

    async def answers(self, name: str, state: BatchState, sent: Mapping[str, Any]) -> AsyncIterator[Answered]:
        """Yield what came of the calls of a batch that has ended, in the order of the provider's files.

        `sent` are the parameters of its lines. Calls of which nothing is known do not occur.
        """
        for file_id in state.files:
            response = await self._retried(name, "file_content", file_id=file_id)
            for line in response.content.splitlines():
                try:
                    read = json.loads(line)
                    custom_id = read["custom_id"]
                except (ValueError, KeyError, TypeError):
                    continue
                yield custom_id, self._outcome(name, read, sent)

    def _outcome(self, name: str, line: Mapping[str, Any], sent: Mapping[str, Any]) -> Reply | Failure | None:
        response, error = line.get("response") or {}, line.get("error")
        key = key_of(self._configs[name])
        if error is not None and error.get("code") in _LATE:
            words = f"model {name!r}: the batch ended before this call was made: {error.get('message')}"
            return Failure("timeout", scrub(words, [key]))
        status = response.get("status_code")
        try:
            if status != 200:
                raise LineError(status, response.get("body") or error or {})
            return without(reply_of(response["body"], self._price(name)), key)
        except LineError as failed:
            if (refused := stopped_by_filter(failed, [key])) is not None:
                return refused
            trouble = self._trouble(name, failed, status)
            again = trouble.failure.kind == "request" and self._learnt(name, str(failed), sent)
            return None if again else trouble.failure
        except KeyError:
            return Failure("answer", f"model {name!r}: the answer could not be read: it has no body")

    def _learnt(self, name: str, words: str, sent: Mapping[str, Any]) -> bool:
        lesson = self._adapting[name].learn(words, dict(sent))
        if lesson:
            self._on_notice(name, f"model {name!r} {lesson}")
        return lesson is not None

    async def _called(self, name: str, function: str, **given: Any) -> Any:
        """Call one of litellm's functions about a model's batches, in a thread.

        It makes a client for each request, which its asynchronous functions leave open; here the connection
        ends with the answer.
        """
        config = self._configs[name]
        return await asyncio.to_thread(
            getattr(litellm_gateway.load(), function),
            custom_llm_provider=provider_of(config.model),
            timeout=self._timeout_s,
            num_retries=0,
            max_retries=0,  # a batch that is made twice is paid for twice
            extra_headers={"Connection": "close"},
            **litellm_gateway.address(config, key_of(config)),
            **given,
        )

    async def _retried(self, name: str, function: str, **given: Any) -> Any:
        return await self._again(name, lambda: self._called(name, function, **given))

    async def _again(self, name: str, action: Callable[[], Awaitable[T]]) -> T:
        """Do something, again where it fails in a way that is worth it; BatchError in the end."""
        try:
            async for attempt in self._tries():
                with attempt:
                    try:
                        return await action()
                    except Exception as error:  # the provider's library has its own, litellm others
                        raise self._trouble(name, error) from error
        except TroubleError as error:
            raise BatchError(error.failure) from error
        raise AssertionError("the last attempt neither returned nor raised")

    def _trouble(self, name: str, error: Exception, status: int | None = None) -> TroubleError:
        code = status if status is not None else getattr(error, "status_code", None)
        wire = Wire(lambda: None, requests=1, status=code if isinstance(code, int) else None)
        return trouble_of(name, error, wire, [key_of(self._configs[name])])


def _whole_failure(name: str, batch: Any) -> Failure | None:
    if batch.status != "failed":
        return None
    errors = getattr(batch.errors, "data", None) or []
    words = "; ".join(f"{each.message} ({each.code})" for each in errors[:3]) or "no reason was given"
    busy = any(each.code == "token_limit_exceeded" for each in errors)
    return Failure("rate_limit" if busy else "request", f"model {name!r}: the batch was refused: {words}")
