"""A format as a declaration: how a file is recognised, where its rows are, and what they mean.

It is written as a TOML file. `name`, `title`, `source`, `expected`, `notes`, `licence` (that of the data)
and `guide`, the text of the documentation, describe the format; `files` are the endings of its files in a
folder, read in the `order` of the names in their paths and without those in a folder of `skip`; `signs` are
the fields that only its rows have, `unlike` rows that have them and are of another format, and `rows` the
list in a file whose members are the rows. `[map]` has the field of each column, `[set]` one value for all
rows, `[value.COLUMN]` the meaning of each value, and `[each]` reads each member of a list in a row.
`judges` are columns that each hold one judge's verdicts: the fields `judge` and `verdict` are their name
and cell. `criteria` are columns that each hold those on one criterion, with the fields `rubric_id` and
`verdict`. Of a judge whose name begins like one of `people`, the verdict is a person's. A format whose rows
are of several kinds has a `[[kind]]` for each, with what they have in common beside them.
`docs/importing.md` shows one whole.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from engine.importers.declared.cell_sources import Filled, Source
from engine.importers.option_spelling import OptionSpelling, with_options
from engine.importers.reading.columns import names_of_paths
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import number_of
from engine.importers.reading.value_maps import value_key
from engine.importers.tables.verdict_words import BOTH_ORDERS, is_no_verdict, lookup_key

MORE_COLUMNS = {
    "options": "the options of a criterion with scores, as JSON",
    "prompt_tokens": "tokens of the judge's prompt",
    "completion_tokens": "tokens of the judge's answer",
    "latency_s": "seconds that the judgment took",
    "cost_usd": "its price",
}
"""Columns that a declaration may fill beside those of a table."""

ALL_OTHERS = "*"
"""In `[value.COLUMN]`: every value that the file does not name."""

NONE = "none"
"""The meaning of a value that is no verdict, or says nothing of how a judgment went."""

_JUDGED = frozenset(("choice", "met", "score", "p_generator", "status"))
_VERDICTS = _JUDGED | {"judge", "preference", "reference_met", "reference_score"}


@dataclass(frozen=True, slots=True)
class Values:
    """The meanings of a column's values: of a value, of a number within bounds, and of all others."""

    exact: Mapping[str, str] = field(default_factory=dict)
    ranges: tuple[tuple[float, float, str], ...] = ()
    others: str | None = None

    def meaning(self, value: Any) -> Any:
        """Return what a value means, the value itself if nothing is said of it."""
        for key in (value_key(value), lookup_key(value)):
            if key in self.exact:
                return self.exact[key]
        if self.ranges and (number := number_of(value)) is not None:
            for low, high, meaning in self.ranges:
                if low <= number <= high:
                    return meaning
        return value if self.others is None else self.others


@dataclass(frozen=True, slots=True)
class Cell:
    """A column's source; `needed` is whether a row without it is left out, None for as usual."""

    source: Source
    needed: bool | None = None


@dataclass(frozen=True, slots=True)
class Each:
    """The members of a list in a row; one that is no object is the field `value`.

    Without a list they are the row's columns besides `others`, and those of earlier rows: `value` is a cell,
    `@column` its column. `place` has the values of columns by the member's place. With `null` a member that
    is null is a judgment of that status.
    """

    list: str | None
    others: tuple[str, ...] = ()
    fewest: int = 0
    most: int | None = None
    otherwise: str | None = None
    null: str | None = None
    map: Mapping[str, Cell] = field(default_factory=dict)
    place: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """Rows of one kind: those that have the fields `when` and lack `unless`, and what their fields are.

    It is the `Meaning` of their cells.
    """

    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    map: Mapping[str, Cell] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Values] = field(default_factory=dict)
    each: Each | None = None
    verdict: str | None = None
    scales_truth: bool = False

    @cached_property
    def is_in_our_words(self) -> bool:
        """Whether the fields of a pair have our names, so that `a` is the generator and nothing else."""
        pair = ("generator", "opponent", "choice")
        return all(name in self.map and self.map[name].source.paths == (name,) for name in pair)

    @cached_property
    def names(self) -> frozenset[str]:
        of_members = () if self.each is None else (*self.each.map, *self.each.place)
        return frozenset((*self.map, *self.constants, *of_members))

    @property
    def needs_verdict(self) -> bool:
        """Whether a row of this kind alone must have a verdict: another kind may give it."""
        return False

    @cached_property
    def has_verdicts(self) -> bool:
        return bool(self.names & _VERDICTS)

    @cached_property
    def has_order(self) -> bool:
        first = self.constants.get("first", "a")
        return "first" in self.names and not (is_no_verdict(first) or lookup_key(first) == BOTH_ORDERS)

    @cached_property
    def is_judged(self) -> bool:
        return bool(self.names & _JUDGED)

    @cached_property
    def of_members(self) -> frozenset[str]:
        """The columns whose cells depend on a member's place."""
        return frozenset(name for name, cell in self.map.items() if "@place" in cell.source.paths)


@dataclass(frozen=True, slots=True)
class Unlike:
    """Rows that have a format's signs and are none of its: all that is said of them must hold.

    `outside` has values of a field, or `begin*` of some, none of which the row has there.
    """

    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    outside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fits(self, row: Mapping[str, Any]) -> bool:
        return (
            all(name in row for name in self.has)
            and not any(name in row for name in self.lacks)
            and all(_is_outside(row.get(name), values) for name, values in self.outside.items())
        )


def _is_outside(value: object, values: Iterable[str]) -> bool:
    key = lookup_key(value)
    return value is not None and not any(
        key.startswith(each[:-1]) if each.endswith(ALL_OTHERS) else key == each for each in values
    )


@dataclass(frozen=True, slots=True)
class Declaration:
    """A format: `place` is the file that declares it; `missing` are errors for columns that nothing fills."""

    place: str
    name: str
    title: str
    kinds: tuple[Kind, ...]
    source: str = ""
    expected: str = ""
    guide: str = ""
    notes: str | None = None
    licence: str | None = None
    rows: str | None = None
    judges: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    otherwise: str | None = None
    files: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    signs: tuple[tuple[str, ...], ...] = ()
    unlike: tuple[Unlike, ...] = ()
    options: tuple[str, ...] | None = None
    fields: tuple[ImportedField, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    """Of models whose names do not say theirs."""

    by_one_model: Mapping[str, Filled] = field(default_factory=dict)
    """The names that the two sides of a pair get if one model wrote both."""

    whole_ids: bool = False

    @property
    def wide(self) -> dict[str, str]:
        """The columns that each hold the verdicts of one judge, or on one criterion, with its name."""
        return {column: column for column in self.judges} or names_of_paths(self.criteria)

    @property
    def wide_names(self) -> str:
        """The field that has the name of such a column."""
        return "judge" if self.judges else "rubric_id"

    def message(self, column: str, default: str, spelling: OptionSpelling) -> str:
        """Return the error for a row without a column."""
        return with_options(self.missing.get(column, default), spelling)

    def is_other(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row that has the signs is of another format."""
        return any(unlike.fits(row) for unlike in self.unlike)
