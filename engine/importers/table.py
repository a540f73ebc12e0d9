"""Any table of judgments, with columns named by `--map`, and questions about unclear values."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import BadInputError, UsageError, unknown
from engine.importers.reading.format import Field, Format, ImportOptions, files_in, instance_of
from engine.importers.reading.rows import (
    BadRowError,
    Choice,
    ImportStats,
    InstanceRows,
    Row,
    StudyRows,
    excerpt,
    number_of,
)
from engine.importers.reading.tables import (
    SUFFIXES,
    column_in,
    first_part,
    meaning_of,
    melt,
    nested_rows,
    value_at,
)

# ------------------------------------------------------------------------------
# The meaning of values in a table's columns, and the questions if it is unclear.
#
# `MET` and `SIDES` are the words for verdicts, `NO_VERDICT` those for a missing one. If the first rows of a
# column hold anything else, or values with two possible meanings, the import stops with a question: a wrong
# guess would reverse every number that follows.


MET = {
    **dict.fromkeys(("true", "1", "1.0", "yes", "y", "met", "pass", "passed", "correct"), True),
    **dict.fromkeys(
        ("false", "0", "0.0", "no", "n", "not met", "not_met", "fail", "failed", "incorrect"), False
    ),
}
SIDES: dict[str, Choice] = {
    **dict.fromkeys(
        ("generator", "a", "model_a", "model_1", "response_a", "assistant_a", "1", "left", "first"),
        "generator",
    ),
    **dict.fromkeys(
        ("opponent", "b", "model_b", "model_2", "response_b", "assistant_b", "2", "right", "second"),
        "opponent",
    ),
    **dict.fromkeys(("tie", "equal", "draw", "both", "c", "tie (bothbad)", "both_bad", "0", "same"), "tie"),
}
NO_VERDICT = frozenset(
    (
        *("", "-1", "-1.0", "error", "none", "null", "nan", "n/a", "na", "unparsed", "refused", "refusal"),
        *("invalid", "unknown", "failed to parse", "parse error", "no verdict", "missing", "?", "-"),
    )
)

_MOST_VALUES = 6
_DECIMAL_COMMA = re.compile(r"-?[\d.]+,[\d.,]+")


def lookup_key(value: object) -> str:
    """Return a value in the form for look-ups: lower case, stripped, whole floats as integers."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().lower()


def is_no_verdict(value: object) -> bool:
    """Return whether a value is a known way to write a missing verdict."""
    return value is None or lookup_key(value) in NO_VERDICT


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the first rows: the file, our name, the file's name, and the counts of its values."""

    file: str
    name: str
    field: str
    values: Counter[str]

    def question(self, values: Counter[str], problem: str, example: str) -> BadInputError:
        first = next(iter(values))
        return BadInputError(
            f"{self.file!r}: {self.field!r} holds {common_values(values)}; {problem}. What do they mean? "
            f"Give such as --value {self.name}:{excerpt(first)}={example}"
        )

    def unlike(self, *word_sets: Iterable[str]) -> Counter[str]:
        words = set().union(*word_sets)
        return Counter({value: count for value, count in self.values.items() if value not in words})


def common_values(values: Counter[str]) -> str:
    """Return the most common values with their counts, in words."""
    text = ", ".join(f"{excerpt(value)!r} ({count:,})" for value, count in values.most_common(_MOST_VALUES))
    return text + (", ..." if len(values) > _MOST_VALUES else "")


def check_sides(column: Column, models: Iterable[str]) -> None:
    """Raise BadInputError if a value names no side, or if all are 0 and 1, which is ambiguous."""
    names = {lookup_key(model) for model in models}
    sides = column.unlike(names)
    if sides.keys() & {"0", "1"} and sides.keys() <= {"0", "1", "-1"}:
        problem = "0 may be a tie or the first side, 1 the first side or the second"
        raise column.question(column.values, problem, "a,OTHER=b")
    if unclear := column.unlike(names, SIDES, NO_VERDICT):
        raise column.question(unclear, "these name neither model, nor a side, nor a tie", "a,OTHER=tie")


