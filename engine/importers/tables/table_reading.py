"""The plan by which a table's rows are read: our columns, constants and values, and what is open."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import first_part, is_index, melt, value_at
from engine.importers.reading.invisible import cleaned_name
from engine.importers.reading.rows import BadRowError, Choice, Row, number_of
from engine.importers.reading.value_maps import keys_of
from engine.importers.tables.asking.questions import TableQuestion
from engine.importers.tables.fractions import fraction_of
from engine.importers.tables.verdict_words import (
    GOOD_OR_BAD,
    is_no_verdict,
    lookup_key,
    says_order,
    truth_by_points,
)
from engine.phrases import join_names

_NAMES = frozenset(("judge", "generator", "opponent", "instance_id", "rubric_id", "run_id"))
"""Our columns of names and ids that say what a verdict is of."""

_STRIPPED = _NAMES | {
    *("first", "choice", "preference", "paradigm", "variant", "status"),
    *("category", "theme", "language", "segment", "axis", "annotator", "reference_source"),
}
"""Our columns of names, which blanks around them and invisible characters do not change."""

_NO_NAMES = frozenset(("", "nan", "<na>", "nat", "none", "null", "n/a", "#n/a"))
"""How tools write that a name or an id is missing."""

FRACTIONAL = ("score", "reference_score")
"""Our columns whose cells may be written as 7/10."""

TRUTHS = frozenset(("met", "reference_met"))
"""Our columns that say whether a criterion is met."""


@dataclass(slots=True)
class TablePlan:
    """How the rows of a table are read; `questions` must be answered before.

    `given` are the user's options, `options` those with the guesses. `places` has the field of each of our
    columns, `constants` the columns with one value, `values` the meanings of values, `wide` the name of the
    judge or criterion for each column of a wide table, `wide_names` which of our columns these names are, and
    `verdict` our column for their cells, `judging` those of judges that have a cell in some row. `notes`
    say how the table is read, those that are a guess are `cautions`, and those on what may be true are
    `doubts`. If `scales_truth`, true scores are on the judges' scale, and divided likewise. All cells of the
    columns in `fractions` are written as 7/10. With `ids_of_texts` the question's id was taken because each
    text had one: a text that has it later is another question. `binary` is a column called like scores that
    is read as verdicts since it has only 0 and 1. `first_if_mirrored` is the side that is taken to be shown
    first if all rows of the table have each pair both ways round.
    """

    options: ImportOptions
    given: ImportOptions = field(default_factory=ImportOptions)
    places: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    wide: dict[str, str] = field(default_factory=dict)
    wide_names: Literal["judge", "rubric_id"] = "judge"
    verdict: str | None = None
    judging: set[str] = field(default_factory=set)
    questions: list[TableQuestion] = field(default_factory=list)
    missing: int = 0
    scales_truth: bool = False
    fractions: frozenset[str] = frozenset()
    needs_verdict: bool = True
    ids_of_texts: bool = False
    binary: str | None = None
    first_if_mirrored: Choice | None = None
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    matched: set[tuple[str, str]] = field(default_factory=set)
    """The keys of `values`, by our column, that values of the table had."""

    @property
    def names(self) -> set[str]:
        return {*self.places, *self.constants}

    def unread(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that nothing is read from, and that are not to be left out."""
        used = {*self.places.values(), *self.wide, *self.options.leave_out}
        used |= {first_part(place) for place in used}
        return [column for column in columns if column not in used and not is_index(column)]

    @property
    def has_order(self) -> bool:
        first = self.constants.get("first")
        return "first" in self.places or says_order(first)

    @property
    def is_in_our_words(self) -> bool:
        """Whether the columns of a pair have our names, so that `a` is the generator and nothing else."""
        return all(self.places.get(name) == name for name in ("generator", "opponent", "choice"))

    def cells(self, values: Mapping[str, Any], names: Collection[str] | None = None) -> dict[str, Any]:
        """Return a row by our columns: the constant, else the field's value, mapped to our words.

        None for `names` are all columns. BadRowError for a value whose other spellings differ in meaning, and
        for a score that is no fraction, or is on another scale than its row says.
        """
        cells = {
            name: self._meaning(name, value_at(values, place))
            for name, place in self.places.items()
            if names is None or name in names
        }
        cells = {
            name: value
            for name, value in cells.items()
            if value is not None and not (name in _NAMES and _is_no_name(value))
        } | {name: value for name, value in self.constants.items() if names is None or name in names}
        for name in _STRIPPED & cells.keys():
            if isinstance(cells[name], str):
                cells[name] = cleaned_name(cells[name])
        for name in self.fractions & cells.keys():
            _split_fraction(cells, name)
        for name in TRUTHS & cells.keys() & self.values.keys():
            if any(lookup_key(word) in GOOD_OR_BAD for word in self.values[name].values()):
                cells[name] = truth_by_points(cells[name], cells.get("points"))
        return cells

    def _meaning(self, name: str, value: Any) -> Any:
        """Return what a value of a column means: the value itself if nothing is said of it."""
        meanings = self.values.get(name)
        if value is None or not meanings:
            return value
        keys = keys_of(value, meanings)
        if len({meanings[key] for key in keys}) > 1:
            says = self.options.spelling.meanings(name, {"VALUE": "MEANING"})
            words = join_names(list(map(repr, keys)))
            reason = f"{self.options.spelling.name(name)} is another spelling of {words} ({says} says which)"
            raise BadRowError(reason, value)
        if not keys:
            return value
        self.matched.add((name, keys[0]))
        return meanings[keys[0]]

    def note_judging(self, rows: Iterable[Row]) -> None:
        """Note which of the judges' columns have a cell in some of these rows."""
        if self.wide_names == "judge" and len(self.judging) < len(self.wide):
            self.judging |= {
                column
                for row in rows
                for column in self.wide
                if column not in self.judging and value_at(row.values, column) is not None
            }

    def with_blanks(self, values: Mapping[str, Any]) -> list[str]:
        """Return our columns of names that have blanks around them in a row, or invisible characters."""
        names = ((name, place) for name, place in self.places.items() if name in _STRIPPED)
        return [name for name, place in names if _has_blanks(value_at(values, place))]

    def without_name(self, values: Mapping[str, Any]) -> list[str]:
        """Return our columns of names and ids in which a word of a row says that it has none."""
        names = ((name, place) for name, place in self.places.items() if name in _NAMES)
        return [name for name, place in names if _is_no_name(value_at(values, place))]

    def melted(self, row: Row) -> list[Row]:
        """Return the rows of a wide row, one for each judge or criterion with a filled cell.

        A judge who has verdicts elsewhere has one without a verdict for an empty cell.
        """
        if self.verdict is None:
            return [row]
        return list(melt(row, self.wide, self.wide_names, self.verdict, self.judging))


def _has_blanks(value: object) -> bool:
    return isinstance(value, str) and value != cleaned_name(value) != ""


def _is_no_name(value: object) -> bool:
    return isinstance(value, str) and cleaned_name(value).lower() in _NO_NAMES


def _split_fraction(cells: dict[str, Any], name: str) -> None:
    """Put a score of 7/10 as 7 on a scale of 10, and a true one as 0.7."""
    value = cells[name]
    if is_no_verdict(value):
        return
    fraction = fraction_of(value)
    if fraction is None:
        raise BadRowError(f"{name} is not written as 7/10, like the others", value)
    score, top = float(fraction.score), float(fraction.top)
    if score > top:
        raise BadRowError(f"{name} is above its scale of {fraction.top}", value)
    if name != "score":
        cells[name] = score / top
    elif number_of(cells.get("scale", top)) != top:
        raise BadRowError(f"score is out of another number than its scale of {cells['scale']}", value)
    else:
        cells |= {"score": fraction.score, "scale": fraction.top}
