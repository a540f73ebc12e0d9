"""A slice of a study: every filter on a measure's judgments, declared once."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field, fields
from functools import wraps
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.errors import UsageError, python_words, unknown
from engine.paradigms import PARADIGMS
from engine.values import python_value
from engine.wording import Wording

if TYPE_CHECKING:
    from engine.store.study_files import StudyFiles

Repeats = Literal["majority", "first"]
OptionKind = Literal["names", "numbers", "name", "range", "number", "integer", "switch"]
Bounds = tuple[float | None, float | None]

NULL = "null"  # how the absence of a value is written in a filter


@dataclass(frozen=True, slots=True)
class Option:
    """What a user may set: a filter of a slice, or an option of one measure.

    `title` names it on a page; without one its name does.
    """

    name: str
    kind: OptionKind
    meaning: str
    default: Any = None
    choices: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class SliceColumn:
    """A column that judgments are filtered by, grouped by, or both.

    `kind` says what has the value: the judgment's row, the rubric (the same for all judges and generators),
    the cell (it depends on the generator, or on the judge too), or the judge. `sources` are the stored
    columns, as `table.column`: the first that has a value counts; a computed column has none. `groups` says
    how `--by` groups it, and `is_open` whether the explorer shows the filter of a text unfolded.
    """

    name: str
    kind: Literal["row", "rubric", "cell", "judge"]
    sources: tuple[str, ...] = ()
    groups: Literal["texts", "sign", "quantiles", "agreement", "integers"] = "texts"
    is_open: bool = False

    def stored_in(self, table: str) -> str | None:
        """Return the column of a table that holds it, None if that table does not."""
        columns = (source.partition(".")[::2] for source in self.sources)
        return next((name for home, name in columns if home == table), None)


_COLUMNS = (
    SliceColumn("run", "row", ("judgments.run_id",)),
    SliceColumn("paradigm", "row", ("judgments.paradigm",)),
    SliceColumn("variant", "row", ("judgments.variant",)),
    SliceColumn("transform", "row", ("judgments.transform",)),
    SliceColumn("ordering", "row", ("judgments.ordering",)),
    SliceColumn("polarity", "rubric", ("rubrics.points",), "sign"),
    SliceColumn("length", "rubric", ("rubrics.length", "rubrics.criterion"), "quantiles"),
    SliceColumn("axis", "rubric", ("rubrics.axis",), is_open=True),
    SliceColumn("theme", "rubric", ("rubrics.theme", "instances.theme"), is_open=True),
    SliceColumn("category", "rubric", ("instances.category",)),
    SliceColumn("language", "rubric", ("instances.language",)),
    SliceColumn("segment", "rubric", ("instances.segment",)),
    SliceColumn("checker", "rubric", ("rubrics.checker",), is_open=True),
    SliceColumn("agreement", "rubric", (), "agreement"),
    SliceColumn("position", "cell", ("judgments.position",), "integers"),
    SliceColumn("response_length", "cell", ("responses.text",), "quantiles"),
    SliceColumn("stage", "judge", ("models.stage",)),
    SliceColumn("size", "judge", ("models.size_b",), "quantiles"),
)

COLUMNS: dict[str, SliceColumn] = {column.name: column for column in _COLUMNS}
"""Everything that distinguishes judgments. The index, the masks, the groups, the choices, the search for
slices and the explorer's filters read this list. To add a text of rubrics, add a line here, its filter in
`Slice` and the stored column in `engine.schema`."""


def _of_kind(kind: str) -> tuple[str, ...]:
    return tuple(name for name, column in COLUMNS.items() if column.kind == kind)


ROW_COLUMNS = _of_kind("row")  # columns that distinguish judgment rows before they become arrays
RUBRIC_COLUMNS = _of_kind("rubric")  # columns whose value is a rubric's

OF_CASES = (
    *(name for name in COLUMNS if COLUMNS[name].kind in ("rubric", "cell")),
    "rubric_id",
    "min_agreement",
)
"""Filters that select criteria, questions or answers; others choose judgments, judges or how they count."""

TEXT_COLUMNS = tuple(name for name in RUBRIC_COLUMNS if COLUMNS[name].groups == "texts")
"""Rubric columns that are texts; they are filtered by a list of values, `null` for none."""

INSTANCE_COLUMNS = tuple(name for name in TEXT_COLUMNS if COLUMNS[name].stored_in("instances"))
"""Text columns that an instance has too."""

CELL_COLUMNS = _of_kind("cell")  # columns whose value depends on the generator, or on the judge too

JUDGE_COLUMNS = _of_kind("judge")
"""Columns whose value is the judge's: how far it was trained, and its parameters in five bins."""

