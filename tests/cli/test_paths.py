"""Impossible paths are a user's mistake, reported without a traceback."""

import pytest
from command_line import spb

LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ("import", "tidy", LONG),
        ("import", "table", LONG),
        ("run", LONG),
        ("run", "~nobody-at-all/run.toml"),
        ("metrics", "hspp", "--study", "s", "--store", "~nobody-at-all"),
        ("datasets", "fetch", "ifeval", "--from", "~nobody-at-all/file"),
    ],
)
def test_an_impossible_path_is_named(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = spb(monkeypatch, *words)

    message = capsys.readouterr().err.strip().splitlines()[-1]
    assert code in (1, 2)
    assert message.startswith("error: ")
    assert "nobody-at-all" in message or LONG in message
