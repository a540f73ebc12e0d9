"""How messages of a reader name what the form of an import asks for: by the labels of its fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.importers.tables.column_candidates import CRITERIA, JUDGES
from engine.phrases import join_names
from explorer.new_run.column_labels import LABELS

JUDGE, GENERATOR, BASELINE = "Judge of the whole file", "Author of all answers", "Baseline"
RUN = "Run"
SCALE, CRITERION = "Highest possible score", "Criterion of every verdict"
STRICT, WHOLE_IDS = "Stop at the first bad row", "Read a question's id 1.0 as 1"
MORE = "More"
NOT_USED = "not used"

FIRST = {"generator": "always the model's", "opponent": "always the opponent's"}
"""The answers to which answer of each pair was shown first; no answer is `NOT_IN_FILE`."""

NOT_IN_FILE = "not in the file"
PLACES = {"first": "the answer shown first", "second": "the answer shown second"}
TRUTHS = {"yes": "passed", "no": "failed", "none": "no verdict"}
TRUTHS_OR_GOOD = {
    "good": "the answer did well",
    "bad": "the answer did badly",
    "yes": "the criterion is met",
    "no": "the criterion is not met",
    "none": "no verdict",
}
"""The meanings of a verdict where some criteria are bad to meet."""

HIGH_SCORE = "What a high score is"
POINTS = {"-1": "bad", "1": "good"}
BAD_CRITERIA = "Criteria that are bad to meet"

SOURCE = "Who decided what is true"
UNNAMED_SOURCE = "not said: stored as people's"
SOURCES = {"human": "people", "program": "a program or a test", "gold": "a key"}

_FIELDS = {
    "judge": f"“{JUDGE}”",
    "generator": f"“{GENERATOR}”",
    "baseline": f"“{BASELINE}”",
    "run": f"“{RUN}” ({MORE})",
    "strict": f"“{STRICT}” ({MORE})",
    "whole-ids": f"“{WHOLE_IDS}” ({MORE})",
    "judge-columns": f"the columns of “{LABELS[JUDGES]}”",
    "criterion-columns": f"the columns of “{LABELS[CRITERIA]}”",
}
VERDICT_OF = {"score": "met", "reference_score": "reference_met"}
"""For each column of scores the one that words for passed and failed belong to."""

_WRITTEN_IN_FILE = ("rubric_id", "criterion")
"""Columns whose values no list gives a meaning."""

_CONSTANTS = {"scale": SCALE, "rubric_id": CRITERION}


def side_words(columns: Mapping[str, str]) -> dict[str, str]:
    """Return the words for each side of a pair; `columns` has the file's columns of ours."""
    authors = [columns.get(name, LABELS[name]) for name in ("generator", "opponent")]
    sides = {"a": f"the answer of {authors[0]}", "b": f"the answer of {authors[1]}"}
    return {**sides, "tie": "a tie", "none": "no verdict"}


@dataclass(frozen=True)
class FormWords:
    """The words of the form; `places` are the file's columns for ours."""

    places: Mapping[str, str] = field(default_factory=dict)

    def name(self, column: str, quote: str = "") -> str:
        return f"“{LABELS[column]}”" if column in LABELS else f"{quote}{column}{quote}"

    def option(self, name: str) -> str:
        return _FIELDS.get(name, f"“{name}”")

    def column_of(self, option: str) -> str:  # noqa: ARG002 - all columns are chosen in lists
        return "meaning of a column"

    def column(self, name: str) -> str:
        return self.name(name)

    def columns(self, fields: Mapping[str, str]) -> str:
        return join_names([self._in_list(name, place) for name, place in fields.items()])

    def constant(self, column: str, value: str) -> str:
        if column == "first":
            return f"“{FIRST.get(value, NOT_IN_FILE)}” as {self.name(column)}"
        if column == "points" and value in POINTS:
            return f"“{POINTS[value]}” as “{HIGH_SCORE}”"
        if column == "reference_source" and value in SOURCES:
            return f"“{SOURCES[value]}” as “{SOURCE}”"
        label = _CONSTANTS.get(column)
        if label is None:
            return f"a column with {value!r} as {self.name(column)}"
        return f"{value if column == 'scale' else repr(value)} as “{label}”"

    def model(self, role: str) -> str:
        return self.option(role)

    def meanings(self, column: str, meanings: Mapping[str, str]) -> str:
        if "VALUE" in meanings:
            return "a clear word in its place"
        if column in _WRITTEN_IN_FILE:
            return join_names([f"{new!r} in the file for {old!r}" for old, new in meanings.items()])
        if column == "points" and {*meanings.values()} == {"-1"}:
            return f"{join_names(list(map(repr, meanings)))} in “{BAD_CRITERIA}”"
        words = self._words(column)
        if column == "score":
            return join_names([f"{meaning} in place of {value!r}" for value, meaning in meanings.items()])
        return join_names(
            [f"“{words.get(meaning, meaning)}” for {value!r}" for value, meaning in meanings.items()]
        )

    def open_meanings(self, column: str, meanings: Mapping[str, str], words: str) -> str:  # noqa: ARG002 - in lists
        if column in VERDICT_OF:
            verdict = LABELS[VERDICT_OF[column]]
            return f"the column another meaning: “{verdict}” if its words say passed or failed"
        return f"a meaning for {join_names(list(map(repr, meanings)))}"

    def without(self, fields: Sequence[str]) -> str:
        if [*fields] == ["COLUMN"]:
            return f"“{NOT_USED}” in its list"
        lists = [f"in the list of {field!r}" for field in fields]
        return f"“{NOT_USED}” {join_names(lists)}"

    def criteria(self, fields: Sequence[str]) -> str:
        return f"“{LABELS[CRITERIA]}” for {join_names(list(fields))}"

    def rows(self, path: str) -> str:
        return f"a file with the list {path!r} alone"

    def one_name(self, names: Mapping[str, str], columns: Sequence[str]) -> str:  # noqa: ARG002 - in all
        given = [f"{new!r} as the name of {old!r}" for old, new in names.items()]
        return f"{join_names(given)} in the table of models"

    def _in_list(self, name: str, place: str) -> str:
        if name not in LABELS:
            return f"the name {name!r} in the file"
        of = "its column" if place == "FIELD" else repr(place)
        return f"{self.name(name)} in the list of {of}"

    def _words(self, column: str) -> dict[str, str]:
        if "met" in column:
            return {**TRUTHS_OR_GOOD, **TRUTHS}
        sides = side_words(self.places)
        return {**PLACES, **sides, "generator": sides["a"], "opponent": sides["b"]}
