"""Preparation before the first call: study, templates, stages, and an estimate of calls, tokens and cost."""

import os
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from engine import schema
from engine.collect.answer_cache import AnswerCache, call_key, open_cache
from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.config import RunConfig, RunOptions
from engine.collect.journal import Group
from engine.collect.locks import write_lock
from engine.collect.model_client import Models
from engine.collect.openai_transport import serves
from engine.collect.paradigms.judging import Schema
from engine.collect.paradigms.templates import Template, judging_templates, rewriting_template
from engine.collect.plan import ASSUMED_RESPONSE, STAGES, Plan, Stage, make_plan
from engine.collect.recorder import CompletedCalls
from engine.collect.spending import SIMULATED, answer_bound, cost_usd, known_sum, provider_of
from engine.errors import UsageError
from engine.schema import DIMENSIONS, TRAITS, shown_models
from engine.store import Store
from engine.store.conversion import Batch, Source, convert, from_tables
from engine.store.parquet import locate
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows, exchange_table
from engine.values import quantity

_INPUT_TABLES = ("models", "instances", "rubrics", "responses", "references", "preferences")


def prepare_study(store: Store, config: RunConfig) -> StudyFiles:
    """Return the study with all models that may be called, created from `data` if it does not exist."""
    if not is_study(store.location.child(config.study)):
        if config.data is None:
            choices = ", ".join(store.studies()) or "(there are none)"
            raise UsageError(
                f"there is no study {config.study!r} in {store.root!r} and the configuration has no data; "
                f"give data, or one of the studies: {choices}"
            )
        if os.path.isdir(config.data_folder):
            _create_from_folder(store, config)
        else:
            from engine.importers.datasets import fetch

            fetch(config.data, store, config.study)
    study = store.open(config.study)
    missing = _missing_models(study.table("models").to_pylist(), config)
    if missing:
        table = exchange_table("models", missing)
        store.write(config.study, {"models": table}, study.info, mode="append")
        study = store.open(config.study)
    return study


def _create_from_folder(store: Store, config: RunConfig) -> None:
    """Write the exchange folder as a study, adding the configuration's models that it lacks.

    Of a stored study only the instances, responses and references are copied: its judgments were made by
    other runs.
    """
    from engine.importers.exchange import open_tidy
    from engine.store.writer import write_sources

    tidy, place = open_tidy(config.data_folder), locate(config.data_folder)
    sources = dict(tidy.sources)
    # A stored study, not an exchange folder.
    if is_study(place) and StudyFiles(place).info.parts is not None:
        sources = {name: source for name, source in sources.items() if name in _INPUT_TABLES}
    models = sources.get("models")
    if models is None:
        sources["models"] = from_tables(schema.MODELS, exchange_table("models", config.model_rows()))
    else:
        sources["models"] = replace(models, batches=_with_models(models, config), columns=None)
    info = tidy.info
    if info.dataset is None:
        info = info.model_copy(update={"dataset": tidy.name})
    ordered = {name: sources[name] for name in schema.TABLES if name in sources}
    write_sources(store, config.study, ordered, info, mode="new")


def _with_models(models: Source, config: RunConfig) -> Iterator[Batch]:
    """Yield the batches of a folder's models, and one with the configuration's models that it lacks."""
    rows: list[dict[str, Any]] = []
    for batch in models.batches:
        yield batch
        columns = {
            name: convert(
                schema.MODELS.column(name), batch.rows.column(name), batch, blank=models.blank_is_absent
            ).to_pylist()
            for name in ("model", "family")
            if name in batch.rows.schema.names
        }
        rows += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if missing := _missing_models(rows, config):
        (added,) = exchange_table("models", missing).combine_chunks().to_batches()
        yield Batch(schema.MODELS, added, len(rows) + 1)


def _missing_models(rows: list[dict[str, Any]], config: RunConfig) -> list[dict[str, Any]]:
    """Return the rows of models to add; UsageError if a family differs."""
    families = {row.get("model"): row.get("family") for row in rows}
    missing = []
    for row in config.model_rows():
        name = row["model"]
        if name not in families:
            missing.append(row)
        elif config.models[name].family not in (None, families[name]):
            raise UsageError(
                f"models.{name}.family is {config.models[name].family!r}, and the study has "
                f"{families[name]!r}; make them agree"
            )
    return missing


# ------------------------------------------------------------------------------
# Whether a run may continue under a configuration.


_ANSWER_OPTIONS = ("model", "params", "logprobs", "prompt_logprobs", "structured", "simulated")
"""The options of a model that affect its answers; its address, price and key may change."""


