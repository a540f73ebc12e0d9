"""Questions for models to answer, from a table or from a text file with one on each line.

A table is CSV, Excel, JSON Lines or any other that `table_rows` reads; its columns are found by their names.
What a file leaves open is an error that says what to add, and nothing is left out without a word.
"""

import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import BadInputError, UsageError, bad_row, unknown
from engine.importers.reading.format import instance_of, prompt_of
from engine.importers.reading.json_rows import LONGEST_ROW, existing_path, lines, open_bounded
from engine.importers.reading.rows import BadRowError, ImportStats, Row, excerpt, number_of, refuse, text_of
from engine.importers.reading.tables import column_in, encoding_of, nested_rows
from engine.importers.table_columns import DECLARED, matching, plain
from engine.phrases import join_names, quantity

EXPECTED = "questions as CSV, Excel (.xlsx), JSON Lines, or a text file (.txt) with one on each line"
TEXT_SUFFIX = ".txt"

COLUMNS: dict[str, str] = {
    "prompt": "the question",
    "criteria": "what a good answer meets, one criterion on each line of the cell",
    "reference_answer": DECLARED["reference_answer"].meaning,
    "category": DECLARED["category"].meaning,
    "theme": DECLARED["theme"].meaning,
    "language": DECLARED["language"].meaning,
    "context": "background that the answer must rely on",
    "instance_id": "its id; else made from the question",
}
"""The columns of a file of questions, with their meanings."""

_MORE_NAMES = {
    "prompt": ("questions prompts", "messages", "q text"),
    "criteria": ("criterion rubric rubrics",),
    "reference_answer": ("reference gold ideal target expected ground_truth solution",),
}
"""Names that columns have in files of questions alone, in groups, the most telling first."""
_NUMBERED = re.compile(r"(?:criterion|criteria|rubric)_?(\d{1,4})")
_BULLET = re.compile(r"^(?:[-*•]\s+)")
_SPACES = " \t\r\n"
_LONG = 100_000
"""Characters beyond which most models refuse a question."""
_MOST_ROWS_NAMED = 5


class QuestionColumnError(BadInputError):
    """It is open which of `columns` holds the questions; `likely` may. `problem` has no remedy."""

    def __init__(self, problem: str, columns: Sequence[str], likely: str) -> None:
        super().__init__(f"{problem}; name it as the column prompt")
        self.problem, self.columns, self.likely = problem, tuple(columns), likely


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions as rows of `instances`, and their criteria as rows of `rubrics`.

    `columns` has the file's columns by ours; of a text file it is empty. `unread` are the other columns.
    `notes` say what was not taken as it stands, in sentences without a full stop.
    """

    instances: tuple[dict[str, Any], ...]
    rubrics: tuple[dict[str, Any], ...]
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_jsonl(self) -> str:
        """Return the questions as JSON Lines, which `read_questions` reads as the same questions."""
        criteria: dict[str, list[Any]] = {}
        for row in self.rubrics:
            criterion = {name: row[name] for name in ("criterion", "points") if name in row}
            criteria.setdefault(row["instance_id"], []).append(criterion)
        rows = [
            row | ({"criteria": criteria[row["instance_id"]]} if row["instance_id"] in criteria else {})
            for row in self.instances
        ]
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_questions(path: str | Path, names: Mapping[str, str] | None = None) -> Questions:
    """Read a file of questions; `names` has the file's column for some of ours.

    Raises QuestionColumnError if it is open which column holds the questions, UsageError for a wrong name or
    path, and BadInputError, naming the row, for what cannot be a question.
    """
    names = names or {}
    for name in names:
        if name not in COLUMNS:
            raise unknown("column of questions", name, COLUMNS)
    place = existing_path(path)
    if place.is_dir():
        raise UsageError(f"{os.fspath(path)!r} is a folder; give a file with {EXPECTED}")
    if not place.is_file():
        raise UsageError(f"{os.fspath(path)!r} is not a file; give a file with {EXPECTED}")
    tally = ImportStats()
    if place.name.lower().removesuffix(".gz").endswith(TEXT_SUFFIX):
        if names:
            raise UsageError(f"{place.name!r} has one question on each line and no columns; name none")
        return _collected(place.name, _lines_of(place, tally), {}, (), tally)
    rows = list(nested_rows(place, tally, EXPECTED))
    if tally.left_out:
        reason, rows_lost = next(iter(tally.left_out.items()))
        remedy = "correct the line"
        if "cells" in reason:
            remedy = "put a question that holds a comma, a semicolon or a line end in double quotes"
        raise BadInputError(f"{rows_lost.examples[0]}: {reason}; {remedy}")
    columns = dict.fromkeys(name for row in rows for name in row.values)
    if not rows:
        raise BadInputError(f"{place.name!r} has no questions; write one on each row below the header")
    roles = _roles(place.name, list(columns), rows, names)
    used = {column for each in roles.values() for column in each}
    unread = tuple(name for name in columns if name not in used)
    return _collected(place.name, (_question(row, roles) for row in rows), roles, unread, tally)


def text_questions(text: str) -> Questions:
    """Return the questions in a text with one on each line."""
    rows = enumerate(io.StringIO(text), start=1)
    questions = (Question("the text", number, {"prompt": line.strip()}) for number, line in rows)
    return _collected(
        "the text", (each for each in questions if each.values["prompt"]), {}, (), ImportStats()
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its place: values of `COLUMNS`, and its criteria with their points if these differ."""

    file: str
    number: int
    values: dict[str, str]
    criteria: tuple[tuple[str, float | None], ...] = ()


