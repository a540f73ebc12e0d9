"""What the columns and values of a table mean, chosen from lists that start with a guess."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from engine.importers.import_options import ImportOptions
from engine.importers.reading.rows import OVERALL, number_of
from engine.importers.tables.answer_words import answer_word_questions, is_answered, is_open
from engine.importers.tables.asking.questions import (
    SampledColumn,
    TableQuestion,
    bad_questions,
    met_questions,
    side_questions,
)
from engine.importers.tables.column_candidates import FEW
from engine.importers.tables.criterion_points import points_options, word_question
from engine.importers.tables.side_columns import LETTER_OF, sides_by_columns
from engine.importers.tables.sign_words import sign_of
from engine.importers.tables.stray_numbers import stray_numbers
from engine.importers.tables.table_reading import TablePlan
from engine.importers.tables.verdict_names import is_amount_of_bad, is_rank
from engine.importers.tables.verdict_words import (
    MET,
    NO_VERDICT,
    is_bad_to_meet,
    lookup_key,
    order_word,
    says_order,
)
from engine.phrases import join_names, sentence_case
from explorer.new_run.column_labels import LABELS
from explorer.new_run.form_words import (
    BAD_CRITERIA,
    CRITERION,
    FIRST,
    HIGH_SCORE,
    NOT_IN_FILE,
    NOT_USED,
    PLACES,
    POINTS,
    SCALE,
    SOURCE,
    SOURCES,
    TRUTHS,
    TRUTHS_OR_GOOD,
    UNNAMED_SOURCE,
    VERDICT_OF,
    FormWords,
    side_words,
)
from explorer.new_run.hand_choices import HandChoices
from explorer.new_run.missing_meanings import WIDE, missing_meanings
from explorer.new_run.score_words import score_words
from explorer.new_run.table_sample import SHOWN_ROWS, TableSample
from explorer.new_run.unused_columns import ask_of_signs, leave_out
from explorer.parts import components
from explorer.parts.safe_markdown import escape_markdown

_NONE = ""
_OF_FIELDS = ("first", "scale", "points", "rubric_id", "reference_source")
"""The constants that fields of the form give."""

_INSTEAD = {**VERDICT_OF, **{verdict: score for score, verdict in VERDICT_OF.items()}}
"""What a column may be instead, and its list has therefore."""

_MOST_LISTED = 30
"""Columns that have a list at once; those that no guess was made for are behind "More columns" beyond it."""
_EXAMPLES = 3
_ABREAST = 2


@dataclass(frozen=True)
class TableChoices:
    """What the columns mean, as the options of an import, and what is still to be decided."""

    options: ImportOptions
    open: tuple[str, ...]


def show_rows(sample: TableSample) -> None:
    """Show the first rows of the file as they are."""
    frame = pd.DataFrame(list(sample.rows), columns=list(sample.columns)).head(SHOWN_ROWS)
    st.dataframe(frame, hide_index=True, key="import_rows_shown", height="content")


def choose_columns(sample: TableSample, by_hand: HandChoices, models: Mapping[str, str]) -> TableChoices:
    """Show a list for each column of the file, and return the choices.

    `models` are the judge and the author of the whole file, where they are given.
    """
    if sample.note:
        components.note(f"{sentence_case(sample.note)}. Change what differs.", key="import_before")
    whole = st.toggle("All meanings in the lists", key="import_all_meanings")
    guessed = sample.guessed
    offered = sorted(sample.columns, key=lambda column: column not in guessed)[:_MOST_LISTED]
    meanings = _column_meanings(sample, by_hand)
    missing = missing_meanings(meanings, models)
    in_order = [name for name in sample.columns if name in offered]
    for first in range(0, len(in_order), _ABREAST):
        row = in_order[first : first + _ABREAST]
        for place, column in zip(st.columns(_ABREAST), row, strict=False):
            with place:
                _meaning(sample, column, by_hand, missing.wanted, whole=whole)
    rest = [column for column in sample.columns if column not in offered]
    if rest:
        with st.expander(
            f"More columns ({len(rest):,})", key="import_more_columns", on_change="rerun"
        ) as more:
            for column in rest if more.open else ():
                _meaning(sample, column, by_hand, missing.wanted, whole=whole)
    judges, criteria = (
        tuple(column for column, name in meanings.items() if name == meaning) for meaning in WIDE
    )
    wide = judges or criteria
    mapping = {name: column for column, name in meanings.items() if name not in (_NONE, *WIDE)}
    mapping = {name: column for name, column in mapping.items() if name not in models}
    constants = _constants(mapping, sample, by_hand, wide=wide, has_criteria=bool(criteria))
    bad = _bad_criteria(sample, by_hand, criteria) if "points" not in mapping else ()
    constants = _points(mapping, sample, by_hand, criteria=criteria, bad=bad) | constants
    if sample.guess.rows:
        components.note(f"Each member of {sample.guess.rows} is a row.", key="import_rows")
    may_be_bad = bool(bad) or _is_any_bad(mapping, sample, constants)
    words, n_unanswered = _meanings(mapping, sample, by_hand, wide, constants, may_be_bad=may_be_bad)
    words |= {"points": dict.fromkeys(bad, "-1")} if bad else {}
    options = ImportOptions(
        map=mapping,
        set=constants,
        value=words,
        judges=judges,
        criteria=criteria,
        rows=sample.guess.rows,
        spelling=FormWords(mapping),
    )
    unclear = [f"Values that still need a meaning: {n_unanswered:,}."] if n_unanswered else []
    if not {"scale"} & {*mapping, *constants} and _highest(mapping, sample, wide) > 1:
        unclear.append(f"{SCALE}: type the top of the scale of the scores.")
    plan = TablePlan(options, options, mapping, constants, wide={column: column for column in wide})
    plan = leave_out(plan, sample.first, [column for column, name in meanings.items() if name == _NONE])
    plan, questions = ask_of_signs(plan, sample.first, by_hand)
    return TableChoices(plan.options, (*missing.sentences, *unclear, *questions))


def _column_meanings(sample: TableSample, by_hand: HandChoices) -> dict[str, str]:
    """Return what each column is taken for: what was chosen in its list, else its guess, empty for none."""
    return {column: by_hand.meaning(column, sample.guessed.get(column, _NONE)) for column in sample.columns}


def _meaning(
    sample: TableSample, column: str, by_hand: HandChoices, wanted: Sequence[str], *, whole: bool
) -> None:
    """Show the list of what a column may be, with the meanings `wanted` by the questions."""
    number = sample.columns.index(column)
    current = _column_meanings(sample, by_hand)[column]
    ranked = sample.meanings[column]
    beside = filter(None, (current, _INSTEAD.get(current)))
    few = [*dict.fromkeys((*wanted, *ranked[:FEW], *beside))]
    options = [_NONE, *(ranked if whole else few)]
    values = dict.fromkeys(row[column] for row in sample.rows if row[column])
    examples = ", ".join([*values][:_EXAMPLES])
    field = f"import_is_{number}_{'all' if whole else '-'.join(few)}"
    with st.container(gap=None, key=f"import_column_{number}"):
        st.text(column)
        components.note(examples or "(empty)", key=f"import_examples_{number}")
        widget = by_hand.meaning_field(column, field)
        if st.session_state.get(widget["key"]) != current:  # at first, or given by an answer
            st.session_state[widget["key"]] = current
        st.selectbox(
            f"Meaning of column {number + 1}", options, label_visibility="collapsed",
            format_func=lambda name: LABELS.get(name, NOT_USED), **widget,
        )  # fmt: skip


def _constants(
    mapping: Mapping[str, str],
    sample: TableSample,
    by_hand: HandChoices,
    *,
    wide: Sequence[str],
    has_criteria: bool,
) -> dict[str, str]:
    """Ask for what no column says: order of pairs, rubric of verdicts, scale of scores, source of a truth."""
    before = sample.before.set
    constants = {name: text for name, text in before.items() if name not in (*_OF_FIELDS, *mapping)}
    if "opponent" in mapping and "first" not in mapping:
        options = [_NONE, *FIRST]
        guess = sample.guess.set.get("first", _NONE)
        shown = by_hand.value("import_first_shown", guess)
        first = st.selectbox(
            LABELS["first"], options, **by_hand.field("import_first_shown"),
            index=options.index(shown) if shown in options else 0,
            format_func=lambda side: FIRST.get(side, NOT_IN_FILE),
            help="A test of self-preference needs pairs in both orders, so the file must name the first",
        )  # fmt: skip
        if first:
            constants["first"] = first
        elif guess:  # or the command would guess it again
            constants["first"] = "unknown"
    highest = _highest(mapping, sample, wide)
    scale_before = number_of(before.get("scale")) if "score" in mapping or wide else None
    if "scale" not in mapping and (highest > 1 or scale_before is not None):
        scale = st.number_input(
            SCALE, min_value=0.0, value=by_hand.value("import_scale", scale_before),
            placeholder=f"the scores go up to {highest:g}", **by_hand.field("import_scale"),
            help="Scores are divided by this number, so that 1 is perfect. Numbers that stand for pass and "
            f"fail are no scores: choose “{LABELS['met']}” for their column.",
        )  # fmt: skip
        lowest, top = min(_scores(mapping, sample, wide), default=0.0), scale or highest
        if lowest == 1 < top:
            components.note(
                f"Scores count as parts of the highest possible one: 1 of {top:g} is {100 / top:.0f} of 100.",
                key="import_scale_parts",
            )
        if scale:
            constants["scale"] = f"{scale:g}"
    met = "met" in mapping or (bool(wide) and "opponent" not in mapping)
    has_true_scores = "reference_score" in mapping and "opponent" not in mapping
    if (met or has_true_scores) and not has_criteria and not {"rubric_id", "criterion"} & mapping.keys():
        constants["rubric_id"] = (
            st.text_input(
                CRITERION,
                value=by_hand.value("import_rubric", before.get("rubric_id", OVERALL)),
                max_chars=100,
                **by_hand.field("import_rubric"),
            ).strip()
            or OVERALL
        )
    source = before.get("reference_source") or sample.guess.set.get("reference_source")
    if "reference_source" not in mapping and mapping.keys() & {"reference_met", "reference_score"}:
        sources = [*dict.fromkeys((source or _NONE, *SOURCES))]
        shown = by_hand.value("import_source", sources[0])
        answer = st.selectbox(
            SOURCE, sources, index=sources.index(shown) if shown in sources else 0,
            **by_hand.field("import_source"),
            format_func=lambda name: SOURCES.get(name, name) or UNNAMED_SOURCE,
        )  # fmt: skip
        if answer:
            constants["reference_source"] = answer
    return constants


def _bad_criteria(sample: TableSample, by_hand: HandChoices, criteria: Sequence[str]) -> Sequence[str]:
    """Ask which of the criteria that have columns are bad to meet."""
    if not criteria:
        return ()
    before = [name for name, points in sample.before.value.get("points", {}).items() if points == "-1"]
    shown = by_hand.value("import_bad_criteria", before)
    return st.multiselect(
        BAD_CRITERIA, criteria, **by_hand.field("import_bad_criteria"), placeholder="none",
        default=[name for name in criteria if name in shown],
        help="Such as “hallucinates”: a judge that says no favours the answer",
    )  # fmt: skip


def _points(
    mapping: Mapping[str, str],
    sample: TableSample,
    by_hand: HandChoices,
    *,
    criteria: Sequence[str],
    bad: Sequence[str],
) -> dict[str, str]:
    """Ask whether a high score of something bad by its name is bad, unless it is among the `bad` criteria.

    A score that is bad has a criterion, which is called like its column where no other is.
    """
    fields = criteria or [mapping[name] for name in ("score",) if name in mapping]
    open_ones = [
        each
        for each in fields
        if each not in bad
        and (is_amount_of_bad(each) or is_rank(each))
        and not sample.values[each].keys() <= MET.keys()
    ]
    if not open_ones or bad or "points" in mapping:
        return {}
    words = {_NONE: "choose", **POINTS}
    if len(open_ones) < len(fields):
        del words["-1"]
    before = by_hand.value("import_points", sample.before.set.get("points", _NONE))
    points = st.selectbox(
        HIGH_SCORE, list(words), **by_hand.field("import_points"), format_func=words.__getitem__,
        index=[*words].index(before) if before in words else 0,
        help=f"{join_names(open_ones, 4)}: by the name a high score may be bad",
    )  # fmt: skip
    if not points:
        return {}
    is_without = not criteria and not {"rubric_id", "criterion"} & mapping.keys()
    criterion = {"rubric_id": open_ones[0]} if points == "-1" and is_without else {}
    return {"points": points, **criterion}


def _is_any_bad(mapping: Mapping[str, str], sample: TableSample, constants: Mapping[str, str]) -> bool:
    """Return whether some criteria have points below 0, or words that stand for such."""
    column = mapping.get("points")
    words = {} if column is None else points_options(sample.first, column).value.get("points", {})
    points = [constants.get("points"), *(sample.values[column] if column else ())]
    return any(is_bad_to_meet(words.get(str(each), each)) or sign_of(str(each)) < 0 for each in points)


def _highest(mapping: Mapping[str, str], sample: TableSample, wide: Sequence[str]) -> float:
    """Return the highest score of the sample, 0 if it has none."""
    return max(_scores(mapping, sample, wide), default=0.0)


def _scores(mapping: Mapping[str, str], sample: TableSample, wide: Sequence[str]) -> list[float]:
    columns = (mapping.get("score", _NONE), *(() if "opponent" in mapping else wide))
    scores = [number_of(value) for column in columns for value in sample.values.get(column, Counter())]
    return [score for score in scores if score is not None]


def _meanings(
    mapping: Mapping[str, str],
    sample: TableSample,
    by_hand: HandChoices,
    wide: Sequence[str],
    constants: Mapping[str, str],
    *,
    may_be_bad: bool,
) -> tuple[dict[str, dict[str, str]], int]:
    """Ask for the meaning of each ambiguous value; return the answers, and how many are not given.

    With `may_be_bad` some criteria are bad to meet.
    """
    answers = {
        name: dict(words)
        for name, words in sample.before.value.items()
        if mapping.get(name) == sample.before.map.get(name)
    }
    for name in ("met", "reference_met"):
        guess = {} if may_be_bad else sample.guess.value.get(name)
        if guess and (mapping.get(name) == sample.likely.get(name) or wide):
            answers[name] = {**guess, **answers.get(name, {})}
    is_first_guessed = mapping.get("first") == sample.likely.get("first") and "first" in sample.guess.value
    if is_first_guessed:
        answers["first"] = dict(sample.guess.value["first"])
    if "points" in mapping and (of_words := points_options(sample.first, mapping["points"]).value):
        answers["points"] = {**of_words["points"], **answers.get("points", {})}
    for name, words in _by_columns(mapping, sample, wide, constants).items():
        answers[name] = {**words, **answers.get(name, {})}
    unanswered = 0
    sides = side_words(mapping)
    for question in _questions(mapping, sample, wide, constants, may_be_bad=may_be_bad):
        for name, values in question.answer.value.items():
            if name == "first" and is_first_guessed:
                continue
            words = {_NONE: "choose"} | _words_for(name, question, sides, may_be_bad=may_be_bad)
            for value in values:
                field = f"import_value_{name}_{value}"
                before = answers.get(name, {}).pop(value, _NONE)
                answer = by_hand.value(field, before if name == "points" else _usual(before))
                meaning = st.selectbox(
                    f"{LABELS[name]}: what does {escape_markdown(repr(value))} mean?", list(words),
                    **by_hand.field(field), format_func=words.__getitem__,
                    index=[*words].index(answer) if answer in words else 0,
                )  # fmt: skip
                if meaning:
                    answers.setdefault(name, {})[value] = meaning
                else:
                    unanswered += 1
    for name in ("score", "reference_score"):
        if name in mapping:
            numbers, n_open = score_words(name, mapping[name], sample, by_hand, answers.pop(name, {}))
            answers |= {name: numbers} if numbers else {}
            unanswered += n_open
    return answers, unanswered


def _words_for(
    name: str, question: TableQuestion, sides: Mapping[str, str], *, may_be_bad: bool
) -> dict[str, str]:
    """Return the meanings that a value may have, with those of places where it may be of one."""
    if name == "points":
        return POINTS
    if "met" in name:
        return TRUTHS_OR_GOOD if may_be_bad else TRUTHS
    return PLACES | dict(sides) if question.may_be_places else dict(sides)


def _by_columns(
    mapping: Mapping[str, str], sample: TableSample, wide: Sequence[str], constants: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return the meanings of words by which the columns of models are called, such as left and right."""
    generator, opponent = mapping.get("generator"), mapping.get("opponent")
    columns: dict[str, Sequence[str]] = {
        name: (mapping[name],) for name in ("choice", "preference", "first") if name in mapping
    }
    if wide and opponent is not None:
        columns["choice"] = wide
    meanings = {}
    for name, fields in columns.items():
        labels = {label for field in fields for label in sample.values[field]}
        has_order = "first" in {*mapping, *constants}
        words = sides_by_columns(labels, generator, opponent, of_order=name == "first", has_order=has_order)
        meanings[name] = {word: LETTER_OF[side] for word, side in words.items()}
    return {name: words for name, words in meanings.items() if words}