def run_to_continue(rows: Rows, options: RunOptions) -> str | None:
    """Return the run that the options name, else the study's last one made by `spb run`; None: a new one."""
    if options.run_id or options.fresh:
        return options.run_id or None
    live = [row for row in rows if row["config"] is not None and row["provenance"] in ("api", "simulated")]
    return max((str(row["run_id"]) for row in live), default=None)


def refuse_changes(run_id: str, rows: Rows, config: RunConfig, templates: Iterable[Template]) -> None:
    """Raise UsageError, naming the changes, if settings of the run `run_id` have changed.

    Models, paradigms and variants may be added; those already used must stay the same.
    """
    if changes := changes_since(run_id, rows, config, templates):
        raise UsageError(
            f"the run {run_id!r} of the study {config.study!r} was started with other settings: "
            f"{'; '.join(changes)}; restore them, or use --fresh (a new run) or --redo (some calls)"
        )


def changes_since(run_id: str, rows: Rows, config: RunConfig, templates: Iterable[Template]) -> list[str]:
    rows = [row for row in rows if row["run_id"] == run_id]
    hashes = {(row["paradigm"], row["variant"]): row["template_sha256"] for row in rows}
    changes = []
    for template in templates:
        old = hashes.get((template.paradigm, template.variant))
        if old is not None and old != template.sha256:
            name = template.paradigm or "rewriting"
            changes.append(
                f"the template of {name}, variant {template.variant!r}, has the sha256 "
                f"{template.sha256[:12]}…, it had {old[:12]}…"
            )
    for row in rows:
        name = row["model"]
        before = _model(row["config"], name)
        if name not in config.models or before is None:
            continue
        now = _model(config.text, name) or {}
        for option in _ANSWER_OPTIONS:
            old, new = before.get(option), now.get(option)
            if _normalise(old) != _normalise(new):
                changes.append(f"models.{name}.{option} is {_option_text(new)}, it was {_option_text(old)}")
    return list(dict.fromkeys(changes))


def _model(text: str | None, name: str) -> dict[str, Any] | None:
    try:
        table = tomllib.loads(text or "").get("models", {}).get(name)
    except tomllib.TOMLDecodeError:
        return None
    return table if isinstance(table, dict) else None


def _normalise(value: Any) -> Any:
    return None if value in ({}, False, "auto", "chat") else value  # these are defaults


def _option_text(value: Any) -> str:
    return "left out" if value is None else repr(value)


# ------------------------------------------------------------------------------
# The stages of a run: each is planned from the study as it is by then.


@dataclass(frozen=True, slots=True)
class Prompts:
    """The templates of a run, and which models are called with which of them."""

    templates: tuple[Template, ...]
    groups: tuple[Group, ...]


def prompts_of(config: RunConfig) -> Prompts:
    """Return a configuration's templates and groups of calls: (model, role, paradigm, variant) of each."""
    templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
    generators = [name for name in config.generators if name in config.models]
    groups: list[Group] = [(name, "generator", None, "default") for name in generators]
    for name, rewriting in config.rewritings.items():
        template = rewriting_template(name, rewriting.template, config.folder)
        templates.append(template)
        groups.append((rewriting.by or "", "generator", None, template.variant))
    for paradigm in config.paradigms:
        _check_likelihoods(config, paradigm)
        variants = [template.variant for template in templates if template.kind == paradigm]
        judges = config.judges_of(paradigm)
        groups += [(judge, "judge", paradigm, variant) for variant in variants for judge in judges]
    return Prompts(tuple(templates), tuple(dict.fromkeys(groups)))


def _check_likelihoods(config: RunConfig, paradigm: schema.Paradigm) -> None:
    """Raise UsageError for a judge whose server cannot give the likelihood of responses."""
    if schema.TRAITS[paradigm].gives != "likelihood":
        return
    if config.mode == "batch":
        raise UsageError(f'paradigms: {paradigm} does not work in batches; write mode = "live"')
    for name in config.judges_of(paradigm):
        model = config.models[name]
        simulated = provider_of(model.model) == SIMULATED
        if not simulated and not serves(model.model, model.api_base, model.params.to_dict()):
            raise UsageError(
                f"models.{name}.model is {model.model!r}, and {paradigm} needs log-probabilities "
                "of responses, which servers of OpenAI's protocol such as vLLM give; write it as openai/... "
                "or hosted_vllm/... with api_base, or leave the judge or the paradigm out"
            )


def steps_of(config: RunConfig) -> Iterator[tuple[Stage, RunConfig]]:
    """Yield the stages of a run with the configuration of each.

    If pairs are drawn by quality that the same run judges, quality is judged before they are drawn.
    """
    for stage in STAGES:
        if stage == "judgments" and draws_from_itself(config):
            yield stage, config.model_copy(update={"paradigms": ["quality"]})
        yield stage, config