def check_scores(column: Column, *, scaled: bool) -> None:
    """Raise BadInputError if a value is not a number, or above 1 without a scale."""
    unclear = Counter({v: n for v, n in column.unlike(NO_VERDICT).items() if number_of(v) is None})
    if any(_DECIMAL_COMMA.fullmatch(value) for value in unclear):
        raise BadInputError(
            f"{column.file!r}: {column.field!r} holds {common_values(unclear)}, which are not numbers; write "
            "them with a decimal point, and without marks between thousands"
        )
    if unclear:
        raise column.question(unclear, "these are not numbers", "5,OTHER=4")
    highest = max((number_of(value) or 0 for value in column.values), default=0)
    if highest > 1 and not scaled:
        raise BadInputError(
            f"{column.file!r}: {column.field!r} goes up to {highest:g}, where 1 is perfect. On which scale "
            f"are the scores? Give --set scale={highest:g}, which divides them, or a higher one"
        )


_EXPECTED = (
    "a table (.csv, .tsv, .xlsx, .parquet, .jsonl, .json, .feather) with a judgment in each row: judge, "
    "generator, question, and met, score or choice; name its fields with --map judge=FIELD generator=FIELD"
)
COLUMNS: dict[str, str] = {
    "judge": "the model that judged",
    "generator": "the model that wrote the response",
    "opponent": "pairs: the model that wrote the other response",
    "first": "pairs: which was shown first",
    "choice": "pairs: which won",
    "met": "whether the criterion is met",
    "score": "the score, divided by `scale` if that is set",
    "p_generator": "pairs: the probability of choosing the generator",
    "paradigm": "the paradigm; else the one that the verdict suggests",
    "variant": "the prompt template's name",
    "status": "ok, unparsed, refused or error",
    "explanation": "the judge's reason",
    "raw": "the judge's whole answer",
    "scale": "what a score is divided by",
    "instance_id": "the question's id; else made from the prompt",
    "prompt": "the question's text",
    "category": "its kind of task",
    "theme": "its topic",
    "language": "its language",
    "reference_answer": "an answer known to be good",
    "rubric_id": "the rubric's id; else made from the criterion",
    "criterion": "the rubric's text",
    "points": "the rubric's weight",
    "axis": "the quality that the rubric is about",
    "response": "the generator's response",
    "opponent_response": "the opponent's response",
    "reference_met": "whether the criterion is truly met",
    "reference_score": "the true score",
    "reference_source": "the source of the reference: program, human or human:<id>; else human",
    "preference": "pairs: which is truly better",
}
"""The columns that `--map` and `--set` can name, with their meanings."""

SAMPLE = 2000  # rows that are checked before any is imported

_DESCRIPTIONS = ("dataset_info.json", "state.json", "dataset_dict.json")
"""Files of a data set on disk that describe it and hold no rows."""

_SOURCE = schema.TABLES["references"].column("source")
_ABOUT_INSTANCES = ("prompt", "category", "theme", "language", "reference_answer")
_ABOUT_RUBRICS = ("criterion", "axis")
_REQUIRED = {"rubric": "rubric_id", "dimension": "rubric_id", "pair": "opponent", "list": "ordering"}
_VERDICTS = {"rubric": ("met",), "pair": ("choice", "p_generator")}
"""The column that a judgment must fill, and those of which a verdict fills one (else score), by subject."""

_RANGES = {
    "response": (0, 1, "score is not from 0 to 1 (--set scale=10 divides it)"),
    "dimension": (0, 10, "score is not from 0 to 10 (--set scale=10 divides it)"),
    "words": (-math.inf, 0, "score is above 0, which no mean log-probability is"),
}
"""The lowest and highest score, and what is wrong with any other, by subject."""


