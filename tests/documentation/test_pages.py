"""The pages for people: their commands run and print what the pages say, and every command named exists."""

import functools
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from engine.cli import app
from tests.tools.docs.pages import PEOPLE, blocks, differs, prepare, printed

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.name: path.read_text("utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
RUN = [name for name in PEOPLE if any(blocks(PAGES[f"{name}.md"]))]
FENCED = re.compile(r"```(?:sh|bash|yaml|)\n(.*?)```", re.DOTALL)


def commands_of(page: str) -> list[str]:
    """The commands of `spb` in a page's blocks and in its sentences."""
    in_blocks = [line for block in FENCED.findall(page) for line in block.replace("\\\n", "").splitlines()]
    in_sentences = re.findall(r"`(spb [^`\n]*)`", re.sub(FENCED, "", page))
    matches = [re.search(r"(?:^|[ /])(spb (?!explorer).*)", line) for line in in_blocks]
    return sorted({match[1] for match in matches if match} | set(in_sentences))


@functools.cache
def commands() -> Any:
    return typer.main.get_command(app)


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and the remaining words."""
    command = commands()
    while hasattr(command, "list_commands"):
        inner = command.get_command(typer.Context(command), words[0]) if words else None
        if inner is None:  # of `spb run CONFIG`, or a group named alone
            return command.get_command(typer.Context(command), "start") or command, words
        command, words = inner, words[1:]
    return command, words


@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_page_print_what_it_says(name: str, tmp_path: Path) -> None:
    page = PAGES[f"{name}.md"]
    prepare(tmp_path, page)

    for block in blocks(page):
        output = printed(block, tmp_path)

        assert "Traceback" not in output
        assert block.output is not None or "error:" not in output, output
        missing = differs(block.output or "", output)
        assert missing is None, f"{block.commands} does not print {missing!r}, but:\n{output}"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_command_named_on_a_page_exists_with_its_flags(name: str) -> None:
    for line in commands_of(PAGES[name]):
        line = line.replace("measure MEASURE", "measure hspp")
        words = shlex.split(line.split(" | ")[0].split(" || ")[0], comments=True)
        words = words[: words.index(";")] if ";" in words else words
        command, rest = command_of([word.rstrip(";") for word in words[1:]])

        flags = {option for parameter in command.params for option in parameter.opts}
        unknown = (
            {word.split("=")[0] for word in rest if word.startswith("--")} - flags - {"--version", "--help"}
        )
        unknown -= {"--install-completion", "--show-completion"}
        assert not unknown, line


def test_a_line_that_is_not_printed_is_found() -> None:
    assert differs("a\n...\nc\n", "a\nb\nc\n") is None
    assert differs("c\na\n", "a\nb\nc\n") == "a"
