"""Questions about the values of a table whose meaning is unclear."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from engine.importers.import_options import ImportOptions
from engine.importers.reading.columns import value_at
from engine.importers.reading.rows import BadRowError, Row, number_of
from engine.importers.reading.value_maps import keys_of, spelling_of
from engine.importers.tables.answer_words import AnswerWords, is_answered
from engine.importers.tables.asking.questions import (
    OPEN,
    SampledColumn,
    TableQuestion,
    bad_questions,
    met_questions,
    side_questions,
)
from engine.importers.tables.asking.score_questions import below_zero_questions, score_questions
from engine.importers.tables.bad_scores import bad_score_questions, note_bad_criteria
from engine.importers.tables.criterion_points import word_question
from engine.importers.tables.table_columns import DECLARED, matching
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.verdict_words import (
    GOOD_OR_BAD,
    MET,
    NO_VERDICT,
    PLACES,
    is_bad_to_meet,
    lookup_key,
    order_word,
    says_order,
    side_meaning,
)
from engine.paradigms import TRAITS
from engine.phrases import join_names
from engine.values import written_form

_SIDED = ("choice", "preference", "first")
_SCORES_OF = {"met": "score", "reference_met": "reference_score"}
"""Our column of scores, by that of verdicts of the same things."""


def ask_values(plan: TablePlan, file: str, rows: Sequence[Row]) -> None:
    """Add the questions about values whose meaning is unclear, and notes on those taken for another."""
    plan.questions += _spelling_questions(plan, file, rows)
    readable = list(_readable_cells(plan, rows))
    cells = [row for row, _ in readable]
    columns = {}
    for name in (*_SIDED, "met", "reference_met", "score", "points"):
        values = Counter(lookup_key(row[name]) for row in cells if name in row)
        place = written_in = plan.places.get(name, name)
        fields: tuple[str, ...] = ()
        if plan.verdict == name:
            place, fields = _wide_field(plan, rows, name), tuple(plan.wide)
        written: dict[str, Counter[str]] = defaultdict(Counter)
        for row, as_written in readable:
            if name in row and (value := value_at(as_written, written_in)) is not None:
                written[lookup_key(row[name])][written_form(value).strip()] += 1
        columns[name] = SampledColumn(file, name, place, values, plan.options.spelling, written, fields)
    models = {lookup_key(row[name]) for row in cells for name in ("generator", "opponent") if name in row}
    orders = {
        order_word(first, str(row.get("generator")), str(row.get("opponent")))
        for row in cells
        if says_order(first := row.get("first"))
    }
    for name in _SIDED:
        if "opponent" in plan.names:
            plan.questions += side_questions(
                columns[name],
                models,
                orders=orders,
                answers=plan.options.value.get(name),
                order_words=columns["first"].values,
                is_ours=plan.is_in_our_words,
            )
    words = AnswerWords()
    for row, as_written in readable:
        words.add(plan, row, as_written)
    of_answers = words.questions(columns)
    plan.questions += of_answers
    may_be_bad = any(is_bad_to_meet(row.get("points")) for row in cells)
    for name in _SCORES_OF:
        if is_answered(columns[name], of_answers):
            continue
        explained = {*map(lookup_key, plan.options.value.get(name, {}).values())}
        may_be_scores = plan.verdict is None and columns[name].field != name
        plan.questions += met_questions(
            columns[name],
            explained,
            scores=_SCORES_OF[name] if may_be_scores else None,
            may_be_bad=name in words.below_zero,
        )
        if explained.isdisjoint((*MET, *GOOD_OR_BAD)) and name in plan.places and plan.verdict != name:
            plan.questions += bad_questions(columns[name], may_be_bad=may_be_bad)
    traits = TRAITS.get(plan.constants.get("paradigm", ""))
    is_other = "paradigm" in plan.names and (traits is None or traits.subject not in ("response", "options"))
    is_other = is_other or "score" in plan.fractions or bool(plan.names & {"opponent", "met"})
    lower = [] if is_other else _below_zero(plan, columns["score"])
    plan.questions += lower or score_questions(
        columns["score"],
        scaled=is_other or "scale" in plan.names,
        by_criterion=bool(plan.names & {"rubric_id", "criterion"}),
        of_criteria=len(plan.wide) > 1 and plan.wide_names == "rubric_id",
        may_be_codes=_is_called(plan, "met"),
        is_called_score=_is_called(plan, "score"),
    )
    _ask_of_bad_scores(plan, columns["score"], cells)
    plan.questions += filter(None, [word_question(columns["points"])])
    _note_places(plan, columns, models)
    if orders - {"generator"}:
        _note_models(plan, columns)
    truths = [number_of(row.get("reference_score")) or 0 for row in cells]
    if ("scale" in plan.names or "score" in plan.fractions) and max(truths, default=0) > 1:
        plan.scales_truth = True
        plan.notes.append("reference_score goes above 1 like the scores, and is divided by the scale too")


def _spelling_questions(plan: TablePlan, file: str, rows: Sequence[Row]) -> Iterator[TableQuestion]:
    """Yield the questions about values of which other spellings have different meanings."""
    spelling = plan.options.spelling
    for name, meanings in plan.options.value.items():
        if name not in plan.places or len({key.casefold() for key in meanings}) == len(meanings):
            continue
        cells = (value_at(each.values, plan.places[name]) for row in rows for each in plan.melted(row))
        values = Counter(spelling_of(cell) for cell in cells if cell is not None)
        for value, count in values.items():
            words = {key: meanings[key] for key in keys_of(value, meanings)}
            if len(set(words.values())) > 1:
                text = (
                    f"{file!r}: {plan.places[name]!r} holds {value!r} ({count:,}), and "
                    f"{spelling.meanings(name, words)} gives other spellings of it different meanings. What "
                    f"does {value!r} mean? Give it a meaning of its own, or one to all"
                )
                answer = ImportOptions(value={name: {**meanings, value: OPEN}})
                yield TableQuestion(text, answer, has_counts=True)


def _ask_of_bad_scores(plan: TablePlan, column: SampledColumn, cells: Sequence[Mapping[str, Any]]) -> None:
    """Ask which way round scores are whose name is of something bad, or note it of some of many criteria."""
    traits = TRAITS.get(plan.constants.get("paradigm", ""))
    is_other = "paradigm" in plan.names and (traits is None or traits.subject != "options")
    if is_other or not column.values or plan.names & {"opponent", "met"}:
        return
    if plan.wide and plan.wide_names == "judge":
        return
    questions = bad_score_questions(column, plan.names)
    plan.questions += questions
    if questions or plan.wide or "rubric_id" not in plan.places:
        return
    criteria = (str(row["rubric_id"]) for row in cells if "rubric_id" in row)
    points = plan.options.spelling.columns({"points": "FIELD"})
    if note := note_bad_criteria(criteria, plan.names, points):
        plan.notes.append(note)
        plan.cautions.append(note)
        plan.doubts.append(note)


def _wide_field(plan: TablePlan, rows: Sequence[Row], name: str) -> str:
    """Return the first column of verdicts of a wide table with a value that is none, else the first one."""
    for row in rows:
        for column in plan.wide:
            key = lookup_key(value_at(row.values, column))
            is_verdict = number_of(key) is not None if name == "score" else key in MET
            if not is_verdict and key not in NO_VERDICT:
                return column
    return next(iter(plan.wide))


def _below_zero(plan: TablePlan, column: SampledColumn) -> list[TableQuestion]:
    """Return the question about scores below 0, on whose scale true scores are too."""
    truth = "reference_score" if "reference_score" in plan.places else None
    return below_zero_questions(column, has_scale_column="scale" in plan.places, truth=truth)


def _is_called(plan: TablePlan, name: str) -> bool:
    """Return whether the scores are in a column whose name may be that of our column `name`."""
    groups = DECLARED[name].groups()
    column = plan.places.get("score")
    return column is not None and plan.verdict is None and any(matching([column], each) for each in groups)


def _readable_cells(
    plan: TablePlan, rows: Sequence[Row]
) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    """Yield the rows by our columns, and as written, without those that will be left out."""
    for row in rows:
        for each in plan.melted(row):
            with suppress(BadRowError):
                yield plan.cells(each.values), each.values


def _note_places(plan: TablePlan, columns: Mapping[str, SampledColumn], models: set[str]) -> None:
    """Note words for places that are read as the models of the columns, since no column has the order."""
    if plan.has_order:
        return
    for name in ("choice", "preference"):
        if words := [w for w in columns[name].values if w in PLACES and w not in models]:
            sides = [plan.places.get(side, side) for side in ("generator", "opponent")]
            names = plan.options.spelling.columns({"first": "FIELD"})
            note = (
                f"{' and '.join(map(repr, words))} in {columns[name].field!r} are taken for the models "
                f"of {sides[0]!r} and {sides[1]!r}, since no column says which was shown first "
                f"({names} names it)"
            )
            plan.notes.append(note)
            plan.cautions.append(note)


def _note_models(plan: TablePlan, columns: Mapping[str, SampledColumn]) -> None:
    """Note the values that the user's meanings take for models, whichever of them was shown first."""
    for name in ("choice", "preference"):
        sides = {
            value: side
            for value, word in plan.given.value.get(name, {}).items()
            if (side := side_meaning(word, has_order=True)) in ("generator", "opponent")
        }
        if not sides or not columns[name].values:
            continue
        places = {value: "first" if side == "generator" else "second" for value, side in sides.items()}
        models = join_names([repr(plan.places.get(each, each)) for each in ("generator", "opponent")])
        are = "is" if len(sides) == 1 else "are"
        plan.notes.append(
            f"{join_names(list(map(repr, sides)))} in {columns[name].field!r} {are} taken for the models of "
            f"{models}, in any order ({plan.options.spelling.meanings(name, places)} if for where an answer "
            "was shown)"
        )
