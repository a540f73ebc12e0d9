"""`spb run` asks for a spending cap, or needs one, before it calls models with a price."""

import io
import json
import shlex
import sys
from pathlib import Path

import pytest
from collect.run.small import MET, config_text, write_folder
from command_line import spb
from loopback import Charged, billing
from loopback.responses import Response, completion_with, giving

PRICE = "price = { input_per_million = 2.5, output_per_million = 10.0 }"


class Terminal(io.StringIO):
    """An input or output that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def written(folder: Path, url: str, price: str = PRICE, run: str = "") -> Path:
    """Write a configuration of two models on a server, for 24 calls."""
    model = f"api_base = '{url}'\n{price}"
    path = folder / "run.toml"
    path.write_text(config_text(write_folder(folder / "data"), a=model, b=model, run=run), "utf-8")
    return path


def whole(_: int) -> Charged:
    """Answer with 300 tokens."""
    return Charged(300)


def test_without_a_terminal_a_priced_run_needs_a_cap_and_calls_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(whole) as server:
        code = spb(monkeypatch, "run", written(tmp_path, server.url), "--store", tmp_path / "store")

    assert code == 2
    assert server.calls == 0
    words = capsys.readouterr().err
    assert "no spending cap is set, and a and b may cost money" in words
    assert all(remedy in words for remedy in ("--max-usd", "max_usd", "--no-cap"))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("options", "run"), [(["--max-usd", "1"], ""), (["--no-cap"], ""), ([], "max_usd = 1.0")]
)
def test_a_cap_or_the_word_that_there_is_none_is_enough(
    options: list[str], run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with billing(whole) as server:
        config = written(tmp_path, server.url, run=run)
        code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", *options)

    assert code == 0
    assert server.calls == 24


@pytest.mark.parametrize("price", ["", "price = { input_per_million = 0.0, output_per_million = 0.0 }"])
def test_models_that_are_free_or_have_no_price_go_on_as_before(
    price: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with billing(whole) as server:
        code = spb(monkeypatch, "run", written(tmp_path, server.url, price), "--store", tmp_path / "store")

    assert code == 0
    assert server.calls == 24


@pytest.mark.parametrize(
    ("typed", "code", "calls", "words"),
    [
        ("2.5\n", 0, 24, "24 calls, between $"),
        ("lots\n-1\nnone\n", 0, 24, "'lots' is not an amount; write one such as 2.5, or none"),
        ("0\n", 4, 0, "--max-usd"),
        ("", 2, 0, "no spending cap was given"),
    ],
)
def test_a_terminal_is_asked_with_an_estimate(
    typed: str,
    code: int,
    calls: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = Terminal()
    with billing(whole) as server:
        config = written(tmp_path, server.url)
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        monkeypatch.setattr(sys, "stderr", screen)

        ended = spb(monkeypatch, "run", config, "--store", tmp_path / "store")

    assert (ended, server.calls) == (code, calls)
    assert words in screen.getvalue()


def test_no_cap_lifts_that_of_the_configuration_and_stays_in_the_command_to_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(lambda _: Charged(300, "page")) as server:
        config = written(tmp_path, server.url, run="max_usd = 0.0\nretries = 0")
        code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--no-cap")

    words = capsys.readouterr().err
    assert code == 3
    assert "continue with: spb run" in words
    assert "--no-cap" in words.rpartition("continue with")[2]


def test_a_cap_and_none_at_once_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "run", tmp_path / "run.toml", "--max-usd", "1", "--no-cap")

    assert code == 2
    assert "--no-cap and --max-usd 1 cannot be combined" in capsys.readouterr().err


def test_a_dry_run_at_a_terminal_says_that_the_run_asks_for_a_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stderr", screen)
    config = written(tmp_path, "http://127.0.0.1:9/v1")

    code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--dry-run", "--format", "json")

    assert code == 0
    assert json.loads(capsys.readouterr().out)["obstacles"] == []
    assert "no spending cap is set, and a and b may cost money; the run asks for a cap" in screen.getvalue()


def test_a_dry_run_gives_a_range_also_without_a_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = written(tmp_path, "http://127.0.0.1:9/v1")

    spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--dry-run", "--format", "json")

    costs = json.loads(capsys.readouterr().out)
    # nothing is known of the models, which may think for 32,768 tokens at $10 a million in each of 24 calls
    assert costs["cost_usd_low"] < costs["cost_usd"] < costs["cost_usd_high"]
    assert costs["cost_usd_high"] == pytest.approx(24 * 0.32768, rel=0.01)
    assert "the higher assumes that a, b may think, of which nothing is known" in costs["guesses"][0]


def stopped_at_cap(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, int, str]:
    """Run until a cap of 2 cents stops it; return configuration, exit code and the proposed command."""
    config = written(path, url, f"{PRICE}\nparams = {{ max_tokens = 300 }}")
    code = spb(monkeypatch, "run", config, "--store", path / "store", "--max-usd", "0.02")
    return config, code, capsys.readouterr().err.partition("continue with: ")[2].splitlines()[0]


def test_a_stopped_run_is_shown_with_the_command_to_continue_that_it_ended_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(whole) as server:
        _, stopped, command = stopped_at_cap(tmp_path, server.url, monkeypatch, capsys)

    spb(monkeypatch, "run", "show", "--store", tmp_path / "store")

    assert stopped == 4
    assert "--max-usd 0.02" not in command
    assert f"next: {command}" in capsys.readouterr().err.splitlines()


def test_the_command_to_continue_continues_its_run_though_another_of_the_same_judges_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(whole) as server:
        config, _, command = stopped_at_cap(tmp_path, server.url, monkeypatch, capsys)
        paid, store = server.calls, tmp_path / "store"
        spb(monkeypatch, "run", config, "--store", store, "--max-usd", "1", "--fresh")
        before = server.calls
        ended = spb(monkeypatch, *shlex.split(command)[1:])

    # 24 calls of the later run; then what the first run lacks
    assert (ended, before - paid, server.calls - before) == (0, 24, 24 - paid)


def test_the_cap_that_is_proposed_after_a_stop_is_enough_for_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with billing(whole) as server:
        config, stopped, command = stopped_at_cap(tmp_path, server.url, monkeypatch, capsys)
        store, cap = tmp_path / "store", command.partition("--max-usd ")[2].split()[0]
        ended = spb(monkeypatch, "run", config, "--store", store, "--max-usd", cap)
        capsys.readouterr()
        spb(monkeypatch, "run", "show", "--store", store, "--format", "json")
        facts = json.loads(capsys.readouterr().out)["rows"][0]

    assert (stopped, ended) == (4, 0)
    assert server.calls == 24
    assert facts["run_cost_usd"] > facts["cost_usd"]
    assert facts["run_calls"] == 24


def test_a_run_that_pays_for_unreadable_answers_warns_and_proposes_to_repeat_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [completion_with({"role": "assistant", "content": words}) for words in ("Perhaps.", MET)]
    bounded = f"{PRICE}\nparams = {{ max_tokens = 300 }}"
    # an answer costs 10 tokens at $2.5 and 20 at $10 a million: $0.000225; 48 of them and a room of $0.003
    with giving(Response(answers[0])) as server:
        config = written(tmp_path, server.url, bounded)
        write_folder(tmp_path / "data", instances=12)
        code = spb(monkeypatch, "run", config, "--store", tmp_path / "store", "--max-usd", "0.015")
        words = capsys.readouterr().err
        paid = server.attempts["call"]
        server.responses = [Response(answers[1])]
        command = words.rpartition("with: ")[2].splitlines()[0]
        again = spb(monkeypatch, *shlex.split(command)[1:])

    last = words.splitlines()[-1]
    assert code == 4
    assert "warning: none of the first 20 answers of the judge" in words
    assert "to stop, with what is answered kept: Ctrl-C" in words
    assert "fix the cause, then go on, and repeat what could not be read, with: " in last
    assert command.endswith(" --redo unparsed")
    assert (again, server.attempts["call"] - paid) == (0, 96)
