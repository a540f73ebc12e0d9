"""Any table of judgments: its columns named by `--map` or guessed, its verdicts read."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.importers.earlier_imports import as_before
from engine.importers.import_options import ImportOptions
from engine.importers.misnamed_files import check_text
from engine.importers.reading.columns import (
    column_in,
    empty_cells,
    first_part,
    missing_cells,
    value_at,
)
from engine.importers.reading.files import files_in
from engine.importers.reading.format import Format, ImportedField
from engine.importers.reading.json_rows import open_bounded
from engine.importers.reading.option_file import merge_options
from engine.importers.reading.rows import BadRowError, ImportStats, Row, number_of
from engine.importers.reading.shapes import file_rows, rows_within, unread_members
from engine.importers.reading.study_builder import StudyBuilder, StudyRows
from engine.importers.reading.tables import SUFFIXES
from engine.importers.tables.answer_words import AnswerWords
from engine.importers.tables.asking.columns_of_answers import refuse_columns_of_answers
from engine.importers.tables.asking.likely_reading import likely_reading, one_field_for_two
from engine.importers.tables.asking.likely_truths import likely_truths, unread_verdicts
from engine.importers.tables.asking.missing_ids import MissingIds
from engine.importers.tables.asking.named_columns import UnknownFieldError, with_known_names
from engine.importers.tables.asking.one_sided_columns import (
    no_points_note,
    points_caution,
    truth_caution,
    unnamed_source,
)
from engine.importers.tables.asking.questions import OPEN, SampledColumn, TableQuestion, open_questions
from engine.importers.tables.asking.score_questions import minus_one_note, refuse_below_zero
from engine.importers.tables.asking.unread_columns import unread_notes
from engine.importers.tables.asking.unread_criteria import left_out_as_bad, left_out_by_name, unread_criteria
from engine.importers.tables.asking.without_effect import VerdictsBeside, unmatched_notes
from engine.importers.tables.cell_rows import CellReader
from engine.importers.tables.criterion_points import points_question, sign_hint
from engine.importers.tables.decimal_commas import columns_with_commas, with_points
from engine.importers.tables.further_labels import FurtherLabels
from engine.importers.tables.guessing.binary_scores import BINARY
from engine.importers.tables.guessing.orders import order_note
from engine.importers.tables.judge_agreement import UnanimousVerdicts
from engine.importers.tables.mirrored_pairs import id_of_one_order, shown_first_if_mirrored
from engine.importers.tables.own_columns import THINGS, own_columns
from engine.importers.tables.table_columns import COLUMNS, RUN
from engine.importers.tables.table_plan import OneNameForSeveralError, plan_rows, rows_in, value_questions
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import SAMPLE, FirstRows
from engine.importers.tables.verdict_words import NO_VERDICT, is_no_verdict, lookup_key
from engine.importers.tables.verdicts_by_sound import no_verdict_note
from engine.paradigms import TRAITS
from engine.phrases import join_names, quantity
from engine.values import text_key
from engine.wording import Sentence, command_words

OPTIONS: tuple[str, ...] = (
    "judge",
    "generator",
    "rows",
    "map",
    "set",
    "value",
    "judges",
    "criteria",
    "leave_out",
    "no_guess",
    "whole_ids",
)
_EXPECTED = Sentence(
    "a table (.csv, .tsv, .xlsx, .parquet, .jsonl, .json, .feather) with a judgment in each row: judge, "
    "model, question, and met, score or choice",
    command_words("; name its fields with --map judge=FIELD --map generator=FIELD"),
)

MOST_COUNTED = 50_000
"""Rows whose values are counted if something is to be asked."""

_MOST_SCORES = 1000

_FIRST_BYTES = 1 << 12
"""Bytes of each file by which it may be text."""

_UNRELATED = 3  # columns missing in a file of a folder that is not of the table

_DESCRIPTIONS = ("dataset_info.json", "state.json", "dataset_dict.json")
"""Files of a data set on disk that describe it and hold no rows."""

_FROM_JUDGES = ("choice", "met", "score", "p_generator", "preference", "reference_met", "reference_score")


class _Further:
    """The rows after the first ones, of which some may be looked at before they are read."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._ahead: list[Row] = []
        self.is_whole = True

    def __iter__(self) -> Iterator[Row]:
        return chain(self._ahead, self._rows)

    def ahead(self) -> list[Row]:
        """Return the rows that follow, up to `MOST_COUNTED` with the first ones."""
        if not self._ahead:
            self._ahead = list(islice(self._rows, MOST_COUNTED - SAMPLE))
            last = list(islice(self._rows, 1))
            self.is_whole = not last
            self._rows = chain(last, self._rows)
        return self._ahead

    def whole(self) -> list[Row]:
        """Return all rows that follow."""
        self._ahead = [*self._ahead, *self._rows]
        self._rows = iter(())
        return self._ahead

    def counted(self, questions: Iterable[TableQuestion]) -> list[TableQuestion]:
        """Return questions, those that count values with how many rows were counted if not all were."""
        of = f" (of the first {MOST_COUNTED:,} rows)"
        return [
            replace(each, text=each.text + of) if each.has_counts and not self.is_whole else each
            for each in questions
        ]