BY_RUBRIC = "rubric_id"
"""Groups by single rubrics. No column of `COLUMNS`: slices are not searched rubric by rubric."""

GROUPINGS = (*COLUMNS, BY_RUBRIC)  # what a measure can be grouped by

BY_WORDS = {"criterion": BY_RUBRIC, "labeller": "annotator"}
"""The words of readers for columns to group by, or to filter by, whose names are others."""

READERS_WORDS = {
    **BY_WORDS,
    "topic": "theme",
    "criteria": BY_RUBRIC,
    "criterion_id": BY_RUBRIC,
    "criterion_text": BY_RUBRIC,
    "labellers": "annotator",
}
"""These, and further forms of them."""


_ROWS = frozenset(("judge", "generator", "author", "model", "judges", "authors", "models", "generators"))


def grouping(by: str, groups: Iterable[str], files: "StudyFiles | None" = None) -> str:
    """Return the column of `groups` that is called so or by a reader's word, in any case.

    A column of the files that the study (`files`) was imported from is the one that it is stored as.
    UsageError lists the readers' words, and says how a column that the study does not have comes into it.
    """
    choices = tuple(groups)
    name = _without_words(by)
    if name in choices:
        return name
    if files is not None and (stored := stored_as(by, files)) in choices:
        return str(stored)
    own = imported_name(by, choices)
    if own is None and (name in _ROWS or _ROWS & set(_imported_as(by))):
        raise UsageError(
            f"unknown column to group by {by!r}: judges have a row each, and authors one each in "
            f"overestimation; choose from: {', '.join(grouping_words(choices))}"
        )
    hint = no_column(by) if own is None else _read_as(by, *grouping_words([own]))
    if own is None and not hint and files is not None:
        hint = not_stored(by, files)
    raise unknown("column to group by", by, grouping_words(choices), hint)


def _without_words(name: object) -> str:
    """Return the name of a column that is called so, or by a reader's word, in any case."""
    plain = str(name).strip().casefold().replace("-", "_").replace(" ", "_")
    return READERS_WORDS.get(plain, plain)


def stored_as(name: object, files: "StudyFiles") -> str | None:
    """Return the column of ours under which imported files' column of this name is stored."""
    from engine.importers.earlier_imports import column_stored_as  # slow, and for a name of no column alone

    return column_stored_as(files.info.imports or (), str(name))


def not_stored(name: object, files: "StudyFiles") -> str:
    """Return how a column of imported files comes into the study; empty for one that no file has."""
    from engine.importers.unstored_columns import column_not_stored  # slow, and for an error's hint alone

    return column_not_stored(files, str(name))


def grouping_words(groups: Iterable[str]) -> list[str]:
    """Return columns to group by in the words of readers."""
    words = {name: word for word, name in BY_WORDS.items()}
    return [words.get(name, name) for name in groups]


_OF_IMPORTED = {"run_id": "run", "judge": "judges", "generator": "generators", "criterion": BY_RUBRIC}
"""The filters and columns to group by whose names differ from those of an import's columns."""


