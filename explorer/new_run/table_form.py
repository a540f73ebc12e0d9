"""What the columns and values of a table mean, chosen from lists that start with a guess."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from engine.importers.questions import Column, Question, met_questions, side_questions
from engine.importers.reading.format import ImportOptions
from engine.importers.reading.rows import ImportStats, Row, number_of
from engine.importers.reading.shapes import rows_within
from engine.importers.table_columns import COLUMNS
from engine.importers.table_plan import plan_rows
from engine.importers.table_sample import Sample
from engine.importers.verdict_words import MET, NO_VERDICT, order_named
from explorer.parts import components

_COMMON = (
    *("judge", "generator", "opponent", "choice", "met", "score", "instance_id", "prompt", "rubric_id"),
    *("criterion", "reference_met", "preference"),
)
"""The columns that most tables have, which are not behind "More columns"."""

_NONE = ""
_FIRST = {"generator": "always the generator's", "opponent": "always the opponent's"}
_SIDES = {"a": "the generator", "b": "the opponent", "tie": "a tie", "none": "no verdict"}
_PLACES = {"first": "the response shown first", "second": "the response shown second"}
_TRUTHS = {"yes": "met", "no": "not met", "none": "no verdict"}


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table: its columns in order, the values of each with their counts, and a guess.

    `likely` has the likely column for each of ours, `judges` the columns that each hold one judge's verdicts,
    and `guess` the other options that were guessed, such as the list whose members are the rows.
    """

    columns: tuple[str, ...]
    values: Mapping[str, Counter[str]]
    likely: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    guess: ImportOptions = field(default_factory=ImportOptions)


def sample_of(file: str, rows: Sequence[Row]) -> TableSample:
    """Return the sample of a table's first rows, with the guesses of `spb import table`."""
    plan, inside = plan_rows(file, rows, ImportOptions(), len(rows))
    values = [row.values for row in rows]
    if inside is not None:
        values = [row.values for row in rows_within(rows, inside, ImportStats())]
    sample = Sample.of(values)
    columns = {*sample.columns, *(name for row in values for name in row)}
    ordered = [*sample.columns, *sorted(columns - {*sample.columns})]
    likely = {name: column for name, column in plan.places.items() if column in columns}
    return TableSample(
        tuple(ordered),
        {name: sample.labels(name) for name in ordered},
        likely,
        tuple(plan.judges),
        plan.options,
    )


def choose_columns(sample: TableSample) -> ImportOptions:
    """Show a list for each common column, the others in an expander, and return the choices."""
    judges = st.multiselect(
        "Columns that each hold one judge's verdicts", sample.columns, list(sample.judges),
        key="import_judges", help="Only for a table with a column for each judge",
    )  # fmt: skip
    free = [column for column in sample.columns if column not in judges]
    mapping: dict[str, str] = {}
    names = [name for name in _COMMON if not (judges and name in ("judge", "met", "score", "choice"))]
    left, right = st.columns(2)
    for number, name in enumerate(names):
        with (left, right)[number % 2]:
            _column(name, free, sample.likely, mapping)
    with st.expander("More columns", key="import_more_columns"):
        for name in (name for name in COLUMNS if name not in _COMMON and name != "scale"):
            _column(name, free, sample.likely, mapping)
    constants = _constants(mapping, sample, wide=bool(judges))
    if sample.guess.rows:
        components.note(f"Each member of {sample.guess.rows} is a row.", key="import_rows")
    meanings = _meanings(mapping, sample, judges, constants)
    return ImportOptions(
        map=mapping, set=constants, value=meanings, judges=tuple(judges), rows=sample.guess.rows
    )


def _column(name: str, columns: Sequence[str], likely: Mapping[str, str], mapping: dict[str, str]) -> None:
    options = [_NONE, *columns]
    guess = likely.get(name, _NONE)
    column = st.selectbox(
        name.replace("_", " "), options, index=options.index(guess) if guess in options else 0,
        key=f"import_column_{name}", help=COLUMNS[name], format_func=lambda option: option or "none",
    )  # fmt: skip
    if column:
        mapping[name] = column


