"""Runs the commands of the pages for people, and writes what they print into the pages.

A block of `sh` is run in a folder with the demonstrations; a block of `text` right after it holds what came
out, with `...` for lines left out. `python -m tests.tools.docs.pages [PAGE...]` runs the pages and replaces
each such block that is out of date (a shortened one as a whole: shorten it again); a test runs them too.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from engine.cli import main

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PEOPLE = (
    "index", "enough", "answer", "numbers", "runs", "annotating", "gate", "explorer", "notebook",
    "integrations", "server", "trust", "cite", "contributing",
)  # fmt: skip
"""The pages for people, in the order of the navigation."""
_BLOCK = re.compile(r"```sh\n(?P<commands>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)
_OF_A_SHELL = re.compile(r"[|;&<>$`*~]")
_FILE = re.compile(r"Save it as `([\w.]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """The commands of a block, and what the page says they print (None where it says nothing)."""

    commands: tuple[str, ...]
    output: str | None


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page that are run."""
    for block_text in _BLOCK.finditer(page):
        lines = block_text["commands"].replace("\\\n", "").splitlines()
        yield Block(tuple(line for line in lines if line.strip()), block_text["output"])


def prepare(folder: Path, page: str) -> None:
    """Put what a page's commands need into a folder: the demonstrations, the file to import, saved files."""
    (folder / "datasets").symlink_to(ROOT / "datasets")
    shutil.copytree(ROOT / "results", folder / "results", ignore=shutil.ignore_patterns(".*"))
    for name, text in _FILE.findall(page):
        (folder / name).write_text(text, "utf-8")


def printed(block: Block, folder: Path) -> str:
    """Run a block's commands in a folder, and return what they print, as on a terminal of 80 columns."""
    if not any(_needs_a_shell(line) for line in block.commands):
        return "".join(_printed_here(line, folder) for line in block.commands)
    bin_folder = folder / ".bin"
    bin_folder.mkdir(exist_ok=True)
    spb = bin_folder / "spb"
    spb.write_text(f'#!/bin/sh\nexec {sys.executable} -m engine.cli "$@"\n', "utf-8")
    spb.chmod(0o755)
    environment = {
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        **_surroundings(folder),
    }
    done = subprocess.run(
        ["bash", "-c", "\n".join(block.commands)],
        cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.stdout


def _needs_a_shell(line: str) -> bool:
    return not line.startswith("spb ") or _OF_A_SHELL.search(line.partition(" #")[0]) is not None


def _surroundings(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder), "COLUMNS": "80", "USER": "ann"}


def _printed_here(line: str, folder: Path) -> str:
    """Run a command that needs no shell in this process, which has loaded the engine already."""
    output = io.StringIO()
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, _surroundings(folder)),
        mock.patch.object(sys, "argv", shlex.split(line, comments=True)),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        contextlib.suppress(SystemExit),
    ):
        main()
    return output.getvalue()


def differs(shown: str, output: str) -> str | None:
    """Return the first line of a page's block that is not in the output in its place; None if all are."""
    lines = iter(output.splitlines())
    for line in filter(lambda line: line.strip() not in ("", "..."), shown.splitlines()):
        if not any(each.rstrip() == line.rstrip() for each in lines):
            return line
    return None


def _update(name: str) -> None:
    import tempfile

    path = DOCS / f"{name}.md"
    page = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), page)

        def anew(block_text: re.Match[str]) -> str:
            (block,) = blocks(block_text[0])
            output = printed(block, Path(folder))
            if block.output is None or (block.output.strip() and differs(block.output, output) is None):
                return block_text[0]
            return f"```sh\n{block_text['commands']}```\n\n```text\n{output}```\n"

        path.write_text(_BLOCK.sub(anew, page), "utf-8")


if __name__ == "__main__":
    for page_name in sys.argv[1:] or PEOPLE:
        _update(page_name)