def imported_name(name: object, choices: Iterable[str]) -> str | None:
    """Return the filter or column to group by that a table's column of this name is read as."""
    among = set(choices)
    either = (each for column in _imported_as(name) for each in (column, _OF_IMPORTED.get(column)))
    return next((each for each in either if each in among), None)


def _imported_as(name: object) -> list[str]:
    from engine.importers.tables.table_columns import (
        imported_as,  # all names of columns, for an error's hint alone
    )

    return imported_as(str(name))


def import_hint(name: object, filters: Iterable[str]) -> str:
    """Return the sentence that names the filter for what a table called so; nothing where there is none."""
    own = imported_name(name, filters)
    return no_column(name) if own is None else _read_as(name, own)


def no_column(name: object) -> str:
    """Return how a study comes to say how long its questions are, for a name of that; else nothing."""
    words = _without_words(str(name).lstrip("-")).split("_")
    if not ({*words} & {"length", "len"} and {*words} & {"question", "prompt", "query", "input", "instance"}):
        return ""
    return (
        "the length of a question is no column of a study; import a column of the file that says it, such as "
        "one of `short` and `long`, with --map category=COLUMN"
    )


def _read_as(name: object, own: str) -> str:
    return f"an import reads a column {name!r} as {own}"


def how_stored(column: str) -> str:
    """Return where the values of a column come from: `which an import reads from a column 'points'`."""
    from engine.importers.tables.table_columns import (
        COLUMNS as OF_TABLES,  # slow, and for an error's remedy alone
    )

    table, _, stored = COLUMNS[column].sources[-1].partition(".")
    name = {"text": "response"}.get(stored, stored)
    if name in OF_TABLES:
        return f"which an import reads from a column {name!r}"
    return f"which would be in the column {stored!r} of the table {table}"


def _flag(
    kind: OptionKind, meaning: str, default: Any = None, choices: tuple[str, ...] = (), title: str = ""
) -> Any:
    metadata = {"kind": kind, "meaning": meaning, "choices": choices, "title": title}
    return field(default=default, metadata=metadata)


