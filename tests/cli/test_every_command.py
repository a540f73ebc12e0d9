"""What holds for every command, walked from the tree of commands, so that none is left out."""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from command_line import Spb
from plain.published import ROOT

from engine.cli import app
from engine.cli.former import FORMER, call_by
from engine.cli.output import say_notes
from engine.importers.formats.exchange import import_tidy
from engine.store import Store

TREE = typer.main.get_command(app)

WITHOUT_FORMAT = {
    "open": "opens a page and prints no result",
    "demo": "opens a page and prints no result",
    "report": "its --format is that of the file",
    "card": "its --format is that of the picture",
    "study export": "its --format is that of the files",
    "export": "its --format is that of the files",
    "run start": "text or one object, as scripts read it",
    "run example": "prints a file of TOML",
    "glossary": "a former name, which prints as it always has",
}
"""Commands without `--format table|json|csv`, and why."""

ONE_OBJECT = {"study schema", "schema"}
"""Commands that print JSON alone."""


def leaves(command: Any, path: tuple[str, ...] = (), parent: Any = None) -> Iterator[tuple[str, Any]]:
    """Yield every command that holds no others, former ones included, with its words."""
    context = typer.Context(command, info_name=path[-1] if path else "spb", parent=parent)
    if not hasattr(command, "list_commands"):
        yield " ".join(path), command
        return
    names = [*command.list_commands(context), *(FORMER if not path else ())]
    for name in names:
        inner = command.get_command(context, name)
        assert inner is not None, (*path, name)
        yield from leaves(inner, (*path, name), context)


LEAVES = dict(leaves(TREE))
PRESENT = {words: command for words, command in LEAVES.items() if words.split()[0] not in FORMER}
BARE = sorted(
    words
    for words, command in PRESENT.items()
    if words not in ("open", "freeze")
    and [each.name for each in command.params if each.param_type_name == "argument"] == ["study"]
    and not any(each.required for each in command.params)
)
"""Commands that need a study alone."""


def _arguments(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "argument"]


def flags_of(command: Any) -> set[str]:
    return {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}


def choices_of(command: Any, flag: str) -> tuple[str, ...]:
    option = next(each for each in command.params if flag in each.opts)
    return get_args(option.type_descriptor.annotation)


def problem_of(words: list[str]) -> str | None:
    """Return why a line that begins with these words is none of the program; None if it is."""
    command: Any = TREE
    context = typer.Context(command, info_name="spb")
    rest = list(words)
    while hasattr(command, "list_commands"):
        if rest and (rest[0].isupper() or rest[0][0] == "["):
            return None  # it stands for any of them
        if rest and not rest[0].startswith("-"):
            inner = command.get_command(context, rest[0])
            if inner is not None and not getattr(inner, "hidden", False):
                command, context = inner, typer.Context(inner, info_name=rest[0], parent=context)
                rest = rest[1:]
                continue
            if "start" not in getattr(command, "commands", {}):
                return f"there is no command {rest[0]!r}"
            command = command.commands["start"]
            break
        if rest and "start" in getattr(command, "commands", {}):
            command = command.commands["start"]
            break
        return None if rest[:1] in ([], ["-h"], ["--help"], ["--version"]) else f"unknown option {rest[0]}"
    known = flags_of(command) | {"-h", "--help"}
    unknown = [each for each in rest if each.startswith("-") and each.partition("=")[0] not in known]
    return f"unknown options {unknown}" if unknown else None


