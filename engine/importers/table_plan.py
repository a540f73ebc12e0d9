"""How a table is read: where each column comes from, what its values mean, and what must be asked first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from engine.errors import UsageError
from engine.importers.guessing import Guess, guess_columns
from engine.importers.questions import (
    OPEN,
    SampledColumn,
    TableQuestion,
    met_questions,
    score_questions,
    side_questions,
)
from engine.importers.reading.columns import column_in, first_part, melt, value_at
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.option_file import merge_options
from engine.importers.reading.rows import BadRowError, Row, number_of
from engine.importers.reading.shapes import lists_in, members, steps_of
from engine.importers.reading.value_maps import meaning_of
from engine.importers.table_columns import COLUMNS
from engine.importers.table_sample import FirstRows
from engine.importers.verdict_words import (
    MET,
    NO_VERDICT,
    PLACES,
    is_no_verdict,
    lookup_key,
    order_named,
    side_meaning,
)

_SIDED = ("choice", "preference", "first")
_MOST_SHOWN = 30
_MOST_LISTS = 8


@dataclass(slots=True)
class TablePlan:
    """How the rows of a table are read; `questions` must be answered before.

    `places` has the field of each of our columns, `constants` the columns with one value, `values` the
    meanings of values, `judges` the judge's name for each column of a wide table, and `verdict` our column
    for their cells. `options` are the user's with the guesses, `notes` say what was guessed. If
    `scales_truth`, true scores are on the same scale as the judges', and divided likewise.
    """

    options: ImportOptions
    places: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    judges: dict[str, str] = field(default_factory=dict)
    verdict: str | None = None
    questions: list[TableQuestion] = field(default_factory=list)
    missing: int = 0
    scales_truth: bool = False
    needs_verdict: bool = True
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {*self.places, *self.constants}

    @property
    def has_order(self) -> bool:
        return "first" in self.places or not is_no_verdict(self.constants.get("first"))

    @property
    def is_in_our_words(self) -> bool:
        """Whether the columns of a pair have our names, so that `a` is the generator and nothing else."""
        return all(self.places.get(name) == name for name in ("generator", "opponent", "choice"))

    def cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row by our columns: the constant, else the field's value, mapped to our words."""
        cells = {
            name: meaning_of(value_at(values, place), self.values.get(name))
            for name, place in self.places.items()
        }
        return {name: value for name, value in cells.items() if value is not None} | self.constants

    def melted(self, row: Row) -> list[Row]:
        """Return the rows of a wide row, one for each judge with a filled cell."""
        if self.verdict is None:
            return [row]
        rows = melt(row, list(self.judges), self.verdict)
        return [
            Row(each.file, each.number, {**each.values, "judge": self.judges[each.values["judge"]]})
            for each in rows
        ]


def plan_table(file: str, rows: Sequence[Row], options: ImportOptions) -> TablePlan:
    """Return how these first rows of a table are read by the user's options, with guesses for the rest.

    Raises UsageError if an option names a field that no row has.
    """
    return _TablePlanner(file, rows, options).plan()


def value_questions(rows: Sequence[Row], plan: TablePlan, options: ImportOptions) -> list[TableQuestion]:
    """Return the questions about the values of further rows that are read by a plan."""
    trial = replace(plan, questions=[], notes=[])
    if options.rows is None and plan.options.rows is not None:
        rows = list(_within(rows, plan.options.rows))
    _TablePlanner(rows[0].file, rows, replace(options, leave_out=())).ask_values(trial)
    return trial.questions