def _names(meaning: str, title: str = "") -> Any:
    return _flag("names", meaning, (), title=title)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Which judgments a measure is based on.

    Empty and None mean all, or the default. A filter by names takes one or a list; a range is a text
    `low:high`, of lengths also two numbers, of which either may be None.
    """

    run: tuple[str, ...] = _names("runs to include")
    paradigm: str | None = _flag("name", "paradigm of the judgments", choices=PARADIGMS)
    variant: str | None = _flag("name", "prompt template of the judgments")
    transform: str | None = _flag("name", "which rewriting of the answers was judged")
    level: str | None = _flag(
        "name", "count single criteria, or comparisons of answers", choices=("rubric", "instance")
    )
    scores: str = _flag(
        "name",
        "how an answer's score is made from its verdicts",
        "fraction",
        ("fraction", "weighted", "weighted_mean_clipped", "uniform"),
    )
    reference: str | None = _flag("name", "source of the verdicts taken as true")
    judges: tuple[str, ...] = _names(
        "judges to show; adjusted p-values are over all judges in scorecard, outside, expected and "
        "best-of-n, and over those shown elsewhere"
    )
    generators: tuple[str, ...] = _names("models to show, compare and average over")
    polarity: str | None = _flag("name", "sign of the criterion's points", choices=("positive", "negative"))
    length: Bounds | None = _flag(
        "range",
        "length of the criterion in characters, ends included, of which one may be `median`",
        title="Length of the criterion",
    )
    length_unit: str = _flag("name", "unit of the criterion's length", "characters", ("characters", "words"))
    axis: tuple[str, ...] = _names("axes of the criteria")
    theme: tuple[str, ...] = _names("themes of the criteria; of the question, where a criterion has none")
    category: tuple[str, ...] = _names("categories of the questions")
    language: tuple[str, ...] = _names("languages of the questions")
    segment: tuple[str, ...] = _names(
        "segments of the questions, a division of the study's own; of numbers also a range such as 82:1000 "
        "or `median:`, as in every column of texts"
    )
    checker: tuple[str, ...] = _names("checkers of the criteria")
    rubric_id: tuple[str, ...] = _names("criteria by their ids or own texts", "Criterion")
    ordering: str | None = _flag("name", "order in which criteria were shown")
    position: tuple[int, ...] = _flag(
        "numbers", "places of the criterion in the order shown, from 1", (), title="Place in the list"
    )
    response_length: Bounds | None = _flag(
        "range",
        "length of the answer in characters, ends included, of which one may be `median`; for pairs, of both "
        "answers",
        title="Length of the answer",
    )
    min_agreement: float | None = _flag(
        "number",
        "lowest share of the pairs of judges with the same verdict on the criterion, on average over the "
        "answers, from 0 to 1; of 7 judges, 6 alike are 15 of 21 pairs, 0.71",
        title="Pairs of judges that agree, at least",
    )
    agreement_of: str = _flag(
        "name",
        "share of the pairs of judges that agree on a criterion, over all answers, or per answer",
        "rubric",
        ("rubric", "verdict"),
        "Agreement on",
    )
    agreement_without_family: bool = _flag(
        "switch", "for each judge, take agreement over pairs of judges outside its family", False
    )
    relatives: str = _flag(
        "name",
        "what makes models one family",
        "family",
        ("family", "provider", "base_model", "tuned_from", "distilled_from"),
    )
    exclude_family: bool = _flag(
        "switch", "leave a judge and its family out of the committee that is its reference", False
    )
    leave_self_out: bool = _flag("switch", "leave a judge out of the committee that is its reference", False)
    repeats: str = _flag("name", "how repeats of one judgment are combined", "majority", get_args(Repeats))
    min_instances: int = _flag("number", "fewest questions for p-values", 10)

    @classmethod
    def of(cls, **values: Any) -> "Slice":
        """Make a slice from flags as a user writes them; None and empty lists mean not given.

        Raises UsageError naming the flag, the value and the choices.
        """
        _check_names(values)
        values = {name: value for name, value in values.items() if not _is_empty(value)}
        return cls(**{flag.name: _parse(flag, values[flag.name]) for flag in FLAGS if flag.name in values})

    def __post_init__(self) -> None:
        """Read each value as `of` does: a list, or one of several values, is kept as a tuple."""
        for flag in FLAGS:
            value = getattr(self, flag.name)
            if value is not flag.default and not isinstance(value, tuple | NoneType):
                with python_words():
                    object.__setattr__(self, flag.name, _parse(flag, value))

    def filters(self) -> dict[str, Any]:
        """Return the fields that are not at their default."""
        return {flag.name: value for flag in FLAGS if (value := getattr(self, flag.name)) != flag.default}


def agreement_of_others(filters: Mapping[str, Any], by: str | None, true: Any) -> dict[str, Any]:
    """Return filters whose agreement, if any, counts only judges outside each judge's family.

    Otherwise a judge would help to choose its own items. `true` is the value that turns a switch on.
    Agreement on single verdicts is not changed.
    """
    if filters.get("agreement_of") != "verdict" and ("min_agreement" in filters or by == "agreement"):
        return {**filters, "agreement_without_family": true}
    return dict(filters)


def pairs_agree(filters: Mapping[str, Any]) -> str:
    """Return what a bound on agreement keeps: which share of the pairs of judges agrees on it."""
    least = filters["min_agreement"]
    what = "criteria of single answers" if filters.get("agreement_of") == "verdict" else "criteria"
    pairs = "all" if least == 1 else f"at least {100 * least:.4g}% of the"
    whose = " of other families" if filters.get("agreement_without_family") else ""
    return f"{what} on which {pairs} pairs of judges{whose} agree"


FLAGS = tuple(Option(each.name, default=each.default, **each.metadata) for each in fields(Slice))
"""The declarations from which flags, widgets and documentation are made."""


def _described(flag: Option) -> str:
    """Return a filter with its values, its meaning and its default, as `help` shows it."""
    values = f" ({', '.join(map(repr, flag.choices))})" if flag.choices else ""
    default = f" (default: {flag.default!r})" if flag.default not in (None, (), False) else ""
    text = f"{flag.name}{values}: {flag.meaning}{default}"
    return textwrap.fill(text, 100, initial_indent=" " * 8, subsequent_indent=" " * 12)


Slice.__doc__ = "\n".join([f"{Slice.__doc__}", "    Filters:", *map(_described, FLAGS)])

FLAG_NAMES: tuple[str, ...] = tuple(sorted(flag.name for flag in FLAGS))


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if name not in FLAG_NAMES:
            raise unknown("filter", name, FLAG_NAMES, import_hint(name, FLAG_NAMES))


def _with_known_names(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def checked(self: Slice, **values: Any) -> None:
        with python_words():
            _check_names(values)
        init(self, **values)

    return checked


Slice.__init__ = _with_known_names(Slice.__init__)  # type: ignore[method-assign] # a misspelt filter has choices


def _is_empty(value: Any) -> bool:
    """Whether a filter is not given: None, or a list, array or text without anything in it."""
    return value is None or (isinstance(value, Sized) and len(value) == 0)


def is_set(value: Any) -> bool:
    """Whether a filter or an option has a value, such as 0: anything but None, False and what is empty."""
    return value is not False and not _is_empty(value)


def _lengths(name: str, value: Any) -> Bounds:
    if isinstance(value, str) and _GROUP_OF_LENGTHS.fullmatch(value):
        value = value.replace("-", ":")
    ends = bounds_of(name, value)
    if any(end is not None and end < 0 for end in ends):
        raise UsageError(f"{name} {value!r} has an end below 0; write a length, or leave that end out")
    return ends


_GROUP_OF_LENGTHS = re.compile(r"\d+-\d+")
"""How a group of lengths is called where rows are grouped by them."""


def _parse(flag: Option, value: Any) -> Any:
    if flag.kind == "switch":
        return switch(flag.name, value)
    if flag.kind == "names":
        parts = parts_of(value)
        if None in parts:
            remedy = "leave it out, or write a range as a text, such as '82:'"
            raise UsageError(f"{flag.name} {value!r} holds None; {remedy}")
        return tuple(name_of(flag, part) for part in parts)
    if flag.kind == "numbers":
        return tuple(whole_number(flag.name, part, least=1) for part in parts_of(value))
    if flag.kind == "range":
        return _lengths(flag.name, value)
    if flag.kind != "number":
        return name_of(flag, value)
    if isinstance(flag.default, int):
        return whole_number(flag.name, value, least=0)
    number = finite_number(flag.name, value, "0.9")
    if not 0 <= number <= 1:
        raise UsageError(f"{flag.name} {value!r} is not between 0 and 1; write one such as 0.9")
    return number


def parts_of(value: Any) -> list[Any]:
    """Split a text at commas; return the items of anything else that has several unchanged."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, Iterable) and not isinstance(value, bytes) else [value]


