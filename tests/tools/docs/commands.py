"""Writes `docs/commands.md` from the commands' declarations.

Run `python -m tests.tools.docs.commands > docs/commands.md` after a change of a command; a test fails while
the page on disk differs.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import typer
from typer.models import ArgumentInfo, OptionInfo

from engine.cli import COMMANDS, app
from engine.cli.command import SHARED
from engine.cli.exit_codes import MEANINGS, OF_RUN
from engine.cli.former import FORMER
from engine.cli.measures import measure_commands, metrics_app

_INTRO = """\
# Commands

This page is generated from the commands' declarations
(`python -m tests.tools.docs.commands > docs/commands.md`); edit it there.

Results go to standard output, everything else to standard error. `-h` after any command prints the same
texts.

STUDY is a study's name in the store or the path of its folder. It may be left out where `SPB_STUDY` names one
or the store has only one; `--study NAME` says the same. Every command takes `-q` (print results and errors
only) and `-v` (print details too). Every command with a `--format` of table, JSON or CSV takes `--out FILE`,
which writes what would be printed to a new file (`--force`: overwrites one); an ending `.json` or `.csv` says
the format. `spb --install-completion` teaches the shell to complete names.

Former names of commands, at the end of this page, answer as they always have.
"""


@dataclass(frozen=True)
class _Parameter:
    """An option or argument: its form on the command line, its meaning and its default."""

    written: str
    help: str
    default: str
    is_argument: bool
    required: bool

    def row(self) -> str:
        default = "required" if self.required else self.default
        return f"| `{self.written}` | {_cell(self.help)} | {default} |"


@dataclass(frozen=True)
class _Command:
    """A command; its name includes those of its groups."""

    name: str
    help: str
    parameters: tuple[_Parameter, ...]

    def usage(self) -> str:
        arguments = [each for each in self.parameters if each.is_argument]
        words = [each.written if each.required else f"[{each.written}]" for each in arguments]
        words += [each.written for each in self.parameters if each.required and not each.is_argument]
        return " ".join([f"spb {self.name}", *words])


def describe() -> str:
    """Return the text of `docs/commands.md`."""
    commands = {str(each.name): each for each in app.registered_commands if not each.hidden}
    groups = {str(each.name): each.typer_instance for each in app.registered_groups if not each.hidden}
    sections = [_INTRO, _exit_codes()]
    for name, _, _ in COMMANDS:
        if name in commands:
            sections.append(_described(_command("", commands[name])))
        else:
            sections += _described_group(name, groups[name] or typer.Typer())
    return "\n".join([*sections, _former_names()])


def _exit_codes() -> str:
    rows = [
        f"| {code} | {_cell(meaning)} | {_cell(OF_RUN.get(code, ''))} |" for code, meaning in MEANINGS.items()
    ]
    rows += [f"| {code} | | {_cell(meaning)} |" for code, meaning in OF_RUN.items() if code not in MEANINGS]
    head = [
        "## Exit codes",
        "",
        "| code | meaning | of `run CONFIG.toml` and `run watch` |",
        "| --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _former_names() -> str:
    rows = [f"| `spb {name}` | `spb {successor}` |" for name, (_, _, successor) in FORMER.items()]
    head = ["## Former names", "", "| former name | now |", "| --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def _described_group(name: str, group: typer.Typer) -> Iterator[str]:
    listed = [*measure_commands().registered_commands] if group is metrics_app else []
    listed += group.registered_commands
    commands = [_command(f"{name} ", each) for each in listed]
    for inner in group.registered_groups:
        inner_commands = (inner.typer_instance or typer.Typer()).registered_commands
        commands += [_command(f"{name} {inner.name} ", each) for each in inner_commands]
    every = [each for command in commands for each in command.parameters]
    shared = tuple(dict.fromkeys(each for each in every if 2 * every.count(each) > len(commands)))
    yield f"## {name}\n\n{inspect.cleandoc(str(group.info.help or ''))}\n"
    if shared:
        yield f"Most of its commands take:\n\n{_table(shared)}"
    for command in commands:
        own = tuple(each for each in command.parameters if each not in shared)
        yield _described(command, own, level=3)


def _described(command: _Command, listed: Sequence[_Parameter] | None = None, level: int = 2) -> str:
    listed = command.parameters if listed is None else listed
    text = f"{'#' * level} {command.name}\n\n```sh\n{command.usage()}\n```\n\n{command.help}\n"
    return f"{text}\n{_table(listed)}" if listed else text


def _table(parameters: Sequence[_Parameter]) -> str:
    rows = ["| option | meaning | default |", "| --- | --- | --- |", *(each.row() for each in parameters)]
    return "\n".join(rows) + "\n"


def _command(group: str, declared: Any) -> _Command:
    call: Callable[..., Any] = declared.callback
    name = declared.name or call.__name__.replace("_", "-")
    words = inspect.cleandoc(declared.help or call.__doc__ or "")
    declared_ones = inspect.signature(call, eval_str=True).parameters.values()
    shown = (each for each in declared_ones if each.annotation is not typer.Context and not _is_hidden(each))
    return _Command(f"{group}{name}", words, tuple(map(_parameter, shown)))


def _is_hidden(declared: inspect.Parameter) -> bool:
    info = get_args(declared.annotation)[1]
    return (isinstance(info, OptionInfo) and info.hidden) or declared.annotation in SHARED.values()


def _parameter(declared: inspect.Parameter) -> _Parameter:
    kind, info = get_args(declared.annotation)[:2]
    if not isinstance(info, OptionInfo | ArgumentInfo):
        raise TypeError(f"{declared.name} is declared as {info!r}, not as an option or argument of typer")
    inner = next((part for part in _parts(kind) if part is not type(None)), kind)
    words = [str(info.help or "").rstrip(".")]
    if get_origin(inner) is Literal:
        words.append(f"one of {', '.join(get_args(inner))}")
    if get_origin(inner) is list:
        words.append("may be given more than once")
    default = declared.default
    required = default is inspect.Parameter.empty
    shown = isinstance(default, str | int | float) and default is not False and default != ""
    return _Parameter(
        _written(declared.name, info, inner),
        "; ".join(words),
        f"`{default}`" if shown else "",
        isinstance(info, ArgumentInfo),
        required,
    )


def _written(name: str, info: OptionInfo | ArgumentInfo, kind: Any) -> str:
    """Return an option or argument as a user types it."""
    metavar = info.metavar or name.upper()
    if isinstance(info, ArgumentInfo):
        return metavar
    # In Annotated, typer stores the flag as the default.
    flag = info.default if isinstance(info.default, str) else f"--{name.replace('_', '-')}"
    return flag if kind is bool else f"{flag} {metavar}"


def _parts(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union; for another type, the type itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    sys.stdout.write(describe())