@pytest.fixture(scope="module")
def bare_store(tmp_path_factory):
    """Return the folder of a store whose only study has a question and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "bare").mkdir()
    (folder / "bare" / "instances.csv").write_text("instance_id,prompt\nq,Why?\n")
    (folder / "bare" / "models.csv").write_text("model,family\nm,f\n")
    import_tidy(folder / "bare", Store(folder / "results"))
    return folder


@pytest.fixture
def bare_study(bare_store, monkeypatch):
    """Work where the only study is a bare one."""
    for name in ("SPB_STUDY", "SPB_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(bare_store)


def test_every_command_takes_quiet_and_verbose_and_has_a_help():
    loud = [
        words for words, each in LEAVES.items() if not {"-q", "--quiet", "-v", "--verbose"} <= flags_of(each)
    ]
    silent = [words for words, each in LEAVES.items() if not str(each.help or "").strip()]

    assert (loud, silent) == ([], [])


def test_lists_of_commands_show_whole_sentences_at_80_columns():
    cut = [
        words
        for words, each in PRESENT.items()
        if each.get_short_help_str(80 - len("    ") - max(map(len, words.split()))).endswith("...")
    ]

    assert cut == []


def test_every_command_prints_a_table_json_or_csv_and_writes_it_to_a_file():
    missing = []
    for words, command in LEAVES.items():
        if words in WITHOUT_FORMAT:
            continue
        wanted = {"json"} if words in ONE_OBJECT else {"table", "json", "csv"}
        if not {"--format", "--out"} <= flags_of(command) or not wanted <= set(
            choices_of(command, "--format")
        ):
            missing.append(words)

    assert missing == []


def test_no_command_has_a_flag_twice():
    flags = {
        words: [flag for each in command.params for flag in each.opts] for words, command in LEAVES.items()
    }

    assert [words for words, each in flags.items() if len(each) != len(set(each))] == []


def test_every_exception_is_a_command():
    assert set(WITHOUT_FORMAT) | ONE_OBJECT <= set(LEAVES)


def test_a_study_is_given_by_place_last_of_all_or_by_option_and_may_be_left_out():
    wrong = [
        words
        for words, command in LEAVES.items()
        for study in (each for each in _arguments(command) if each.name == "study")
        if study.required or study is not _arguments(command)[-1] or "--study" not in flags_of(command)
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "words", [each for each in PRESENT if each[:8] != "measure " or each == "measure hspp"]
)
def test_a_wrong_use_of_any_command_is_one_line_and_names_its_help(spb_here: Spb, words):
    output = spb_here(*words.split(), "--no-such-option")

    assert (output.returncode, output.stdout) == (2, "")
    line, end = output.stderr.split("\n")
    assert (line[:7], end) == ("error: ", "")
    assert f"`spb {words} -h` says more" in line


@pytest.mark.parametrize("words", BARE)
@pytest.mark.usefixtures("bare_study")
def test_no_result_is_never_an_empty_success(spb_here: Spb, words):
    output = spb_here(*words.split())

    assert output.returncode in (0, 2, 3), output.stderr
    assert output.stdout + output.stderr
    assert "Traceback" not in output.stderr
    if words.startswith("measure "):
        as_json = spb_here(*words.split(), "--format", "json")
        assert output.returncode == 3
        assert as_json.returncode == 0
        assert json.loads(as_json.stdout)["reason"]
    assert not [text for text in _hints(output.stdout + output.stderr) if problem_of(text)]


def _hints(text: str) -> Iterator[list[str]]:
    """Yield the commands in what was printed."""
    for line in re.findall(r"`spb ([^`]+)`|^(?:next:| {5}) spb (.+)$", text, re.MULTILINE):
        yield shlex.split("".join(line))


def _lines_in_strings(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the commands in backticks that a module's strings hold, with a word where a value is put."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        text = ""
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "VALUE" for part in node.values]
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        for line in re.findall(r"`spb ([^`]+)`", text):
            yield node.lineno, " ".join(line.split())


def _next_commands(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the words that a module gives to `next_command`, with a word where a value is put."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next_command":
            given = [each for each in node.args[1:] if not isinstance(each, ast.Starred)]
            if given:
                yield (
                    node.lineno,
                    " ".join(
                        str(each.value) if isinstance(each, ast.Constant) else "VALUE" for each in given
                    ),
                )


SOURCES = sorted([*(ROOT / "engine").rglob("*.py"), *(ROOT / "explorer").rglob("*.py")])


def test_every_command_that_a_sentence_names_is_one_by_its_present_name():
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: spb {text}: {problem}"
        for file in SOURCES
        for line, text in (*_lines_in_strings(file), *_next_commands(file))
        if "VALUE" not in text.split()[:1] and (problem := problem_of(text.replace("...", "").split()))
    ]

    assert wrong == []


@pytest.mark.parametrize("former", FORMER)
def test_a_former_name_names_a_command_that_is_there_and_says_so_once(capsys, former):
    call_by([former])
    say_notes()

    (line,) = capsys.readouterr().err.splitlines()
    successor = FORMER[former][2]
    assert line == f"note: spb {former} is now spb {successor}"
    assert problem_of(successor.split()) is None