class Table:
    """Reads rows, of files or given, by the fields that the user named.

    `--map judge=rater` takes the column `judge` from the field `rater`, or from a path such as
    `scores.judge`. `--set paradigm=pairwise` sets a column everywhere, `--value choice:0=a,1=b` says what
    values mean, and `--judges gpt-4o,claude` that each of these columns is a judge's. A column that is not
    mentioned is read from a field of its own name, ignoring case and blanks. `MET`, `SIDES` and `NO_VERDICT`
    define which values are verdicts; others stop the import with a question.
    """

    def __init__(
        self, path: Path, options: ImportOptions, tally: ImportStats, rows: Iterator[Row] | None = None
    ) -> None:
        for option, names in (("map", options.map), ("set", options.set), ("value", options.value)):
            for name in names:
                if name not in COLUMNS:
                    raise unknown(f"column of --{option}", name, COLUMNS)
        self.path, self.options, self.tally = path, options, tally
        self._rows_in_memory = rows
        self.constants = dict(options.set) | ({"judge": options.judge} if options.judge else {})
        self.constants |= {"generator": options.generator} if options.generator else {}
        self.places: dict[str, str] = {}
        self.empty = 0
        scale = number_of(self.constants.get("scale", "1"))
        if scale is None or scale <= 0:
            value = self.constants["scale"]
            raise UsageError(f"--set scale={value!r} is not a number above 0; give one such as 10")

    @property
    def fields(self) -> tuple[Field, ...]:
        count = self.tally.fields
        return tuple(Field(place, name) for name, place in self.places.items() if count[first_part(place)])

    def rows(self) -> Iterator[Row]:
        """Yield the rows, one for each judge of a wide table, after checking the first of them."""
        rows = self._rows_in_memory
        if rows is None:
            files = files_in(self.path, *SUFFIXES, expected=_EXPECTED)
            if not self.path.is_file():
                files = [file for file in files if file.name not in _DESCRIPTIONS]
            rows = (row for file in files for row in nested_rows(file, self.tally, _EXPECTED))
        sample = list(islice(rows, SAMPLE))
        if not sample:
            return
        columns = list(dict.fromkeys(name for row in sample for name in row.values))
        judges = tuple(self._field(name, columns, "--judges") for name in self.options.judges)
        self.places = dict(self._names(columns))
        if judges:
            verdict = self._wide(sample, judges)
            self.places |= {"judge": "judge", verdict: verdict}
            sample = [row for wide_row in sample for row in self._melt(wide_row, judges, verdict)]
            rows = (row for wide_row in rows for row in self._melt(wide_row, judges, verdict))
        self._check(sample)
        yield from sample
        fields = {*columns, *self.places.values()}
        for row in rows:
            if not fields.issuperset(row.values):  # a column may have its first value after the sample
                fields.update(row.values)
                self.places = self._same_named(fields) | self.places
            yield row
        if self.empty:
            self.tally.note(f"empty cells of the judges' columns, which give no judgment: {self.empty:,}")

    def _melt(self, row: Row, judges: tuple[str, ...], verdict: str) -> list[Row]:
        """Return the rows of a wide row, one for each judge; empty cells are counted."""
        rows = list(melt(row, judges, verdict))
        self.empty += len(judges) - len(rows)
        return rows

    def _names(self, columns: list[str]) -> Iterator[tuple[str, str]]:
        """Yield our columns with their fields: as mapped, else of the same name."""
        same_named = self._same_named(columns)
        for name in COLUMNS:
            if (field := self.options.map.get(name)) is not None and name not in self.constants:
                yield name, self._field(field, columns, f"--map {name}=")
            elif name in same_named:
                yield name, same_named[name]

    def _same_named(self, columns: Iterable[str]) -> dict[str, str]:
        """Return our columns that are neither mapped nor constant, with the field of the same name."""
        names = (name for name in COLUMNS if name not in self.constants and name not in self.options.map)
        return {name: field for name in names if (field := column_in(name, columns)) is not None}

    def _field(self, name: str, columns: list[str], option: str) -> str:
        """Return the field that a name or path refers to; UsageError if there is none."""
        if (exact := column_in(name, columns)) is not None:
            return exact
        root = column_in(first_part(name), columns)
        if root is None or root == name:
            fields = ", ".join(map(repr, columns[:30])) or "none"
            column = option.removeprefix("--map ").rstrip("=")
            hint = f"; for one value in every row, give --set {column}={name}" if column != option else ""
            raise UsageError(f"{option} names {name!r}, which no row has; the fields are {fields}{hint}")
        return root + name[len(first_part(name)) :]

    def _wide(self, rows: list[Row], judges: tuple[str, ...]) -> str:
        """Return our column for the cells of the judges' columns; BadInputError if that is unclear."""
        for name in ("met", "score", "choice"):
            if name in self.options.value:
                return name
        if "opponent" in self.places or "opponent" in self.constants:
            return "choice"
        cells = Counter(lookup_key(row.values[name]) for row in rows for name in judges if name in row.values)
        column = Column(self.path.name, "met", judges[0], cells)
        unclear = column.unlike(MET, NO_VERDICT)
        if unclear and any(number_of(value) is None for value in column.unlike(NO_VERDICT)):
            raise column.question(unclear, "these are neither true nor false", "yes,OTHER=no")
        return "score" if unclear else "met"

    def _check(self, sample: list[Row]) -> None:
        cells = [self._cells(row.values) for row in sample]
        columns = {}
        for name in ("choice", "preference", "first", "met", "reference_met", "score"):
            values = Counter(lookup_key(row[name]) for row in cells if name in row)
            columns[name] = Column(self.path.name, name, self.places.get(name, name), values)
        models = {str(row[name]) for row in cells for name in ("generator", "opponent") if name in row}
        for name in ("choice", "preference", "first"):
            check_sides(columns[name], models)
        for name in ("met", "reference_met"):
            if unclear := columns[name].unlike(MET, NO_VERDICT):
                raise columns[name].question(unclear, "these are neither true nor false", "yes,OTHER=no")
        names = {*self.places, *self.constants}
        self._check_verdict(names, sample)
        if columns["met"].values and not names & {"rubric_id", "criterion", "opponent", "paradigm"}:
            raise UsageError(
                "met says whether a criterion is met, and no column names one; give --map rubric_id=FIELD or "
                "criterion=FIELD, or --set rubric_id=overall if there is only one"
            )
        direct = not names & {"opponent", "rubric_id", "criterion", "paradigm"}
        direct |= self.constants.get("paradigm") == "direct_assessment"
        check_scores(columns["score"], scaled="scale" in names or not direct)

    def _check_verdict(self, names: set[str], sample: list[Row]) -> None:
        """Raise UsageError if there is a judge but no column with verdicts."""
        verdicts = {"choice", "p_generator"} if "opponent" in names else {"met", "score"}
        if "judge" not in names or names & {*verdicts, "status"}:
            return
        fields = dict.fromkeys(name for row in sample for name in row.values)
        unused = ", ".join(repr(name) for name in fields if name not in self.places.values()) or "none"
        verdict = "choice" if "opponent" in names else "met or score"
        raise UsageError(
            f"no column is {verdict}, which says what the judge found; unused columns: {unused}. "
            f"Name it with --map {verdict.split()[0]}=FIELD"
        )

    def read(self, row: Row) -> StudyRows:
        """Return the judgment of a row, with its question, rubric, responses and references."""
        cells = Row(row.file, row.number, self._cells(row.values))
        name = cells.maybe_text("instance_id")
        if not name and cells.values.get("prompt") is None:
            raise BadRowError(f"neither {self.options.map.get('instance_id', 'instance_id')} nor prompt")
        rows = InstanceRows(name or instance_of(cells.text("prompt")), **_texts(cells, _ABOUT_INSTANCES))
        generator, pair = cells.text("generator"), cells.maybe_text("opponent")
        rubric = cells.maybe_text("rubric_id")
        if rubric is None and cells.values.get("criterion") is not None:
            rubric = instance_of(cells.text("criterion"))
        if rubric is not None:
            rows.rubric(rubric, **_texts(cells, _ABOUT_RUBRICS), points=_maybe_number(cells, "points"))
        for model, column in ((generator, "response"), (pair, "opponent_response")):
            if model is not None and cells.values.get(column) is not None:
                rows.response(model, cells.words(column))
        self._truth(rows, cells, generator, pair, rubric)
        if "judge" in cells.values:
            rows.judgment(**self._judgment(cells, generator, pair, rubric))
        elif not rows.tables.keys() & {"references", "preferences"}:
            raise BadRowError(f"no {self.options.map.get('judge', 'judge')}")
        return rows.tables

    def _cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row by our columns: the constant, else the field's value, mapped to our words."""
        meanings = self.options.value
        cells = {
            name: meaning_of(value_at(values, place), meanings.get(name))
            for name, place in self.places.items()
        }
        return {name: value for name, value in cells.items() if value is not None} | self.constants

    def _judgment(self, cells: Row, generator: str, pair: str | None, rubric: str | None) -> dict[str, Any]:
        has_scores = {*self.places, *self.constants} & {"met", "score"} == {"score"}
        default_paradigm, verdict = _verdict(cells, generator, pair, has_scores=has_scores)
        paradigm = cells.maybe_text("paradigm") or default_paradigm
        if paradigm not in schema.PARADIGMS:
            raise BadRowError("paradigm is not one of " + ", ".join(schema.PARADIGMS), paradigm)
        subject = schema.TRAITS[paradigm].subject
        low, high, problem = _RANGES.get(subject, (-math.inf, math.inf, ""))
        if "score" in verdict and not low <= verdict["score"] <= high:
            raise BadRowError(problem, verdict["score"])
        row = {
            "judge": cells.text("judge"),
            "paradigm": paradigm,
            "generator": generator,
            "opponent": pair,
            "rubric_id": rubric if paradigm not in ("direct_assessment", "pairwise") else None,
            **{name: cells.maybe_text(name) for name in ("variant", "explanation", "raw")},
            **verdict,
        }
        if paradigm == "pairwise":
            value = cells.values.get("first")
            first = None if is_no_verdict(value) else _side(value, generator, pair)
            if first not in ("generator", "opponent") and not is_no_verdict(value):
                raise BadRowError("first names neither response (--value first:VALUE=a says which)", value)
            row["first"] = first or "unknown"
        required, verdicts = _REQUIRED.get(subject), _VERDICTS.get(subject, ("score",))
        if required is not None and row.get(required) is None:
            raise BadRowError(f"no {required}, which {paradigm} needs")
        if row["status"] == "ok" and all(row.get(name) is None for name in verdicts):
            raise BadRowError(f"no {' or '.join(verdicts)}, which {paradigm} needs")
        return row

    def _truth(
        self, rows: InstanceRows, cells: Row, generator: str, pair: str | None, rubric: str | None
    ) -> None:
        """Add the references and preferences of a row."""
        source = cells.maybe_text("reference_source") or "human"
        has_reference = {"reference_met", "reference_score"} & cells.values.keys()
        if rubric is not None and has_reference:
            if source not in _SOURCE.choices and not re.fullmatch(f"(?s:{_SOURCE.pattern})", source):
                raise BadRowError("reference_source is not program, human or human:<id>", source)
            met, score = _met(cells, "reference_met"), _score(cells, "reference_score")
            rows.reference(source, generator, rubric, met=met, score=score)
        elif has_reference:
            self.tally.note(
                "reference_met and reference_score are about a rubric: they are not stored in rows without "
                "one (--set rubric_id=overall names it)"
            )
        preference = cells.values.get("preference")
        if pair is not None and not is_no_verdict(preference):
            side = _side(preference, generator, pair)
            if side is None:
                raise BadRowError("preference names neither side", preference)
            gold = source if source.startswith("human:") or source != "human" else "human:reference"
            rows.preference(gold, side, generator, pair)


