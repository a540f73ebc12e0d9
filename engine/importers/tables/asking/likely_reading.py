"""The likeliest reading of a table that leaves questions open, for a command that can be typed."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.errors import UsageError
from engine.importers.families import resolve
from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import first_part, value_at
from engine.importers.reading.option_file import merge_options
from engine.importers.reading.rows import OVERALL, Row
from engine.importers.tables.asking.likely_truths import judged_by, likely_truths, true_meanings, true_name
from engine.importers.tables.asking.questions import OPEN, TableQuestion
from engine.importers.tables.column_candidates import Kind, kinds_of
from engine.importers.tables.criterion_points import criterion_fields
from engine.importers.tables.guessing.criterion_columns import (
    are_all_different,
    is_called_measured,
    may_be_scores,
)
from engine.importers.tables.guessing.question_ids import is_called_id
from engine.importers.tables.judge_agreement import dependence, has_no_verdicts
from engine.importers.tables.table_columns import DECLARED, RUN, VERDICTS, matching, sided
from engine.importers.tables.table_plan import plan_rows
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.table_sample import FirstRows
from engine.importers.tables.verdict_names import says_who_lost, true_is_bad
from engine.importers.tables.verdict_words import MET, NO_VERDICT
from engine.importers.tables.verdicts_by_sound import meanings_by_sound, truths_by_sound
from engine.phrases import join_names

_ROUNDS = 5
"""How often a table is planned anew with the answers to what was open; a column is asked about its values."""

_KINDS: dict[str, Kind] = {"met": "truth", "choice": "winner", "score": "number"}
_OTHER_NAMES = {"met": ("score",)}
"""What a column may be if none can be what is asked for."""

_MOST_REPEATS = 4
"""More verdicts of one judge on one answer, on average, are no repeats but of several questions."""

_STRANGE = 2
"""Of words that say in no way that they are verdicts."""

_MODELS = ("judge", "generator", "opponent")
_OF = (*_MODELS, "rubric_id", "criterion", "first", RUN)
"""Our columns that with the question's say which verdict it is."""

_ORDER = (*_KINDS, *_MODELS, "instance_id", "prompt")
"""In this order columns are given away: verdicts are the easiest to know."""


@dataclass(frozen=True, slots=True)
class LikelyReading:
    """The options of the likeliest reading, `?` for what cannot be guessed, and in words what was guessed."""

    options: ImportOptions
    guesses: tuple[str, ...]

    def words(self) -> str:
        """Return what the command that the options make takes for what; empty if no guess was needed."""
        if not self.guesses:
            return ""
        return f"this reads {join_names(list(dict.fromkeys(self.guesses)))}"


def likely_reading(file: str, rows: Sequence[Row], plan: TablePlan, most: int) -> LikelyReading | None:
    """Return the likeliest reading of the first rows of a table, None where it has no more than `plan`.

    `plan` has the questions. The table is planned anew with the answers that are known, until there is no
    question, so that what is guessed is the same as if the user had given them. A table that shows no model
    is too strange for a guess. Which number or word is which side of a pair is never guessed: the opposite
    would turn every conclusion around.
    """
    sample = FirstRows.of([row.values for row in rows])
    if not plan.names & {*_MODELS} and not any(_holds_models(sample, column) for column in sample.columns):
        return None
    guesses: list[str] = []
    given, answers = plan.given, [question.answer for question in plan.questions]
    for number in range(_ROUNDS):
        options, is_open, before, is_new = plan.options, False, given, True
        for question in sorted(plan.questions, key=_turn):
            answer = None if _is_early(question, plan) else _answer(question, plan, rows, options)
            if answer is None:
                is_open, is_new = True, is_new and question.answer not in answers
            else:
                given = merge_options(given, answer)
                guesses += _words_of(question.answer, answer, is_asked=number == 0)
            options = merge_options(options, question.answer if answer is None else answer)
        if is_open and is_new and not guesses:  # nothing of it was asked yet: it will be, once this is run
            return _with_truth(LikelyReading(plan.options, ()), plan, sample)
        try:
            plan, _ = plan_rows(file, rows, given, most)
        except UsageError:
            return None
        if (is_open and given == before) or not plan.questions:
            options = plan.options
            for question in plan.questions:
                if not question.choices or question.answer in answers:  # else it will be, once this is run
                    options = merge_options(options, question.answer)
            return _with_truth(LikelyReading(options, tuple(guesses)), plan, sample)
    return None