def _constants(mapping: Mapping[str, str], sample: TableSample, *, wide: bool) -> dict[str, str]:
    """Ask for what no column says: the order of pairs, the rubric of verdicts, and the scale of scores."""
    constants: dict[str, str] = {}
    if "opponent" in mapping and "first" not in mapping:
        options = [_NONE, *_FIRST]
        guess = sample.guess.set.get("first", _NONE)
        first = st.selectbox(
            "Response shown first", options, key="import_first_shown",
            index=options.index(guess) if guess in options else 0,
            format_func=lambda side: _FIRST.get(side, "not in the file"),
            help="A test of self-preference needs pairs in both orders, so the file must name the first",
        )  # fmt: skip
        if first:
            constants["first"] = first
    scores = [number_of(value) for value in sample.values.get(mapping.get("score", _NONE), Counter())]
    highest = max((score for score in scores if score is not None), default=0.0)
    if highest > 1 and not {"rubric_id", "criterion"} & mapping.keys():
        scale = st.number_input(
            "Highest possible score", min_value=highest, value=highest, key="import_scale",
            help="Scores are divided by this number, so that 1 is perfect",
        )  # fmt: skip
        constants["scale"] = f"{scale:g}"
    met = "met" in mapping or (wide and "opponent" not in mapping)
    if met and not {"rubric_id", "criterion"} & mapping.keys():
        constants["rubric_id"] = (
            st.text_input(
                "Rubric of every verdict", value="overall", key="import_rubric", max_chars=100
            ).strip()
            or "overall"
        )
    return constants


def _meanings(
    mapping: Mapping[str, str], sample: TableSample, judges: Sequence[str], constants: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Ask for the meaning of each ambiguous value."""
    answers: dict[str, dict[str, str]] = {}
    if mapping.get("first") == sample.likely.get("first") and "first" in sample.guess.value:
        answers["first"] = dict(sample.guess.value["first"])
    unanswered = 0
    for question in _questions(mapping, sample, judges, constants):
        for name, values in question.answer.value.items():
            if name in answers:
                continue
            about_places = "for the place" in question.text
            words = _TRUTHS if "met" in name else _PLACES | _SIDES if about_places else _SIDES
            words = {_NONE: "choose"} | words
            for value in values:
                meaning = st.selectbox(
                    f"{name.replace('_', ' ')}: what does {value!r} mean?", list(words),
                    key=f"import_value_{name}_{value}", format_func=words.__getitem__,
                )  # fmt: skip
                if meaning:
                    answers.setdefault(name, {})[value] = meaning
                else:
                    unanswered += 1
    if unanswered:
        components.note(f"Values that still need a meaning: {unanswered:,}.", key="import_unanswered")
    return answers


def _questions(
    mapping: Mapping[str, str], sample: TableSample, judges: Sequence[str], constants: Mapping[str, str]
) -> list[Question]:
    """Return the questions of `spb import table` about the values of the chosen columns."""
    places = [mapping.get(name, _NONE) for name in ("generator", "opponent")]
    models = {value for place in places for value in sample.values.get(place, Counter())}
    values = {name: sample.values[column] for name, column in mapping.items()}
    if judges:
        cells: Counter[str] = sum((sample.values[judge] for judge in judges), Counter())
        values["choice" if "opponent" in mapping else "met"] = cells
        clear = {*MET, *NO_VERDICT}
        if "opponent" not in mapping and all(number_of(v) is not None for v in cells if v not in clear):
            del values["met"]  # scores
    orders = {
        side
        for value in values.get("first", [constants.get("first")])
        if (side := order_named(value, "", None))
    }
    if models & values.get("first", Counter()).keys():
        orders.add("opponent")
    columns = {name: Column("", name, mapping.get(name, name), values[name]) for name in values}
    questions = []
    for name in ("choice", "preference", "first"):
        if name in columns:
            questions += side_questions(columns[name], models, orders=orders)
    for name in ("met", "reference_met"):
        if name in columns:
            questions += met_questions(columns[name])
    return questions
