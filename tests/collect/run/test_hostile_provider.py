"""`spb run` against servers whose errors, and answers of status 200, are not what they seem."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from collect.run.small import MET, config_text, write_folder
from command_line import spb_apart
from loopback import Response, completion_with, giving
from loopback.responses import ResponseServer

from engine.store import Store

OK = Response(completion_with({"role": "assistant", "content": MET}))
FLAGGED = {"error": {"message": "Content violates usage guidelines. Failed check: X", "code": "denied"}}


def run(
    folder: Path, server: ResponseServer, *, more: str = "", retries: int = 2
) -> "subprocess.CompletedProcess[str]":
    """Run one judge on the server over 12 calls."""
    address = f'api_base = "{server.url}"\nstructured = "never"\n{more}'
    run = f"concurrency = 1\nretries = {retries}"
    text = config_text(write_folder(folder / "data"), judges=["a"], a=address, b=address, run=run)
    (folder / "run.toml").write_text(text, "utf-8")
    words = ["run", folder / "run.toml", "--store", folder / "store", "--format", "json"]
    return spb_apart(*words)


def report_of(result: "subprocess.CompletedProcess[str]") -> Mapping[str, Any]:
    report: Mapping[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return report


def statuses(folder: Path) -> list[str]:
    rows = Store(folder / "store").open("s").table("judgments").to_pylist()
    return sorted(row["status"] for row in rows)


def test_a_response_without_choices_is_asked_again(tmp_path: Path) -> None:
    empty = Response({"id": "x", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 0}})
    with giving(OK, empty, OK) as server:
        result = run(tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert (report_of(result)["ok"], report_of(result)["calls"]) == (12, 13)
    assert statuses(tmp_path) == ["ok"] * 12


def test_a_server_that_never_gives_a_choice_makes_errors_and_no_unparsed_answers(tmp_path: Path) -> None:
    with giving(Response({"id": "x", "choices": []})) as server:
        result = run(tmp_path, server, retries=0)

    assert result.returncode == 3
    assert report_of(result)["unparsed"] == 0
    assert "it has no choice" in result.stderr
    assert statuses(tmp_path) == ["error"] * len(statuses(tmp_path))


def test_a_prompt_that_a_filter_stops_with_403_is_refused_and_the_judge_goes_on(tmp_path: Path) -> None:
    with giving(OK, Response(FLAGGED, 403), OK) as server:
        result = run(tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert statuses(tmp_path) == ["ok"] * 11 + ["refused"]
    assert "1 refused by the provider" in result.stderr


def test_a_run_whose_every_prompt_a_filter_stops_exits_5_and_says_so(tmp_path: Path) -> None:
    with giving(Response(FLAGGED, 403)) as server:
        result = run(tmp_path, server)

    assert result.returncode == 5
    assert "all 12 refused by the provider" in result.stderr
    assert "every answer was refused; fix the cause, then repeat with: spb run" in result.stderr
    assert "--redo refused" in result.stderr


@pytest.mark.parametrize(
    "blip",
    [
        Response({"error": {"message": "Invalid token.", "code": "invalid_api_key"}}, 401),
        Response({"error": {"message": "Forbidden"}}, 403),
        Response(
            {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}},
            429,
            headers={"retry-after": "0"},
        ),
    ],
)
def test_a_passing_refusal_among_answers_costs_no_verdict(tmp_path: Path, blip: Response) -> None:
    with giving(OK, OK, blip, OK) as server:
        result = run(tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert statuses(tmp_path) == ["ok"] * 12


def test_a_parameter_that_is_refused_for_every_call_stops_after_three_with_the_remedy(tmp_path: Path) -> None:
    with giving(Response({"error": {"message": "Unrecognized request argument: effort"}}, 400)) as server:
        result = run(tmp_path, server, more='params = { effort = "x" }')

    assert result.returncode == 3
    assert server.calls == 3
    assert "change that parameter in the model's `params`, or leave it out" in result.stderr