def _with_truth(likely: LikelyReading, plan: TablePlan, sample: FirstRows) -> LikelyReading:
    """Return a reading with the one column that may say what is true, in the words of the verdicts."""
    columns = [] if plan.doubts or plan.options.no_guess else list(likely_truths(plan, sample))
    verdict = judged_by(plan)
    if len(columns) != 1 or verdict is None:
        return likely
    name = true_name(columns[0], verdict, plan, sample)
    words = true_meanings(columns[0], verdict, likely.options.value.get(verdict, {}), sample)
    truth = ImportOptions(map={name: columns[0]}, value={name: words} if words else {})
    has_criteria = {*likely.options.map, *likely.options.set} & {"rubric_id", "criterion"}
    if verdict != "choice" and not has_criteria and not likely.options.criteria:
        truth = replace(truth, set={"rubric_id": OVERALL})
    guess = f"{columns[0]!r} as {name} (what is true)"
    return LikelyReading(merge_options(likely.options, truth), (*likely.guesses, guess))


def _turn(question: TableQuestion) -> int:
    """Return when a question is answered: columns that are easy to know are given away first."""
    return min((_ORDER.index(name) for name in question.answer.map if name in _ORDER), default=0)


def _is_early(question: TableQuestion, plan: TablePlan) -> bool:
    """Return whether a question is whether there is one criterion alone, while that of a question is open."""
    asks_for_question = any("instance_id" in each.answer.map for each in plan.questions)
    return "rubric_id" in question.answer.set and asks_for_question


def _answer(
    question: TableQuestion, plan: TablePlan, rows: Sequence[Row], options: ImportOptions
) -> ImportOptions | None:
    """Return the answer of a question with what it leaves open guessed; None if that cannot be."""
    proposed = question.answer
    if question.choices:
        return None
    if OPEN in (proposed.rows, proposed.judge, proposed.generator, *proposed.set.values()):
        return None
    columns = {name: each for name, each in proposed.map.items() if each != OPEN}
    for name in proposed.map.keys() - columns.keys():
        used = [*options.map.values(), *columns.values()]
        for ours in (name, *_OTHER_NAMES.get(name, ())):
            if (column := _likely_column(ours, plan, rows, used, question.among)) is not None:
                columns[ours] = column
                break
        else:
            return None
    meanings = {}
    for name, words in proposed.value.items():
        given = [*options.value.get(name, {}).values(), *_clear_words(name, words, plan, rows)]
        sounds = meanings_by_sound(list(words), given) if name in ("met", "reference_met") else {}
        meanings[name] = {**words, **sounds}
        if OPEN in meanings[name].values():
            return None
    return replace(proposed, map=columns, value=meanings)