def _lines_of(path: Path, tally: ImportStats) -> Iterator[Question]:
    with open_bounded(path) as raw:
        encoding, certain = encoding_of(raw.read(1 << 18))
    if not certain:
        tally.note(f"{path.name} is not UTF-8; reading it as {encoding}")
    too_long = refuse(path.name, f"a line has more than {LONGEST_ROW:,} letters", EXPECTED)
    with open_bounded(path) as raw:
        stream = io.TextIOWrapper(raw, encoding)
        try:
            for number, line in enumerate(lines(stream, too_long), start=1):
                if line.strip():
                    yield Question(path.name, number, {"prompt": line.strip()})
        except UnicodeError as error:
            raise refuse(path.name, f"it is not {encoding} throughout ({error})", EXPECTED) from error


# ------------------------------------------------------------------------------
# Which column is what.


def _roles(
    file: str, columns: list[str], rows: Sequence[Row], names: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the file's columns for each of ours that it has: those named, else those so called."""
    roles: dict[str, tuple[str, ...]] = {}
    for name, column in names.items():
        match = column_in(column, columns)
        if match is None:
            raise unknown(f"column of {file!r}, for {name},", column, columns)
        roles[name] = (match,)
    for name in COLUMNS:
        if name in roles:
            continue
        open_columns = [each for each in columns if all(each not in used for used in roles.values())]
        matches = _so_called(name, open_columns)
        if name == "criteria" and not matches:
            numbers = {each: _NUMBERED.fullmatch(plain(each)) for each in open_columns}
            places = {each: int(number[1]) for each, number in numbers.items() if number is not None}
            matches = sorted(places, key=places.__getitem__)
        elif len(matches) > 1:
            problem = f"{file!r}: {join_names([repr(each) for each in matches], 6, 'or')} may hold {{}}"
            if name == "prompt":
                raise QuestionColumnError(problem.format("the questions"), columns, _longest(matches, rows))
            raise UsageError(f"{problem.format(COLUMNS[name])}; name one of them as the column {name}")
        if matches:
            roles[name] = tuple(matches)
        elif name == "prompt":
            quoted = join_names([repr(excerpt(each)) for each in columns], 12)
            if len(columns) == 1:
                quoted += " (if that is a question itself, write question as the first line)"
            problem = (
                f"{file!r}: no column with values is called prompt or question; its columns are {quoted}"
            )
            raise QuestionColumnError(problem, columns, _longest(columns, rows))
    return roles


def _so_called(name: str, columns: Sequence[str]) -> list[str]:
    declared = DECLARED[name].groups() if name in DECLARED else [[name]]
    if name == "prompt":  # a prompt beside a question is as open as two questions
        own, first, *others = declared
        declared = [own + first, *others]
    if name == "instance_id":
        declared = [[each for each in group if each not in ("prompt", "question", "q")] for group in declared]
    for group in (*declared, *(each.split() for each in _MORE_NAMES.get(name, ()))):
        if matches := matching(columns, group):
            return matches
    return []


def _longest(columns: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the column with the longest texts, which is likely to hold the questions."""
    return max(columns, key=lambda name: sum(len(str(row.values.get(name) or "")) for row in rows[:200]))


# ------------------------------------------------------------------------------
# A row as a question.


def _question(row: Row, roles: Mapping[str, tuple[str, ...]]) -> Question:
    try:
        values: dict[str, str] = {}
        for name, columns in roles.items():
            value = row.values.get(columns[0])
            if name == "criteria" or value is None:
                continue
            if name == "prompt" and isinstance(value, list):
                values[name] = _turns(value)
            else:
                values[name] = text_of(value, repr(columns[0])).strip(_SPACES)
        criteria = [
            each for name in roles.get("criteria", ()) for each in _criteria(row.values.get(name), name)
        ]
    except BadRowError as error:
        value_words = "" if error.excerpt is None else f": {error.excerpt}"
        raise bad_row(row.file, row.number, f"{error.reason}{value_words}", "write a text") from None
    filled = {name: value for name, value in values.items() if value}
    return Question(row.file, row.number, filled, tuple(dict.fromkeys(criteria)))


def _turns(value: list[Any]) -> str:
    if not value or not all(
        isinstance(turn, dict) and isinstance(turn.get("content"), str) for turn in value
    ):
        raise BadRowError("the question is a list, and not one of chat messages", value)
    return prompt_of([{"role": str(turn.get("role", "user")), "content": turn["content"]} for turn in value])


def _criteria(value: object, name: str) -> list[tuple[str, float | None]]:
    """Return the criteria of a cell: lines, or a list of texts or of objects with `criterion`, `points`."""
    if value is None:
        return []
    if isinstance(value, str):
        if value.lstrip()[:1] == "[":
            try:
                content = json.loads(value)
            except (ValueError, RecursionError):
                content = None
            if isinstance(content, list):
                return _criteria(content, name)
        texts = (_BULLET.sub("", line.strip()) for line in io.StringIO(value, newline=None))
        return [(text, None) for text in texts if text]
    if not isinstance(value, list):
        raise BadRowError(f"{name!r} is neither a text nor a list", value)
    return [_criterion(each, name) for each in value]


def _criterion(value: object, name: str) -> tuple[str, float | None]:
    text = value.get("criterion", value.get("text")) if isinstance(value, dict) else value
    points = value.get("points") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise BadRowError(f"{name!r} holds a criterion without a text", value)
    if points is not None and number_of(points) is None:
        raise BadRowError(f"the points of a criterion in {name!r} are not a number", points)
    return text.strip(), number_of(points)


# ------------------------------------------------------------------------------
# All questions together.


def _collected(
    file: str,
    questions: Iterable[Question],
    roles: Mapping[str, tuple[str, ...]],
    unread: tuple[str, ...],
    tally: ImportStats,
) -> Questions:
    """Check the questions, leave blank ones out and ask repeated ones once; BadInputError if none is left."""
    blank: list[int] = []
    repeated: list[int] = []
    long: list[int] = []
    by_text: dict[tuple[str, str], Question] = {}
    by_id: dict[str, Question] = {}
    for question in questions:
        _check_texts(question)
        prompt = question.values.get("prompt")
        if prompt is None:
            blank.append(question.number)
            continue
        key = (prompt, question.values.get("context", ""))
        earlier = by_text.get(key)
        if earlier is not None:
            _check_same(question, earlier)
            repeated.append(question.number)
            continue
        instance_id = question.values.get("instance_id") or instance_of(*filter(None, key))
        if (other := by_id.get(instance_id)) is not None:
            raise bad_row(
                file,
                question.number,
                f"its id {excerpt(instance_id)!r} is that of row {other.number} too",
                "give each question an id of its own, or leave the column out",
            )
        if len(prompt) > _LONG:
            long.append(question.number)
        by_text[key] = by_id[instance_id] = question
    if not by_id:
        raise BadInputError(f"{file!r} has no questions; write one on each row")
    notes = [
        *tally.notes,
        *_note(blank, "row", "without a question", "left out"),
        *_note(repeated, "row", "with a question that stands above too", "left out"),
        *_note(long, "question", f"of more than {_LONG:,} characters", "more than many models take"),
    ]
    return Questions(
        tuple(
            {"instance_id": instance_id} | {n: v for n, v in each.values.items() if n != "instance_id"}
            for instance_id, each in by_id.items()
        ),
        tuple(row for instance_id, each in by_id.items() for row in _rubrics(instance_id, each)),
        roles,
        unread,
        tuple(notes),
    )


def _note(rows: Sequence[int], thing: str, which: str, what: str) -> Iterator[str]:
    if rows:
        numbers = join_names([f"{number:,}" for number in rows], _MOST_ROWS_NAMED)
        verb = "is" if len(rows) == 1 else "are"
        place = "row" if len(rows) == 1 else "rows"
        yield f"{quantity(len(rows), thing)} {which} {verb} {what} ({place} {numbers})"


def _check_texts(question: Question) -> None:
    texts = {
        **question.values,
        **{f"criterion {n}": each for n, (each, _) in enumerate(question.criteria, 1)},
    }
    for name, text in texts.items():
        problem = None
        if "\0" in text:
            problem = f"{name} holds a NUL character"
        elif not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            problem = f"{name} holds bytes that are not UTF-8"
        if problem is not None:
            value = excerpt(text).encode("ascii", "backslashreplace").decode()
            raise bad_row(
                question.file,
                question.number,
                f"{problem}: {value!r}",
                "remove it, or save the file as UTF-8",
            )


def _check_same(question: Question, earlier: Question) -> None:
    """Refuse a repeated question that differs in anything but its id."""
    different = [
        name
        for name in COLUMNS
        if name != "instance_id" and question.values.get(name) != earlier.values.get(name)
    ]
    if question.criteria != earlier.criteria:
        different.append("criteria")
    if different:
        raise bad_row(
            question.file,
            question.number,
            f"it repeats the question of row {earlier.number} with another {different[0]}",
            "keep one of the two",
        )


def _rubrics(instance_id: str, question: Question) -> Iterator[dict[str, Any]]:
    for number, (criterion, points) in enumerate(question.criteria, start=1):
        row = {"instance_id": instance_id, "rubric_id": f"c{number}", "criterion": criterion}
        yield row if points is None else row | {"points": points}
