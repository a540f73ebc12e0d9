"""Whether a run may continue under a configuration."""

import tomllib
from collections.abc import Iterable
from typing import Any

import tomli_w

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.paradigms.templates import ANSWER, Template
from engine.collect.run_folder import RunFolder, run_path
from engine.collect.run_options import RunOptions
from engine.errors import UsageError
from engine.store import Store
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles
from engine.store.writer import Rows

_ANSWER_OPTIONS = ("model", "params", "protocol", "logprobs", "prompt_logprobs", "structured", "simulated")
"""The options of a model that affect its answers; its address, price and key may change."""


def run_to_continue(rows: Rows, config: RunConfig, options: RunOptions) -> str | None:
    """Return the run that the options name, else the study's last one of these judges; None: a new one.

    Judges may be added to a run, so that one in common is enough; a run without judges may get any.
    """
    if options.run_id or options.fresh:
        return options.run_id or None
    judges, runs = judges_of(config), judges_by_run(rows)
    return max(
        (run_id for run_id, own in runs.items() if not own or not judges or own & judges), default=None
    )


def judges_of(config: RunConfig) -> set[str]:
    """Return all that judge in a configuration."""
    return {*config.judges, *config.quality_judges, *config.gold_judges}


def judges_by_run(rows: Rows) -> dict[str, set[str]]:
    """Return the judges of each run that `spb run` made; none for one that collected answers alone."""
    runs: dict[str, set[str]] = {}
    for row in rows:
        if row["config"] is not None and row["provenance"] in ("api", "simulated"):
            judges = runs.setdefault(str(row["run_id"]), set())
            judges |= {row["model"]} if row["role"] == "judge" else set()
    return runs


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
    run_id = run_to_continue(rows, config, options)
    before = _last_settings(store, config.study, run_id, rows) if run_id else {}
    if not isinstance(before.get("sample"), dict):
        return config, ""
    text = f"{config.text}\n{tomli_w.dumps({'sample': before['sample']})}"
    if "seed" in before and "seed" not in tomllib.loads(config.text):
        text = f"seed = {before['seed']}\n{text}"
    sampled = parse_config(text, folder=config.folder)
    instances = study.table("instances", ["instance_id"]).num_rows
    n = before["sample"].get("n")
    words = f"the run's sample of {n} questions is kept; for all, write [sample] with n = {instances}"
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
