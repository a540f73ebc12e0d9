"""The GitHub Action, as a runner runs it: its script with the inputs of a workflow, on imported files."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from engine.cli import app

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
MODELS = ("gpt-4o", "claude-3", "gemini-2", "llama-3")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a study of scores on a scale of 5 in which gpt-4o gives itself one point more."""
    folder = tmp_path_factory.mktemp("action")
    drawn = random.Random(1)
    lines = ["judge,generator,instance_id,score"]
    for question in range(40):
        for model in MODELS:
            mean = drawn.gauss(2.8, 0.6)
            for judge in MODELS:
                value = round(mean + drawn.gauss(0, 0.3)) + (judge == model == "gpt-4o")
                lines.append(f"{judge},{model},q{question},{min(5, max(1, value))}")
    table = folder / "scores.csv"
    table.write_text("\n".join(lines) + "\n")
    place = ["--study", "nightly", "--store", str(folder / "store"), "--no-doctor"]
    result = CliRunner().invoke(app, ["import", "table", str(table), "--set", "scale=5", *place])
    assert result.exit_code == 0, result.output
    return folder / "store"


def act(store: Path, folder: Path, **inputs: str) -> tuple[int, str]:
    """Run the action's last step, and return its exit code and the summary on the run's page."""
    defaults = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    values = defaults | {"study": "nightly", "store": str(store)} | inputs
    step = ACTION["runs"]["steps"][-1]
    names = {name: text.split("inputs.")[1].split()[0] for name, text in step["env"].items()}
    command = folder / "bin" / "spb"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m engine.cli "$@"\n')
    command.chmod(0o755)
    summary = folder / "summary.md"
    environment = os.environ | {name: values[of] for name, of in names.items()}
    environment |= {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    environment |= {"RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(summary)}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    run = subprocess.run(script, env=environment, capture_output=True, check=False)
    return run.returncode, summary.read_text() if summary.exists() else run.stderr.decode()


def test_by_default_a_planted_point_of_5_fails_the_step(store: Path, tmp_path: Path) -> None:
    code, summary = act(store, tmp_path)

    assert code == 1
    assert "| gpt-4o | ❌ FAIL |" in summary
    assert "| gemini-2 | ✅ PASS |" in summary


def test_a_rule_that_applies_to_no_judge_never_passes(store: Path, tmp_path: Path) -> None:
    code, words = act(store, tmp_path, **{"rule": "--max-ratio 1.2", "allow-inconclusive": "true"})

    assert code == 2
    assert "nothing was checked" in words


@pytest.mark.parametrize(("allow", "code"), [("true", 0), ("false", 3)])
def test_an_inconclusive_judge_fails_the_step_only_if_wanted(
    store: Path, tmp_path: Path, allow: str, code: int
) -> None:
    inputs = {"rule": "--max-excess 0.5", "judge": "gemini-2", "allow-inconclusive": allow}

    assert act(store, tmp_path, **inputs)[0] == code


def test_a_study_that_does_not_exist_fails_the_step(store: Path, tmp_path: Path) -> None:
    assert act(store, tmp_path, study="weekly")[0] == 2
