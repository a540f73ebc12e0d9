"""How likely judges find responses, from a configuration to the measure."""

import json
from pathlib import Path

import pytest
from collect.run.small import config, write_folder
from loopback import weighing

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.plan.study_texts import Library
from engine.collect.rows.rebuilt_prompts import rebuild
from engine.collect.run.start import run
from engine.errors import UsageError
from engine.store import Store
from engine.store.writer import validate_study
from engine.study import Study

SIMULATED = """
study = "s"
data = "{folder}"
generators = ["a", "b"]
judges = ["a", "b"]
paradigms = ["familiarity"]
[models.a]
model = "simulated/a"
family = "x"
simulated = {{ familiarity = 0.4 }}
[models.b]
model = "simulated/b"
family = "y"
"""


def served_config(folder: Path, url: str, **more: object) -> RunConfig:
    lines = f"api_base = '{url}'\n"
    return config(folder, a=lines, b=lines, **{"paradigms": ["familiarity"], **more})


def of_own(model: str, text: str) -> float:
    return -1.25 if text.startswith(f"{model} answers") else -2.0


def test_log_probabilities_from_a_server_are_stored_and_measured(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=12)

    with weighing(of_own) as server:
        report = run(served_config(folder, server.url), store)
        calls = server.calls
        again = run(served_config(folder, server.url), store)

    assert (report.planned, report.ok, calls) == (48, 48, 48)
    assert (again.already_done, again.calls) == (48, 0)
    validate_study(store.open("s"))
    rows = store.open("s").table("judgments").to_pylist()
    assert {(row["judge"] == row["generator"], row["score"]) for row in rows} == {
        (True, -1.25),
        (False, -2.0),
    }
    assert all(json.loads(row["raw"])["tokens"] == 5 for row in rows)  # "a answers i00000." has 17 characters
    gaps = Study.open(tmp_path / "store" / "s").result("familiarity-score", resamples=20).rows
    assert [(row["familiarity_gap"], row["n_own"]) for row in gaps] == [(0.75, 12), (0.75, 12)]


def test_a_judge_is_shown_the_turns_of_a_conversation_as_turns(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    turns = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Is it warm?"},
        {"role": "assistant", "content": "It is."},
        {"role": "user", "content": "And tomorrow?"},
    ]
    prompt = {"instance_id": "i00000", "prompt": json.dumps(turns)}
    (folder / "instances.jsonl").write_text(json.dumps(prompt) + "\n", "utf-8")

    with weighing(of_own) as server:
        run(served_config(folder, server.url, judges=["a"]), store)

    answer = {"role": "assistant", "content": "a answers i00000."}
    assert [*turns, answer] in [body["messages"] for body in server.bodies]
    study = store.open("s")
    row = next(row for row in study.table("judgments").to_pylist() if row["generator"] == "a")
    assert rebuild(Library(study), row).messages == (*turns, answer)


def test_a_users_template_words_the_last_turn(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    words = "--- user ---\nAnswer briefly. {{prompt}}\n\n--- assistant ---\n{{response}}\n"
    (tmp_path / "brief.txt").write_text(words, "utf-8")

    with weighing(of_own) as server:
        run(served_config(folder, server.url, variants=[str(tmp_path / "brief.txt")], judges=["a"]), store)

    assert server.bodies[0]["messages"][0]["content"] == "Answer briefly. Question i00000?"
    assert set(store.open("s").table("judgments")["variant"].to_pylist()) == {"brief"}


def test_a_simulated_judge_finds_its_own_responses_likelier_by_the_planted_amount(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=150)

    run(parse_config(SIMULATED.format(folder=folder)), store)

    rows = {
        row["judge"]: row for row in Study.open(tmp_path / "store" / "s").result("familiarity-score").rows
    }
    # A gap is a difference of two draws with a spread of .25; its error is .25 * 1.41 / 12.2 = .03.
    assert rows["a"]["familiarity_gap"] == pytest.approx(0.4, abs=0.12)
    assert rows["a"]["familiarity_gap_low"] > 0
    assert rows["b"]["familiarity_gap"] == pytest.approx(0, abs=0.12)


def test_a_judge_whose_server_lacks_log_probabilities_is_refused_before_any_call(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    folder = write_folder(tmp_path / "data", instances=1, responses=False)
    text = SIMULATED.format(folder=folder).replace("simulated/b", "anthropic/claude-sonnet-4-0")
    text = text.replace('judges = ["a", "b"]', 'judges = ["b"]').replace('["a", "b"]', '["a"]')

    with pytest.raises(UsageError, match=r"models\.b\.model is 'anthropic/claude-sonnet-4-0', and fam"):
        run(parse_config(text.replace("simulated = { familiarity = 0.4 }", "")), store)

    assert not store.studies() or not store.open("s").table("responses").num_rows


def test_batches_do_not_request_log_probabilities(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1)

    with pytest.raises(UsageError, match="familiarity does not work in batches"):
        run(served_config(folder, "http://127.0.0.1:9/v1", mode="batch"), store)