OF_INTERVALS = "intervals are of 95%, which cannot be changed, and level= is what is counted"
"""What is said to those who ask for intervals of another level."""


def name_of(flag: Option, value: Any) -> str:
    """Return a name, one of the option's choices if it has any; UsageError for any other value."""
    if flag.choices and str(value) not in flag.choices:
        hint = OF_INTERVALS if flag.name == "level" and is_number(value) else ""
        raise unknown(flag.name.replace("_", " "), value, flag.choices, hint)
    return str(value)


def switch(name: str, value: Any) -> bool:
    """Return a switch, which may be written as a word; UsageError for any other value."""
    word, yes, no = str(value).lower(), ("true", "1", "yes", "on"), ("false", "0", "no", "off")
    if word not in yes + no:
        raise unknown(name, value, ("true", "false"))
    return word in yes


def is_number(value: object) -> bool:
    """Return whether a value is a number, or a text that is one."""
    try:
        return isfinite(float(str(value).removesuffix("%")))
    except ValueError:
        return False


def finite_number(name: str, value: Any, example: str) -> float:
    """Return a finite number; UsageError for any other value."""
    try:
        number = float("nan") if isinstance(python_value(value), bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number):
        raise UsageError(f"{name} {value!r} is not a number; write one such as {example}")
    return number


