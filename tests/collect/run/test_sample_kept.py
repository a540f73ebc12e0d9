"""A judge or a paradigm that another configuration adds judges the instances that the run has."""

import json
from pathlib import Path

import pytest
from command_line import spb

from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.store import Store

from .small import FakeModels, config_text, write_folder

SAMPLE = "[sample]\nn = 3"


@pytest.fixture
def twelve(tmp_path: Path) -> Path:
    """Write a data set of twelve instances."""
    return write_folder(tmp_path / "twelve", instances=12)


def asked_instances(store: Store) -> dict[str, set[str]]:
    """Return the instances that each judge judged."""
    instances: dict[str, set[str]] = {}
    for row in store.open("s").judgments(["judge", "instance_id"]).to_pylist():
        instances.setdefault(row["judge"], set()).add(row["instance_id"])
    return instances


def collect(store: Store, text: str, **options: object) -> int:
    """Run a configuration and return how many calls it planned."""
    return run(parse_config(text), store, RunOptions(**options), models=FakeModels()).planned  # type: ignore[arg-type]


def test_an_added_judge_judges_the_sample(twelve: Path, store: Store) -> None:
    collect(store, config_text(twelve, more=SAMPLE, judges=["a"], seed=7))
    planned = collect(store, config_text(twelve, judges=["a", "b"]))

    instances = asked_instances(store)
    assert planned == 2 * 3 * 2 * 2  # judges, instances, generators, rubrics
    assert len(instances["a"]) == 3
    assert instances["b"] == instances["a"]


def test_an_added_paradigm_and_a_third_start_keep_the_sample(twelve: Path, store: Store) -> None:
    collect(store, config_text(twelve, more=SAMPLE, judges=["a"]))
    collect(store, config_text(twelve, judges=["a"], paradigms=["single_rubric", "pairwise"]))
    collect(store, config_text(twelve, judges=["a", "b"], paradigms=["pairwise"]))

    assert {len(instances) for instances in asked_instances(store).values()} == {3}


@pytest.mark.parametrize(("more", "options"), [("[sample]\nn = 12", {}), ("", {"fresh": True})])
def test_another_sample_and_a_fresh_run_are_ones_own_choice(
    more: str, options: dict[str, object], twelve: Path, store: Store
) -> None:
    collect(store, config_text(twelve, more=SAMPLE, judges=["a"]))
    collect(store, config_text(twelve, more=more, judges=["b"]), **options)

    assert len(asked_instances(store)["b"]) == 12


def test_a_dry_run_counts_the_sample_and_says_so(
    twelve: Path,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    simulated = config_text(twelve, more=SAMPLE, judges=["a"]).replace("openai/", "simulated/")
    run(parse_config(simulated), store)
    path = tmp_path / "more.toml"
    path.write_text(config_text(twelve, judges=["a", "b"]).replace("openai/", "simulated/"), "utf-8")

    spb(monkeypatch, "run", path, "--store", store.root, "--dry-run", "--format", "json")

    shown = capsys.readouterr()
    assert json.loads(shown.out)["planned"] == 12
    assert "the run's sample of 3 questions is kept; for all, write [sample] with n = 12" in shown.err
