"""A format as a declaration: how a file is recognised, where its rows are, and what they mean.

It is written as a TOML file. `name`, `title`, `source`, `expected` and `notes` describe the format; `files`
are the endings of its files in a folder, `signs` the fields that only its rows have, and `rows` the list in a
file whose members are the rows. `[map]` has the field of each column, `[set]` one value for all rows,
`[value.COLUMN]` the meaning of each value, and `[each]` reads each member of a list in a row. `judges` are
columns that each hold one judge's verdicts: the fields `judge` and `verdict` are their name and cell. A
format whose rows are of several kinds has a `[[kind]]` for each, with what they have in common beside them.
`docs/importing.md` shows one whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.importers.cell_sources import Filled, Source
from engine.importers.reading.format import ImportedField, OptionName
from engine.importers.reading.rows import number_of
from engine.importers.reading.tables import value_key
from engine.importers.verdict_words import is_no_verdict, lookup_key

MORE_COLUMNS = {
    "options": "the options of a score rubric, as JSON",
    "prompt_tokens": "tokens of the judge's prompt",
    "completion_tokens": "tokens of the judge's answer",
    "latency_s": "seconds that the judgment took",
    "cost_usd": "its price",
}
"""Columns that a declaration may fill beside those of a table."""

ALL_OTHERS = "*"
"""In `[value.COLUMN]`: every value that the file does not name."""

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

    `place` has the values of columns by the member's place. With `null` a member that is null is a judgment
    of that status.
    """

    list: str
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

    @property
    def is_in_our_words(self) -> bool:
        """Whether the fields of a pair have our names, so that `a` is the generator and nothing else."""
        pair = ("generator", "opponent", "choice")
        return all(name in self.map and self.map[name].source.paths == (name,) for name in pair)

    @property
    def names(self) -> frozenset[str]:
        of_members = () if self.each is None else (*self.each.map, *self.each.place)
        return frozenset((*self.map, *self.constants, *of_members))

    @property
    def needs_verdict(self) -> bool:
        """Whether a row of this kind alone must have a verdict: another kind may give it."""
        return False

    @property
    def has_verdicts(self) -> bool:
        return bool(self.names & _VERDICTS)

    @property
    def has_order(self) -> bool:
        return "first" in self.names and not is_no_verdict(self.constants.get("first", "a"))

    @property
    def is_judged(self) -> bool:
        return bool(self.names & _JUDGED)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A format: `place` is the file that declares it; `missing` are errors for columns that nothing fills."""

    place: str
    name: str
    title: str
    kinds: tuple[Kind, ...]
    source: str = ""
    expected: str = ""
    notes: str | None = None
    rows: str | None = None
    judges: tuple[str, ...] = ()
    otherwise: str | None = None
    files: tuple[str, ...] = ()
    signs: tuple[tuple[str, ...], ...] = ()
    options: tuple[OptionName, ...] = ()
    fields: tuple[ImportedField, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    by_one_model: Mapping[str, Filled] = field(default_factory=dict)
    """The names that the two sides of a pair get if one model wrote both."""

    whole_ids: bool = False
