"""Any table of judgments: its columns named by `--map` or guessed, its verdicts read."""

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import UsageError, unknown
from engine.importers.people import People
from engine.importers.questions import open_questions
from engine.importers.reading.format import Field, Format, ImportOptions, OptionName, files_in, instance_of
from engine.importers.reading.rows import (
    BadRowError,
    Choice,
    ImportStats,
    InstanceRows,
    Row,
    StudyBuilder,
    StudyRows,
    number_of,
)
from engine.importers.reading.shapes import file_rows, rows_within, unread_members
from engine.importers.reading.tables import SUFFIXES, column_in, first_part
from engine.importers.table_cells import met_of, optional_number, score_of, texts_of, verdict_of
from engine.importers.table_columns import COLUMNS
from engine.importers.table_plan import Plan, plan_rows, value_questions
from engine.importers.verdict_words import (
    LETTERS,
    PLACES,
    is_no_verdict,
    lookup_key,
    names_a_place,
    order_named,
    side_at,
    side_named,
)

OPTIONS: tuple[OptionName, ...] = (
    "judge",
    "generator",
    "rows",
    "map",
    "set",
    "value",
    "judges",
    "leave_out",
    "no_guess",
    "whole_ids",
)
_EXPECTED = (
    "a table (.csv, .tsv, .xlsx, .parquet, .jsonl, .json, .feather) with a judgment in each row: judge, "
    "generator, question, and met, score or choice; name its fields with --map judge=FIELD generator=FIELD"
)

SAMPLE = 2000  # rows that are checked before any is imported

_UNRELATED = 3  # columns missing in a file of a folder that is not of the table

_DESCRIPTIONS = ("dataset_info.json", "state.json", "dataset_dict.json")
"""Files of a data set on disk that describe it and hold no rows."""

_PERSON, _PERSON_OF_PAIRS = "human", "human:reference"
"""The sources of what is true, if the table names none and each thing has one verdict."""

_FROM_JUDGES = ("choice", "met", "score", "p_generator", "preference", "reference_met", "reference_score")
_SOURCE = schema.TABLES["references"].column("source")
_ABOUT_INSTANCES = ("prompt", "category", "theme", "language", "reference_answer")
_ABOUT_RUBRICS = ("criterion", "axis")
_REQUIRED = {"rubric": "rubric_id", "dimension": "rubric_id", "pair": "opponent", "list": "ordering"}
_VERDICTS = {"rubric": ("met",), "pair": ("choice", "p_generator")}
"""The column that a judgment must fill, and those of which a verdict fills one (else score), by subject."""

_RANGES = {
    "response": (0, 1, "score is not from 0 to 1 (--set scale=10 divides it)"),
    "dimension": (0, 10, "score is not from 0 to 10 (--set scale=10 divides it)"),
    "words": (-math.inf, 0, "score is above 0, which no mean log-probability is"),
}
"""The lowest and highest score, and what is wrong with any other, by subject."""