_MOST = 2**63 - 1
"""The largest whole number of arrays."""


def whole_number(name: str, value: Any, least: int, example: str = "3") -> int:
    """Return a whole number that is at least `least`; UsageError for any other value."""
    number = finite_number(name, value, example)
    if number < least or number != int(number):
        raise UsageError(f"{name} {value!r} is not a whole number from {least}; write one such as {example}")
    if number > _MOST:
        raise UsageError(f"{name} {value!r} is too large; write a whole number such as {example}")
    return int(number)


def bounds_of(name: str, value: Any) -> Bounds:
    """Return the ends of a range `LOW:HIGH`, None for one that is left out; UsageError for no range."""
    parts = value.split(":") if isinstance(value, str) else parts_of(value)
    if len(parts) != 2:
        raise UsageError(
            f"{name} {value!r} is not a range; write ",
            Wording(
                "LOW:HIGH (either end may be left out)",
                'LOW:HIGH, such as "20:80", or (20, 80) (either end may be left out, or None)',
            ),
        )
    low, high = (None if part in (None, "") else finite_number(name, part, "90") for part in parts)
    if low is not None and high is not None and low > high:
        raise UsageError(f"{name} {value!r} is empty; write the lower end first")
    return low, high


def parse_filters(text: str) -> dict[str, str]:
    """Read filters written as `axis=accuracy;polarity=negative`; UsageError for anything else.

    The words of readers, such as topic, and one judge for judges, name their filters. `segment>=74` is the
    range `segment=74:`, and with `segment<=90` beside it `segment=74:90`.
    """
    pairs: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, value = _name_and_value(part)
        plain = _without_words(name)
        own = next((each for each in (plain, _OF_IMPORTED.get(plain)) if each in FLAG_NAMES), None)
        column = own or name.strip().replace("-", "_")
        if value.startswith(":") and pairs.get(column, "").endswith(":"):
            value = pairs.pop(column) + value[1:]
        elif value.endswith(":") and pairs.get(column, "").startswith(":"):
            value += pairs.pop(column)[1:]
        if column in pairs:
            raise UsageError(f"{text!r} gives {column} twice; separate its values by commas")
        pairs[column] = value
    if not pairs:
        raise UsageError(f"{text!r} holds no filter; {_FILTERS}")
    return pairs


_FILTERS = "write for example axis=accuracy;polarity=negative, or segment>=10 for a range"


def _name_and_value(part: str) -> tuple[str, str]:
    """Return the column and the value of one filter; `>=` and `<=` are ranges with one end."""
    name, equals, value = part.partition("=")
    value = value.strip()
    if equals and value and name.endswith((">", "<")):
        return name[:-1], f"{value}:" if name.endswith(">") else f":{value}"
    if "<" in name or ">" in name:
        raise UsageError(f"filter {part!r}: a range has its ends within it; write >= or <=")
    if not equals or not value:
        raise UsageError(f"filter {part!r} is not COLUMN=VALUE; {_FILTERS}")
    return name, value


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return what scripts of earlier versions import from here."""
        if name in ("save_slice", "delete_slice", "saved_filters", "apply_saved_slices"):
            from engine import saved_slices

            return getattr(saved_slices, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
