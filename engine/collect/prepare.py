"""Study, templates and stages before the first call."""

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine import schema
from engine.collect.calls import Role
from engine.collect.config import RunConfig
from engine.collect.journal import Rows
from engine.collect.locks import write_lock
from engine.collect.model_settings import SIMULATED, provider_of
from engine.collect.openai_requests import serves
from engine.collect.paradigms.templates import Template, judging_templates, rewriting_template
from engine.collect.plan import STAGES, Plan, Stage
from engine.errors import UsageError
from engine.store import Store
from engine.store.conversion import Batch, from_tables
from engine.store.parquet import locate
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles
from engine.store.writer import exchange_table

# ------------------------------------------------------------------------------
# The study that a run collects into, made from the configuration's `data` where it is not there yet.


_OF_A_STUDY = ("models", "instances", "rubrics", "responses", "references", "preferences")


def has_study(store: Store, config: RunConfig) -> bool:
    """Return whether the study is there."""
    return is_study(store.location.child(config.study))


def prepared_study(store: Store, config: RunConfig) -> StudyFiles:
    """Return the study with all models that may be called; made from `data` where it is not there.

    Raises UsageError where there is neither a study nor data, or a model's family is another in the study;
    BadInputError for data that an import would refuse.
    """
    if not has_study(store, config):
        _make(store, config)
    study = store.open(config.study)
    missing = _missing_models(study.table("models").to_pylist(), config)
    if missing:
        table = exchange_table("models", missing)
        store.write(config.study, {"models": table}, study.info, mode="append")
        study = store.open(config.study)
    return study


def _make(store: Store, config: RunConfig) -> None:
    if config.data is None:
        listed = ", ".join(store.studies()) or "(there are none)"
        raise UsageError(
            f"there is no study {config.study!r} in {store.root!r} and the configuration has no data; "
            f"give data, or one of the studies: {listed}"
        )
    if os.path.isdir(config.data_folder):
        _make_from_folder(store, config)
        return
    from engine.importers.datasets import fetch

    fetch(config.data, store, config.study)


def _make_from_folder(store: Store, config: RunConfig) -> None:
    """Write the exchange folder as a study; models of the configuration that it lacks are added.

    Of a stored study only the questions, the responses and what is taken as true are taken over: its
    judgments were made by other runs.
    """
    from engine.importers.exchange import open_tidy
    from engine.store.writer import write_sources

    folder = config.data_folder
    tidy = open_tidy(folder)
    sources = dict(tidy.sources)
    place = locate(folder)
    # A study that was written here, not one put together for exchange.
    if is_study(place) and StudyFiles(place).info.parts is not None:
        sources = {name: source for name, source in sources.items() if name in _OF_A_STUDY}
    models = sources.get("models")
    if models is None:
        sources["models"] = from_tables(schema.MODELS, exchange_table("models", config.model_rows()))
    else:
        batches = list(models.batches)
        sources["models"] = replace(models, batches=_with_models(batches, config), columns=None)
    info = tidy.info
    if info.dataset is None:
        info = info.model_copy(update={"dataset": tidy.name})
    ordered = {name: sources[name] for name in schema.TABLES if name in sources}
    write_sources(store, config.study, ordered, info, mode="new")


def _with_models(batches: list[Batch], config: RunConfig) -> Iterator[Batch]:
    yield from batches
    rows = [row for batch in batches for row in batch.rows.to_pylist()]
    missing = _missing_models([{**row, "model": str(row.get("model"))} for row in rows], config)
    if missing:
        (added,) = exchange_table("models", missing).combine_chunks().to_batches()
        yield Batch(added, len(rows) + 1)


def _missing_models(rows: list[dict[str, Any]], config: RunConfig) -> list[dict[str, Any]]:
    """Return the rows of models that are to be added; UsageError where a family is another one."""
    families = {row["model"]: row.get("family") for row in rows}
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
# Whether a run may go on under a configuration, or has become another one.


_ALIKE = ("model", "params", "logprobs", "prompt_logprobs", "structured", "simulated")
"""What of a model decides its answers; its address, price and key may change."""


def last_run(rows: Rows) -> str | None:
    """Return the study's last run that was made by `spb run`, None where there is none."""
    live = [row for row in rows if row["config"] is not None and row["provenance"] in ("api", "simulated")]
    return max((str(row["run_id"]) for row in live), default=None)


def refuse_another(run_id: str, rows: Rows, config: RunConfig, used: Iterable[Template]) -> None:
    """Raise UsageError that names what changed since the run `run_id` was begun.

    Models, paradigms and variants may be added; those that the run has asked already must be the same.
    """
    if changes := changes_since(run_id, rows, config, used):
        raise UsageError(
            f"the run {run_id!r} of the study {config.study!r} was started with other settings: "
            f"{'; '.join(changes)}; restore them, or use --fresh (a new run) or --redo (some calls)"
        )


def changes_since(run_id: str, rows: Rows, config: RunConfig, used: Iterable[Template]) -> list[str]:
    """Return what changed since the run was begun, of templates and models, each in words."""
    mine = [row for row in rows if row["run_id"] == run_id]
    return [*_changed_templates(mine, used), *_changed_models(mine, config)]


