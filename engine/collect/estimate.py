"""Calls, tokens, dollars before a run."""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.collect.answer_cache import AnswerCache, call_key, opened_cache
from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.config import Price, RunConfig, RunOptions
from engine.collect.model_settings import answer_bound, cost_usd, known_sum
from engine.collect.models import Models
from engine.collect.paradigms.schemas import Schema
from engine.collect.plan import ASSUMED_RESPONSE, Plan, make_plan
from engine.collect.prepare import (
    draws_from_itself,
    has_study,
    last_run,
    prepared_study,
    refuse_another,
    steps_of,
    ways_of,
)
from engine.collect.recorder import CompletedCalls
from engine.schema import DIMENSIONS, TRAITS, shown_models
from engine.store import Store
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# How many tokens a plan would take, before anybody is called: an estimate, and called so.


CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_REASONED = 400
_RESPONSE = len(ASSUMED_RESPONSE) // CHARACTERS_PER_TOKEN


CachedAnswer = Callable[[CallRequest, list[Message], Schema | None], Reply | None]
"""Returns the answer that is cached for a call."""


@dataclass(slots=True)
class Line:
    """The calls to one model in one way of judging, and about what they take.

    Calls that the cache answers are `cached`, and no `calls`; `saved_usd` is what their answers cost once.
    `cost_usd` is None where the price is unknown. `answers_usd` is the part of it that hangs on how long
    answers are, which nobody knows before; `most_usd` what the calls cost at most, None where `max_tokens`
    does not bound them.
    """

    model: str
    role: str
    paradigm: str | None
    variant: str | None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    cached: int = 0
    saved_usd: float = 0.0
    answers_usd: float | None = None
    most_usd: float | None = None


def estimate(plan: Plan, config: RunConfig, cached: CachedAnswer | None = None) -> list[Line]:
    """Return the calls and tokens of a plan by model, paradigm and variant, in the order of the plan.

    A token is taken to be four characters; an answer as long as its shape asks for, a response 500 tokens,
    and neither longer than the model's max_tokens. Thinking of reasoning models is not foreseen. What the
    answer cache has is counted apart and takes no tokens.
    """
    totals: dict[tuple[str, str, str | None, str], Line] = {}
    for request in plan:
        name = (request.model, request.role, request.paradigm, request.variant)
        total = totals.setdefault(name, Line(*name))
        messages = plan.messages(request)
        if cached is not None and (reply := cached(request, messages, plan.schema(request))) is not None:
            total.cached += 1
            total.saved_usd += reply.saved_usd or 0.0
            continue
        total.calls += 1
        total.prompt_tokens += expected_prompt(messages)
        total.completion_tokens += expected_answer(request, config)
    return list(totals.values())