def _clear_words(name: str, words: Collection[str], plan: TablePlan, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the known words of verdicts that one of our columns has beside some `words`."""
    sample = FirstRows.of([row.values for row in rows])
    fields = list(plan.wide) if plan.verdict == name else [plan.places[name]] if name in plan.places else []
    for field in fields:
        yield from (label for label in sample.labels(field) if label in MET and label not in words)


def _words_of(proposed: ImportOptions, answer: ImportOptions, *, is_asked: bool) -> Iterator[str]:
    """Yield in words what an answer takes for what the user was to decide, or was not asked about before."""
    for name, column in answer.map.items():
        if column != proposed.map.get(name):
            yield f"{column!r} as {name}"
    for name, words in answer.value.items():
        given = proposed.value[name] if is_asked else {}
        yield from (f"{value!r} as {word}" for value, word in words.items() if word != given.get(value))


def _likely_column(
    name: str, plan: TablePlan, rows: Sequence[Row], used: Sequence[str], among: Sequence[str]
) -> str | None:
    """Return the first column of the file whose values are like those of ours, and that is not used.

    `among` are the columns that a question names; an id is one of these, if there are any.
    """
    sample = FirstRows.of([row.values for row in rows])
    not_free = {*plan.places.values(), *plan.wide, *used, *map(first_part, used)}
    free = [column for column in sample.columns if column not in not_free]
    of_models = [column for column in free if _holds_models(sample, column)]
    if name in _MODELS:
        is_told_apart = plan.names & {"judge", "generator"}  # else one column may be either
        return of_models[0] if len(of_models) == 1 and is_told_apart else None
    if name in _KINDS:
        others = [column for column in free if column not in of_models]
        fitting = [column for column in others if _KINDS[name] in kinds_of(sample, column, ())]
        fitting = [column for column in fitting if not _is_no_verdict(column, plan, sample)]
        if name == "choice":
            fitting = [column for column in fitting if not says_who_lost(column)]
        if name == "score":
            fitting = [column for column in fitting if may_be_scores(sample, column)]
        if name == "met":
            fitting = [column for column in fitting if _strangeness(sample, column) < _STRANGE]
            fitting += [column for column in others if _are_codes(sample, column)]
        return min(fitting, key=lambda column: _strangeness(sample, column), default=None)
    if name not in ("instance_id", "prompt"):
        return None
    verdicts = [plan.places[each] for each in VERDICTS if each in plan.places]
    if not verdicts:
        names = [each for ours in VERDICTS for group in DECLARED[ours].groups() for each in group]
        verdicts = [column for column in matching(free, names) if sample.is_truth(column, ())]
    of_sides = {column for pair in sided(free) for column in (pair.first, pair.second)}
    labels = {
        column: len(sample.labels(column))
        for column in free
        if column not in {*of_models, *of_sides, *likely_truths(plan, sample)}
        and not are_all_different(sample, column)
        and (is_called_id(column) or not is_called_measured(column))
        and not sample.has_words_of(column, verdicts)
        and (not among or column in among)
        and not _has_several_verdicts(column, plan, sample)
    }
    return max(labels, key=lambda each: (not sample.is_sentences(each), labels[each]), default=None)


def _has_several_verdicts(question: str, plan: TablePlan, sample: FirstRows) -> bool:
    """Return whether a judge has more verdicts on an answer than repeats, by a column of questions."""
    if "judge" not in plan.places or "generator" not in plan.places:
        return False
    parts = [question, *(plan.places[name] for name in _OF if name in plan.places)]
    verdicts = {tuple(str(value_at(row, each)) for each in parts) for row in sample.rows}
    return _MOST_REPEATS * len(verdicts) < len(sample.rows)


def _is_no_verdict(column: str, plan: TablePlan, sample: FirstRows) -> bool:
    """Return whether a column does not depend on the judge, is of something else, or its name means bad."""
    question = plan.places.get("instance_id", plan.places.get("prompt"))
    is_bad = true_is_bad(column, sample.labels(column).keys() - NO_VERDICT)
    if is_bad or has_no_verdicts(sample, column, question):
        return True
    criteria = criterion_fields(plan.places)
    if criteria and sample.has_one_for_each(column, *criteria):
        return True
    judge, names = plan.places.get("judge"), ("generator", "opponent", "rubric_id", "criterion")
    if question is None or judge is None:
        return False
    things = [question, *(plan.places[name] for name in names if name in plan.places)]
    return dependence(sample, column, judge, things).is_none


def _are_codes(sample: FirstRows, column: str) -> bool:
    """Return whether a column of two numbers is called like verdicts, and not like scores."""
    labels = sample.labels(column).keys() - NO_VERDICT
    met, score = (any(matching([column], g) for g in DECLARED[name].groups()) for name in ("met", "score"))
    return len(labels) == 2 and labels == sample.numbers(column) - NO_VERDICT and met and not score


def _strangeness(sample: FirstRows, column: str) -> int:
    """Return 0 for a column of known verdicts, 1 for one of words that sound like such, 2 for others."""
    words = sample.labels(column).keys() - NO_VERDICT
    return 0 if words <= MET.keys() else 1 if truths_by_sound(list(words)) else _STRANGE


def one_field_for_two(options: ImportOptions, rows: Sequence[Row]) -> str | None:
    """Return that judge and generator are read from one field although another holds models too, if so."""
    judge, generator = (options.map.get(name) for name in ("judge", "generator"))
    if judge is None or judge != generator:
        return None
    sample = FirstRows.of([row.values for row in rows])
    others = [column for column in sample.columns if column != judge and _holds_models(sample, column)]
    if not others:
        return None
    return (
        f"judge and generator are both read from {judge!r}; give each its own: the models are also in "
        f"{join_names(list(map(repr, others)))}"
    )


def _holds_models(sample: FirstRows, column: str) -> bool:
    if not sample.is_name(column):
        return False
    labels = sample.labels(column)
    return sum(resolve(name).state != "unknown" for name in labels) > len(labels) / 2