class Table:
    """Reads rows, of files or given, by the fields that the user named or that were guessed.

    `--map judge=rater` takes the column `judge` from the field `rater`, or from a path such as
    `scores.judge`. `--set paradigm=pairwise` sets a column everywhere, `--value choice:0=a,1=b` says what
    values mean, `--judges gpt-4o,claude` that each of these columns is a judge's, and `--rows comparisons`
    that the rows are the members of a list in an object or in each row. A column that is not mentioned is
    read from a field of its own name, ignoring case and blanks, else from one whose name and values show it.
    What is missing or has several meanings stops the import with a question about all of it.
    """

    def __init__(
        self, path: Path, options: ImportOptions, tally: ImportStats, rows: Iterator[Row] | None = None
    ) -> None:
        for option, names in (("map", options.map), ("set", options.set), ("value", options.value)):
            for name in names:
                if name not in COLUMNS:
                    raise unknown(f"column of --{option}", name, COLUMNS)
        self.path, self.options, self.tally = path, options, tally
        self._rows_in_memory = rows
        self.plan = Plan(options)
        self._inside: str | None = None
        self._columns: set[str] = set()
        self._places: dict[tuple[str, str], None] = {}
        self.empty = 0
        self._pairs, self._verdicts = People(), People()
        self._sides: dict[tuple[str, frozenset[str]], str] = {}
        self._by_person: dict[tuple[object, ...], object] = {}
        self._contradictions = 0
        scale = number_of(options.set.get("scale", "1"))
        if scale is None or scale <= 0:
            raise UsageError(
                f"--set scale={options.set['scale']!r} is not a number above 0; give one such as 10"
            )

    @property
    def fields(self) -> tuple[Field, ...]:
        count = self.tally.fields
        return tuple(
            Field(place, name) for place, name in self._places if count[place] or count[first_part(place)]
        )

    def rows(self) -> Iterator[Row]:
        """Yield the rows, one for each judge of a wide table, after checking the first of them."""
        if self._rows_in_memory is not None:
            yield from self._planned(self._rows_in_memory)
        else:
            files = files_in(self.path, *SUFFIXES, expected=_EXPECTED)
            if not self.path.is_file():
                files = [file for file in files if file.name not in _DESCRIPTIONS]
            for file in files:
                yield from self._planned(file_rows(file, self.tally, _EXPECTED))
        if self.empty:
            self.tally.note(f"empty cells of the judges' columns, which give no judgment: {self.empty:,}")

    def _planned(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows of a file. One with columns of its own is planned anew; all values are checked."""
        if self.options.rows:
            rows = rows_within(rows, self.options.rows, self.tally)
        sample = list(islice(rows, SAMPLE))
        if not sample:
            return
        columns = {name for row in sample for name in row.values}
        if not self._columns.issuperset(columns):
            self._plan_by(sample)
            self._columns = columns
        elif questions := value_questions(sample, self.plan, self.options):
            raise open_questions(str(self.path), questions, self.plan.options)
        rows = chain(sample, rows)
        if self._inside is not None:
            rows = rows_within(rows, self._inside, self.tally)
        fields = columns | {*self.plan.places.values()}
        verdicts = [self.plan.places[name] for name in _FROM_JUDGES if name in self.plan.places]
        for row in rows:
            if not fields.issuperset(row.values):  # a column may have its first value after the sample
                fields.update(row.values)
                self._add_same_named(fields)
            for path, number in unread_members(row.values, verdicts).items():
                bad = BadRowError(f"one member of {path} is picked by its number (--rows {path} reads each)")
                for _ in range(number):
                    self.tally.skip(row.file, row.number, bad)
            melted = self.plan.melted(row)
            self.empty += max(len(self.plan.judges), 1) - len(melted)
            yield from melted

    def _plan_by(self, sample: Sequence[Row]) -> None:
        """Plan how a file is read; a later file of a folder that is no table of judgments keeps the plan."""
        try:
            plan, inside = plan_rows(sample[0].file, sample, self.options, SAMPLE)
        except UsageError:
            if not self._columns:
                raise
            return
        if self._columns and plan.missing >= _UNRELATED:
            return
        if plan.questions:
            raise open_questions(str(self.path), plan.questions, plan.options)
        self.plan, self._inside = plan, inside
        for note in plan.notes:
            self.tally.note(note)
        self._places |= {(place, name): None for name, place in plan.places.items()}

    def _add_same_named(self, fields: Iterable[str]) -> None:
        """Add columns that are neither known nor constant, from the fields of the same name."""
        used = {*self.plan.places.values(), *self.plan.judges}
        free = [field for field in fields if field not in used]
        for name in COLUMNS:
            if (
                name not in self.plan.names
                and name not in self.options.map
                and (field := column_in(name, free))
            ):
                self.plan.places[name] = field
                self._places[field, name] = None

    def finish(self, builder: StudyBuilder) -> None:
        """Name the people whose ids the table lacks by their order, once all rows are read."""
        for people, table, source, thing in (
            (self._pairs, "preferences", _PERSON_OF_PAIRS, "pair"),
            (self._verdicts, "references", _PERSON, "response"),
        ):
            if people.repeated:
                builder.rename_source(table, source, self._person(1))
                self.tally.note(people.note(thing, self._person))
        if self._contradictions:
            self.tally.note(
                "true verdicts that contradict an earlier one of the same source on the same thing, and are "
                f"not stored: {self._contradictions:,}"
            )

    def read(self, row: Row) -> StudyRows:
        """Return the judgment of a row, with its question, rubric, responses and references."""
        cells = Row(row.file, row.number, self.plan.cells(row.values))
        name = self._instance(cells)
        if not name and cells.values.get("prompt") is None:
            raise BadRowError(f"neither {self.options.map.get('instance_id', 'instance_id')} nor prompt")
        rows = InstanceRows(name or instance_of(cells.text("prompt")), **texts_of(cells, _ABOUT_INSTANCES))
        generator, pair = cells.text("generator"), cells.maybe_text("opponent")
        rubric = cells.maybe_text("rubric_id")
        if rubric is None and cells.values.get("criterion") is not None:
            rubric = instance_of(cells.text("criterion"))
        if rubric is not None:
            rows.rubric(rubric, **texts_of(cells, _ABOUT_RUBRICS), points=optional_number(cells, "points"))
        for model, column in ((generator, "response"), (pair, "opponent_response")):
            if model is not None and cells.values.get(column) is not None:
                rows.response(model, cells.words(column))
        has_judge = "judge" in cells.values
        judgment = self._judgment(cells, generator, pair, rubric) if has_judge else {}
        self._truth(rows, cells, generator, pair, rubric)  # last: a bad row is nobody's vote
        if has_judge:
            rows.judgment(**judgment)
        elif not rows.tables.keys() & {"references", "preferences"}:
            raise BadRowError(f"no {self.options.map.get('judge', 'judge')}")
        return rows.tables

    def _instance(self, cells: Row) -> str | None:
        """Return the question's id as written; with `--whole-ids` 1.0 is 1."""
        name = cells.maybe_text("instance_id")
        whole = re.fullmatch(r"(-?\d+)\.0+", name) if name and self.options.whole_ids else None
        return name if whole is None else whole[1]

    def _judgment(self, cells: Row, generator: str, pair: str | None, rubric: str | None) -> dict[str, Any]:
        has_scores = self.plan.names & {"met", "score"} == {"score"}
        first = self._first(cells, generator, pair)
        side = self._side(cells, "choice", generator, pair, first)
        default_paradigm, verdict = verdict_of(cells, pair, side, has_scores=has_scores)
        paradigm = cells.maybe_text("paradigm") or default_paradigm
        if paradigm not in schema.PARADIGMS:
            raise BadRowError("paradigm is not one of " + ", ".join(schema.PARADIGMS), paradigm)
        subject = schema.TRAITS[paradigm].subject
        low, high, problem = _RANGES.get(subject, (-math.inf, math.inf, ""))
        if "score" in verdict and not low <= verdict["score"] <= high:
            raise BadRowError(problem, verdict["score"])
        row = {
            "judge": cells.text("judge"),
            "paradigm": paradigm,
            "generator": generator,
            "opponent": pair,
            "rubric_id": None if subject in ("response", "pair") else rubric,
            **{name: cells.maybe_text(name) for name in ("variant", "explanation", "raw")},
            **verdict,
        }
        if subject == "pair":
            row["first"] = first or "unknown"
        required, verdicts = _REQUIRED.get(subject), _VERDICTS.get(subject, ("score",))
        if required is not None and row.get(required) is None:
            raise BadRowError(f"no {required}, which {paradigm} needs")
        if row["status"] == "ok" and all(row.get(name) is None for name in verdicts):
            raise BadRowError(f"no {' or '.join(verdicts)}, which {paradigm} needs")
        return row

    def _first(self, cells: Row, generator: str, pair: str | None) -> Choice | None:
        """Return which response was shown first; None if the row does not say so."""
        value = cells.values.get("first")
        if pair is None or is_no_verdict(value):
            return None
        first = order_named(value, generator, pair)
        if first is None:
            raise BadRowError("first names neither response (--value first:VALUE=a says which)", value)
        return first

    def _side(
        self, cells: Row, name: str, generator: str, pair: str | None, first: Choice | None
    ) -> Choice | None:
        """Return the side that a cell names, a word for a place by the order shown; None if it names none."""
        value = cells.values.get(name)
        if pair is None or value is None:
            return None
        models = {lookup_key(generator): generator, lookup_key(pair): pair}
        if self.plan.has_order and names_a_place(value, models):
            if first is None:
                raise BadRowError(
                    f"{name} names a place, and the row does not say which was shown first", value
                )
            return side_at(PLACES[lookup_key(value)], first)
        is_open = first == "opponent" and not self.plan.is_in_our_words
        if is_open and lookup_key(value) in LETTERS and lookup_key(value) not in models:
            raise BadRowError(
                f"{name} is a letter, of a model or a place (--value {name}:VALUE=generator or =first)",
                value,
            )
        side = side_named(value, generator, pair)
        if side is None and not is_no_verdict(value):
            raise BadRowError(f"{name} names neither side (--value {name}:VALUE=a says which)", value)
        return side

    def _truth(
        self, rows: InstanceRows, cells: Row, generator: str, pair: str | None, rubric: str | None
    ) -> None:
        """Add the references and preferences of a row."""
        source = cells.maybe_text("reference_source") or _PERSON
        has_reference = {"reference_met", "reference_score"} & cells.values.keys()
        if rubric is not None and has_reference:
            if source not in _SOURCE.choices and not re.fullmatch(f"(?s:{_SOURCE.pattern})", source):
                raise BadRowError("reference_source is not program, human or human:<id>", source)
            met, score = met_of(cells, "reference_met"), score_of(cells, "reference_score")
            if score is not None and self.plan.scales_truth:
                score /= number_of(cells.values.get("scale")) or 1
            thing = (rows.key["instance_id"], generator, rubric)
            gold: str | None = source
            if met is not None or score is not None:
                gold = self._source(cells, source, thing, (met, score), self._verdicts)
            if gold is not None:
                rows.reference(gold, generator, rubric, met=met, score=score)
        elif has_reference:
            self.tally.note(
                "reference_met and reference_score are about a rubric: they are not stored in rows without "
                "one (--set rubric_id=overall names it)"
            )
        preference = cells.values.get("preference")
        if pair is not None and not is_no_verdict(preference):
            first = self._first(cells, generator, pair)
            side = self._side(cells, "preference", generator, pair, first)
            if side is not None:
                self._preference(rows, cells, source, side, generator, pair)

    def _preference(
        self, rows: InstanceRows, cells: Row, source: str, side: Choice, generator: str, pair: str
    ) -> None:
        """Add which response is better; all votes on a pair are stored the same way round."""
        thing = (rows.key["instance_id"], frozenset((generator, pair)))
        if self._sides.setdefault(thing, generator) != generator:
            generator, pair, side = pair, generator, side if side == "tie" else side_at(side, "opponent")
        gold = self._source(cells, source, thing, side, self._pairs)
        if gold is not None:
            rows.preference(_PERSON_OF_PAIRS if gold == _PERSON else gold, side, generator, pair)

    def _source(
        self, cells: Row, source: str, thing: Hashable, verdict: Hashable, people: People
    ) -> str | None:
        """Return whose verdict a row has; None for one that contradicts the same person's earlier verdict."""
        if source == _PERSON and (person := cells.maybe_text("annotator")):
            source = person if person.startswith("human:") else f"human:{person}"
        if source != _PERSON:
            earlier = self._by_person.setdefault((source, thing), verdict)
            self._contradictions += earlier != verdict
            return source if earlier == verdict else None
        is_long = "judge" in cells.values and self.plan.verdict is None
        once = is_long or people is self._verdicts
        number = people.number(thing, verdict, None if once else (cells.file, cells.number))
        return source if number == 1 else self._person(number)

    def _person(self, number: int) -> str:
        """Return the name of a person without an id, by the order of the rows."""
        return f"human:unnamed-{number}" if "annotator" in self.plan.names else f"human:{number}"


FORMAT = Format(
    "table",
    "Table of judgments",
    "",
    _EXPECTED,
    tuple(Field(name, name, meaning) for name, meaning in COLUMNS.items()),
    Table,
    OPTIONS,
)
