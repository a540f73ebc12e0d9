"""Every option of every command, with its help, for `spb explain`: filters of a slice, and other options."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import typer

from engine.slices import FLAG_NAMES

_MOST_NAMED = 3
"""Most commands that the kind of an option names."""


@cache
def option_rows() -> tuple[dict[str, Any], ...]:
    """Return a row for each option and meaning that it has: its flag, whose it is, and its help."""
    commands: dict[tuple[str, str, bool], list[str]] = {}
    for path, command in _commands(typer.main.get_command(_app()), ()):
        sliced = {"where", *FLAG_NAMES} <= {each.name for each in command.params}
        for each in command.params:
            if each.param_type_name != "option" or getattr(each, "hidden", False):
                continue
            for flag in (*each.opts, *each.secondary_opts):
                if flag.startswith("--"):
                    is_filter = sliced and each.name in FLAG_NAMES
                    commands.setdefault((flag, each.help or "", is_filter), []).append(path)
    return tuple(
        {"name": flag, "kind": "filter" if is_filter else _kind(paths), "meaning": meaning}
        for (flag, meaning, is_filter), paths in commands.items()
    )


def _kind(paths: list[str]) -> str:
    """Return whose option it is: `option of measure hspp, judges and others`."""
    others = " and others" if len(paths) > _MOST_NAMED else ""
    return f"option of {', '.join(paths[:_MOST_NAMED])}{others}"


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield " ".join(path), command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        part = command.get_command(context, name)
        if part is not None and not part.hidden:
            yield from _commands(part, (*path, name))


def _app() -> typer.Typer:
    from engine.cli import app  # which imports this module's users

    return app
