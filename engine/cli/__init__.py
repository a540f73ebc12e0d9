"""The commands: `spb COMMAND ...`. The only part of the engine that prints.

Modules of this package import nothing heavier than typer at their top, so that `spb --help` is quick; each
command imports what it needs when it runs. Adding a command is one line in `COMMANDS`.
"""

import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.core import TyperGroup

from engine import __version__
from engine.cli.command import as_command, registered
from engine.errors import SpbError, printable

# Command, module of this package, and function, or the Typer application of a group of commands.
COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("demo", "simulate", "demo"),
    ("import", "studies", "import_study"),
    ("datasets", "studies", "datasets_app"),
    ("doctor", "measures", "doctor"),
    ("metrics", "measures", "metrics_app"),
    ("find", "measures", "find"),
    ("power", "measures", "power"),
    ("report", "report", "report"),
    ("card", "report", "card"),
    ("show", "report", "show"),
    ("grid", "verdict_grid", "grid"),
    ("check-judge", "measures", "check_judge"),
    ("compare-runs", "measures", "compare_runs"),
    ("run", "run", "run"),
    ("runs", "run", "runs_app"),
    ("cache", "run", "cache_app"),
    ("reparse", "reparse", "reparse"),
    ("simulate", "simulate", "simulate"),
    ("check", "measures", "check"),
    ("committee", "measures", "committee"),
    ("annotators", "people", "annotators_app"),
    ("annotations", "people", "annotations_app"),
    ("validate", "studies", "validate"),
    ("migrate", "studies", "migrate"),
    ("pack", "studies", "pack"),
    ("export", "studies", "export"),
    ("schema", "studies", "schema"),
    ("glossary", "report", "glossary"),
)


class _InOrder(TyperGroup):
    """A group that lists the commands in the order of `COMMANDS`."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name, _, _ in COMMANDS]


app = typer.Typer(
    name="spb",
    cls=_InOrder,
    help="Measure the self-preference of LLM judges.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"spb {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure the self-preference of LLM judges."""


for _name, _module, _function in COMMANDS:
    _command = getattr(import_module(f"engine.cli.{_module}"), _function)
    if isinstance(_command, typer.Typer):
        app.add_typer(registered(_command), name=_name)
    else:
        app.command(_name)(as_command(_command))


def main() -> None:
    """Run the command line; the console script `spb`.

    Exits with 0 (done), 1 (failed on the way), 2 (wrong usage or bad input) or 130 (interrupted); errors of
    this project go to standard error without a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what its encoding lacks is written as \u2013, never refused
            stream.reconfigure(errors="backslashreplace")
    try:
        app(standalone_mode=True)
    except SpbError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:  # an impossible path, or a folder without permission
        if error.filename is None:
            raise
        problem = f"error: {error.filename}: {error.strerror}; check the path and its permissions"
        print(printable(problem), file=sys.stderr)
        sys.exit(1)
