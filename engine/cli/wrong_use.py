"""A wrong use of the command line, in this project's words: what is wrong, and which help says more."""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import typer

from engine.cli.citing import WORDS as CITING
from engine.cli.command_list import COMMANDS
from engine.cli.given_once import WORDS
from engine.cli.options import command_words, next_command, open_study
from engine.cli.study.study_place import study_of
from engine.errors import SpbError
from engine.phrases import join_names
from engine.slices import no_column
from engine.wording import comma_list
from engine.wording import option as option_of

if TYPE_CHECKING:
    from engine.study import Study

_WORDS = (
    (r"No such command '(.*?)'\.?", r"unknown command '\1'"),
    (r"No such option:? '?(-[^\s']*)'?\.?", r"unknown option \1"),
    (r"Missing (?:argument|option|parameter) '(.*?)'(?: / '.*?')*\.?", r"\1 is missing"),
    (r"Missing command\.?", "no command is named"),
    (r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", r"unexpected argument: \1"),
    (r"Value error, ", ""),
    (r" \(Possible options: (.*)\)", r"; did you mean \1?"),
    (r"Option '(.*?)' requires an argument\.?", r"\1 needs a value"),
    (r"Option '(.*?)' does not take a value\.?", r"\1 takes no value"),
    (r"Invalid value for '(.*?)'(?=: | ')", r"\1"),
    (r"Input should be a valid integer, unable to parse string as an integer", "give a whole number"),
    (r"Input should be a valid number, unable to parse string as a number", "give a number"),
    (r"(\S+) is not a valid int(?:eger)?( range)?\.?", r"\1 is no whole number"),
    (r"(\S+) is not a valid float( range)?\.?", r"\1 is no number"),
    (r"(\S+) is not one of (.*?)\.?$", r"\1 is unknown; choose from: \2"),
    (r"Input should be (\w)", r"give a number \1"),
    (r"\.? ?\(?Did you mean (.*?)\?\)?", r"; did you mean \1?"),
)


def words_of(error: Exception) -> str:
    """Return what is wrong, in one sentence, and the help to look at."""
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    if "Input should be" in text and (value := _value_of(error)) is not None:
        text = re.sub(r"(Invalid value for '.*?'): ", lambda match: f"{match[1]} {value!r}: ", text, count=1)
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    context = getattr(error, "ctx", None)
    path = " ".join(["spb", *([] if context is None else command_words(context))])
    before, mark, choices = " ".join(text.split()).rstrip(".").partition("choose from: ")
    text = before + mark + choices.replace("'", "")
    if path == "spb" and (name := _unknown_command(text)) is not None:
        text = _as_of_commands(name)
        if text.endswith("`"):
            return text
    if (name := _unknown_command(text)) is not None and (other := _other_command(path, name)) is not None:
        return f"unknown command {name!r}; {other}"
    if (corrected := _corrected(error, path)) is not None:
        return corrected
    is_unknown_option = hasattr(error, "possibilities")
    if is_unknown_option and (argument := _as_argument(error, path)) is not None:
        return f"{text.partition('; did you mean')[0]}; {argument}"
    if is_unknown_option and (elsewhere := _where_taken(error)) is not None:
        return f"{text.partition('; did you mean')[0]}; {elsewhere}"
    if is_unknown_option and (hint := no_column(getattr(error, "option_name", ""))):
        return f"{text.partition('; did you mean')[0]}; {hint}"
    if is_unknown_option and (meant := _meant(error)) is not None:
        text = f"{text.partition('; did you mean')[0]}; did you mean {meant}?"
    ending = "" if text.endswith("?") else ";"
    return f"{text}{ending} `{path} -h` says more"


def _corrected(error: Exception, path: str) -> str | None:
    """Return how words that no argument takes are to be given: by a missing option, or with commas."""
    context = getattr(error, "ctx", None)
    if context is None or hasattr(error, "option_name"):
        return None
    words: Sequence[str] = context.meta.get(WORDS, ())
    places = _beyond_arguments(context, words)
    if not places:
        return None
    extra, missing = [words[place] for place in places], getattr(error, "param", None)
    if missing is not None and missing.opts[0].startswith("--"):
        value = ",".join(extra) if missing.multiple else extra[0]
        others = [word for place, word in enumerate(words) if place not in places]
        command = shlex.join([*path.split(), *others, missing.opts[0], value])
        return f"{missing.opts[0]} is missing, and {' '.join(extra)!r} is no option; write: {command}"
    options = {name: each for each in context.command.params for name in each.opts}
    option = options.get(words[places[0] - 2]) if places[0] >= 2 else None
    if option is not None and getattr(option, "multiple", False):
        names = ",".join(words[places[0] - 1 : places[-1] + 1])
        return f"{words[places[0] - 2]}: separate names by commas: {names}"
    if path == "spb run start" and not Path(words[0]).exists():
        command = shlex.join(["spb", "run", extra[0], "--dry-run"])
        return (
            f"{words[0]!r} is neither a command of `spb run` nor a file; `{command}` checks a configuration"
        )
    return None


def _beyond_arguments(context: typer.Context, words: Sequence[str]) -> list[int]:
    """Return the places of words that are neither an option, nor its value, nor one of the arguments."""
    declared = context.command.params
    options = {name: each for each in declared for name in (*each.opts, *each.secondary_opts)}
    if any(each.param_type_name == "argument" and each.nargs != 1 for each in declared):
        return []
    takes = sum(each.param_type_name == "argument" for each in declared)
    places, value_follows = [], False
    for place, word in enumerate(words):
        if value_follows:
            value_follows = False
        elif word.startswith("-"):
            option = options.get(word)
            value_follows = option is not None and not getattr(option, "is_flag", False)
        else:
            places.append(place)
    return places[takes:]


def _as_argument(error: Exception, path: str) -> str | None:
    """Return how a word is given that a command takes without an option, such as the question of a grid."""
    option, context = getattr(error, "option_name", ""), getattr(error, "ctx", None)
    if context is None:
        return None
    arguments = [each for each in context.command.params if each.param_type_name == "argument"]
    meant = next((each for each in arguments if (each.metavar or "").lower() == option.lstrip("-")), None)
    if meant is None:
        return None
    words = list(context.meta.get(WORDS, ()))
    place = next(place for place, word in enumerate(words) if word.partition("=")[0] == option)
    value = words[place].removeprefix(option).removeprefix("=")
    written = [*words[:place], *([value] if value else []), *words[place + 1 :]]
    return f"{meant.metavar} is given without an option: {shlex.join([*path.split(), *written])}"


_MEANT = {
    **{f"--{form}": ("--format", form) for form in ("json", "csv", "html", "md", "svg", "png")},
    "--ratio": ("--effect", ""),
    "--output": ("--out", ""),
    **dict.fromkeys(("--questions", "--prompts", "--n"), ("--instances", "")),
}
"""Options that other programs have, and this one's option, with its value, that does the same."""


def _meant(error: Exception) -> str | None:
    """Return the command's own option for one that others call otherwise."""
    name, context = getattr(error, "option_name", ""), getattr(error, "ctx", None)
    if name not in _MEANT or context is None:
        return None
    option, value = _MEANT[name]
    declared = next((each for each in context.command.params if option in each.opts), None)
    if declared is None:
        return None
    choices = get_args(declared.type_descriptor.annotation)
    if value and choices and value not in choices:
        return None
    return f"{option} {value}".strip()


def _where_taken(error: Exception) -> str | None:
    """Return which option or command takes what a command on a study does not: a filter, or `--by`."""
    option, context = getattr(error, "option_name", ""), getattr(error, "ctx", None)
    if not option.startswith("--") or context is None:
        return None
    from engine.slices import (
        FLAG_NAMES,
        FLAGS,
        TEXT_COLUMNS,
        import_hint,
        imported_name,
        not_stored,
        stored_as,
    )

    name = option[2:].replace("-", "_")
    own = {each.name for each in context.command.params if each.type_descriptor.annotation is not int}
    if not own & {"study", "place"}:  # FILE|STUDY
        return None
    study, value = _study_and_value(context.meta.get(WORDS, ()), option)
    store = _store_of(context)
    if name == "by":
        return (
            f"`{next_command(store, 'judges', study, option, value or 'COLUMN')}` groups rows, "
            f"`{next_command(store, 'slices', study)}` tries all columns"
        )
    if name in (*FLAG_NAMES, "slice", "where"):
        is_switch = any(flag.name == name and flag.kind == "switch" for flag in FLAGS)
        words = [option] if is_switch else [option, value or "VALUE"]
        if value and not is_switch:
            others = _columns_of_study(context, study, value) if name in TEXT_COLUMNS else []
            if others and name not in others:
                command = next_command(store, "judges", study, f"--{others[0]}", value)
                return f"{value!r} is a value of {others[0]}, and `{command}` takes it"
            if problem := _problem_of(context, study, {name: value}):
                return f"`{next_command(store, 'judges', study)}` takes filters, and of this one: {problem}"
        return f"`{next_command(store, 'judges', study, *words)}` takes it"
    filters = own.intersection(FLAG_NAMES)
    if (filter_name := imported_name(name, filters)) is None:
        stored = _study_of(context, study)
        if stored is None:
            return None
        column = stored_as(name, stored.files)
        if column is not None and column in filters:
            return f"the study has the file's column {name!r} as {column}: {option_of(column, value)}"
        return not_stored(name, stored.files) or None
    if value and (others := _columns_of_study(context, study, value)) and filter_name not in others:
        meant = comma_list(option_of(other, value) for other in others)
        return f"in {study}, {value!r} is in a column of another name: {meant}"
    return f"{import_hint(name, filters)}: --{filter_name.replace('_', '-')}"


def _columns_of_study(context: typer.Context, study: str, value: str) -> list[str]:
    """Return the columns of texts in which a study has a value; none of a study that cannot be read."""
    from engine.arrays.slicing.slice_masks import columns_with

    with suppress(SpbError):
        if (readable := _study_of(context, study)) is not None:
            return columns_with(readable.index, value)
    return []


def _study_of(context: typer.Context, study: str) -> "Study | None":
    """Return the study that a command was given; None for one that cannot be read."""
    with suppress(SpbError):
        name, store = study_of(study, None, _store_of(context))
        return open_study(store, name)
    return None


def _store_of(context: typer.Context) -> str | None:
    """Return the store that a command was given, None for none."""
    words = [*context.meta.get(WORDS, ()), ""]
    places = [
        word.partition("=")[2] or after
        for word, after in pairwise(words)
        if word.partition("=")[0] == "--store"
    ]
    return places[-1] if places else None


def _problem_of(context: typer.Context, study: str, filters: Mapping[str, str]) -> str | None:
    """Return why filters cannot be of a study; None where they can, or it cannot be read."""
    from engine.arrays.slicing.resolve import with_names
    from engine.cli.measure.slice_flags import given_flags
    from engine.saved_slices import apply_saved_slices
    from engine.slices import Slice

    if (readable := _study_of(context, study)) is None:
        return None
    try:
        flags = apply_saved_slices(readable.info, given_flags(filters, readable))
        with_names(readable, Slice.of(**flags))
    except SpbError as error:
        return str(error)
    return None


def _study_and_value(words: Sequence[str], option: str) -> tuple[str, str]:
    """Return the study that a command was given, `STUDY` for none, and the value of an option, if any."""
    flags = [word.partition("=")[0] for word in words]
    place = flags.index(option)
    value, first, after = words[place].partition("=")[2], words[0], [*words[place + 1 : place + 3], "", ""]
    if not value and not after[0].startswith("-"):
        value, after = after[0], after[1:]
    study = next((word for word in (first, after[0]) if word and not word.startswith("-")), "STUDY")
    return study, value


def _unknown_command(text: str) -> str | None:
    match = re.match(r"unknown command '(.*?)'", text)
    return None if match is None else match[1]


_DRAWS = "`spb judges STUDY --out judges.svg` draws, and so does `spb measure NAME STUDY --out FILE`"
_REMOVES = "a study is a folder of its store: remove that folder"
_ENDS_A_LINK = "`spb label people end NAME` ends a person's link and login"
_ELSEWHERE = {
    **dict.fromkeys(("plot", "chart", "draw", "graph"), _DRAWS),
    **dict.fromkeys(("delete", "remove", "rm"), _REMOVES),
}
"""What does what other programs have a command for."""


_IN_GROUPS = {
    ("spb label", "export"): "`spb label write TASK` writes labels into the study",
    ("spb label", "show"): "`spb label status TASK` shows a task",
    ("spb label", "delete"): "`spb label close TASK` closes a task",
    **dict.fromkeys((("spb label people", name) for name in ("remove", "delete")), _ENDS_A_LINK),
    ("spb study", "import"): "`spb import PATH` imports a study",
    **dict.fromkeys((("spb study", name) for name in ("delete", "remove", "rm")), _REMOVES),
}
"""What does what a group of commands has no command for."""


def _other_command(path: str, name: str) -> str | None:
    """Return what is meant by a command that a group does not have, or that groups alone have."""
    if path != "spb":
        return _IN_GROUPS.get((path, name))
    from engine.cli import groups  # which imports every command

    of_group = {"study": groups.study_app, "run": groups.run_app, "label": groups.label_app}
    homes = [
        f"`spb {group} {name}`"
        for group, app in of_group.items()
        if name in {each.name for each in app.registered_commands}
    ]
    return f"did you mean {join_names(homes, last='or')}?" if homes else None


def _as_of_commands(name: str) -> str:
    """Return that a command is unknown, and which one is meant: no former name is ever suggested."""
    from engine.measures.catalogue import MEASURES  # which takes long to import

    unknown = f"unknown command {name!r}"
    if name in CITING:
        return f"{unknown}; did you mean `spb explain {name}`?"
    if name in MEASURES:
        return f"{unknown}; it is a measure: `spb measure {name}`"
    if name in _ELSEWHERE:
        return f"{unknown}; {_ELSEWHERE[name]}"
    close = get_close_matches(name, [command for command, _, _ in COMMANDS])
    return f"{unknown}; did you mean {', '.join(map(repr, close))}?" if close else unknown


def _value_of(error: BaseException) -> str | None:
    """Return the value that was refused, if the error or one that it comes from names it."""
    cause: BaseException | None = error
    while cause is not None:
        if hasattr(cause, "errors"):
            value = cause.errors()[0].get("input")
            return value if isinstance(value, str) else None
        cause = cause.__cause__ or cause.__context__
    return None
