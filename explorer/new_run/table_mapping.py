"""What the columns and values of a table mean, chosen from lists that begin with a guess."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.importers.reading.rows import number_of
from engine.importers.reading.tables import column_in
from engine.importers.table import COLUMNS
from engine.importers.table_questions import MET, NO_VERDICT, SIDES, folded
from explorer.parts import components

LIKELY = {
    "judge": ("judge", "rater", "judge_model", "judge_name", "evaluator", "annotator", "grader"),
    "generator": ("generator", "model", "model_a", "model_1", "generator_1", "response_model", "candidate"),
    "opponent": ("opponent", "model_b", "model_2", "generator_2", "other_model"),
    "choice": ("choice", "winner"),
    "met": ("met", "passed", "pass", "correct", "label", "verdict", "ok"),
    "score": ("score", "rating", "grade"),
    "instance_id": ("instance_id", "question_id", "prompt_id", "item_id", "qid", "id"),
    "prompt": ("prompt", "question", "instruction", "input", "query"),
    "rubric_id": ("rubric_id", "criterion_id"),
    "criterion": ("criterion", "rubric"),
}
"""For the columns that most tables have: what they are called, the likeliest first."""

_NONE = ""
_FOLDED = ("choice", "preference", "first", "met", "reference_met")
_SIDES = {"a": "the generator", "b": "the opponent", "tie": "a tie", "none": "no verdict"}
_TRUTHS = {"yes": "met", "no": "not met", "none": "no verdict"}
_MOST_VALUES = 12


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table: its columns in their order, and the values of each with their counts."""

    columns: tuple[str, ...]
    values: Mapping[str, Counter[str]]


@dataclass(frozen=True)
class TableMapping:
    """What was chosen: as the options of an import."""

    map: dict[str, str]
    set: dict[str, str]
    value: dict[str, dict[str, str]]
    judges: tuple[str, ...]


def guesses(columns: Sequence[str]) -> dict[str, str]:
    """Return for our columns those of a table that are likely meant, each taken once."""
    chosen: dict[str, str] = {}
    for name in COLUMNS:
        for word in (name, *LIKELY.get(name, ())):
            match = column_in(word, [column for column in columns if column not in chosen.values()])
            if match is not None:
                chosen[name] = match
                break
    if "opponent" in chosen and "choice" not in chosen and "met" in chosen:
        chosen["choice"] = chosen.pop("met")
    return chosen


def doubtful(name: str, values: Counter[str], models: frozenset[str] = frozenset()) -> list[str]:
    """Return the values of a column that nobody can know the meaning of; none where there are too many."""
    known = MET.keys() if "met" in name else SIDES.keys()
    odd = [value for value in values if value not in known and value not in NO_VERDICT | models]
    sides = values.keys() - models - {"-1"}
    if "met" not in name and sides and sides <= {"0", "1"}:
        odd = list(values)
    return odd if len(odd) <= _MOST_VALUES else []


def choose(sample: TableSample) -> TableMapping:
    """Show a list for each column that most tables have, the others folded away, and return the choices."""
    likely = guesses(sample.columns)
    judges = st.multiselect(
        "Columns that are a judge's verdicts each", sample.columns, key="import_judges",
        help="For a table with a column for each judge; else leave it empty",
    )  # fmt: skip
    free = [column for column in sample.columns if column not in judges]
    chosen: dict[str, str] = {}
    names = [name for name in LIKELY if not (judges and name in ("judge", "met", "score", "choice"))]
    left, right = st.columns(2)
    for number, name in enumerate(names):
        with (left, right)[number % 2]:
            _column(name, free, likely, chosen)
    with st.expander("More columns", key="import_more_columns"):
        for name in (name for name in COLUMNS if name not in LIKELY and name != "scale"):
            _column(name, free, likely, chosen)
    constants = _constants(chosen, sample, wide=bool(judges))
    return TableMapping(chosen, constants, _meanings(chosen, sample, judges), tuple(judges))


def _column(name: str, columns: Sequence[str], likely: Mapping[str, str], chosen: dict[str, str]) -> None:
    """Show the list of one column and add what is chosen."""
    options = [_NONE, *columns]
    guess = likely.get(name, _NONE)
    column = st.selectbox(
        name.replace("_", " "), options, index=options.index(guess) if guess in options else 0,
        key=f"import_column_{name}", help=COLUMNS[name], format_func=lambda one: one or "none",
    )  # fmt: skip
    if column:
        chosen[name] = column


def _constants(chosen: Mapping[str, str], sample: TableSample, *, wide: bool) -> dict[str, str]:
    """Ask for what no column says: the rubric of verdicts without one, and the scale of scores."""
    constants: dict[str, str] = {}
    scores = [number_of(value) for value in sample.values.get(chosen.get("score", _NONE), Counter())]
    highest = max((score for score in scores if score is not None), default=0.0)
    if highest > 1 and not {"rubric_id", "criterion"} & chosen.keys():
        scale = st.number_input(
            "The highest score there can be", min_value=highest, value=highest, key="import_scale",
            help="Scores are divided by it: 1 is perfect",
        )  # fmt: skip
        constants["scale"] = f"{scale:g}"
    met = "met" in chosen or (wide and "opponent" not in chosen)
    if met and not {"rubric_id", "criterion"} & chosen.keys():
        constants["rubric_id"] = (
            st.text_input(
                "Rubric of all verdicts", value="overall", key="import_rubric", max_chars=100
            ).strip()
            or "overall"
        )
    return constants


def _meanings(
    chosen: Mapping[str, str], sample: TableSample, judges: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Ask for each value that could mean two things what it means."""
    models = frozenset(
        value
        for name in ("generator", "opponent")
        for value in sample.values.get(chosen.get(name, _NONE), Counter())
    )
    columns = {name: sample.values[chosen[name]] for name in _FOLDED if name in chosen}
    if judges and not all(_is_number(value) for judge in judges for value in sample.values[judge]):
        verdicts: Counter[str] = sum((sample.values[judge] for judge in judges), Counter())
        columns["choice" if "opponent" in chosen else "met"] = verdicts
    answers: dict[str, dict[str, str]] = {}
    for name, values in columns.items():
        words = _TRUTHS if "met" in name else _SIDES
        for value in doubtful(name, values, models):
            meaning = st.selectbox(
                f"{name.replace('_', ' ')}: what is {value!r}? ({values[value]:,} of the first rows)",
                [_NONE, *words], key=f"import_value_{name}_{value}",
                format_func=partial(_meaning, words),
            )  # fmt: skip
            if meaning:
                answers.setdefault(name, {})[value] = meaning
    unanswered = sum(
        len(doubtful(name, values, models)) - len(answers.get(name, {})) for name, values in columns.items()
    )
    if unanswered:
        components.note(f"Values without a meaning so far: {unanswered:,}.", key="import_unanswered")
    return answers


def _meaning(words: Mapping[str, str], value: str) -> str:
    return words.get(value, "choose")


def _is_number(value: str) -> bool:
    return number_of(value) is not None or value in NO_VERDICT


def counted(values: Sequence[object]) -> Counter[str]:
    """Return values with their counts as they are looked up."""
    return Counter(folded(value) for value in values if value is not None)