def _verdict(cells: Row, generator: str, pair: str | None, *, has_scores: bool) -> tuple[str, dict[str, Any]]:
    """Return the paradigm that a verdict suggests, and the verdict with its status.

    With `has_scores` the table has scores and no met: a row without a verdict lacks a score.
    """
    choice, met, score = (cells.values.get(name) for name in ("choice", "met", "score"))
    status = cells.maybe_text("status")
    columns: dict[str, Any] = {}
    if pair is not None:
        paradigm = "pairwise"
        side = _side(choice, generator, pair)
        if side is None and not is_no_verdict(choice):
            raise BadRowError("choice names neither side (--value choice:VALUE=a says which)", choice)
        share = _score(cells, "p_generator")
        if share is not None and not 0 <= share <= 1:
            raise BadRowError("p_generator is not from 0 to 1", share)
        columns = {"choice": side, "p_generator": share}
    elif met is not None or (score is None and not has_scores):
        paradigm = "single_rubric"
        columns = {"met": _met(cells, "met")}
    else:
        has_rubric = cells.values.get("rubric_id") is not None or cells.values.get("criterion") is not None
        paradigm = "score_rubric" if has_rubric else "direct_assessment"
        number, scale = _score(cells, "score"), number_of(cells.values.get("scale", 1))
        if scale is None or scale <= 0:
            raise BadRowError("scale is not a number above 0", cells.values["scale"])
        columns = {"score": None if number is None else number / scale}
    if status is not None and status not in schema.STATUSES:
        raise BadRowError("status is not one of " + ", ".join(schema.STATUSES), status)
    if status not in (None, "ok"):
        return paradigm, {"status": status}
    values = {name: value for name, value in columns.items() if value is not None}
    return paradigm, {**values, "status": "ok" if values else "unparsed"}


