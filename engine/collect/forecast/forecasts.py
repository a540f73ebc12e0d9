"""A forecast of a run's calls and their cost, without calling or writing anything."""

import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.implied_settings import check_stored
from engine.collect.configuration.model_keys import answer_bound
from engine.collect.configuration.prices import cost_usd, known_sum, price_remedy, thinks
from engine.collect.database.answer_cache import AnswerCache, call_key, open_cache
from engine.collect.forecast.run_time import RunTime, run_time
from engine.collect.paradigms.answer_schemas import Schema
from engine.collect.plan.planning import make_plan, remarks_on
from engine.collect.plan.prepare import check_study, prepare_study
from engine.collect.plan.stages import draws_from_itself, prompts_of, steps_of
from engine.collect.plan.token_estimates import CachedAnswer, EstimateLine, estimate
from engine.collect.rows.completed_calls import CompletedCalls
from engine.collect.rows.redo import names_judgment, repeated_responses
from engine.collect.run.continuing import refuse_changes, run_to_continue
from engine.collect.run.prepared_run import cost_so_far
from engine.collect.run_options import RunOptions
from engine.phrases import dollars, quantity
from engine.store import Store
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, slots=True)
class Forecast:
    """The calls still to make, in `lines`; answered calls are counted in `already_done`.

    `missing_keys` are the models whose key is not set, with its environment variable; `thinking` those that
    think before they answer, `unlisted` those of which that is unknown. `litellm_names` are what the models
    are called by. `remarks` are what the run leaves out and cannot show. `spent_usd` is what earlier
    starts of the run cost, which counts under its cap.
    """

    lines: tuple[EstimateLine, ...]
    already_done: int
    note: str = ""
    missing_keys: Mapping[str, str] = field(default_factory=dict)
    thinking: frozenset[str] = frozenset()
    unlisted: frozenset[str] = frozenset()
    litellm_names: Mapping[str, str] = field(default_factory=dict)
    time: RunTime = field(default_factory=RunTime)
    remarks: tuple[str, ...] = ()
    spent_usd: float = 0.0

    @property
    def total(self) -> EstimateLine:
        tokens = [f"{side}_tokens{end}" for side in ("prompt", "completion") for end in ("", "_low", "_high")]
        sums: dict[str, Any] = {
            name: sum(getattr(line, name) for line in self.lines)
            for name in ("calls", *tokens, "cached", "saved_usd")
        }
        for name in ("cost_usd", "cost_usd_low", "cost_usd_high"):
            sums[name] = known_sum(getattr(line, name) for line in self.lines)
        return EstimateLine("all", "", None, None, **sums)

    @property
    def unbounded(self) -> list[str]:
        """The models that cost something and whose answers no `max_tokens` bounds."""
        names = (line.model for line in self.lines if line.calls and line.most_usd is None and line.cost_usd)
        return list(dict.fromkeys(names))

    @property
    def most_usd(self) -> float | None:
        """What the calls cost if all answers are as long as `max_tokens` lets them be; None if any length."""
        return None if self.unbounded else sum(line.most_usd or 0.0 for line in self.lines if line.calls)

    @property
    def unpriced(self) -> dict[str, int]:
        """The calls of each model whose price is unknown."""
        calls = Counter[str]()
        for line in self.lines:
            calls[line.model] += line.calls if line.cost_usd is None else 0
        return dict(+calls)

    @property
    def guesses(self) -> list[str]:
        """The uncertain parts of the estimate, as sentences without a full stop."""
        lines = [line for line in self.lines if line.calls]
        sentences = []
        cost = sum(line.cost_usd or 0.0 for line in lines)
        answers = sum(line.answers_usd or 0.0 for line in lines)
        if answers:
            low = sum(line.cost_usd_low or 0.0 for line in lines)
            high = sum(line.cost_usd_high or 0.0 for line in lines)
            paid = dict.fromkeys(line.model for line in lines if line.cost_usd)
            thinking, unlisted = (
                ", ".join(name for name in paid if name in names) for names in (self.thinking, self.unlisted)
            )
            counted = f"; only the higher includes thinking, of {thinking}" if thinking else ""
            if unlisted:
                counted += f"; the higher assumes that {unlisted} may think, of which nothing is known"
            sentences.append(
                f"{dollars(answers)} of {dollars(cost)} is a guess, as the length of answers is unknown: in "
                f"all between {dollars(low)} and {dollars(high)}{counted}"
            )
        if self.unbounded:
            sentences.append(f"without max_tokens nothing bounds the answers of {', '.join(self.unbounded)}")
        elif cost:
            most = dollars(self.most_usd or 0.0)
            sentences.append(
                f"max_tokens bounds it to about {most}, retries not counted; calls under way when a run is "
                "killed count at the most that they may have cost, retries included, so that a cap near the "
                "bound can stop the run early"
            )
        sentences += [
            f"the price of {model} is unknown: no sum includes its {quantity(calls, 'call')}; "
            f"{price_remedy(model, self.litellm_names.get(model, model))}"
            for model, calls in self.unpriced.items()
        ]
        return sentences

    def to_dict(self) -> dict[str, Any]:
        total = self.total
        names = ["prompt_tokens", "completion_tokens", "cost_usd", "cached", "saved_usd"]
        names += ["cost_usd_low", "cost_usd_high"]
        return {
            "planned": total.calls,
            "already_done": self.already_done,
            "spent_usd": self.spent_usd,
            **{name: getattr(total, name) for name in names},
            "by_judge": [asdict(line) for line in self.lines],
            "guesses": self.guesses,
            "remarks": list(self.remarks),
            "note": self.note,
            "missing_keys": dict(self.missing_keys),
            "minutes_by_limits": _minutes(self.time.by_limits),
            "minutes_by_earlier_calls": _minutes(self.time.by_earlier_calls),
        }


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60


