"""Options that several commands take, and what is done with their values."""

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from engine.errors import UsageError
from engine.wording import command_line, in_store

if TYPE_CHECKING:
    from engine.store import Mode
    from engine.study import Study


@dataclass(frozen=True)
class StudyPlace:
    """Marks a command's parameter `study`: `engine.cli.command` makes it an argument, and answers --study."""

    kind: Literal["stored", "any", "new"]
    """A study of the store; one of it, or none; or one that is to be written."""


StudyArgument = Annotated[str, StudyPlace("stored")]
AnyStudyArgument = Annotated[str | None, StudyPlace("any")]
NewStudyArgument = Annotated[str, StudyPlace("new")]

StoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Folder or s3:// URL of the studies (default: SPB_STORE, else ./results)."
    ),
]
NewStudyOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the study in the store (default: the source's name)."),
]
AppendOption = Annotated[
    bool,
    typer.Option(
        "--append",
        help="Add to an existing study of that name; a table with the columns of one of its files is read as "
        "that was.",
    ),
]
ReplaceOption = Annotated[
    bool,
    typer.Option(
        "--replace",
        help="Replace an existing study of that name, with the runs of models that it has; with --append and "
        "--run NAME, the imported run of that name alone.",
    ),
]
JudgesOption = Annotated[
    list[str] | None,
    typer.Option("--judge", "--judges", metavar="NAMES", help="Only these judges (default: all)."),
]
RunsOption = Annotated[
    list[str] | None, typer.Option("--run", metavar="NAMES", help="Only these runs (default: all).")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Format = Literal["text", "json"]
FormOption = Annotated[Format, typer.Option("--format", help="Output format.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check everything, write nothing.")]


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def split_names(values: Iterable[str]) -> list[str]:
    """Return the items of a list given with commas, repeated flags, or both.

    UsageError for one without items, such as an empty variable of a script, which would mean all.
    """
    lists = [[part.strip() for part in value.split(",") if part.strip()] for value in values]
    if not all(lists):
        raise UsageError(
            "a list of names is empty, as if a variable were unset; give a name, or leave the option out"
        )
    return [name for names in lists for name in names]


def refuse_together(**options: object) -> None:
    """Raise UsageError if more than one of these options is given, by their names in Python.

    None and False are not given; a value is named with its flag.
    """
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if len(given) < 2:
        return
    flags = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f" {_quoted(value)}")
        for name, value in given.items()
    ]
    raise UsageError(f"{' and '.join(flags)} cannot be combined; give one of them")


def _quoted(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def only_judge(values: Sequence[str] | None) -> str | None:
    """Return the judge of --judge, which every command lets repeat, where it can have one alone."""
    given = list(dict.fromkeys(values or ()))
    if len(given) > 1:
        raise UsageError(f"--judge is given with {' and '.join(map(repr, given))}; here it takes one of them")
    return given[0] if given else None


def open_study(store: str | None, study: str, runs: Iterable[str] | None = None) -> "Study":
    """Open a study, with the judgments of some runs alone if `--run` names them."""
    from engine.store import Store
    from engine.study import Study

    whole = Study(Store(store).open(study))
    return whole.of_runs(names_in(whole, "run", [*(runs or ())]))


def names_in(study: "Study", name: str, texts: Sequence[str]) -> list[str]:
    """Return the names that a filter is given in one list or several, of which some may have commas."""
    names = split_names(texts)
    if not any("," in text for text in texts):
        return names
    from engine.arrays.slicing.given_names import names_given  # which imports NumPy

    return [each for text in texts for each in names_given(study, name, text)]


def next_command(store: str | None, *words: str) -> str:
    """Return a command to go on with in the store of this one: `spb run watch ID --store PATH`."""
    with in_store(store):
        return command_line(*words)


def command_words(context: typer.Context) -> list[str]:
    """Return the words of the command that is running, without `spb`: `study`, `grid`."""
    return re.sub(r"^\S*(?: -m \S+)?", "", context.command_path, count=1).split()


def time_text(seconds: float) -> str:
    """Return a time in seconds since 1970 as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def refuse_empty(study: str | None) -> None:
    """Raise UsageError for the name of a new study that is empty, as an unset variable makes it."""
    if study is not None and not study.strip():
        raise UsageError(
            f"the study name {study!r} is empty, as if a variable were unset; give one, or leave out --study"
        )


def write_mode(*, append: bool, replace: bool) -> "Mode":
    """Return the mode that the two flags request; UsageError if both are given."""
    refuse_together(append=append, replace=replace)
    return "append" if append else "replace" if replace else "new"
