"""How a table is read: where each column comes from, what its values mean, and what must be asked first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from engine.errors import UsageError
from engine.importers.families import resolve
from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import column_in, first_part, names_of_paths, value_at
from engine.importers.reading.option_file import merge_options
from engine.importers.reading.rows import BadRowError, Row, number_of
from engine.importers.reading.shapes import lists_in, members, steps_of
from engine.importers.reading.value_maps import merged_meanings
from engine.importers.tables.asking.missing_columns import ask_missing
from engine.importers.tables.asking.named_columns import UnknownFieldError
from engine.importers.tables.asking.questions import OPEN, SampledColumn, TableQuestion
from engine.importers.tables.asking.unclear_values import ask_values
from engine.importers.tables.asking.unread_orders import order_question
from engine.importers.tables.criterion_points import points_question
from engine.importers.tables.fractions import are_fractions, fraction_of
from engine.importers.tables.guessing import guess_columns
from engine.importers.tables.guessing.binary_scores import binary_question
from engine.importers.tables.guessing.guess import Guess
from engine.importers.tables.stray_numbers import stray_numbers
from engine.importers.tables.table_columns import COLUMNS, RUN
from engine.importers.tables.table_reading import FRACTIONAL, TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_words import MET, NO_VERDICT, lookup_key, side_meaning
from engine.phrases import join_names, quantity

_SIDED = ("choice", "preference", "first")
_OF_ONE_FIELD = {
    "instance_id": "prompt",
    "prompt": "instance_id",
    "rubric_id": "criterion",
    "criterion": "rubric_id",
}
"""An id and its text, which one field may be both of; what is mapped to another column is nothing else."""

_ONE_OF_ALL = ("met", "score", "choice", "rubric_id", "criterion", "reference_met", "reference_score")
"""Columns that a table with a column for each criterion cannot have."""

_MOST_SHOWN = 30
_MOST_LISTS = 8


class OneNameForSeveralError(UsageError):
    """One name is given for all judges, or all authors, and a column of the table has several."""


def plan_table(file: str, rows: Sequence[Row], options: ImportOptions) -> TablePlan:
    """Return how these first rows of a table are read by the user's options, with guesses for the rest.

    Raises UsageError if an option names a field that no row has.
    """
    return _TablePlanner(file, rows, options).plan()


def value_questions(rows: Sequence[Row], plan: TablePlan, options: ImportOptions) -> list[TableQuestion]:
    """Return the questions about the values of further rows that are read by a plan."""
    trial = replace(plan, questions=[], notes=[])
    if options.rows is None and plan.options.rows is not None:
        rows = list(rows_in(rows, plan.options.rows))
    ask_values(trial, rows[0].file, rows)
    return trial.questions


def plan_rows(
    file: str, rows: Sequence[Row], options: ImportOptions, most: int
) -> tuple[TablePlan, str | None]:
    """Return how a table is read, and the path of the list whose members are its rows, if they are in one.

    A list is gone into if fewer columns are missing then, and if no other list does as well.
    """
    flat, problem = TablePlan(options, options), None
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
            plans[path] = plan_table(file, list(islice(rows_in(rows, path), most)), options)
    fewest = min((plan.missing for plan in plans.values()), default=0)
    best = [path for path, plan in plans.items() if plan.missing == fewest]
    if plans and (problem is not None or fewest < flat.missing):
        if len(best) == 1:
            plan = plans[best[0]]
            plan.options = merge_options(plan.options, ImportOptions(rows=best[0]))
            option = options.spelling.rows(best[0])
            plan.notes.insert(0, f"guessed: each member of {best[0]!r} is a row ({option})")
            plan.cautions.append(plan.notes[0])
            return plan, best[0]
        lists = ", ".join(map(repr, best))
        option = options.spelling.rows(best[0])
        text = f"{file!r} has several lists: {lists}. Name the one of the judgments: {option}"
        return TablePlan(
            options, options, questions=[TableQuestion(text, ImportOptions(rows=OPEN))], missing=1
        ), None
    if problem is not None:
        raise problem
    return flat, None


def rows_in(rows: Iterable[Row], path: str) -> Iterator[Row]:
    """Yield the members of the list at a path in each of these rows; what is no list is passed over."""
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
        left_out = [self._field(name, "not") for name in options.leave_out]
        self.free = [column for column in self.columns if column not in left_out]
        self.constants = dict(options.set) | ({"judge": options.judge} if options.judge else {})
        self.constants |= {"generator": options.generator} if options.generator else {}

    def plan(self) -> TablePlan:
        """Return the plan by what the user named alone if that is complete, else with guesses."""
        wide, criteria = self._wide_columns()
        if wide:
            self._refuse_judge_beside_columns()
        mapped: dict[str, str | None] = dict.fromkeys(self.constants)
        for name, place in self.options.map.items():
            if name not in self.constants:
                mapped[name] = column = self._column_at(place)
                if column is None:
                    raise UnknownFieldError(name, place, self.columns, self._fields(), self.options.spelling)
        same_named = {
            name: column
            for name in COLUMNS
            if name not in mapped
            and (column := column_in(name, self.free))
            and self._has_cells(column)
            and all(_OF_ONE_FIELD.get(name) == other for other, place in mapped.items() if place == column)
        }
        if RUN in same_named and not self._first_rows().is_run(same_named[RUN]):
            del same_named[RUN]
        sure = {**same_named, **{name: column for name, column in mapped.items() if column is not None}}
        plan = self._plan(
            Guess(places={name: sure[name] for name in COLUMNS if name in sure}), wide, criteria
        )
        if self.options.no_guess:
            return plan
        guess = guess_columns(
            self._first_rows(),
            mapped,
            same_named,
            spelling=self.options.spelling,
            wide=wide,
            criteria=criteria,
            explained=self.options.value,
            columns=not self.options.map or bool(plan.missing),
        )
        for role, column in guess.contradicted.items():
            raise self._one_name_for_several(role, column)
        return self._plan(guess, wide, criteria)

    def _wide_columns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the columns of judges and those of criteria that the user named.

        UsageError for both, or for criteria beside what they are on.
        """
        options, spelling = self.options, self.options.spelling
        wide = tuple(self._field(name, "judge-columns") for name in options.judges)
        criteria = tuple(self._field(name, "criterion-columns") for name in options.criteria)
        columns = spelling.option("criterion-columns")
        if wide and criteria:
            judges = spelling.option("judge-columns")
            raise UsageError(
                f"{columns} and {judges} are both given; a table has a column for each criterion or for each "
                f"judge: leave out one"
            )
        beside = [name for name in _ONE_OF_ALL if criteria and name in {**options.map, **options.set}]
        if beside:
            names = join_names([spelling.name(name) for name in beside])
            raise UsageError(
                f"{columns} names the columns with the verdicts on one criterion each, and {names} is given "
                "too, which is of all of them: leave out one"
            )
        return wide, criteria

    def _refuse_judge_beside_columns(self) -> None:
        """Raise UsageError where columns of a judge each are named, and the judge of all rows is as well."""
        spelling = self.options.spelling
        columns = spelling.option("judge-columns")
        if (place := self.options.map.get("judge")) is not None:
            judge = spelling.columns({"judge": place})
        elif "judge" in self.constants:
            judge = spelling.constant("judge", self.constants["judge"])
        else:
            return
        raise UsageError(
            f"{columns} names columns that each hold the verdicts of one judge, who is called like the "
            f"column, and {judge} says who judged in each row: leave out one of them; if each has the "
            f"verdicts on a criterion, give {spelling.criteria(self.options.judges)} instead"
        )

    def _one_name_for_several(self, role: str, column: str) -> "OneNameForSeveralError":
        names = dict.fromkeys(map(str, self._first_rows().values(column)))
        spelling, model = self.options.spelling, self.constants[role]
        of_role = getattr(self.options, role) == model
        given = spelling.option(role) if of_role else spelling.constant(role, model)
        did = "judged" if role == "judge" else "answered"
        examples = join_names([repr(name) for name in names][:2])
        return OneNameForSeveralError(
            f"{model!r} is given as the model that {did} in all rows, and {column!r} names "
            f"{quantity(len(names), 'model')}, such as {examples}. Leave out "
            f"{given}, so that {column!r} is read; if it is something else: {spelling.without([column])}"
        )

    def _first_rows(self) -> FirstRows:
        free = set(self.free)
        return FirstRows.of(
            [{name: cell for name, cell in row.values.items() if name in free} for row in self.rows]
        )

    def _has_cells(self, column: str) -> bool:
        """Return whether a column has cells of its own, rather than objects throughout."""
        values = [row.values[column] for row in self.rows if row.values.get(column) is not None]
        return not values or any(not isinstance(value, Mapping) for value in values)

    def _plan(self, guess: Guess, wide: tuple[str, ...], criteria: tuple[str, ...]) -> TablePlan:
        plan = TablePlan(self._with(guess), self.options, guess.places, {**self.constants, **guess.set})
        plan.wide = guess.judges or {column: column for column in wide}
        if not plan.wide and (of_criteria := criteria or guess.criteria):
            plan.wide, plan.wide_names = names_of_paths(of_criteria), "rubric_id"
        plan.ids_of_texts = guess.ids_of_texts
        plan.first_if_mirrored = guess.first_if_mirrored
        plan.notes = self._notes(guess)
        plan.notes += self._passed_over(plan)
        plan.cautions, plan.doubts = list(plan.notes), list(guess.undecided)
        given = self.options.value
        meanings = {
            name: merged_meanings(guess.value.get(name, {}), given.get(name, {}))
            for name in {**guess.value, **given}
        }
        plan.values = {name: self._meanings(name, words, plan) for name, words in meanings.items()}
        if plan.wide_names == "rubric_id" and "points" in given and "points" not in plan.names:
            plan.places["points"] = "rubric_id"
            plan.values["points"] = self._points_by_name(plan.wide, given["points"])
        if plan.wide:
            plan.verdict = self._wide(plan)
            plan.places = {**plan.places, plan.wide_names: plan.wide_names, plan.verdict: plan.verdict}
            plan.note_judging(self.rows)
        self._note_fractions(plan)
        ask_missing(plan, guess, self.columns)
        plan.binary = guess.binary
        if guess.maybe_binary is not None:
            plan.questions.append(
                binary_question(guess.maybe_binary, self.options.spelling, has_points="points" in plan.names)
            )
        ask_values(plan, self.file, self.rows)
        if not self.options.no_guess:
            sample = self._first_rows()
            order = None if guess.leaves_order else order_question(plan, sample)
            plan.questions += filter(None, (points_question(plan, sample), order))
        return plan

    def _passed_over(self, plan: TablePlan) -> list[str]:
        """Return notes on models that are read from a column without any, beside one of our name."""
        sample, notes = self._first_rows(), []
        for name in {"judge", "generator", "opponent"} & self.options.map.keys():
            own, place = column_in(name, self.free), plan.places.get(name)
            if own is None or place is None or own in plan.places.values():
                continue
            has_models = [
                any(resolve(label).state != "unknown" for label in sample.labels(c)) for c in (place, own)
            ]
            if has_models == [False, True]:
                spelling = self.options.spelling
                notes.append(
                    f"{spelling.name(name)} is read from {place!r}, which names no known model, and not from "
                    f"{own!r}, which does ({spelling.columns({name: own})} reads that)"
                )
        return notes

    def _note_fractions(self, plan: TablePlan) -> None:
        """Note the scores that are all written as 7/10."""
        rows = [each.values for row in self.rows for each in plan.melted(row)]
        for name in FRACTIONAL:
            place = plan.places.get(name)
            if place is None or name in plan.constants:
                continue
            texts = [str(value_at(row, place)) for row in rows if value_at(row, place) is not None]
            if not plan.values.get(name) and are_fractions(map(lookup_key, texts)):
                plan.fractions |= {name}
                example = next(each for each in map(str.strip, texts) if fraction_of(each) is not None)
                field = next(iter(plan.wide)) if plan.verdict == name else place
                top = next(fraction.top for each in texts if (fraction := fraction_of(each)) is not None)
                plan.notes.append(f"{field!r} is read as scores with their scale: {example} is out of {top}")

    def _points_by_name(self, wide: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
        """Return the points of each criterion that has a column, 1 where none are given."""
        points = dict.fromkeys(wide.values(), "1")
        for name, number in given.items():
            column = column_in(name, dict.fromkeys((*wide, *wide.values())))
            if column is None:
                meanings = self.options.spelling.meanings("points", {name: number})
                columns = join_names(list(map(repr, wide)))
                raise UsageError(f"{meanings} names no criterion; their columns are {columns}")
            points[wide.get(column, column)] = number
        return points

    def _meanings(self, name: str, words: Mapping[str, str], plan: TablePlan) -> dict[str, str]:
        if name not in _SIDED:
            return dict(words)
        has_order = plan.has_order and name != "first"
        return {value: side_meaning(word, has_order=has_order) for value, word in words.items()}

    def _field(self, name: str, option: str) -> str:
        """Return the field that an option names; UsageError if there is none."""
        if (column := self._column_at(name)) is None:
            given = self.options.spelling.option(option)
            raise UsageError(f"{given} names {name!r}, which no row has; the fields are {self._fields()}")
        return column

    def _column_at(self, place: str) -> str | None:
        """Return the field that a name or path refers to, None if there is none."""
        if (exact := column_in(place, self.columns)) is not None:
            return exact
        root = column_in(first_part(place), self.columns)
        return None if root is None or root == place else root + place[len(first_part(place)) :]

    def _fields(self) -> str:
        return ", ".join(map(repr, self.columns[:_MOST_SHOWN])) or "none"

    def _with(self, guess: Guess) -> ImportOptions:
        """Return the user's options with what was guessed."""
        guessed = ImportOptions(
            map=guess.map,
            set=guess.set,
            value=guess.value,
            judges=tuple(guess.judges),
            criteria=guess.criteria,
            spelling=self.options.spelling,
        )
        return merge_options(guessed, self.options)

    def _notes(self, guess: Guess) -> list[str]:
        notes = []
        if guess.map:
            columns = self.options.spelling.columns(guess.map)
            notes.append(f"guessed from the names and values of columns: {columns}")
        if guess.judges and not self.options.judges:
            names = ", ".join(c if c == name else f"{c} (as {name})" for c, name in guess.judges.items())
            notes.append(f"guessed: these columns hold a judge's verdicts each: {names}")
        if guess.criteria:
            names = ", ".join(guess.criteria)
            note = f"guessed: these columns hold the verdicts on one criterion each: {names}"
            if not {*guess.places, *self.constants, *self.options.map, *self.options.value} & {"points"}:
                bad = self.options.spelling.meanings("points", {guess.criteria[-1]: "-1"})
                note += f"; to meet one counts as good; of one that is bad, give its points, such as {bad}"
            notes.append(note)
        return [*notes, *(f"guessed: {note}" for note in guess.notes), *guess.undecided]

    def _wide(self, plan: TablePlan) -> str:
        """Return our column for the cells of the judges' or criteria's columns."""
        for name in ("met", "score", "choice"):
            if name in self.options.value:
                return name
        if "opponent" in plan.names:
            return "choice"
        columns = list(plan.wide)
        cells = Counter(
            lookup_key(cell)
            for row in self.rows
            for name in columns
            if (cell := value_at(row.values, name)) is not None
        )
        if are_fractions(cells):
            return "score"
        column = SampledColumn(self.file, "met", columns[0], cells, self.options.spelling)
        unclear = column.unlike(MET, NO_VERDICT, stray_numbers(cells))
        n_scores = sum(cells[value] for value in unclear if number_of(value) is not None)
        return "score" if n_scores > sum(cells[value] for value in unclear) / 2 else "met"