def forecast(config: RunConfig, store: Store, options: RunOptions) -> Forecast:
    """Count the calls of a run, with their tokens and cost. Makes no calls and leaves the store unchanged.

    Responses still to be collected count as present.
    """
    if is_study(place := store.location.child(config.study)):
        check_study(study := StudyFiles(place), config)
        return _forecast(config, study, options)
    check_stored(store, config)
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        return _forecast(config, prepare_study(Store(folder), config), options)


def _forecast(config: RunConfig, study: StudyFiles, options: RunOptions) -> Forecast:
    rows = study.table("runs").to_pylist()
    run_id = run_to_continue(rows, config, options)
    if run_id is not None and not options.redo:
        refuse_changes(run_id, rows, config, prompts_of(config).templates)
    completed = CompletedCalls() if run_id is None else _completed(config, study, run_id, options)
    models = Models(config.models, batch=config.mode == "batch")
    lines: list[EstimateLine] = []
    planned, note, lookup = 0, "", None
    if (cache := open_cache(config, options, write=False)) is not None:
        models.inform_simulated(study)
        lookup = _lookup(cache, models, config)
    for stage, step in steps_of(config):
        if draws_from_itself(stage, step):
            first = "quality is judged" if "quality" in step.paradigms else "the answers are checked"
            note = f"pairs are drawn once {first}, and are not counted yet"
            continue
        plan = make_plan(step, study, stage, assume=True).shard(options.shard)
        planned += len(plan)
        remaining = plan.only(lambda request: request not in completed)
        lines += estimate(remaining, step, lookup)
    if cache is not None:
        cache.close()
    for line in lines:
        if (price := models.price(line.model)) is None:
            continue
        bound = answer_bound(config.models[line.model], "judge" if line.role == "judge" else "generator")
        line.answers_usd = cost_usd(price, 0, line.completion_tokens)
        line.cost_usd = line.answers_usd + cost_usd(price, line.prompt_tokens, 0)
        line.cost_usd_low = cost_usd(price, line.prompt_tokens_low, line.completion_tokens_low)
        line.cost_usd_high = cost_usd(price, line.prompt_tokens_high, line.completion_tokens_high)
        if bound is not None or not price.output_per_million:
            line.most_usd = cost_usd(price, line.prompt_tokens_high, line.calls * (bound or 0))
    missing = {name: key for name, key in models.missing_keys().items() if name in config.run_models()}
    open_calls = sum(line.calls + line.cached for line in lines)
    called = {name: config.models[name] for name in config.run_models()}
    return Forecast(
        tuple(lines),
        planned - open_calls,
        note,
        missing,
        thinking=frozenset(name for name, model in called.items() if thinks(model)),
        unlisted=frozenset(name for name, model in called.items() if thinks(model) is None),
        litellm_names={name: model.model for name, model in called.items()},
        time=run_time(lines, config, study),
        remarks=tuple(remarks_on(config, study)),
        spent_usd=0.0 if run_id is None else cost_so_far(study, config, run_id, models),
    )


def _completed(config: RunConfig, study: StudyFiles, run_id: str, options: RunOptions) -> CompletedCalls:
    """Return the answered calls of a run, without those that the options request again."""
    if not options.redo:
        return CompletedCalls.of_run(study, run_id)
    responses = repeated_responses(config, study, options.redo, options.shard)

    def is_repeated(table: str, row: Mapping[str, Any]) -> bool:
        if table == "responses":
            return responses.concern(table, row)
        return names_judgment(options.redo, row) or responses.concern_judgment(row)

    return CompletedCalls.of_run(study, run_id, is_repeated)


def _lookup(cache: AnswerCache, models: Models, config: RunConfig) -> CachedAnswer:
    def cached_reply(request: CallRequest, messages: list[Message], schema: Schema | None) -> Reply | None:
        form = None if config.mode == "batch" else schema  # batches send no schema
        identity = models.identity(request.model, messages, form)
        return cache.get(call_key(identity, config.models[request.model], request, messages))

    return cached_reply
