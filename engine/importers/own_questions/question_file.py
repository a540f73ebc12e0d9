"""Questions for models to answer, from a table or from a text file with one on each line.

A table is CSV, Excel, JSON Lines or any other that `table_rows` reads; its columns are found by their names.
What a file leaves open is an error that says what to add, and nothing is left out without a word.
"""

import io
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.errors import BadInputError, UsageError, unknown
from engine.importers.own_questions.question_checks import Questions, checked_questions
from engine.importers.own_questions.question_columns import COLUMNS, column_roles
from engine.importers.own_questions.question_rows import Question, question_of
from engine.importers.reading.json_rows import LONGEST_ROW, existing_path, lines, open_bounded
from engine.importers.reading.rows import ImportStats, Row, refuse
from engine.importers.reading.tables import nested_rows
from engine.importers.reading.text_tables import encoding_of
from engine.importers.tables.table_columns import DECLARED, matching, sided

EXPECTED = "questions as CSV, Excel (.xlsx), JSON Lines, or a text file (.txt) with one on each line"
TEXT_SUFFIX = ".txt"


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
        return checked_questions(place.name, _lines_of(place, tally), {}, (), tally)
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
    if not names and _is_of_judgments(list(columns), rows):
        raise BadInputError(
            f"{place.name!r} is a table of judgments, by its columns, and not of questions; read it with "
            f"`{shlex.join(['spb', 'import', os.fspath(path)])}`, or give a file with each question once"
        )
    roles = column_roles(place.name, list(columns), rows, names)
    used = {column for each in roles.values() for column in each}
    unread = tuple(name for name in columns if name not in used)
    return checked_questions(place.name, (question_of(row, roles) for row in rows), roles, unread, tally)


def _is_of_judgments(columns: Sequence[str], rows: Sequence[Row]) -> bool:
    """Return whether columns are called like a judge, who has several rows, its verdict and who answered."""

    def so_called(*names: str) -> list[str]:
        groups = (group for name in names for group in DECLARED[name].groups())
        return [column for group in groups for column in matching(columns, group)]

    judges, models = so_called("judge"), so_called("generator", "opponent")
    models += [pair.first for pair in sided(columns) if pair.may_be_models]
    if not judges or not models or not so_called("met", "score", "choice"):
        return False
    values = [row.values.get(judges[0]) for row in rows]
    return len(set(map(str, values))) < len(values)


def text_questions(text: str) -> Questions:
    """Return the questions in a text with one on each line."""
    rows = enumerate(io.StringIO(text), start=1)
    questions = (Question("the text", number, {"prompt": line.strip()}) for number, line in rows)
    return checked_questions(
        "the text", (each for each in questions if each.values["prompt"]), {}, (), ImportStats()
    )


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
