"""The misbehaving server does what its script says, and counts it."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from loopback import WORDS, Loopback, Script, serving

MESSAGES = [{"role": "user", "content": "outcome?"}]


def post(url: str, model: str, header: str | None = None) -> tuple[int, str]:
    body = json.dumps({"model": model, "messages": MESSAGES}).encode()
    request = urllib.request.Request(f"{url}/chat/completions", body)  # noqa: S310 - the test's own server
    if header:
        request.add_header("x-loopback", header)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_models_name_is_a_script_with_one_word_for_each_attempt(server: Loopback) -> None:
    statuses = [post(server.url, "429,500,ok")[0] for _ in range(4)]

    assert statuses == [429, 500, 200, 200]
    assert server.calls == 4
    assert list(server.attempts.values()) == [4]
    assert list(server.answers.values()) == [2]


def test_a_word_with_a_star_repeats_for_ever(server: Loopback) -> None:
    assert [post(server.url, "503*")[0] for _ in range(3)] == [503, 503, 503]


def test_a_header_precedes_the_models_name(server: Loopback) -> None:
    assert post(server.url, "ok", header="404*")[0] == 404


def test_a_script_names_models_and_leaves_the_others_to_chance() -> None:
    with serving(Script(models={"m": ["500"]}, share=1.0, faults=["503"], most=2)) as server:
        assert [post(server.url, "m")[0] for _ in range(2)] == [500, 200]
        assert [post(server.url, "n")[0] for _ in range(3)] == [503, 503, 200]


def test_chance_is_the_same_for_the_same_seed() -> None:
    words = [Script(share=0.5, seed=3).word(str(number), "m", None, 0) for number in range(50)]

    assert words == [Script(share=0.5, seed=3).word(str(number), "m", None, 0) for number in range(50)]
    assert 10 < words.count("ok") < 40


def test_an_unknown_word_is_a_models_name() -> None:
    assert Script().word("x", "no-such-word", None, 0) == "ok"
    assert Script().word("x", "hang", None, 0) == "hang"
    assert "hang" in WORDS


@pytest.mark.parametrize("as_module", ["loopback"])
def test_as_a_process_it_prints_its_address_and_serves_its_counters(as_module: str) -> None:
    script = Script(models={"m": ["500"]}).to_json()
    command = [sys.executable, "-m", as_module, "--script", script]
    process = subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True, env=None
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        post(url, "m")
        post(url, "m")
        with urllib.request.urlopen(f"{url}/seen", timeout=10) as answer:  # noqa: S310
            summary = json.load(answer)
    finally:
        process.terminate()
        process.communicate()

    assert (summary["calls"], summary["identities"], sum(summary["answers"].values())) == (2, 1, 1)
    assert [request["word"] for request in summary["requests"]] == ["500", "ok"]
