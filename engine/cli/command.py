"""What every command takes beside its own options: a study by place, -q, -v, and --out where it prints rows.

`as_command` gives a function these. One with a parameter `picture` can draw: it gets the file where `--out`
has the ending of a picture. The command line applies it to all that it registers, so that a command
declares only what is its own.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from engine.cli.endings import check_format_of
from engine.cli.exit_codes import errors_of
from engine.cli.given_once import OneValueCommand
from engine.cli.options import ForceOption, StudyPlace, command_words, next_command, parameter
from engine.cli.output import loudness, printed_to
from engine.cli.printing.pictures import PICTURES, Picture, ending_of, refuse_picture
from engine.cli.study.study_place import is_study, new_name, studies_beginning, study_of
from engine.errors import SpbError, UsageError
from engine.wording import in_store

_HELP = {
    "stored": "Study: its name in the store, or its folder (default: SPB_STUDY, else the store's only one).",
    "any": "Study: its name in the store, or its folder.",
    "new": "Name of the new study.",
}

QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print the answer with its caveats, and errors; no other messages."),
]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", help="Print details too.")]
OutOption = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write to this file, by its ending: .csv, .json, .md, or text.",
    ),
]

DrawnOutOption = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write to this file, by its ending: .csv, .json, .md, a picture (.svg, .png, .pdf), or text.",
    ),
]

_COMMANDS: set[Callable[..., Any]] = set()
"""What `as_command` has returned: an application may be registered under two names."""

SHARED = {"quiet": QuietOption, "verbose": VerboseOption, "out": OutOption, "force": ForceOption}
"""Options that are not named by the function that they are added to."""


def as_command(
    function: Callable[..., Any], check: Callable[[Mapping[str, Any]], None] | None = None
) -> Callable[..., Any]:
    """Return a function that typer registers: `function` with what every command takes.

    `check` gets what was given before the study is looked for, and raises UsageError for what no study can
    answer.
    """
    if function in _COMMANDS:
        return function
    own = inspect.signature(function, eval_str=True).parameters
    added = _added(own)
    place = _place(own)
    context = next((each.name for each in own.values() if each.annotation is typer.Context), None)

    def call(**given: Any) -> Any:
        ctx: typer.Context = given[context or "context"]
        if context is None:
            del given["context"]
        values = {name: given.pop(name) for name in added}
        out, verbose = values.get("out"), values.get("verbose", given.get("verbose", False))
        picture = _picture(ctx, own, given, out)
        if out is not None:
            _take_ending(ctx, given, out)
        if "picture" in own:
            given["picture"] = picture and Picture(picture, force=values["force"])
        if check is not None:
            check(given)
        if place is not None and place.kind != "new":
            _take_study_first(ctx, given)
        with (
            errors_of(function),
            loudness(quiet=values["quiet"], verbose=verbose),
            _word_before_study(ctx, dict(given)),
        ):
            if place is not None:
                _settle_study(place, given)
            force, draws = values.get("force", False), "picture" in own
            with (
                in_store(given.get("store")),
                printed_to(None if picture else out, force=force, draws=draws, junit="junit" in own),
            ):
                return function(**given)

    call.__doc__, call.__name__, call.__module__ = function.__doc__, function.__name__, function.__module__
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        _parameters(own, place, added, in_context=context is not None)
    )
    _COMMANDS.add(call)
    return call


def registered(app: typer.Typer) -> typer.Typer:
    """Return an application of which every command is one of `as_command`, its options of one value once."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = as_command(command.callback)
        if command.cls is None or command.cls is TyperCommand:
            command.cls = OneValueCommand
    if app.registered_callback is not None and app.registered_callback.callback is not None:
        app.registered_callback.callback = as_command(app.registered_callback.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            registered(group.typer_instance)
    return app


def _added(own: Mapping[str, inspect.Parameter]) -> list[str]:
    names = ["quiet", "verbose"]
    if any(_format_flag(each) is not None for each in own.values()) and not _has_out(own):
        names += ["out", "force"]
    return [name for name in names if name not in own]


def _has_out(own: Mapping[str, inspect.Parameter]) -> bool:
    """Return whether a function has an option --out of its own, under whichever name."""
    marks = [mark for each in own.values() for mark in get_args(each.annotation)[1:]]
    flags = (
        flag
        for mark in marks
        if isinstance(mark, OptionInfo)
        for flag in (mark.default, *(mark.param_decls or ()))  # typer reads the first flag as a default
    )
    return "out" in own or "--out" in flags


def _format_flag(declared: inspect.Parameter) -> tuple[str, ...] | None:
    """Return the choices of an option --format of what is printed; None for any other parameter."""
    if declared.name not in ("format", "form"):
        return None
    choices = get_args(get_args(declared.annotation)[0])
    return choices if "json" in choices else None


def _place(own: Mapping[str, inspect.Parameter]) -> StudyPlace | None:
    marks = get_args(own["study"].annotation)[1:] if "study" in own else ()
    return next((mark for mark in marks if isinstance(mark, StudyPlace)), None)


def _parameters(
    own: Mapping[str, inspect.Parameter], place: StudyPlace | None, added: list[str], *, in_context: bool
) -> list[inspect.Parameter]:
    parameters = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own.values() if each.name != "picture"
    ]
    if place is not None:
        by_place = typer.Argument(
            metavar="NAME" if place.kind == "new" else "STUDY",
            help=_HELP[place.kind],
            autocompletion=None if place.kind == "new" else studies_beginning,
        )
        as_option = typer.Option("--study", hidden=True, help="The same, as an option.")
        study = parameter("study", Annotated[str | None, by_place], None)
        parameters = [study if each.name == "study" else each for each in parameters]
        parameters.append(parameter("study_option", Annotated[str | None, as_option], None))
    if not in_context:
        parameters.append(parameter("context", typer.Context, inspect.Parameter.empty))
    defaults: dict[str, Any] = {"out": None}
    shared = SHARED | ({"out": DrawnOutOption} if "picture" in own else {})
    return parameters + [parameter(name, shared[name], defaults.get(name, False)) for name in added]


