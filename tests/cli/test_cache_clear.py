"""`spb cache clear` removes paid answers only if it is told which, and asks before."""

import io
import sys
import time
from pathlib import Path

import pytest
from command_line import spb

from engine.collect.calls import Reply
from engine.collect.database.answer_cache import AnswerCache


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a cache of two answers of one model and one of another, at $0.25 each."""
    cache = AnswerCache(tmp_path / "cache")
    for key, model in (("1", "openai/m"), ("2", "openai/m"), ("3", "openai/n")):
        cache.put(key, model, Reply("Yes.", cost_usd=0.25))
    cache.close()
    return tmp_path / "cache"


def answers(folder: Path) -> int:
    """Return how many answers are left."""
    cache = AnswerCache(folder)
    count = sum(each.answers for each in cache.holdings())
    cache.close()
    return count


class Terminal(io.StringIO):
    """An input that is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_without_a_choice_nothing_is_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "cache", "clear", "--cache-dir", folder, "--yes")

    assert code == 2
    assert "give --older-than AGE, --model, or --all" in capsys.readouterr().err
    assert answers(folder) == 3


@pytest.mark.parametrize(
    ("options", "left"),
    [(["--all"], 0), (["--model", "openai/m"], 1), (["--older-than", "1d"], 3), (["--older-than", "0"], 0)],
)
def test_a_script_says_yes(
    options: list[str], left: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1)

    code = spb(monkeypatch, "cache", "clear", "--cache-dir", folder, *options, "--yes")

    assert code == 0
    assert answers(folder) == left


def test_without_a_terminal_it_needs_yes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, "cache", "clear", "--cache-dir", folder, "--all")

    assert code == 2
    assert "add --yes (nothing was removed)" in capsys.readouterr().err
    assert answers(folder) == 3


@pytest.mark.parametrize(("typed", "left"), [("y\n", 0), ("n\n", 3), ("\n", 3), ("", 3)])
def test_a_terminal_is_asked_with_what_the_answers_cost(
    typed: str, left: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))

    code = spb(monkeypatch, "cache", "clear", "--cache-dir", folder, "--all")

    assert code == 0
    assert "Remove 3 paid answers, which cost $0.75, from" in capsys.readouterr().err
    assert answers(folder) == left
