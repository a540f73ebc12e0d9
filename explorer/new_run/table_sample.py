"""The first rows of an uploaded table, and what each of its columns may be."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.importers.column_candidates import JUDGES, candidates
from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import ImportStats, Row, excerpt
from engine.importers.reading.shapes import rows_within
from engine.importers.table_plan import plan_rows
from engine.importers.table_sample import FirstRows

SHOWN_ROWS = 5
"""How many rows of a file are shown."""


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table: its columns in order, the values of each with their counts, and a guess.

    `likely` has the likely column for each of ours, `judges` the columns that each hold one judge's verdicts,
    and `guess` the other options that were guessed, such as the list whose members are the rows. `meanings`
    has what each column may be, the likeliest first, and `rows` the first rows as texts.
    """

    columns: tuple[str, ...]
    values: Mapping[str, Counter[str]]
    likely: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    guess: ImportOptions = field(default_factory=ImportOptions)
    meanings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: tuple[Mapping[str, str], ...] = ()

    @property
    def guessed(self) -> dict[str, str]:
        """What each column is taken for, for those of which that was guessed."""
        return {column: name for name, column in self.likely.items()} | dict.fromkeys(self.judges, JUDGES)


def sample_of(file: str, rows: Sequence[Row]) -> TableSample:
    """Return the sample of a table's first rows, with the guesses of `spb import table`."""
    plan, inside = plan_rows(file, rows, ImportOptions(), len(rows))
    values = [row.values for row in rows]
    if inside is not None:
        values = [row.values for row in rows_within(rows, inside, ImportStats())]
    sample = FirstRows.of(values)
    whole = {name for row in values for name in row} - {path.partition(".")[0] for path in sample.columns}
    ordered = (*sample.columns, *sorted(whole - {*sample.columns}))
    judges = tuple(plan.judges)
    likely = {name: column for name, column in plan.places.items() if column in ordered}
    guessed = {column: name for name, column in likely.items()} | dict.fromkeys(judges, JUDGES)
    pairs = "opponent" in plan.names
    authors = [likely[name] for name in ("generator", "opponent") if name in likely]
    models = {label for column in authors for label in sample.labels(column)}
    return TableSample(
        ordered,
        {name: sample.labels(name) for name in ordered},
        likely,
        judges,
        plan.options,
        {
            name: candidates(
                sample, name, guessed.get(name), models=models, others=likely.keys(), pairs=pairs
            )
            for name in ordered
        },
        tuple({name: _cell(row, name) for name in ordered} for row in values[:SHOWN_ROWS]),
    )


def _cell(row: Mapping[str, object], column: str) -> str:
    value = value_at(row, column)
    return "" if value is None else excerpt(str(value))
