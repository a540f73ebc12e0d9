"""Which column of a file of questions is what: the columns named, else those so called."""

import re
from collections.abc import Mapping, Sequence

from engine.errors import BadInputError, UsageError, unknown
from engine.importers.reading.columns import column_in
from engine.importers.reading.rows import Row, excerpt
from engine.importers.tables.table_columns import DECLARED, matching, plain
from engine.phrases import join_names

COLUMNS: dict[str, str] = {
    "prompt": "the question",
    "criteria": "what a good answer meets, one criterion on each line of the cell",
    "reference_answer": DECLARED["reference_answer"].meaning,
    "category": DECLARED["category"].meaning,
    "theme": DECLARED["theme"].meaning,
    "language": DECLARED["language"].meaning,
    "segment": DECLARED["segment"].meaning,
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


class QuestionColumnError(BadInputError):
    """It is open which of `columns` holds the questions; `likely` may. `problem` has no remedy."""

    def __init__(self, problem: str, columns: Sequence[str], likely: str) -> None:
        super().__init__(f"{problem}; name it as the column prompt")
        self.problem, self.columns, self.likely = problem, tuple(columns), likely


def column_roles(
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


def is_numbered_criterion(column: str) -> bool:
    """Return whether a column is read as one of several criteria by its name, such as criterion_2."""
    return _NUMBERED.fullmatch(plain(column)) is not None


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
