"""Preparation before the first call: study, templates, stages, and an estimate of calls, tokens and cost."""

import json
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import tomli_w

from engine import paradigms, schema
from engine.collect.answer_cache import AnswerCache, call_key, open_cache
from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.calls_under_way import Group
from engine.collect.completed_calls import CompletedCalls
from engine.collect.config import RunConfig, RunOptions, parse_config
from engine.collect.locks import write_lock
from engine.collect.model_client import Models
from engine.collect.model_keys import SIMULATED, answer_bound, provider_of, requested_logprobs
from engine.collect.openai_requests import serves
from engine.collect.paradigms.judging import Schema
from engine.collect.paradigms.templates import (
    ANSWER,
    Template,
    answer_template,
    judging_templates,
    rewriting_template,
    variants_of,
)
from engine.collect.plan import ASSUMED_RESPONSE, STAGES, Plan, Stage, make_plan
from engine.collect.prices import cost_usd, known_sum, longest_answer, may_think
from engine.collect.run_folder import RunFolder, run_path
from engine.collect.spending import LONGEST_LIKELY
from engine.collect.token_counts import TokenRange, message_tokens
from engine.errors import UsageError
from engine.importers.question_file import QuestionColumnError, Questions, read_questions
from engine.paradigms import TRAITS
from engine.phrases import quantity
from engine.schema import DIMENSIONS
from engine.shown_order import shown_models
from engine.store import Store
from engine.store.batches import Batch, Source, from_tables
from engine.store.conversion import convert
from engine.store.location import locate
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles, StudyInfo
from engine.store.writer import Rows, exchange_table

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
        if config.has_local_data:
            create = _create_from_folder if config.data_path.is_dir() else _create_from_questions
            create(store, config)
        else:
            from engine.importers.datasets import fetch

            fetch(config.data, store, config.study)
    study = store.open(config.study)
    check_questions(study, config)
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

    tidy, place = open_tidy(config.data_path), locate(config.data_path)
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


def _create_from_questions(store: Store, config: RunConfig) -> None:
    """Write a file of questions as a study of the configuration's models."""
    questions = questions_of(config)
    tables = {"models": config.model_rows(), "instances": questions.instances, "rubrics": questions.rubrics}
    filled = {name: exchange_table(name, list(rows)) for name, rows in tables.items() if rows}
    store.write(config.study, filled, StudyInfo(dataset=config.data_path.name), mode="new")


def check_questions(study: StudyFiles, config: RunConfig) -> None:
    """Raise UsageError if the study has other questions than the file that is the configuration's `data`."""
    if not config.has_local_data or config.data_path.is_dir():
        return
    in_study = set(study.table("instances", ["instance_id"])["instance_id"].to_pylist())
    in_file = {row["instance_id"] for row in questions_of(config).instances}
    if in_study != in_file:
        more, fewer = len(in_study - in_file), len(in_file - in_study)
        raise UsageError(
            f"the study {config.study!r} has other questions than {config.data_path.name!r} "
            f"({more:,} that the file lacks; it lacks {fewer:,} of the file); give the study another name"
        )


