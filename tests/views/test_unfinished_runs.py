"""A run that has not made all its calls, wherever missing verdicts are said."""

import json
from pathlib import Path

import pytest
from collect.run.small import FakeModels, config, write_folder
from explorer_studies import PLANS, write

from engine.collect.configuration.config import Price
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions
from engine.collect.watch.unfinished_runs import unfinished_words
from engine.store import Store
from engine.study import Study
from engine.views.registry import VIEWS


def study_with_run(root: Path, state: str) -> Study:
    """Return a study with verdicts throughout, the last run of which has answered 45 of 104 calls."""
    write(root, "plain", PLANS["plain"])
    for run_id, its_state, done in (("run-1", "done", 8), ("run-2", state, 45)):
        folder = root / ".runs" / "plain" / run_id
        folder.mkdir(parents=True)
        status = {"state": its_state, "total": 100, "later": 4, "done": done}
        (folder / "status.json").write_text(json.dumps(status), "utf-8")
    return Study.open(root / "plain")


@pytest.mark.parametrize("view", ["statuses_by_paradigm", "statuses_by_judge", "missing_verdicts"])
def test_a_run_that_was_cut_off_does_not_look_complete(tmp_path: Path, view: str) -> None:
    sentences = " ".join(VIEWS[view].shown(study_with_run(tmp_path, "budget"), {}).sentences)

    assert "The run run-2 is not finished: 45 of 104 calls are answered" in sentences
    assert "None:" not in sentences


def test_nothing_is_said_of_a_run_that_made_all_its_calls(tmp_path: Path) -> None:
    shown = VIEWS["statuses_by_paradigm"].shown(study_with_run(tmp_path, "done"), {})

    assert "not finished" not in " ".join(shown.sentences)


@pytest.mark.parametrize(("judge", "says"), [("b", True), ("a", False)])
def test_a_run_that_was_cut_off_is_named_until_a_later_one_has_its_judges(
    tmp_path: Path, judge: str, says: bool
) -> None:
    folder, store = write_folder(tmp_path / "data"), Store(tmp_path / "store")
    price = Price(input_per_million=1.0, output_per_million=1.0)
    models = FakeModels(prices=dict.fromkeys("ab", price))
    run(config(folder, judges=["a"]), store, RunOptions(max_usd=0.0, run_id="run-1"), models=models)
    run(config(folder, judges=[judge]), store, RunOptions(run_id="run-2"), models=models)

    words = unfinished_words(store.open("s"))

    assert [each[:48] for each in words] == ["The run run-1 is not finished: 0 of 12 calls are"] * says