def _changed_templates(rows: Rows, used: Iterable[Template]) -> list[str]:
    before = {(row["paradigm"], row["variant"]): row["template_sha256"] for row in rows}
    changes = []
    for template in used:
        old = before.get((template.paradigm, template.variant))
        if old is not None and old != template.sha256:
            way = template.paradigm or "rewriting"
            changes.append(
                f"the template of {way}, variant {template.variant!r}, has the sha256 "
                f"{template.sha256[:12]}…, it had {old[:12]}…"
            )
    return changes


def _changed_models(rows: Rows, config: RunConfig) -> list[str]:
    changes: dict[str, None] = {}
    for row in rows:
        name = row["model"]
        before = _model(row["config"], name)
        if name not in config.models or before is None:
            continue
        now = _model(config.text, name) or {}
        for field in _ALIKE:
            old, new = before.get(field), now.get(field)
            if _plain(old) != _plain(new):
                changes[f"models.{name}.{field} is {_shown(new)}, it was {_shown(old)}"] = None
    return list(changes)


def _model(text: str | None, name: str) -> dict[str, Any] | None:
    try:
        table = tomllib.loads(text or "").get("models", {}).get(name)
    except tomllib.TOMLDecodeError:
        return None
    return table if isinstance(table, dict) else None


def _plain(value: Any) -> Any:
    """Return the value with what is left out written as what it then is."""
    return None if value in ({}, False, "auto", "chat") else value


def _shown(value: Any) -> str:
    return "left out" if value is None else repr(value)


# ------------------------------------------------------------------------------
# What a run asks first and what then: each stage is planned from the study as it is by then.


@dataclass(frozen=True, slots=True)
class Ways:
    """The templates of a run, and who is asked with which of them."""

    templates: tuple[Template, ...]
    groups: tuple[tuple[str, Role, str | None, str], ...]


def ways_of(config: RunConfig) -> Ways:
    """Return the ways in which a configuration asks: (model, role, paradigm, variant) of each.

    Raises UsageError for a judge that cannot be asked so.
    """
    templates = judging_templates(config.paradigms, config.variants, config.task, config.folder)
    groups: list[tuple[str, Role, str | None, str]] = [
        (name, "generator", None, "default") for name in config.generators if name in config.models
    ]
    for name, rewriting in config.rewritings.items():
        template = rewriting_template(name, rewriting.template, config.folder)
        templates.append(template)
        groups.append((rewriting.by, "generator", None, template.variant))
    for paradigm in config.paradigms:
        _check_likelihoods(config, paradigm)
        for template in templates:
            if template.kind == paradigm:
                groups += [
                    (judge, "judge", paradigm, template.variant) for judge in config.judges_of(paradigm)
                ]
    return Ways(tuple(templates), tuple(dict.fromkeys(groups)))


def _check_likelihoods(config: RunConfig, paradigm: schema.Paradigm) -> None:
    """Raise UsageError for a judge whose server cannot say how likely responses are to it."""
    if schema.TRAITS[paradigm].gives != "likelihood":
        return
    if config.mode == "batch":
        raise UsageError(f'paradigms: {paradigm} is not asked in batches; run it with mode = "live"')
    for name in config.judges_of(paradigm):
        model = config.models[name]
        simulated = provider_of(model.model) == SIMULATED
        if not simulated and not serves(model.model, model.api_base, model.params.sent()):
            raise UsageError(
                f"models.{name}.model is {model.model!r}, and {paradigm} needs log-probabilities "
                "of responses, which servers of OpenAI's protocol such as vLLM give; write it as openai/... "
                "or hosted_vllm/... with api_base, or leave the judge or the paradigm out"
            )


def steps_of(config: RunConfig) -> Iterator[tuple[Stage, RunConfig]]:
    """Yield the stages of a run with the configuration of each.

    Where pairs are drawn by quality that the same run judges, quality is judged before they are drawn.
    """
    for stage in STAGES:
        if stage == "judgments" and draws_from_itself(config):
            yield stage, config.model_copy(update={"paradigms": ["quality"]})
        yield stage, config


def draws_from_itself(config: RunConfig) -> bool:
    """Return whether pairs are drawn by judgments that the run itself collects."""
    return config.pairs != "all" and {"quality", "pairwise"} <= set(config.paradigms)


# ------------------------------------------------------------------------------
# What a plan adds to the study before anybody is asked: the pairs that it drew, the responses that it
# changed, and its templates' words.


PlannedRows = Sequence[Mapping[str, Any]]


def with_planned(store: Store, study: StudyFiles, plan: Plan) -> StudyFiles:
    """Add what is not there yet and return the study as it is then.

    Other writers are waited for, such as shards that begin the same stage.
    """
    with write_lock(store, study.name):
        study = StudyFiles(study.location)
        wanted = {"pairs": plan.drawn, "responses": plan.changed, "templates": plan.template_rows()}
        missing = {name: rows for name, each in wanted.items() if (rows := _missing_rows(study, name, each))}
        if not missing:
            return study
        tables = {name: exchange_table(name, rows) for name, rows in missing.items()}
        store.write(study.name, tables, study.info, mode="append")
        return StudyFiles(study.location)


def _missing_rows(study: StudyFiles, table: str, rows: PlannedRows) -> list[dict[str, Any]]:
    if not rows:
        return []
    names = schema.TABLES[table].key
    held = {tuple(row.values()) for row in study.table(table, names).to_pylist()}
    rows_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        if key not in held:
            rows_by_key.setdefault(key, dict(row))
    return list(rows_by_key.values())
