"""The first rows of an uploaded table, and what each of its columns may be."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.importers.earlier_imports import as_before
from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import ImportStats, Row, excerpt
from engine.importers.reading.shapes import rows_within
from engine.importers.tables.asking.likely_truths import likely_truths, unread_verdicts
from engine.importers.tables.column_candidates import CRITERIA, JUDGES, candidates
from engine.importers.tables.criterion_points import unread_signs
from engine.importers.tables.mirrored_pairs import shown_first_if_mirrored
from engine.importers.tables.own_columns import own_columns
from engine.importers.tables.table_plan import plan_rows
from engine.importers.tables.table_sample import FirstRows
from engine.store.study_files import ImportRecord
from engine.words.plain_names import on_page

SHOWN_ROWS = 5
"""How many rows of a file are shown."""


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table: its columns in order, the values of each with their counts, and a guess.

    `likely` has the likely column for each of ours, `judges` the columns that each hold one judge's verdicts,
    `criteria` those that each hold the verdicts on one criterion, and `guess` the other options that were
    guessed, such as the list whose members are the rows. `meanings` has what each column may be, the
    likeliest first, `first` the first rows, and `rows` those that are shown, as texts. `before` has the
    options by which an earlier table of these columns was read, if there is one, `mark` is a short name for
    these, and `note` says so.
    """

    columns: tuple[str, ...]
    values: Mapping[str, Counter[str]]
    likely: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    guess: ImportOptions = field(default_factory=ImportOptions)
    meanings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: tuple[Mapping[str, str], ...] = ()
    before: ImportOptions = field(default_factory=ImportOptions)
    first: FirstRows = field(default_factory=lambda: FirstRows.of(()))
    mark: str = ""
    note: str = ""

    @property
    def guessed(self) -> dict[str, str]:
        """What each column is taken for, for those of which that was guessed."""
        wide = dict.fromkeys(self.judges, JUDGES) | dict.fromkeys(self.criteria, CRITERIA)
        return {column: name for name, column in self.likely.items()} | wide


def sample_of(file: str, rows: Sequence[Row], earlier: tuple[ImportRecord, ...] = ()) -> TableSample:
    """Return the sample of a table's first rows, with the guesses of `spb import table`.

    A table with the columns of an earlier one, of the study that it is added to, is taken for what that was.
    """
    columns = {name for row in rows for name in row.values}
    before, note = as_before(ImportOptions(earlier=earlier), columns)
    plan, inside = plan_rows(file, rows, before, len(rows))
    values = [row.values for row in rows]
    if inside is not None:
        values = [row.values for row in rows_within(rows, inside, ImportStats())]
    sample = FirstRows.of(values)
    whole = {name for row in values for name in row} - {path.partition(".")[0] for path in sample.columns}
    first = shown_first_if_mirrored(plan, values)
    guess = plan.options if first is None else replace(plan.options, set={**plan.options.set, "first": first})
    ordered = (*sample.columns, *sorted(whole - {*sample.columns}))
    wide = tuple(plan.wide)
    meaning = JUDGES if plan.wide_names == "judge" else CRITERIA
    asked_about = {*unread_verdicts(plan, sample), *likely_truths(plan, sample), *unread_signs(plan, sample)}
    places = plan.places | own_columns(plan, sample, asked_about).columns
    likely = {name: column for name, column in places.items() if column in ordered}
    guessed = {column: name for name, column in likely.items()} | dict.fromkeys(wide, meaning)
    pairs = "opponent" in plan.names
    authors = [likely[name] for name in ("generator", "opponent") if name in likely]
    models = {label for column in authors for label in sample.labels(column)}
    return TableSample(
        ordered,
        {name: sample.labels(name) for name in ordered},
        likely,
        wide if meaning == JUDGES else (),
        wide if meaning == CRITERIA else (),
        guess,
        {
            name: candidates(
                sample, name, guessed.get(name), models=models, others=likely.keys(), pairs=pairs
            )
            for name in ordered
        },
        tuple({name: _cell(row, name) for name in ordered} for row in values[:SHOWN_ROWS]),
        before,
        sample,
        hashlib.sha256(repr(before).encode()).hexdigest()[:12] if note else "",
        on_page(note),
    )


def _cell(row: Mapping[str, object], column: str) -> str:
    value = value_at(row, column)
    return "" if value is None else excerpt(str(value))