def plan_rows(
    file: str, rows: Sequence[Row], options: ImportOptions, most: int
) -> tuple[TablePlan, str | None]:
    """Return how a table is read, and the path of the list whose members are its rows, if they are in one.

    A list is gone into if fewer columns are missing then, and if no other list does as well.
    """
    flat, problem = TablePlan(options), None
    try:
        flat = plan_table(file, rows, options)
        if not flat.missing:
            return flat, None
    except UsageError as error:
        problem = error
    if options.rows or any("[" in place for place in options.map.values()):
        if problem is not None:
            raise problem
        return flat, None
    paths = list(dict.fromkeys(path for row in rows[:_MOST_LISTS] for path in lists_in(row.values)))[
        :_MOST_LISTS
    ]
    plans: dict[str, TablePlan] = {}
    for path in paths:
        with suppress(UsageError):
            plans[path] = plan_table(file, list(islice(_within(rows, path), most)), options)
    fewest = min((plan.missing for plan in plans.values()), default=0)
    best = [path for path, plan in plans.items() if plan.missing == fewest]
    if plans and (problem is not None or fewest < flat.missing):
        if len(best) == 1:
            plan = plans[best[0]]
            plan.options = merge_options(plan.options, ImportOptions(rows=best[0]))
            plan.notes.insert(0, f"guessed: each member of {best[0]!r} is a row (--rows {best[0]})")
            return plan, best[0]
        lists = ", ".join(map(repr, best))
        text = f"{file!r} has several lists: {lists}. Name the one of the judgments: --rows {best[0]}"
        return TablePlan(options, questions=[TableQuestion(text, ImportOptions(rows=OPEN))], missing=1), None
    if problem is not None:
        raise problem
    return flat, None


def _within(rows: Iterable[Row], path: str) -> Iterator[Row]:
    number = 0
    for row in rows:
        with suppress(BadRowError):
            for values in members(row.values, steps_of(path)):
                number += 1
                yield Row(row.file, number, values)