def draws_from_itself(config: RunConfig) -> bool:
    """Return whether pairs are drawn using judgments that the run itself collects."""
    return config.pairs != "all" and {"quality", "pairwise"} <= set(config.paradigms)


def calls_after(config: RunConfig, study: StudyFiles, number: int, options: RunOptions) -> int:
    """Return the number of calls in the stages after one, its missing responses counted as present.

    Pairs that will be drawn by quality that the run itself judges are not counted.
    """
    later = [each for each in list(steps_of(config))[number + 1 :] if not draws_from_itself(each[1])]
    plans = (make_plan(step, study, stage, assume=True) for stage, step in later)
    return sum(len(plan.shard(options.shard)) for plan in plans)


# ------------------------------------------------------------------------------
# What a plan adds to the study before any call: the pairs that it drew, the responses that it changed, and
# its templates.


def store_plan(store: Store, study: StudyFiles, plan: Plan) -> StudyFiles:
    """Add what the study lacks, after other writers such as shards, and return the changed study."""
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        new = {"pairs": plan.pair_rows, "responses": plan.response_rows, "templates": plan.template_rows()}
        missing = {name: rows for name, each in new.items() if (rows := _missing_rows(study, name, each))}
        if not missing:
            return study
        tables = {name: exchange_table(name, rows) for name, rows in missing.items()}
        store.write(study.name, tables, study.info, mode="append")
        return StudyFiles(study.location)


def _missing_rows(study: StudyFiles, table: str, rows: Sequence[Mapping[str, Any]]) -> Rows:
    names = schema.TABLES[table].key
    keys = {tuple(row.values()) for row in study.table(table, names).to_pylist()} if rows else set()
    rows_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if key not in keys:
            rows_by_key.setdefault(key, dict(row))
    return list(rows_by_key.values())


# ------------------------------------------------------------------------------
# An estimate of a plan's tokens, before any call.


CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_CHAIN_OF_THOUGHT = 400

CachedAnswer = Callable[[CallRequest, list[Message], Schema | None], Reply | None]
"""Returns the cached answer of a call, if any."""


