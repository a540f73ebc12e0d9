"""A server that cannot be reached is named while the run still tries again, and at its end."""

from pathlib import Path
from typing import Any

import pytest
import stamina

from engine.collect.calls import Failure
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import RunConfig
from engine.collect.limits.circuit_breaker import CircuitBreaker
from engine.collect.run.one_process import interrupt_active
from engine.collect.run.start import run
from engine.store import Store

from .small import config, write_folder

ADDRESS = "http://127.0.0.1:9"
WORDS = f"cannot connect to {ADDRESS}: Connection refused (check that a server runs there)"


def unreachable(tmp_path: Path, retries: int) -> RunConfig:
    where = f"api_base = '{ADDRESS}/v1'"
    return config(write_folder(tmp_path / "data"), run=f"retries = {retries}", a=where, b=where)


@pytest.mark.parametrize("answered", [False, True])
def test_a_server_that_answered_before_is_unreachable_after_three_attempts(answered: bool) -> None:
    breaker, failure = CircuitBreaker(), Failure("connection", "cannot connect", cause="unreachable")
    if answered:
        breaker.count_answer("m")

    after = []
    for _ in range(3):
        breaker.count_unreached("m", failure)
        after.append(dict(breaker.unreachable))
    breaker.count_answer("m")

    named = {"m": "cannot connect"}
    assert after == ([{}, {}, named] if answered else [named, named, named])
    assert breaker.unreachable == {}


def test_it_is_said_while_calls_are_tried_again_and_if_the_run_is_stopped_by_then(tmp_path: Path) -> None:
    statuses: list[dict[str, Any]] = []

    def show(status: dict[str, Any]) -> None:
        statuses.append(status)
        if status["warnings"]:
            interrupt_active(status["run_id"], hurry=True)

    settings = unreachable(tmp_path, retries=5)
    models = Models(settings.models, first_wait_s=0.7)
    with stamina.set_testing(False):  # calls wait before they are repeated
        report = run(settings, Store(tmp_path / "store"), show=show, models=models)

    warned = next(each for each in statuses if each["warnings"])
    assert (warned["done"], warned["error"], warned["state"]) == (0, 0, "running")
    assert WORDS in warned["warnings"]["the server of a"]
    assert any(WORDS in each for each in warned["pace"])
    assert report.end == "interrupted"
    assert any(WORDS in each for each in report.notes)


def test_a_failed_call_says_it_once_at_the_end(tmp_path: Path) -> None:
    report = run(unreachable(tmp_path, retries=0), Store(tmp_path / "store"))

    assert (report.end, dict(report.error_words)) == (
        "errors",
        {f"model 'a': {WORDS}": 12, f"model 'b': {WORDS}": 12},
    )
    assert not any(WORDS in each for each in report.notes)