def expected_prompt(messages: Sequence[Message]) -> int:
    """Return about how many tokens messages are."""
    return sum(_PER_MESSAGE + -(-len(message["content"]) // CHARACTERS_PER_TOKEN) for message in messages)


def expected_answer(request: CallRequest, config: RunConfig) -> int:
    """Return about how many tokens an answer has."""
    if request.role == "generator":
        expected = _RESPONSE
    elif request.variant in ("forced", "forced_tie"):
        expected = 1
    elif request.variant == "cot":
        expected = _REASONED
    else:
        expected = _judged(request)
    model = config.models.get(request.model)
    most = None if model is None else model.params.max_tokens
    return expected if most is None else min(expected, most)


def _judged(request: CallRequest) -> int:
    """Return about how many tokens the answer of a judge has that says its verdicts alone."""
    traits = TRAITS[request.paradigm or ""]
    several = 1
    if traits.lists_rubrics:
        several = 1 + len(request.subject.rubric_ids)
    elif traits.of_lists:
        several = 1 + len(shown_models(request.subject.ordering) or ())
    elif request.variant == "structured":
        several = len(DIMENSIONS)
    return traits.answer_tokens * several


# ------------------------------------------------------------------------------
# What a run would call and what that would cost, before anything is called or written.


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would be called now: answered calls are not among `lines`, but counted in `already_done`.

    Calls that the answer cache answers are counted apart, as `cached`.

    `missing_keys` are the models whose key is not set, with the environment variable that wants it.
    """

    lines: tuple[Line, ...]
    already_done: int
    note: str = ""
    missing_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything could be foreseen."""
        return not self.note

    @property
    def total(self) -> Line:
        """The sums over all models."""
        names = ("calls", "prompt_tokens", "completion_tokens", "cached", "saved_usd")
        sums = {name: sum(getattr(line, name) for line in self.lines) for name in names}
        cost = known_sum(line.cost_usd for line in self.lines)
        return Line("all", "", None, None, cost_usd=cost, **sums)

    @property
    def guesses(self) -> list[str]:
        """What of the estimate is a guess, in sentences without their full stop."""
        lines = [line for line in self.lines if line.calls]
        sentences = []
        cost = sum(line.cost_usd or 0.0 for line in lines)
        answers = sum(line.answers_usd or 0.0 for line in lines)
        if answers:
            sentences.append(
                f"${answers:,.4f} of ${cost:,.4f} is a guess: nobody knows yet how long answers are, and "
                "thinking is not foreseen"
            )
        unbounded = list(
            dict.fromkeys(line.model for line in lines if line.most_usd is None and line.cost_usd)
        )
        if unbounded:
            sentences.append(f"without max_tokens nothing bounds the answers of {', '.join(unbounded)}")
        elif cost:
            most = sum(line.most_usd or 0.0 for line in lines)
            sentences.append(f"max_tokens bounds it to about ${most:,.4f}, retries not counted")
        unpriced = Counter[str]()
        for line in lines:
            unpriced[line.model] += line.calls if line.cost_usd is None else 0
        sentences += [
            f"the price of {model} is unknown, and its {calls:,} calls are in no sum"
            for model, calls in unpriced.items()
            if calls
        ]
        return sentences

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of `--dry-run --format json`."""
        total = self.total
        return {
            "planned": total.calls,
            "already_done": self.already_done,
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
            "cost_usd": total.cost_usd,
            "cached": total.cached,
            "saved_usd": total.saved_usd,
            "by_judge": [asdict(line) for line in self.lines],
            "guesses": self.guesses,
            "note": self.note,
            "missing_keys": dict(self.missing_keys),
        }


def forecast(config: RunConfig, store: Store, options: RunOptions) -> Forecast:
    """Count the calls of a run, with their tokens and cost. Nothing is called, and the store is not touched.

    Responses that are still to be collected are taken to be there. Raises as `run` does.
    """
    if has_study(store, config):
        return _forecast(config, StudyFiles(store.location.child(config.study)), options)
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        return _forecast(config, prepared_study(Store(folder), config), options)


def _forecast(config: RunConfig, study: StudyFiles, options: RunOptions) -> Forecast:
    rows = study.table("runs").to_pylist()
    before = options.run_id or (None if options.fresh else last_run(rows))
    if before is not None:
        refuse_another(before, rows, config, ways_of(config).templates)
    answered = CompletedCalls() if before is None else CompletedCalls.of_run(study, before)
    models = Models(config.models, batch=config.mode == "batch")
    lines: list[Line] = []
    cache = opened_cache(config, options, write=False)
    if cache is not None:
        models.tell(study)
    cached = None if cache is None else _looked_up(cache, models, config)
    counted = 0
    note = ""
    for stage, step in steps_of(config):
        if draws_from_itself(step):
            note = "pairs are drawn once quality is judged, and are not counted yet"
            continue
        plan = make_plan(step, study, stage, assume=True)
        if options.shard is not None:
            plan = plan.shard(options.shard.number, options.shard.count)
        counted += len(plan)
        left = plan.only(lambda request: request not in answered)
        lines += estimate(left, step, cached)
    if cache is not None:
        cache.close()
    for line in lines:
        _set_costs(line, models.price(line.model), config)
    missing = {name: key for name, key in models.missing_keys().items() if name in config.called()}
    left_over = sum(line.calls + line.cached for line in lines)
    return Forecast(tuple(lines), counted - left_over, note, missing)


def _looked_up(cache: AnswerCache, models: Models, config: RunConfig) -> CachedAnswer:

    def look(request: CallRequest, messages: list[Message], schema: Schema | None) -> Reply | None:
        form = None if config.mode == "batch" else schema  # which batches do not send
        identity = models.identity(request.model, messages, form)
        return cache.get(call_key(identity, config.models[request.model], request, messages))

    return look


def _set_costs(line: Line, price: Price | None, config: RunConfig) -> None:
    if price is None:
        return
    bound = answer_bound(config.models[line.model])
    line.answers_usd = cost_usd(price, 0, line.completion_tokens)
    line.cost_usd = line.answers_usd + cost_usd(price, line.prompt_tokens, 0)
    if bound is not None or not price.output_per_million:
        line.most_usd = cost_usd(price, line.prompt_tokens, line.calls * (bound or 0))
