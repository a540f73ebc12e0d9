"""`spb run` against servers whose errors, and answers of status 200, are not what they seem."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from collect.run.small import MET, config_text, write_folder
from command_line import Spb
from loopback import Response, completion_with, giving
from loopback.responses import ResponseServer

from engine.store import Store

OK = Response(completion_with({"role": "assistant", "content": MET}))
FLAGGED = {"error": {"message": "Content violates usage guidelines. Failed check: X", "code": "denied"}}


def run(
    spb: Spb,
    folder: Path,
    server: ResponseServer,
    *,
    more: str = "",
    retries: int = 2,
    structured: str = "never",
    max_usd: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run one judge on the server over 12 calls."""
    address = f'api_base = "{server.url}"\nstructured = "{structured}"\n{more}'
    run = f"concurrency = 1\nretries = {retries}"
    run += "" if max_usd is None else f"\nmax_usd = {max_usd}"
    text = config_text(write_folder(folder / "data"), judges=["a"], a=address, b=address, run=run)
    (folder / "run.toml").write_text(text, "utf-8")
    words = ["run", folder / "run.toml", "--store", folder / "store", "--format", "json"]
    return spb(*words)


def report_of(result: "subprocess.CompletedProcess[str]") -> Mapping[str, Any]:
    report: Mapping[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return report


def statuses(folder: Path) -> list[str]:
    rows = Store(folder / "store").open("s").table("judgments").to_pylist()
    return sorted(row["status"] for row in rows)


def test_a_response_without_choices_is_asked_again(tmp_path: Path, spb_here: Spb) -> None:
    empty = Response({"id": "x", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 0}})
    with giving(OK, empty, OK) as server:
        result = run(spb_here, tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert (report_of(result)["ok"], report_of(result)["calls"]) == (12, 13)
    assert statuses(tmp_path) == ["ok"] * 12


def with_choice(choice: Mapping[str, Any]) -> Response:
    return Response(completion_with(choices=[choice]))


BROKEN = {"error": {"message": "It disconnected.", "code": 502}}
BROKEN_CHOICES: list[dict[str, Any]] = [
    {},
    {"index": 0, "finish_reason": "error", **BROKEN},
    {
        "index": 0,
        "finish_reason": "stop",
        **BROKEN,
        "message": {"role": "assistant", "content": '{"criteria_met": false}'},
    },
]


@pytest.mark.parametrize("route", ["", "allowed_openai_params = []"], ids=["own", "litellm"])
def test_a_broken_choice_is_asked_again_and_counts_as_paid(tmp_path: Path, spb_here: Spb, route: str) -> None:
    price = "price = { input_per_million = 1_000_000, output_per_million = 1_000_000 }"
    params = f"params = {{ {route} }}"
    answers = [answer for choice in BROKEN_CHOICES for answer in (OK, with_choice(choice))]
    with giving(*answers, OK) as server:
        result = run(spb_here, tmp_path, server, more=f"{price}\n{params}", max_usd=10_000)

    assert result.returncode == 0, result.stderr
    report = report_of(result)
    assert (report["ok"], report["calls"]) == (12, 15)
    assert report["cost_usd"] == pytest.approx(15 * (10 + 20))  # of its tokens, each a dollar
    rows = Store(tmp_path / "store").open("s").table("judgments").to_pylist()
    assert all(row["met"] for row in rows)


@pytest.mark.parametrize("route", ["", "allowed_openai_params = []"], ids=["own", "litellm"])
def test_geminis_word_for_a_filter_is_a_refusal(tmp_path: Path, spb_here: Spb, route: str) -> None:
    message = {"role": "assistant", "content": ""}
    stopped = Response(completion_with(message, finish_reason="content_filter: SAFETY"))
    with giving(OK, stopped, OK) as server:
        result = run(spb_here, tmp_path, server, more=f"params = {{ {route} }}")

    assert result.returncode == 0, result.stderr
    assert statuses(tmp_path) == ["ok"] * 11 + ["refused"]


def test_a_server_that_never_gives_a_choice_makes_errors_and_no_unparsed_answers(
    tmp_path: Path, spb_here: Spb
) -> None:
    with giving(Response({"id": "x", "choices": []})) as server:
        result = run(spb_here, tmp_path, server, retries=0)

    assert result.returncode == 3
    assert report_of(result)["unparsed"] == 0
    assert "it has no choice" in result.stderr
    assert statuses(tmp_path) == ["error"] * len(statuses(tmp_path))


def test_a_prompt_that_a_filter_stops_with_403_is_refused_and_the_judge_goes_on(
    tmp_path: Path, spb_here: Spb
) -> None:
    with giving(OK, Response(FLAGGED, 403), OK) as server:
        result = run(spb_here, tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert statuses(tmp_path) == ["ok"] * 11 + ["refused"]
    assert "1 refused by the provider" in result.stderr


def test_a_run_whose_every_prompt_a_filter_stops_exits_5_and_says_so(tmp_path: Path, spb_here: Spb) -> None:
    with giving(Response(FLAGGED, 403)) as server:
        result = run(spb_here, tmp_path, server)

    assert result.returncode == 5
    assert "all 12 refused by the provider" in result.stderr
    assert "every answer was refused; fix the cause, then repeat with: spb run" in result.stderr
    assert "--redo refused" in result.stderr


def test_passing_refusals_among_answers_cost_no_verdict(tmp_path: Path, spb_here: Spb) -> None:
    quota = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}
    no_key = Response({"error": {"message": "Invalid token.", "code": "invalid_api_key"}}, 401)
    forbidden = Response({"error": {"message": "Forbidden"}}, 403)
    full = Response(quota, 429, headers={"retry-after": "0"})
    with giving(OK, OK, no_key, OK, forbidden, OK, full, OK) as server:
        result = run(spb_here, tmp_path, server)

    assert result.returncode == 0, result.stderr
    assert report_of(result)["calls"] == 15
    assert statuses(tmp_path) == ["ok"] * 12


def test_a_parameter_that_is_refused_for_every_call_stops_after_three_with_the_remedy(
    tmp_path: Path, spb_here: Spb
) -> None:
    with giving(Response({"error": {"message": "Unrecognized request argument: effort"}}, 400)) as server:
        result = run(spb_here, tmp_path, server, more='params = { effort = "x" }')

    assert result.returncode == 3
    assert server.calls == 3
    assert "change that parameter in the model's `params`, or leave it out" in result.stderr


def named(model: str, fingerprint: str | None = None) -> Response:
    message = {"role": "assistant", "content": MET}
    return Response(completion_with(message, model=model, system_fingerprint=fingerprint))


def doctor(spb: Spb, folder: Path) -> str:
    result = spb("doctor", "--study", "s", "--store", folder / "store")
    assert result.returncode == 0, result.stderr
    return " ".join((result.stdout + result.stderr).split())


def on_names(notes: list[str]) -> list[str]:
    """Return the notes but that a judge which judges alone allows no conclusion."""
    others = [note for note in notes if not note.startswith("whether a favours itself cannot be concluded")]
    assert len(others) == len(notes) - 1
    return others


def test_answers_that_name_another_model_are_reported_at_the_end_in_runs_and_by_the_doctor(
    tmp_path: Path,
    spb_here: Spb,
) -> None:
    with giving(*[named("a-2025-01-01")] * 4, named("cheap-model-v2")) as server:
        result = run(spb_here, tmp_path, server)

    words = "8 of 12 answers of 'a', called as 'openai/a', name another model: 'cheap-model-v2'"
    assert result.returncode == 0, result.stderr
    assert words in result.stderr
    assert on_names(report_of(result)["notes"]) == [words]
    listed = spb_here("runs", "--store", tmp_path / "store", "--format", "json")
    assert [on_names(each["notes"]) for each in json.loads(listed.stdout)] == [[words]]
    rows = Store(tmp_path / "store").open("s").table("runs").to_pylist()
    (answered_as,) = filter(None, (row["answered_as"] for row in rows))
    assert json.loads(answered_as) == {"a-2025-01-01": 4, "cheap-model-v2": 8}
    assert f"warning: {words}" in doctor(spb_here, tmp_path)


def test_dated_snapshots_of_the_model_are_no_other_model(tmp_path: Path, spb_here: Spb) -> None:
    with giving(named("a-2025-01-01", "fp_1"), named("a", "fp_2"), named("a-2025-01-01", "fp_1")) as server:
        result = run(spb_here, tmp_path, server)

    assert on_names(report_of(result)["notes"]) == []
    assert "another model" not in doctor(spb_here, tmp_path)


def test_another_address_and_fingerprint_at_the_next_start_are_reported(
    tmp_path: Path, spb_here: Spb
) -> None:
    broken = Response({"error": {"message": "Your input is not valid."}}, 400)
    with giving(*[named("a", "fp_1")] * 8, broken) as server:
        first, old = run(spb_here, tmp_path, server), server.url
    with giving(named("a", "fp_2")) as server:
        second, new = run(spb_here, tmp_path, server), server.url

    (note,) = on_names(report_of(second)["notes"])
    assert (first.returncode, on_names(report_of(first)["notes"]), second.returncode) == (3, [], 0)
    assert note.startswith("'a' changed between starts of the run: ")
    assert "its server's fingerprint is 'fp_2', it was 'fp_1'" in note
    assert f"it is called at '{new}', before at '{old}'" in note
    assert note in second.stderr
    assert note in doctor(spb_here, tmp_path)


def test_a_schema_that_a_server_fails_on_is_reported_at_the_end(tmp_path: Path, spb_here: Spb) -> None:
    failing = Response({"error": {"message": "guided decoding failed"}}, 500)
    with giving(failing, named("a")) as server:
        result = run(spb_here, tmp_path, server, structured="auto")

    assert result.returncode == 0, result.stderr
    assert "supports no JSON schema" in result.stderr.splitlines()[-2]
