"""One tiny call to each model of a run before it starts, so that nothing is paid for one that fails."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from engine.collect.dispatch.trial import LONGEST_WAIT_S, Trial
from engine.phrases import part_of, sentence_case
from explorer.new_run.available_models import Table
from explorer.new_run.run_choices import RunChoices
from explorer.new_run.run_processes import environment

_START_S = 60.0
"""Most seconds that the process of a trial may take beside its calls."""


def call_each(models: Mapping[str, Table]) -> dict[str, Trial]:
    """Call each model once, all at the same time, in a process of its own; return what came of it."""
    if not models:
        return {}
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        path = Path(folder) / "models.toml"
        path.write_text(document(models), "utf-8")
        try:
            process = subprocess.run(  # noqa: S603 - our own module
                [sys.executable, "-m", "engine.collect.dispatch.trial", str(path)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment(),
                check=False,
                timeout=LONGEST_WAIT_S + _START_S,
            )
        except subprocess.TimeoutExpired:
            return dict.fromkeys(models, Trial(False, f"It did not answer within {LONGEST_WAIT_S:.0f} s."))
    if process.returncode:
        words = "It could not be called; `spb run --dry-run` with this model says why."
        return dict.fromkeys(models, Trial(False, words))
    outcomes: dict[str, Any] = json.loads(process.stdout.decode().splitlines()[-1])
    return {name: Trial(**each) for name, each in outcomes.items()}


def with_cost(choices: RunChoices, outcomes: Mapping[str, Trial]) -> RunChoices:
    """Return a run with what the trials cost, which counts toward its spending limit."""
    return replace(choices, trial_usd=_spent(outcomes))


def overspent(choices: RunChoices, outcomes: Mapping[str, Trial]) -> tuple[str, ...]:
    """Return that the trials left nothing of the spending limit; nothing where they left some."""
    spent = _spent(outcomes)
    if choices.cap is None or spent < choices.cap:
        return ()
    calls = f"Calling each model once took {spent:.4f} US dollars"
    return (f"{calls}, and the spending limit is {choices.cap:g}: raise it to start the run.",)


def _spent(outcomes: Mapping[str, Trial]) -> float:
    return sum(trial.cost_usd for trial in outcomes.values())


def document(models: Mapping[str, Table]) -> str:
    """Return a configuration that holds nothing but the models."""
    content = {"study": "trial", "generators": list(models), "models": dict(models)}
    return tomli_w.dumps(content)


def failure_sentences(outcomes: Mapping[str, Trial]) -> tuple[str, ...]:
    """Return which models do not answer, each with its remedy; nothing where all do."""
    failed = [(name, trial) for name, trial in outcomes.items() if not trial.answered]
    if not failed:
        return ()
    verb = "does" if len(failed) == 1 else "do"
    count = sentence_case(part_of(len(failed), len(outcomes), "model"))
    return (
        f"{count} {verb} not answer, and nothing was started.",
        *(f"{name}: {trial.words}" for name, trial in failed),
        "Correct that, or leave the model out, and start again.",
    )