def _met(cells: Row, name: str) -> bool | None:
    """Return a truth value of a row, None for a missing verdict; BadRowError for anything else."""
    value = cells.values.get(name)
    met = None if value is None else MET.get(lookup_key(value))
    if met is None and not is_no_verdict(value):
        raise BadRowError(f"{name} is neither true nor false (--value {name}:VALUE=yes says which)", value)
    return met


def _score(cells: Row, name: str) -> float | None:
    """Return a number of a row, None for a missing verdict; BadRowError for anything else."""
    return None if is_no_verdict(cells.values.get(name)) else _maybe_number(cells, name)


def _side(value: object, generator: str, pair: str | None) -> Choice | None:
    """Return the side that a value names: by a model's name, in any case, or a word or letter for a side."""
    if value is None:
        return None
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    sides: dict[str | None, Choice] = {generator: "generator", pair: "opponent"}
    matches = [side for model, side in sides.items() if lookup_key(model) == text.lower()]
    return sides.get(text) or SIDES.get(text.lower()) or (matches[0] if len(matches) == 1 else None)


def _maybe_number(cells: Row, name: str) -> float | None:
    """Return an optional number of a row; BadRowError if the value is not a number."""
    value = cells.values.get(name)
    number = number_of(value)
    if number is None and value is not None:
        raise BadRowError(f"{name} is not a number", value)
    return number


def _texts(cells: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: cells.maybe_text(name) for name in names if name in cells.values}


FORMAT = Format(
    "table",
    "Table of judgments",
    "",
    _EXPECTED,
    tuple(Field(name, name, meaning) for name, meaning in COLUMNS.items()),
    Table,
    ("judge", "generator", "map", "set", "value", "judges"),
)