@contextmanager
def _word_before_study(context: typer.Context, given: Mapping[str, Any]) -> Iterator[None]:
    """Say of an error that a word is missing if the one that was given in its place names a study."""
    try:
        yield
    except SpbError as error:
        if given.get("study", "") is not None or given.get("study_option") is not None:
            raise
        other = _only_other(context)
        word = "" if other is None else given[other.name]
        if other is None or not is_study(word, given.get("store")):
            raise
        name = other.metavar or other.name.upper()
        command = next_command(given.get("store"), *command_words(context), word, name)
        raise UsageError(f"{word!r} is a study, and {name} is missing; write: {command}") from error


def _only_other(context: typer.Context) -> Any:
    """Return the one argument that a command has beside its study; None if it has none or several."""
    others = [
        each for each in context.command.params if each.param_type_name == "argument" and each.name != "study"
    ]
    return others[0] if len(others) == 1 else None


def _take_study_first(context: typer.Context, given: dict[str, Any]) -> None:
    """Swap a study and the other word that a command takes, if the study was given first.

    The parser reads the study last, since it may be left out; help names it first, as everywhere.
    """
    other, second, store = _only_other(context), given["study"], given.get("store")
    if other is None or second is None or given["study_option"] is not None or is_study(second, store):
        return
    first = given[other.name]
    if is_study(first, store) or not Path(first).expanduser().exists():  # a misspelt study comes first too
        given["study"], given[other.name] = first, second


def _settle_study(place: StudyPlace, given: dict[str, Any]) -> None:
    """Put the study's name, and its store if a path names that, into what a command was given."""
    by_place, option = given["study"], given.pop("study_option")
    if place.kind == "new":
        given["study"] = new_name(by_place, option)
    elif place.kind == "stored" or by_place is not None or option is not None:
        given["study"], given["store"] = study_of(by_place, option, given["store"])


def _picture(
    context: typer.Context, own: Mapping[str, inspect.Parameter], given: Mapping[str, Any], out: str | None
) -> str | None:
    """Return the file of a picture to draw, None if the command is to print; UsageError if it cannot draw."""
    if out is None or ending_of(out) not in PICTURES:
        return None
    if "picture" not in own:
        refuse_picture(out)
    source = context.get_parameter_source("format")
    if source is not None and source.name == "COMMANDLINE":
        raise UsageError(f"--format {given['format']} is no picture, as {out!r} is; leave out one of the two")
    return out


def _take_ending(context: typer.Context, given: dict[str, Any], out: str) -> None:
    """Take the format from the ending of the file to write; UsageError if --format says another."""
    ending = out.rpartition(".")[2].lower()
    for name in ("format", "form"):
        source = context.get_parameter_source(name) if name in given else None
        if source is not None and source.name == "COMMANDLINE":
            check_format_of(out, given[name])
        elif ending in ("csv", "json") and source is not None:
            given[name] = ending