def _usual(word: str) -> str:
    """Return a meaning as the form has it: `yes` for `true`, `a` for `generator`."""
    met = MET.get(lookup_key(word)) if word else None
    return LETTER_OF.get(word, word) if met is None else "yes" if met else "no"


def _questions(
    mapping: Mapping[str, str],
    sample: TableSample,
    wide: Sequence[str],
    constants: Mapping[str, str],
    *,
    may_be_bad: bool,
) -> list[TableQuestion]:
    """Return the questions of `spb import table` about the values of the chosen columns."""
    places = [mapping.get(name, _NONE) for name in ("generator", "opponent")]
    models = {value for place in places for value in sample.values.get(place, Counter())}
    values = {name: sample.values[column] for name, column in mapping.items()}
    if wide:
        cells: Counter[str] = sum((sample.values[column] for column in wide), Counter())
        values["choice" if "opponent" in mapping else "met"] = cells
        clear = {*MET, *NO_VERDICT, *stray_numbers(cells)}
        if "opponent" not in mapping and all(number_of(v) is not None for v in cells if v not in clear):
            del values["met"]  # scores
    firsts = values.get("first", [constants.get("first")])
    orders = {order_word(first, "", None) for first in firsts if says_order(first)}
    columns = {name: SampledColumn("", name, mapping.get(name, name), values[name]) for name in values}
    questions = []
    for name in ("choice", "preference", "first"):
        if name in columns:
            questions += side_questions(
                columns[name], models, orders=orders, order_words=values.get("first", ())
            )
    truths = [columns[name] for name in ("met", "reference_met") if name in columns]
    open_words = [(each, {word: n for word, n in each.values.items() if is_open(word)}) for each in truths]
    of_answers = answer_word_questions(open_words if may_be_bad else [])
    questions += of_answers
    for column in truths:
        if not is_answered(column, of_answers):
            questions += met_questions(column, may_be_bad=may_be_bad) or bad_questions(column)
    return [*questions, *filter(None, [word_question(columns["points"])] if "points" in columns else [])]
