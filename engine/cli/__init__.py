"""The commands: `spb COMMAND ...`. The only part of the engine that prints.

Modules of this package import nothing heavier than typer at their top, so that `spb --help` is quick; each
command imports what it needs when it runs. `command_list` has a line for each command.
"""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from engine.cli.command import as_command, registered
from engine.cli.command_list import COMMANDS, QUESTIONS
from engine.cli.exit_codes import DONE, FAILED, INTERRUPTED, USAGE
from engine.cli.former import FORMER, call_by
from engine.cli.given_once import OneValueCommand, WrongUse
from engine.cli.output import note, say_notes
from engine.cli.streams import set_up_streams
from engine.cli.wrong_use import words_of
from engine.errors import SpbError, printable
from engine.plain_words import system_words
from engine.process import check_source_date
from engine.version import __version__


class _InOrder(TyperGroup):
    """The commands in the order of `COMMANDS`; `help` before a name, and former names, answer too."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name, _, _ in COMMANDS]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take `--store` before the name of a command too."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else _store_behind_command(args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; of a former name, say the successor."""
        if args[0] == "help":
            args = [*args[1:], "--help"]
            if len(args) == 1:
                print(ctx.get_help())
                raise typer.Exit
        if not ctx.resilient_parsing:  # a shell that completes a line
            call_by(args)
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: object, formatter: Any) -> None:  # noqa: ARG002 - click's signature
        """Write the questions that people come with, below the commands."""
        with formatter.section("Questions"):
            formatter.write_dl([(f"spb {command}", question) for command, question in QUESTIONS])

    def invoke(self, ctx: Any) -> Any:
        try:
            answer = super().invoke(ctx)
        except (typer.Exit, SystemExit):  # an answer such as `fail`, not an error
            say_notes()
            raise
        except KeyboardInterrupt:
            note(None)
            print("interrupted", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except BaseException:
            note(None)
            raise
        say_notes()
        return answer


def _store_behind_command(args: list[str]) -> list[str]:
    """Return the arguments with a `--store` that stands before a command, or one of a group, behind it."""
    for place in (0, 1):
        store = args[place : place + 2]
        after = args[place + 2 : place + 3]
        if store[:1] == ["--store"] and after and not after[0].startswith("-"):
            args = [*args[:place], *after, *store, *args[place + 3 :]]
    return args


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


def _register(name: str, module: str, function: str, *, hidden: bool) -> None:
    of_module = import_module(f"engine.cli.{module}")
    command = getattr(of_module, function)
    if isinstance(command, typer.Typer):
        app.add_typer(registered(command), name=name, hidden=hidden)
    else:
        cls = getattr(of_module, "CommandClass", OneValueCommand)
        app.command(name, cls=cls, hidden=hidden)(as_command(command))


for _name, _module, _function in COMMANDS:
    _register(_name, _module, _function, hidden=False)
for _name, (_module, _function, _) in FORMER.items():
    _register(_name, _module, _function, hidden=True)


def main() -> None:
    """Run the command line; the console script `spb`.

    Exits with the codes of `engine.cli.exit_codes`; errors of this project go to standard error without a
    traceback.
    """
    set_up_streams()
    try:
        check_source_date()
        code = app(standalone_mode=False)
        sys.stdout.flush()  # while an error can still be said
    except SpbError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except WrongUse as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
        else:
            print(printable(f"error: {words_of(error)}"), file=sys.stderr)
        sys.exit(USAGE)
    except typer.Abort:
        print("interrupted", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except OSError as error:  # an impossible path, or a folder without permission
        if error.filename is None:
            raise
        problem = f"error: {error.filename}: {system_words(error)}; check the path and its permissions"
        print(printable(problem), file=sys.stderr)
        sys.exit(FAILED)
    sys.exit(code if isinstance(code, int) else DONE)
