"""All questions of a file together: blank ones left out, repeated ones asked once, ids unique."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import BadInputError, bad_row
from engine.importers.own_questions.question_columns import COLUMNS
from engine.importers.own_questions.question_rows import Question
from engine.importers.reading.format import instance_of
from engine.importers.reading.rows import ImportStats, excerpt
from engine.phrases import join_names, quantity

_LONG = 100_000
"""Characters beyond which most models refuse a question."""

_MOST_ROWS_NAMED = 5


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


def checked_questions(
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