def _has_scores_later(plan: TablePlan, inside: str | None, further: _Further) -> bool:
    """Return whether a column that is read as verdicts, as its first cells are 0 and 1, has other values."""
    if (column := plan.binary) is None:
        return False
    ahead = further.ahead()
    rows = ahead if inside is None else rows_in(ahead, inside)
    cells = (value_at(row.values, column) for row in rows)
    return any(cell is not None and lookup_key(cell) not in BINARY | NO_VERDICT for cell in cells)


def _first_rows(rows: Sequence[Row], inside: str | None) -> FirstRows:
    """Return the first rows of a table, which are in the list `inside` each row, if in one."""
    return FirstRows.of([row.values for row in (rows if inside is None else rows_in(rows, inside))])


class ImportedTable:
    """Reads rows, of files or given, by the fields that the user named or that were guessed.

    `--map judge=rater` takes the column `judge` from the field `rater`, or from a path such as
    `scores.judge`. `--set paradigm=pairwise` sets a column everywhere, `--value choice:0=a,1=b` says what
    values mean, `--judge-columns gpt-4o,claude` that each of these columns is a judge's, `--criterion-columns
    clear,concise` that each is of one criterion, and `--rows comparisons` that the rows are the members of a
    list in an object or in each row. A column that is not mentioned is read from a field of its own name,
    ignoring case and blanks, else from one whose name and values show it.
    What is missing or has several meanings stops the import with a question about all of it.
    """

    def __init__(
        self, path: Path, options: ImportOptions, tally: ImportStats, rows: Iterator[Row] | None = None
    ) -> None:
        if OPEN in (options.judge, options.generator):
            raise UsageError(f"a model is called {OPEN!r}; write its name in place of the {OPEN}")
        self._given = options
        options, self._misnamed = with_known_names(options)
        self.path, self.options, self.tally = path, options, tally
        self._rows_in_memory = rows
        self._explained = options.value
        self.plan = TablePlan(options, options)
        self.inside: str | None = None
        self._columns: set[str] = set()
        self._places: dict[tuple[str, str], None] = {}
        self._texts: dict[str, int] = {}  # of the questions by their ids, as hashes
        self._further_texts: set[int] = set()
        self.empty = self.missing = 0
        self._is_of_another_kind = False
        self._lost_in_others: dict[Path, int] = {}
        self._files_read: dict[Path, int] = {}
        self._cell_reader = CellReader(options, tally)
        self._no_verdicts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._scores: Counter[float] = Counter()
        self._stripped: Counter[str] = Counter()
        self._nameless: Counter[str] = Counter()
        self._verdicts_beside = VerdictsBeside()
        self._no_truth = 0
        self._missing_ids = MissingIds(in_memory=rows is not None)
        self._unanimous = UnanimousVerdicts()
        self._further_labels = FurtherLabels()
        self._answer_words = AnswerWords()
        scale = number_of(options.set.get("scale", "1"))
        if scale is None or scale <= 0:
            raise UsageError(
                f"{options.spelling.constant('scale', options.set['scale'])} is not a number above 0; give "
                "one such as 10"
            )

    @property
    def fields(self) -> tuple[ImportedField, ...]:
        count = self.tally.fields
        return tuple(
            ImportedField(place, name)
            for place, name in self._places
            if count[place] or count[first_part(place)]
        )

    @property
    def columns(self) -> frozenset[str]:
        return frozenset(self._columns)

    @property
    def read_by(self) -> ImportOptions:
        """The options with what was guessed, which read further files of these columns likewise.

        The list of the rows is found anew.
        """
        return replace(self.plan.options, rows=self.options.rows)

    def rows(self) -> Iterator[Row]:
        """Yield the rows, one for each judge or criterion of a wide one, after checking the first of them."""
        if self._rows_in_memory is not None:
            yield from self._with_ids(self._planned(self._rows_in_memory))
        else:
            files = self._files()
            rows = chain.from_iterable(map(self._rows_of_file, files))
            yield from self._with_ids(rows, has_further_files=len(files) > 1)
            self._refuse_many_others()
            if not self.path.is_file():
                self._note_other_files()
        if self.missing:
            self.tally.note(missing_cells(self.missing))
        if self.empty:
            self.tally.note(empty_cells(self.plan.wide_names, self.empty))
        self._check_scores()
        if stripped := self._stripped:
            columns = [f"{name} ({quantity(n, 'row')})" for name, n in stripped.items()]
            self.tally.note(f"blanks around names and ids were left out: {', '.join(columns)}")
        if nameless := self._nameless:
            columns = [f"{name} ({quantity(n, 'row')})" for name, n in nameless.items()]
            self.tally.note(f"words for a missing name or id were read as none: {', '.join(columns)}")

    def _files(self) -> list[Path]:
        files = files_in(self.path, *SUFFIXES, expected=_EXPECTED)
        return [file for file in files if self.path.is_file() or file.name not in _DESCRIPTIONS]

    def _note_other_files(self) -> None:
        """Say which files of a folder were not read: those that are no tables, or have no rows."""
        read = [*self._lost_in_others, *(file for file, n_rows in self._files_read.items() if n_rows)]
        files = [file for file in sorted(self.path.rglob("*")) if file.is_file() and file not in read]
        places = [file.relative_to(self.path) for file in files if file.name not in _DESCRIPTIONS]
        others = [str(place) for place in places if not any(part.startswith(".") for part in place.parts)]
        if others:
            self.tally.note(
                f"read of the folder: {join_names(sorted(file.name for file in read), 4)}; not read: "
                f"{join_names(others, 4)}"
            )

    def _with_ids(self, rows: Iterator[Row], *, has_further_files: bool = False) -> Iterator[Row]:
        """Yield rows, those without an id last, when the ids of all texts are known."""
        if self.options.study is not None:
            self._missing_ids.add_study(self.options.study)
        for row in rows:
            if self._is_of_another_kind or not self._missing_ids.waits(
                row, self.plan, has_further_files=has_further_files
            ):
                yield row
        last = self.plan
        for row, plan in self._missing_ids.waiting():
            self.plan = plan
            yield row
        self.plan = last

    def _check_scores(self) -> None:
        """Refuse scores that their scale cannot have, and say what was read of those that may be doubted."""
        spelling, check = self.options.spelling, self._cell_reader.scale_check
        self._ask_of_answer_words()
        if (given := self.plan.constants.get("scale")) is not None:
            scale = f"the scale of {given}"
        else:
            scale = f"the top of their scale in {self.plan.places.get('scale', 'scale')!r}"
        check.refuse_many_above(self.path.name, scale, spelling)
        refuse_below_zero(self.path.name, self._fields_of("score"), self._scores, spelling)
        [field, *others] = self._fields_of("score")
        zeros = "" if others else check.zeros(field, spelling)
        earlier = ""
        if given is not None and given == self.options.set.get("scale") and "scale" not in self._given.set:
            earlier = check.below_earlier_scale(given, spelling)
        low = earlier or check.low_scores(scale, spelling)
        for caution in filter(None, (low, check.low_judges(spelling), zeros)):
            self.tally.note(caution, is_doubt=True)
        self._note_no_verdicts()
        notes = (self._verdicts_beside.notes, partial(unmatched_notes, self._explained))
        for note in chain.from_iterable(each(self.plan, self._fields_of) for each in notes):
            self.tally.note(note, is_caution=True)

    def _ask_of_answer_words(self) -> None:
        """Raise the question on words such as pass, of which the first rows had none on a bad criterion."""
        columns = {}
        for name, words in self._answer_words.words.items():
            first, *others = self._fields_of(name)
            fields = (first, *others) if others else ()
            columns[name] = SampledColumn(
                self.path.name, name, first, words, self.options.spelling, fields=fields
            )
        if questions := self._answer_words.questions(columns):
            raise open_questions(str(self.path), questions, self.plan.options)

    def _note_no_verdicts(self) -> None:
        """Say which cells were read as no verdict without the user's word for it."""
        spelling = self.options.spelling
        for name, words in self._no_verdicts.items():
            if count := words.pop("-1", 0):
                scores = self._scores if name == "score" else None
                note = minus_one_note(name, self._fields_of(name), count, scores, spelling)
                self.tally.note(note, is_caution=True)
            given = {lookup_key(meaning) for meaning in self.plan.values.get(name, {}).values()}
            others = {word: count for word, count in words.items() if word not in given}
            if of_words := no_verdict_note(name, self._fields_of(name), others, spelling):
                self.tally.note(of_words)

    def _fields_of(self, name: str) -> tuple[str, ...]:
        """Return the columns of the file that fill one of ours."""
        if self.plan.verdict == name:
            return tuple(self.plan.wide)
        return (self.plan.places.get(name, name),)

    def _rows_of_file(self, file: Path) -> Iterator[Row]:
        """Yield the rows of a file, and count those that are left out of one that is of another kind."""
        with open_bounded(file) as stream:
            check_text(file, stream.read(_FIRST_BYTES))
        lost, n_read = self.tally.rows_lost, 0
        for row in self._planned(file_rows(file, self.tally, _EXPECTED)):
            n_read += 1
            yield row
        if self._is_of_another_kind:
            self._lost_in_others[file] = self.tally.rows_lost - lost
        else:
            self._files_read[file] = n_read

    def _refuse_many_others(self) -> None:
        """Refuse a folder most rows of which are left out, as their files are of another kind."""
        lost = sum(self._lost_in_others.values())
        if not self._files_read or 2 * lost <= self.tally.rows_read:
            return
        others, files = list(self._lost_in_others), list(self._files_read)
        kind = "is a file" if len(others) == 1 else "are files"
        rows = quantity(self.tally.rows_read, "row")
        names, own = (join_names([each.name for each in group], 4) for group in (others, files))
        problem = (
            f"{str(self.path)!r} has files of several kinds: {lost:,} of {rows} would be left out, as "
            f"{names} {kind} of another kind than {own}. "
        )
        if len(files) == 1:
            problem += "Import that file alone"
        else:
            problem += "Put files of one kind in a folder of their own and import that, or import one file"
        file = max(files, key=self._files_read.__getitem__)
        error = open_questions(str(file), [TableQuestion(problem)], self.options)
        error.file = str(file)
        raise error

    def _planned(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows of a file. One with columns of its own is planned anew; all values are checked."""
        if self.options.rows:
            rows = rows_within(rows, self.options.rows, self.tally)
        sample = list(islice(rows, SAMPLE))
        if not sample:
            if self._misnamed:
                raise open_questions(str(self.path), self._misnamed, self.options)
            return
        if sample[0].file in self.tally.by_semicolons and (numbers := columns_with_commas(sample)):
            names = join_names(list(map(repr, numbers)))
            self.tally.note(f"{sample[0].file}: the comma in {names} is read as a decimal point")
            sample, rows = list(with_points(sample, numbers)), with_points(rows, numbers)
        columns = {name for row in sample for name in row.values}
        if not self._columns:
            self.options, note = as_before(self.options, columns)
            if note:
                self.tally.note(note)
        further = _Further(rows)
        if not self._columns.issuperset(columns):
            self._is_of_another_kind = not self._plan_by(sample, further)
            self._columns = columns
        elif value_questions(sample, self.plan, self.options):
            questions = value_questions([*sample, *further.ahead()], self.plan, self.options)
            raise open_questions(str(self.path), further.counted(questions), self.plan.options)
        rows = chain(sample, further)
        if self.inside is not None:
            rows = rows_within(rows, self.inside, self.tally)
        fields = columns | {*self.plan.places.values()}
        verdicts = [self.plan.places[name] for name in _FROM_JUDGES if name in self.plan.places]
        for row in rows:
            if not fields.issuperset(row.values):  # a column may have its first value after the sample
                fields.update(row.values)
                self._add_same_named(fields)
            for path, number in unread_members(row.values, verdicts).items():
                reads = self.options.spelling.rows(path)
                bad = BadRowError(f"one member of {path} is picked by its number ({reads} reads each)")
                for _ in range(number):
                    self.tally.skip(row.file, row.number, bad)
            self.plan.note_judging((row,))
            melted = self.plan.melted(row)
            self.empty += max(len(self.plan.wide), 1) - len(melted)
            if self.plan.judging:
                self.missing += sum(self.plan.verdict not in each.values for each in melted)
            yield from melted

    def _plan_by(self, sample: Sequence[Row], further: "_Further") -> bool:
        """Plan how a file is read, and return whether it is of the kind of the first.

        What is asked counts the values of the `further` rows too. A later file of a folder that is no table
        of judgments keeps the plan.
        """
        try:
            plan, inside = self._plan_of(sample)
            if (plan.questions or _has_scores_later(plan, inside, further)) and (ahead := further.ahead()):
                sample = [*sample, *ahead]
                plan, inside = self._plan_of(sample)
            if not plan.questions:
                plan, inside = self._with_order(plan, inside, sample, further)
        except UsageError as refused:
            if not self._columns or isinstance(refused, OneNameForSeveralError):
                raise
            return False
        if self._columns and plan.missing >= _UNRELATED:
            return False
        if plan.questions:
            plan.questions = further.counted(plan.questions)
            if self._rows_in_memory is None and not self.path.is_file():
                first, *others = plan.questions
                plan.questions = [replace(first, text=f"of {sample[0].file!r}: {first.text}"), *others]
            likely = likely_reading(sample[0].file, sample, plan, len(sample))
            options = plan.options if likely is None else likely.options
            if note := left_out_by_name(plan, _first_rows(sample, inside), options):
                *others, last = plan.questions
                text = last.text if last.text.endswith((".", "?")) else f"{last.text}."
                plan.questions = [*others, replace(last, text=f"{text} {note[0].upper()}{note[1:]}")]
            error = open_questions(str(self.path), plan.questions, plan.options)
            if likely is not None:
                error.likely, error.guesses = likely.options, likely.words()
            raise error
        plan.matched |= self.plan.matched
        self.plan, self.inside = plan, inside
        self.tally.left_out_names.update(self.options.leave_out)
        self.tally.stored.update(map(first_part, plan.wide))
        for note in plan.notes:
            self.tally.note(note, is_caution=note in plan.cautions, is_doubt=note in plan.doubts)
        first_rows, read = _first_rows(sample, None), _first_rows(sample, inside)
        verdicts = unread_verdicts(plan, read)
        truths = {} if plan.doubts or verdicts else likely_truths(plan, read)
        doubts = filter(None, [id_of_one_order(plan, read)])
        for caution in (*doubts, *verdicts.values(), *truths.values()):
            self.tally.note(caution, is_doubt=True)
        of_criteria = unread_criteria(plan, read) or left_out_by_name(plan, read, plan.options)
        for caution in filter(None, (of_criteria, left_out_as_bad(plan, read))):
            self.tally.note(caution, is_caution=True)
        if not self.options.no_guess:
            self._take_own_columns(first_rows, {**verdicts, **truths})
        elif of_points := points_question(plan, read):
            self.tally.note(of_points.text, is_doubt=True)
        for note in unread_notes(self.plan, first_rows):
            self.tally.note(note)
        self._places |= {(place, name): None for name, place in self.plan.places.items()}
        return True

    def _with_order(
        self, plan: TablePlan, inside: str | None, sample: Sequence[Row], further: "_Further"
    ) -> tuple[TablePlan, str | None]:
        """Return the plan with the order in which answers were shown, if all rows together show it."""
        if plan.first_if_mirrored is None:
            return plan, inside
        if self._rows_in_memory is None:
            files = chain.from_iterable(file_rows(file, ImportStats(), _EXPECTED) for file in self._files())
            rows = rows_within(files, self.options.rows, ImportStats()) if self.options.rows else files
        else:
            rows = chain(sample, further.whole())
        rows = rows if inside is None else rows_in(rows, inside)
        first = shown_first_if_mirrored(plan, (row.values for row in rows))
        if first is None:
            return plan, inside
        self.options = merge_options(self.options, ImportOptions(set={"first": first}))
        plan, inside = self._plan_of(sample)
        reason = "each pair is there both ways round"
        plan.notes.append(f"guessed: {order_note(reason, plan.places[first], self.options.spelling)}")
        plan.cautions.append(plan.notes[-1])
        return plan, inside

    def _plan_of(self, sample: Sequence[Row]) -> tuple[TablePlan, str | None]:
        """Return the plan of a file; what its options name wrongly is asked about with the rest."""
        options, wrong = self.options, list(self._misnamed)
        if wrong and not self._columns:
            options, wrong = with_known_names(self._given, {name for row in sample for name in row.values})
        if not self._columns and (problem := one_field_for_two(options, sample)):
            options = replace(options, map={n: c for n, c in options.map.items() if n != "generator"})
            wrong.append(TableQuestion(problem))
        while True:
            try:
                plan, inside = plan_rows(sample[0].file, sample, options, len(sample))
            except UnknownFieldError as error:
                if self._columns:
                    raise
                options = error.corrected(options)
                wrong.append(TableQuestion(str(error)))
            else:
                plan.questions[:0] = wrong
                return plan, inside

    def _add_same_named(self, fields: Iterable[str]) -> None:
        """Add columns that are neither known nor constant, from the fields of the same name."""
        used = {*self.plan.places.values(), *self.plan.wide}
        free = [field for field in fields if field not in used]
        for name in COLUMNS:
            if (
                name not in {*self.plan.names, RUN}
                and name not in self.options.map
                and (field := column_in(name, free))
            ):
                self.plan.places[name] = field
                self._places[field, name] = None

    def _take_own_columns(self, sample: FirstRows, truths: Collection[str]) -> None:
        """Read columns of the user's own by which questions or criteria are grouped, and say so."""
        plan, choice = self.plan, own_columns(self.plan, sample, truths)
        columns = choice.columns
        for column, reason in choice.reasons.items():
            hint = sign_hint(plan, sample, column)
            self.tally.not_stored[column] = f"{reason}; {hint}" if hint else reason
        plan.places = {**plan.places, **columns}
        plan.options = replace(plan.options, map={**plan.options.map, **columns})
        self._cell_reader.own.names |= columns.keys()
        for name, column in columns.items():
            hint = sign_hint(plan, sample, column)
            self.tally.note(
                f"{column!r} groups the {THINGS[name]}, and is stored as their {name} "
                f"({self.options.spelling.without([column])} leaves it out){f'; {hint}' if hint else ''}"
            )

    def finish(self, builder: StudyBuilder) -> None:
        refuse_columns_of_answers(self.path.name, builder, self.plan, self.tally.rows_read)
        self._cell_reader.finish(builder)
        self._missing_ids.add_notes(self.tally, self.plan.places)
        if further := len(self._further_texts):
            self.tally.note(
                f"questions whose id in {self.plan.places['instance_id']!r} an earlier question with another "
                f"text has, and whose id is made from their text: {further:,}",
                is_caution=True,
            )
        for note, is_caution in self._further_labels.notes(self.plan, builder.repeats):
            self.tally.note(note, is_caution=is_caution)
        self._note_one_sided(builder)
        if not self.tally.doubts and (caution := self._unanimous.caution(self.plan, self.options.spelling)):
            self.tally.note(caution, is_doubt=True)
        for name, (question, *_) in self._cell_reader.own.differing.items():
            column = self.plan.places.pop(name)
            others = {each: place for each, place in self.plan.options.map.items() if each != name}
            self.plan.options = replace(self.plan.options, map=others)
            self._places.pop((column, name), None)
            self.tally.note(f"{column!r} is not stored after all: question {question!r} has two values of it")
            self.tally.not_stored[column] = f"question {question!r} has two values of it"

    def _note_one_sided(self, builder: StudyBuilder) -> None:
        """Say where points have no sign, and where what is true has no opposite."""
        rows, places = {name: list(each.values()) for name, each in builder.rows.items()}, self.plan.places
        cautions = []
        if (field := places.get("points")) is not None:
            cautions.append(points_caution(field, [row.get("points") for row in rows.get("rubrics", ())]))
        if (field := places.get("reference_met")) is not None:
            met = {row.get("met") for row in rows.get("references", ())}
            cautions.append(truth_caution(field, met, self._no_truth, self.tally.rows_read))
        for caution in filter(None, cautions):
            self.tally.note(caution, is_doubt=True)
        if note := no_points_note(self.plan):
            self.tally.note(note)
        if {"references", "preferences"} & rows.keys() and (caution := unnamed_source(self.plan)):
            self.tally.note(caution, is_caution=True)

    def read(self, row: Row) -> StudyRows:
        """Return the judgment of a row, with its question, rubric, responses and references."""
        cells = self.plan.cells(row.values)
        self._stripped.update(self.plan.with_blanks(row.values))
        self._nameless.update(self.plan.without_name(row.values))
        self._count_scores(cells)
        self._answer_words.add(self.plan, cells, row.values)
        if self.plan.ids_of_texts:
            self._part_texts(cells)
        self._missing_ids.fill(cells)
        self._unanimous.add(cells)
        rows = self._cell_reader.read(Row(row.file, row.number, cells), self.plan)
        for judgment in rows.get("judgments", ()):
            self._verdicts_beside.count(cells, judgment)
        if "judgments" in rows and self._further_labels.repeats(row.values, self.plan):
            del rows["judgments"]
        return rows

    def _count_scores(self, cells: dict[str, Any]) -> None:
        """Count the cells that are read as no verdict, and the scores from 0 to a scale."""
        self._no_truth += "reference_met" in self.plan.places and is_no_verdict(cells.get("reference_met"))
        traits = TRAITS.get(str(cells.get("paradigm")))
        if traits is not None and traits.subject == "words":
            return
        for name in _FROM_JUDGES:
            if name in cells and (key := lookup_key(cells[name])) in NO_VERDICT:
                self._no_verdicts[name][key.removesuffix(".0")] += 1
        number = number_of(cells.get("score"))
        if number is not None and (number in self._scores or number < 0 or len(self._scores) < _MOST_SCORES):
            self._scores[number] += 1

    def _part_texts(self, cells: dict[str, Any]) -> None:
        """Leave the id of a question to be made from its text, if an earlier text has it already."""
        name, text = cells.get("instance_id"), cells.get("prompt")
        if name is None or text is None:
            return
        key = hash(text_key(text) if isinstance(text, str) else text)
        if self._texts.setdefault(str(name), key) != key:
            del cells["instance_id"]
            self._further_texts.add(key)


FORMAT = Format(
    "table",
    "Table of judgments",
    "",
    _EXPECTED,
    tuple(ImportedField(name, name, meaning) for name, meaning in COLUMNS.items()),
    ImportedTable,
    OPTIONS,
)