def questions_of(config: RunConfig) -> Questions:
    """Read the file of questions that is a configuration's `data`."""
    try:
        return read_questions(config.data_path, config.columns)
    except QuestionColumnError as error:
        remedy = f"columns = {{ prompt = {json.dumps(error.likely, ensure_ascii=False)} }}"
        raise UsageError(f"data: {error.problem}; name it in the configuration, such as {remedy}") from None


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
    templates, changes = list(templates), []
    for template in templates:
        old = hashes.get((template.paradigm, template.variant))
        if old is not None and old != template.sha256:
            name = template.paradigm or ("answers" if template.kind == ANSWER else "rewriting")
            changes.append(
                f"the template of {name}, variant {template.variant!r}, has the sha256 "
                f"{template.sha256[:12]}…, it had {old[:12]}…"
            )
    answering = [each for each in templates if each.kind == ANSWER]
    generator = (None, "default")
    if generator in hashes and (hashes[generator] is None) == bool(answering):
        changes.append(
            f"answer_template is {_option_text(config.answer_template)}, and the answers so far were "
            f"collected {'without one' if answering else 'with one'}"
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


def with_sample_of_run(config: RunConfig, store: Store, options: RunOptions) -> tuple[RunConfig, str]:
    """Return the configuration with the sample of the run that it continues, unless it has its own.

    So a judge or a paradigm added by another configuration judges the instances that the others judged. The
    text says so; it is empty if nothing was changed.
    """
    place = store.location.child(config.study)
    if config.sample is not None or not is_study(place):
        return config, ""
    study = StudyFiles(place)
    rows = study.table("runs").to_pylist()
    run_id = run_to_continue(rows, options)
    before = _last_settings(store, config.study, run_id, rows) if run_id else {}
    if not isinstance(before.get("sample"), dict):
        return config, ""
    text = f"{config.text}\n{tomli_w.dumps({'sample': before['sample']})}"
    if "seed" in before and "seed" not in tomllib.loads(config.text):
        text = f"seed = {before['seed']}\n{text}"
    sampled = parse_config(text, folder=config.folder)
    instances = study.table("instances", ["instance_id"]).num_rows
    n = before["sample"].get("n")
    words = f"the run's sample of {n} instances is kept; for all, write [sample] with n = {instances}"
    if sampled.seed != before.get("seed", 0):
        words = f"{words}; seed = {sampled.seed} chooses others than the run's seed = {before.get('seed', 0)}"
    return sampled, words


def _last_settings(store: Store, study: str, run_id: str, rows: Rows) -> dict[str, Any]:
    """Return the configuration of the run's last start: from its folder, else from the study."""
    own = [row for row in rows if row["run_id"] == run_id]
    if not own:
        return {}
    try:
        text = RunFolder(run_path(store, study, run_id)).config.read_text("utf-8")
    except OSError:
        text = str(max(own, key=lambda row: str(row["started_at"]))["config"] or "")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


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
    if config.answer_template is not None:
        templates.append(answer_template(config.answer_template, config.folder))
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


def _check_likelihoods(config: RunConfig, paradigm: paradigms.Paradigm) -> None:
    """Raise UsageError for a judge whose server cannot give the likelihood of responses."""
    if paradigms.TRAITS[paradigm].gives != "likelihood":
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
        if stage == "judgments" and _judges_quality_first(config):
            variants = variants_of("quality", config.paradigms, config.variants, config.task, config.folder)
            yield stage, config.model_copy(update={"paradigms": ["quality"], "variants": variants})
        yield stage, config


def _judges_quality_first(config: RunConfig) -> bool:
    return config.pairs != "all" and {"quality", "pairwise"} <= set(config.paradigms)


def draws_from_itself(stage: Stage, config: RunConfig) -> bool:
    """Return whether the pairs of a stage are drawn by judgments or checks of the run itself."""
    if stage != "judgments":
        return False
    by_checks = config.pairs != "all" and "pairwise" in config.paradigms and config.checker is not None
    return _judges_quality_first(config) or by_checks


def calls_after(config: RunConfig, study: StudyFiles, number: int, options: RunOptions) -> int:
    """Return the number of calls in the stages after one, its missing responses counted as present.

    Pairs that will be drawn by what the run itself finds out are not counted.
    """
    later = [each for each in list(steps_of(config))[number + 1 :] if not draws_from_itself(*each)]
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


_CHAIN_OF_THOUGHT = 400
_SHORTER, _LONGER = 2, 4
"""By how many times an answer without thinking may be shorter or longer than expected."""

CachedAnswer = Callable[[CallRequest, list[Message], Schema | None], Reply | None]
"""Returns the cached answer of a call, if any."""


@dataclass(slots=True)
class Line:
    """The calls to one model with one role, paradigm and variant, and an estimate of their cost.

    Calls answered from the cache count as `cached`, not `calls`; `saved_usd` is what their answers cost
    originally. `cost_usd` is None if the price is unknown; it lies between `cost_usd_low` and
    `cost_usd_high`, as the tokens do. `answers_usd` is its part that depends on the length of answers,
    unknown beforehand; `most_usd` is the maximum cost, None if `max_tokens` does not bound it.
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
    prompt_tokens_low: int = 0
    prompt_tokens_high: int = 0
    completion_tokens_low: int = 0
    completion_tokens_high: int = 0
    cost_usd_low: float | None = None
    cost_usd_high: float | None = None

    def add(self, prompt: TokenRange, expected: int, answer: TokenRange) -> None:
        """Add a call with the tokens of its prompt and its answer."""
        self.calls += 1
        self.prompt_tokens += prompt.middle
        self.prompt_tokens_low += prompt.low
        self.prompt_tokens_high += prompt.high
        self.completion_tokens += expected
        self.completion_tokens_low += answer.low
        self.completion_tokens_high += answer.high


def estimate(plan: Plan, config: RunConfig, lookup: CachedAnswer | None = None) -> list[Line]:
    """Return the calls and tokens of a plan by model, paradigm and variant, in the order of the plan.

    Assumes the typical length of each paradigm's answers, and 500 tokens per response, neither longer than
    the model's max_tokens. Cached answers are counted separately and take no tokens.
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
        total.add(message_tokens(messages), expected_answer(request, config), answer_range(request, config))
    return list(totals.values())


def expected_prompt(messages: Sequence[Message]) -> int:
    return message_tokens(messages).middle


def answer_range(request: CallRequest, config: RunConfig) -> TokenRange:
    """Return the tokens that an answer may have: that of a model that may think up to its limit."""
    expected, model = expected_answer(request, config), config.models[request.model]
    limit = answer_bound(model) or longest_answer(model.model) or LONGEST_LIKELY
    if requested_logprobs(model, request) == "prompt":
        return TokenRange(expected, expected)
    high = limit if may_think(model) else min(expected * _LONGER, limit)
    return TokenRange(expected // _SHORTER, max(high, expected))


def expected_answer(request: CallRequest, config: RunConfig) -> int:
    if request.role == "generator":
        expected = len(ASSUMED_RESPONSE) // 4
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

    `missing_keys` are the models whose key is not set, with its environment variable; `thinking` those that
    may think before they answer.
    """

    lines: tuple[Line, ...]
    already_done: int
    note: str = ""
    missing_keys: Mapping[str, str] = field(default_factory=dict)
    thinking: frozenset[str] = frozenset()

    @property
    def total(self) -> Line:
        tokens = [f"{side}_tokens{end}" for side in ("prompt", "completion") for end in ("", "_low", "_high")]
        sums: dict[str, Any] = {
            name: sum(getattr(line, name) for line in self.lines)
            for name in ("calls", *tokens, "cached", "saved_usd")
        }
        for name in ("cost_usd", "cost_usd_low", "cost_usd_high"):
            sums[name] = known_sum(getattr(line, name) for line in self.lines)
        return Line("all", "", None, None, **sums)

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
            thinking = dict.fromkeys(
                line.model for line in lines if line.model in self.thinking and line.cost_usd
            )
            counted = f"; thinking of {', '.join(thinking)} is in the second alone" if thinking else ""
            sentences.append(
                f"${answers:,.4f} of ${cost:,.4f} is a guess, as the length of answers is unknown: in all "
                f"between ${low:,.4f} and ${high:,.4f}{counted}"
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
        names = ["prompt_tokens", "completion_tokens", "cost_usd", "cached", "saved_usd"]
        names += ["cost_usd_low", "cost_usd_high"]
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
        check_questions(study := StudyFiles(place), config)
        return _forecast(config, study, options)
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
        if draws_from_itself(stage, step):
            first = "quality is judged" if "quality" in step.paradigms else "the responses are checked"
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
        bound = answer_bound(config.models[line.model])
        line.answers_usd = cost_usd(price, 0, line.completion_tokens)
        line.cost_usd = line.answers_usd + cost_usd(price, line.prompt_tokens, 0)
        line.cost_usd_low = cost_usd(price, line.prompt_tokens_low, line.completion_tokens_low)
        line.cost_usd_high = cost_usd(price, line.prompt_tokens_high, line.completion_tokens_high)
        if bound is not None or not price.output_per_million:
            line.most_usd = cost_usd(price, line.prompt_tokens_high, line.calls * (bound or 0))
    missing = {name: key for name, key in models.missing_keys().items() if name in config.run_models()}
    open_calls = sum(line.calls + line.cached for line in lines)
    thinking = frozenset(name for name in config.run_models() if may_think(config.models[name]))
    return Forecast(tuple(lines), planned - open_calls, note, missing, thinking)


def _lookup(cache: AnswerCache, models: Models, config: RunConfig) -> CachedAnswer:
    def cached_reply(request: CallRequest, messages: list[Message], schema: Schema | None) -> Reply | None:
        form = None if config.mode == "batch" else schema  # batches send no schema
        identity = models.identity(request.model, messages, form)
        return cache.get(call_key(identity, config.models[request.model], request, messages))

    return cached_reply