@dataclass(slots=True)
class Line:
    """The calls to one model with one role, paradigm and variant, and an estimate of their cost.

    Calls answered from the cache count as `cached`, not `calls`; `saved_usd` is what their answers cost
    originally. `cost_usd` is None if the price is unknown. `answers_usd` is its part that depends on the
    length of answers, unknown beforehand; `most_usd` is the maximum cost, None if `max_tokens` does not bound
    it.
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


def estimate(plan: Plan, config: RunConfig, lookup: CachedAnswer | None = None) -> list[Line]:
    """Return the calls and tokens of a plan by model, paradigm and variant, in the order of the plan.

    Assumes four characters per token, the typical length of each paradigm's answers, and 500 tokens per
    response, neither longer than the model's max_tokens. Thinking of reasoning models is not included. Cached
    answers are counted separately and take no tokens.
    """
    totals: dict[tuple[str, str, str | None, str], Line] = {}
    for request in plan:
        name = (request.model, request.role, request.paradigm, request.variant)
        total = totals.setdefault(name, Line(*name))
        messages = plan.messages(request)
        if lookup is not None and (reply := lookup(request, messages, plan.schema(request))) is not None:
            total.cached += 1
            total.saved_usd += reply.saved_usd or 0.0
            continue
        total.calls += 1
        total.prompt_tokens += expected_prompt(messages)
        total.completion_tokens += expected_answer(request, config)
    return list(totals.values())


def expected_prompt(messages: Sequence[Message]) -> int:
    return sum(_PER_MESSAGE + -(-len(message["content"]) // CHARACTERS_PER_TOKEN) for message in messages)


def expected_answer(request: CallRequest, config: RunConfig) -> int:
    if request.role == "generator":
        expected = len(ASSUMED_RESPONSE) // CHARACTERS_PER_TOKEN
    elif request.variant in ("forced", "forced_tie"):
        expected = 1
    elif request.variant == "cot":
        expected = _CHAIN_OF_THOUGHT
    else:  # verdicts alone
        traits = TRAITS[request.paradigm or ""]
        expected = traits.answer_tokens
        if traits.lists_rubrics:
            expected *= 1 + len(request.subject.rubric_ids)
        elif traits.of_lists:
            expected *= 1 + len(shown_models(request.subject.ordering) or ())
        elif request.variant == "structured":
            expected *= len(DIMENSIONS)
    model = config.models.get(request.model)
    limit = None if model is None else model.params.max_tokens
    return expected if limit is None else min(expected, limit)


# ------------------------------------------------------------------------------
# A forecast of a run's calls and their cost, without calling or writing anything.


@dataclass(frozen=True, slots=True)
class Forecast:
    """The calls still to make, in `lines`; answered calls are counted in `already_done`.

    `missing_keys` are the models whose key is not set, with its environment variable.
    """

    lines: tuple[Line, ...]
    already_done: int
    note: str = ""
    missing_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> Line:
        names = ("calls", "prompt_tokens", "completion_tokens", "cached", "saved_usd")
        sums = {name: sum(getattr(line, name) for line in self.lines) for name in names}
        cost = known_sum(line.cost_usd for line in self.lines)
        return Line("all", "", None, None, cost_usd=cost, **sums)

    @property
    def guesses(self) -> list[str]:
        """The uncertain parts of the estimate, as sentences without a full stop."""
        lines = [line for line in self.lines if line.calls]
        sentences = []
        cost = sum(line.cost_usd or 0.0 for line in lines)
        answers = sum(line.answers_usd or 0.0 for line in lines)
        if answers:
            sentences.append(
                f"${answers:,.4f} of ${cost:,.4f} is a guess: the length of answers is unknown, and "
                "thinking is not included"
            )
        unbounded = dict.fromkeys(line.model for line in lines if line.most_usd is None and line.cost_usd)
        if unbounded:
            sentences.append(f"without max_tokens nothing bounds the answers of {', '.join(unbounded)}")
        elif cost:
            most = sum(line.most_usd or 0.0 for line in lines)
            sentences.append(f"max_tokens bounds it to about ${most:,.4f}, retries not counted")
        unpriced = Counter[str]()
        for line in lines:
            unpriced[line.model] += line.calls if line.cost_usd is None else 0
        sentences += [
            f"the price of {model} is unknown: no sum includes its {quantity(calls, 'call')}"
            for model, calls in unpriced.items()
            if calls
        ]
        return sentences

    def to_dict(self) -> dict[str, Any]:
        total = self.total
        names = ("prompt_tokens", "completion_tokens", "cost_usd", "cached", "saved_usd")
        return {
            "planned": total.calls,
            "already_done": self.already_done,
            **{name: getattr(total, name) for name in names},
            "by_judge": [asdict(line) for line in self.lines],
            "guesses": self.guesses,
            "note": self.note,
            "missing_keys": dict(self.missing_keys),
        }


def forecast(config: RunConfig, store: Store, options: RunOptions) -> Forecast:
    """Count the calls of a run, with their tokens and cost. Makes no calls and leaves the store unchanged.

    Responses still to be collected count as present.
    """
    if is_study(place := store.location.child(config.study)):
        return _forecast(config, StudyFiles(place), options)
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        return _forecast(config, prepare_study(Store(folder), config), options)


def _forecast(config: RunConfig, study: StudyFiles, options: RunOptions) -> Forecast:
    rows = study.table("runs").to_pylist()
    run_id = run_to_continue(rows, options)
    if run_id is not None:
        refuse_changes(run_id, rows, config, prompts_of(config).templates)
    completed = CompletedCalls() if run_id is None else CompletedCalls.of_run(study, run_id)
    models = Models(config.models, batch=config.mode == "batch")
    lines: list[Line] = []
    planned, note, lookup = 0, "", None
    if (cache := open_cache(config, options, write=False)) is not None:
        models.inform_simulated(study)
        lookup = _lookup(cache, models, config)
    for stage, step in steps_of(config):
        if draws_from_itself(step):
            note = "pairs are drawn once quality is judged, and are not counted yet"
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
        bound = answer_bound(config.models[line.model])
        line.answers_usd = cost_usd(price, 0, line.completion_tokens)
        line.cost_usd = line.answers_usd + cost_usd(price, line.prompt_tokens, 0)
        if bound is not None or not price.output_per_million:
            line.most_usd = cost_usd(price, line.prompt_tokens, line.calls * (bound or 0))
    missing = {name: key for name, key in models.missing_keys().items() if name in config.run_models()}
    open_calls = sum(line.calls + line.cached for line in lines)
    return Forecast(tuple(lines), planned - open_calls, note, missing)


def _lookup(cache: AnswerCache, models: Models, config: RunConfig) -> CachedAnswer:
    def cached_reply(request: CallRequest, messages: list[Message], schema: Schema | None) -> Reply | None:
        form = None if config.mode == "batch" else schema  # batches send no schema
        identity = models.identity(request.model, messages, form)
        return cache.get(call_key(identity, config.models[request.model], request, messages))

    return cached_reply
