"""A killed run loses no answer and pays for none twice."""

import json
import random
import signal
from pathlib import Path
from typing import Any

from collect.run.killing import answered_too_often, check, killed_at_random, start, wait_until
from collect.run.small import config_text, write_folder
from command_line import Spb
from loopback import Script, serving

from engine.collect.database.run_database import is_unfinished
from engine.store import Store

CONCURRENCY = 8


def written_config(folder: Path, url: str, *, instances: int, run: str = "") -> Path:
    """Write a configuration whose models are on the loopback server."""
    data = write_folder(folder / "data", instances=instances)
    address = f'api_base = "{url}"'
    path = folder / "run.toml"
    limits = f"concurrency = {CONCURRENCY}\n{run}"
    path.write_text(config_text(data, a=address, b=address, run=limits), "utf-8")
    return path


def finished(spb: Spb, config: Path) -> dict[str, Any]:
    """Run to the end in this process and return the report."""
    result = spb("run", config, "--store", config.parent / "store", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert "retry_scheduled" not in result.stderr  # stamina's own words of a retry, which is in the log
    report: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return report


def test_a_run_killed_twice_repeats_only_calls_in_progress(tmp_path: Path, spb_here: Spb) -> None:
    planned = 2 * 2 * 40 * 2
    with serving(delay_s=0.02) as server:
        config = written_config(tmp_path, server.url, instances=40)

        hit = killed_at_random(
            config, tmp_path / "store", server, kills=2, planned=planned, rng=random.Random(5)
        )
        report = finished(spb_here, config)

    assert hit == 2
    assert report["already_done"] + report["done"] == report["planned"] == planned
    assert sum(server.answers.values()) <= planned + hit * CONCURRENCY
    assert answered_too_often(server) <= hit * CONCURRENCY
    check(tmp_path / "store", "s", planned=planned, rows=planned)


def test_the_cap_holds_for_answers_that_a_killed_run_was_charged_for(tmp_path: Path, spb_here: Spb) -> None:
    # $0.50 for each of the two tokens of an answer, so that the cap is worth 30 answers
    price = "price = { input_per_million = 0.0, output_per_million = 500_000.0 }\nparams = { max_tokens = 2 }"
    data, path, store = (
        write_folder(tmp_path / "data", instances=30),
        tmp_path / "run.toml",
        tmp_path / "store",
    )
    with serving(delay_s=0.2) as server:
        address = f'api_base = "{server.url}"\n{price}'
        limits = f"concurrency = {CONCURRENCY}\nmax_usd = 30.0"
        path.write_text(config_text(data, a=address, b=address, run=limits), "utf-8")
        for goal in (9, 20):
            process = start(path, store)
            wait_until(lambda goal=goal: server.calls >= goal, process)  # type: ignore[misc]
            process.kill()
            process.communicate()

        last = spb_here("run", path, "--store", store)

    assert last.returncode == 4, last.stderr
    assert 20 <= sum(server.answers.values()) <= 30
    cost = sum(row["cost_usd"] for row in Store(store).open("s").table("runs").to_pylist())
    assert sum(server.answers.values()) <= cost <= 30
    (place,) = (path.parent for path in store.glob(".runs/s/*/run.sqlite"))
    assert not is_unfinished(place)


def test_an_interrupted_run_keeps_arriving_answers_and_says_how_to_resume(tmp_path: Path) -> None:
    with serving(delay_s=0.05) as server:
        config = written_config(tmp_path, server.url, instances=60)
        process = start(config, tmp_path / "store", "--format", "json")
        wait_until(lambda: server.calls >= 40, process)

        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        report = json.loads(out.splitlines()[-1])
        answered = sum(server.answers.values())

    assert process.returncode == 130
    assert "Traceback" not in err
    assert f"spb run {config}" in err.splitlines()[-1]
    assert report["done"] == answered
    status = next((tmp_path / "store" / ".runs" / "s").glob("*/status.json"))
    assert json.loads(status.read_text("utf-8"))["state"] == "interrupted"


def test_a_second_run_of_the_study_is_refused_naming_the_first(tmp_path: Path, spb_here: Spb) -> None:
    with serving(Script(models={"a": ["hang"], "b": ["hang"]})) as server:
        config = written_config(tmp_path, server.url, instances=2, run="timeout_s = 30\nretries = 0")
        first = start(config, tmp_path / "store")
        try:
            wait_until(lambda: server.calls > 0, first)

            second = spb_here("run", config, "--store", tmp_path / "store")
        finally:
            first.kill()
            first.communicate()

        assert second.returncode == 6
        assert f"process {first.pid}, since 20" in second.stderr
        server.script = Script(models={"a": ["500"]})
        report = finished(spb_here, written_config(tmp_path, server.url, instances=2))

    assert report["done"] == report["planned"]
    log = next((tmp_path / "store" / ".runs" / "s").glob("*/log"))
    assert "model 'a' is called again after: server" in log.read_text("utf-8")
