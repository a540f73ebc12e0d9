"""A table whose columns are being guessed: those that are known, and those still free to be something."""

from collections.abc import Callable, Collection, Mapping, Sequence

from engine.importers.families import resolve
from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.columns import is_index
from engine.importers.tables.guessing.guess import Guess
from engine.importers.tables.side_columns import words_of_columns
from engine.importers.tables.table_columns import DECLARED, TRUTHS, matching
from engine.importers.tables.table_sample import FirstRows

_ENOUGH = 500
"""So many names of a column show whether they are models'."""


class GuessedTable:
    """A table with the guess of its columns so far, which the modules of the subjects add to.

    `places` has our columns that are known, each with the table's column, or None where the user gave one
    value for all rows; `free` are the table's columns that are nothing yet; `models` are those that answered,
    as for look-up; `result` is the guess. `mapped`, `wide` (columns of judges), `criteria` and `explained`
    are what the user gave.
    """

    def __init__(
        self,
        sample: FirstRows,
        mapped: Mapping[str, str | None],
        same_named: Mapping[str, str],
        *,
        wide: Sequence[str],
        criteria: Sequence[str],
        spelling: OptionSpelling,
        explained: Collection[str],
    ) -> None:
        self.sample, self.mapped, self.wide, self.spelling = sample, mapped, wide, spelling
        self.criteria, self.explained = criteria, explained
        self.result = Guess()
        self.models: set[str] = set()
        self.places: dict[str, str | None] = {**same_named, **mapped}
        self._given = dict(self.places)
        self._forgotten: frozenset[str] = frozenset()
        if "annotator" not in mapped and not (self.has("judge") and self.has(*TRUTHS)):
            self.places.pop("annotator", None)  # a person or a judge: the values show which
        used = {column for column in self.places.values() if column is not None} | {*wide, *criteria}
        self.free = [c for c in sample.columns if c not in used and not is_index(c)]

    def has(self, *names: str) -> bool:
        """Return whether one of these columns of ours is known."""
        return not self.places.keys().isdisjoint(names)

    def had(self, *names: str) -> bool:
        """Return whether one of these columns of ours is known, or was before guesses were forgotten."""
        return self.has(*names) or not self._forgotten.isdisjoint(names)

    @property
    def is_of_pairs(self) -> bool:
        return self.has("opponent")

    @property
    def question(self) -> str | None:
        """The column that says which question was answered: its id, else its text."""
        return self.places.get("instance_id") or self.places.get("prompt")

    @property
    def columns_of_judges(self) -> list[str]:
        """The columns that have the verdicts of one judge each, those that the user named first."""
        return [*self.wide, *self.result.judges]

    @property
    def columns_of_verdicts(self) -> list[str]:
        """The columns that have the verdicts of one judge, or those on one criterion."""
        return [*self.columns_of_judges, *self.criteria, *self.result.criteria]

    def take(self, name: str, column: str) -> None:
        """Take a free column for one of ours."""
        self.places[name] = self.result.map[name] = column
        self.free.remove(column)

    def choose(self, name: str, fits: Callable[[str], bool], *, ask: bool = True) -> bool:
        """Take the column that alone has the first group of synonyms present; note several if `ask`."""
        if self.has(name):
            return True
        hits = self.candidates(name, fits)
        if len(hits) == 1:
            self.take(name, hits[0])
            return True
        if hits and ask:
            self.result.open[name] = tuple(hits)
        return False

    def column_for(self, name: str, fits: Callable[[str], bool]) -> str | None:
        """Return the column that is known to be one of ours, or that would be taken for it."""
        if self.has(name):
            return self.places[name]
        hits = self.candidates(name, fits)
        return hits[0] if len(hits) == 1 else None

    def candidates(self, name: str, fits: Callable[[str], bool]) -> list[str]:
        """Return the columns of the first group of synonyms present, or one of those that are equal."""
        hits = self.matches(name, fits)
        return hits[:1] if hits and self._are_equal(hits) else hits

    def matches(self, name: str, fits: Callable[[str], bool]) -> list[str]:
        """Return the columns that have the first group of synonyms present."""
        hits = ([each for each in matching(self.free, g) if fits(each)] for g in DECLARED[name].groups())
        return next(filter(None, hits), [])

    def _are_equal(self, columns: Sequence[str]) -> bool:
        first, *others = (self.sample.values(column) for column in columns)
        return all(other == first for other in others)

    def forget_guesses(self) -> None:
        """Go back to the given columns; what one of the others says is not guessed by other signs."""
        self._forgotten = frozenset(self.result.map)
        self.places = {name: self._given[name] for name in DECLARED if name in self._given}
        self.result = Guess()

    def holds_models(self, column: str) -> bool:
        """Return whether most values of a column are answering models, or models by their names."""
        labels = self.sample.labels(column)
        if labels.keys() & self.models:
            return True
        names = sorted(labels)[:_ENOUGH]  # in any order of the rows the same
        return sum(resolve(name).state != "unknown" for name in names) > len(names) / 2

    def is_choice(self, column: str) -> bool:
        return self.sample.is_choice(column, self.models)

    def is_truth(self, column: str) -> bool:
        return self.sample.is_truth(column, self.models)

    def is_score(self, column: str) -> bool:
        return self.sample.is_number(column) or self.sample.is_share(column)

    def is_order(self, column: str) -> bool:
        words = words_of_columns(self.places.get("generator"), self.places.get("opponent"))
        return self.sample.is_order(column, {*self.models, *words})