class _TablePlanner:
    def __init__(self, file: str, rows: Sequence[Row], options: ImportOptions) -> None:
        self.file, self.rows, self.options = file, rows, options
        self.columns = list(dict.fromkeys(name for row in rows for name in row.values))
        left_out = [self._field(name, "--not") for name in options.leave_out]
        self.free = [column for column in self.columns if column not in left_out]
        self.constants = dict(options.set) | ({"judge": options.judge} if options.judge else {})
        self.constants |= {"generator": options.generator} if options.generator else {}

    def plan(self) -> TablePlan:
        """Return the plan by what the user named alone if that is complete, else with guesses."""
        wide = tuple(self._field(name, "--judges") for name in self.options.judges)
        mapped: dict[str, str | None] = dict.fromkeys(self.constants)
        for name, place in self.options.map.items():
            if name not in self.constants:
                mapped[name] = self._field(place, f"--map {name}=")
        same_named = {
            name: column
            for name in COLUMNS
            if name not in mapped and (column := column_in(name, self.free)) and self._has_cells(column)
        }
        sure = {**same_named, **{name: column for name, column in mapped.items() if column is not None}}
        plan = self._plan(Guess(places={name: sure[name] for name in COLUMNS if name in sure}), wide)
        if self.options.no_guess or (self.options.map and not plan.missing):
            return plan
        free = set(self.free)
        values = [{name: cell for name, cell in row.values.items() if name in free} for row in self.rows]
        return self._plan(guess_columns(FirstRows.of(values), mapped, same_named, wide=wide), wide)

    def _has_cells(self, column: str) -> bool:
        """Return whether a column has cells of its own, rather than objects throughout."""
        values = [row.values[column] for row in self.rows if row.values.get(column) is not None]
        return not values or any(not isinstance(value, Mapping) for value in values)

    def _plan(self, guess: Guess, wide: tuple[str, ...]) -> TablePlan:
        plan = TablePlan(self._with(guess), guess.places, {**self.constants, **guess.set})
        plan.judges = {column: column for column in wide} or guess.judges
        plan.notes = self._notes(guess)
        meanings = {**guess.value, **self.options.value}
        plan.values = {name: self._meanings(name, words, plan) for name, words in meanings.items()}
        if plan.judges:
            plan.verdict = self._wide(plan)
            plan.places = {**plan.places, "judge": "judge", plan.verdict: plan.verdict}
        self._ask_missing(plan, guess)
        self.ask_values(plan)
        return plan

    def _meanings(self, name: str, words: Mapping[str, str], plan: TablePlan) -> dict[str, str]:
        if name not in _SIDED:
            return dict(words)
        has_order = plan.has_order and name != "first"
        return {value: side_meaning(word, has_order=has_order) for value, word in words.items()}

    def _field(self, name: str, option: str) -> str:
        """Return the field that a name or path refers to; UsageError if there is none."""
        if (exact := column_in(name, self.columns)) is not None:
            return exact
        root = column_in(first_part(name), self.columns)
        if root is None or root == name:
            fields = ", ".join(map(repr, self.columns[:_MOST_SHOWN])) or "none"
            column = option.removeprefix("--map ").rstrip("=")
            hint = f"; for one value in every row, give --set {column}={name}" if column != option else ""
            raise UsageError(f"{option} names {name!r}, which no row has; the fields are {fields}{hint}")
        return root + name[len(first_part(name)) :]

    def _with(self, guess: Guess) -> ImportOptions:
        """Return the user's options with what was guessed."""
        guessed = ImportOptions(map=guess.map, set=guess.set, value=guess.value, judges=tuple(guess.judges))
        return merge_options(guessed, self.options)

    def _notes(self, guess: Guess) -> list[str]:
        notes = []
        if guess.map:
            pairs = ",".join(f"{name}={column}" for name, column in guess.map.items())
            notes.append(f"guessed from the names and values of columns: --map {pairs}")
        if guess.judges:
            names = ", ".join(c if c == name else f"{c} (as {name})" for c, name in guess.judges.items())
            notes.append(f"guessed: these columns hold a judge's verdicts each: {names}")
        return notes + [
            f"guessed: {note}" if not note.endswith("names one)") else note for note in guess.notes
        ]

    def _wide(self, plan: TablePlan) -> str:
        """Return our column for the cells of the judges' columns, with a question if that is unclear."""
        for name in ("met", "score", "choice"):
            if name in self.options.value:
                return name
        if "opponent" in plan.names:
            return "choice"
        columns = list(plan.judges)
        cells = Counter(
            lookup_key(row.values[name])
            for row in self.rows
            for name in columns
            if row.values.get(name) is not None
        )
        column = SampledColumn(self.file, "met", columns[0], cells)
        unclear = column.unlike(MET, NO_VERDICT)
        if unclear and any(number_of(value) is None for value in column.unlike(NO_VERDICT)):
            return "met"
        return "score" if unclear else "met"

    # ---- what is missing

    def _ask_missing(self, plan: TablePlan, guess: Guess) -> None:
        names, unused = plan.names, self._unused(plan)
        wanted = {"choice", "p_generator"} if "opponent" in names else {"met", "score"}
        has_truth = bool(names & {"preference", "reference_met", "reference_score"})
        has_verdict = bool(names & {*wanted, "status"})
        if "generator" not in names:
            self._missing(plan, guess, "generator", "the model that answered", unused)
        if "judge" not in names and not has_truth:
            people = ""
            if "choice" in names:
                people = f"; if people chose, give --map preference={plan.places.get('choice', OPEN)}"
            self._missing(plan, guess, "judge", "the model that judged", unused, f", or --judge NAME{people}")
        elif "judge" not in names and has_verdict:
            plan.notes.append(
                "no column is judge, so that only what is true is stored (--judge NAME names one)"
            )
        if "judge" in names and not has_verdict:
            verdict = "choice" if "opponent" in names else "met or score"
            name = next(
                (each for each in ("choice", "met", "score") if each in guess.open), verdict.split()[0]
            )
            plan.missing += 1
            plan.questions.append(
                TableQuestion(
                    f"no column is {verdict}, which says what the judge found; "
                    + (
                        f"it may be {' or '.join(map(repr, guess.open[name]))}"
                        if name in guess.open
                        else f"unused columns: {unused}"
                    )
                    + f". Name it with --map {name}=FIELD",
                    ImportOptions(map={name: OPEN}),
                )
            )
        if not names & {"instance_id", "prompt"}:
            self._missing(
                plan, guess, "instance_id", "the question's id", unused, " (or prompt, for its text)"
            )
        if "met" in names and not names & {"rubric_id", "criterion", "opponent", "paradigm"}:
            text = (
                "met says whether a criterion is met, and no column names one; give --map rubric_id=FIELD or "
                "criterion=FIELD, or --set rubric_id=overall if there is only one"
            )
            plan.missing += 1
            plan.questions.append(TableQuestion(text, ImportOptions(set={"rubric_id": "overall"})))

    def _missing(
        self, plan: TablePlan, guess: Guess, name: str, meaning: str, unused: str, remedy: str = ""
    ) -> None:
        plan.missing += 1
        if columns := guess.open.get(name):
            text = f"{name}, {meaning}, may be {' or '.join(map(repr, columns))}"
        else:
            text = f"no column is {name}, {meaning}; unused columns: {unused}"
        plan.questions.append(
            TableQuestion(f"{text}. Name it with --map {name}=FIELD{remedy}", ImportOptions(map={name: OPEN}))
        )

    def _unused(self, plan: TablePlan) -> str:
        used = {*plan.places.values(), *plan.judges} | {first_part(place) for place in plan.places.values()}
        unused = [column for column in self.columns if column not in used]
        return ", ".join(map(repr, unused[:_MOST_SHOWN])) or "none"

    # ---- what is unclear

    def ask_values(self, plan: TablePlan) -> None:
        cells = [plan.cells(each.values) for row in self.rows for each in plan.melted(row)]
        columns = {}
        for name in (*_SIDED, "met", "reference_met", "score"):
            values = Counter(lookup_key(row[name]) for row in cells if name in row)
            place = plan.places.get(name, name)
            if plan.verdict == name:
                place = next(iter(plan.judges))
            columns[name] = SampledColumn(self.file, name, place, values)
        models = {lookup_key(row[name]) for row in cells for name in ("generator", "opponent") if name in row}
        orders = {
            side
            for row in cells
            if (side := order_named(row.get("first"), str(row.get("generator")), str(row.get("opponent"))))
        }
        for name in _SIDED:
            if "opponent" in plan.names:
                plan.questions += side_questions(
                    columns[name], models, orders=() if plan.is_in_our_words else orders
                )
        for name in ("met", "reference_met"):
            plan.questions += met_questions(columns[name])
        direct = not plan.names & {"opponent", "rubric_id", "criterion", "paradigm"}
        direct |= plan.constants.get("paradigm") == "direct_assessment"
        plan.questions += score_questions(columns["score"], scaled="scale" in plan.names or not direct)
        self._note_places(plan, columns, models)
        truths = [number_of(row.get("reference_score")) or 0 for row in cells]
        if "scale" in plan.names and max(truths, default=0) > 1:
            plan.scales_truth = True
            plan.notes.append("reference_score goes above 1 like the scores, and is divided by the scale too")

    def _note_places(self, plan: TablePlan, columns: Mapping[str, SampledColumn], models: set[str]) -> None:
        """Note words for places that are read as the models of the columns, since no column has the order."""
        if plan.has_order:
            return
        for name in ("choice", "preference"):
            if words := [w for w in columns[name].values if w in PLACES and w not in models]:
                sides = [plan.places.get(side, side) for side in ("generator", "opponent")]
                plan.notes.append(
                    f"{' and '.join(map(repr, words))} in {columns[name].field!r} are taken for the models "
                    f"of {sides[0]!r} and {sides[1]!r}, since no column says which was shown first (--map "
                    "first=FIELD names it)"
                )
