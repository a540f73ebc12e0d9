"""Stored tables as pandas frames, for those who want the verdicts themselves."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.arrays.encoding import encode
from engine.arrays.slicing.slice_masks import unknown_value, values_to_group
from engine.arrays.slicing.text_ranges import stored_values
from engine.arrays.text_names import criterion_ids, whole_question
from engine.arrays.truths.references import Exclusion
from engine.errors import UsageError, unknown
from engine.slices import BY_RUBRIC, TEXT_COLUMNS, import_hint
from engine.stats import Ints
from engine.store.study_files import StudyFiles
from engine.values import parse_float

if TYPE_CHECKING:
    import pandas as pd

    from engine.arrays.index import StudyIndex
    from engine.arrays.study_arrays import StudyArrays

_ALSO = {"run": "run_id"}
"""What commands and measures call a column, by its stored name."""

Value = str | bool | float
Selected = Mapping[str, Value | Sequence[Value] | None]
"""The accepted values of columns; None, or no value, accepts all."""

JUDGMENT_COLUMNS = (
    *("judge", "generator", "opponent", "instance_id", "rubric_id"),
    *("paradigm", "first", "met", "score", "choice", "status", "run_id"),
)
"""The columns of a judgment to read; those that are empty throughout are left out."""

THEME, REFERENCE, POINTS = "theme", "reference_met", "points"
"""The columns that are added to judgments: points where a criterion has fewer than 0, the others always."""

RESPONSE_COLUMNS = ("instance_id", "generator", "transform", "text", "finish_reason", "completion_tokens")


def response_frame(study: "StudyArrays", where: Selected, *, full: bool = False) -> "pd.DataFrame":
    """Return the responses that match `where`: the columns that hold anything, or with `full` all.

    Of a study of some runs, those that were judged in them. Whole numbers and yes-or-no columns are of
    pandas' nullable types: what is missing stays missing.
    """
    table = _stored(study.files, "responses", RESPONSE_COLUMNS, where, full=full)
    if study.only_runs:
        names = ("instance_id", "generator", "opponent", "transform")
        judged = study.files.judgments(names, {"run_id": study.only_runs})
        keys = _responses(judged, "generator") | _responses(judged, "opponent")
        rows = zip(*(table[name].to_pylist() for name in _OF_RESPONSE), strict=True)
        table = table.filter(pa.array([row in keys for row in rows], pa.bool_()))
    return _frame(table, RESPONSE_COLUMNS, full=full)


_OF_RESPONSE = ("instance_id", "generator", "transform")
"""What names a response."""


def _responses(judgments: pa.Table, role: str) -> set[tuple[object, ...]]:
    """Return the responses whose author has a role in the judgments."""
    columns = [role if name == "generator" else name for name in _OF_RESPONSE]
    distinct = pa.table({name: _plain(judgments[name]) for name in columns}).group_by(columns).aggregate([])
    return set(zip(*(distinct[name].to_pylist() for name in columns), strict=True))


def judgment_frame(study: "StudyArrays", where: Selected, *, full: bool = False) -> "pd.DataFrame":
    """Return the judgments that match `where`, with theme, reference and, in full, kinds and texts.

    Else as `response_frame`.

    `theme` is the criterion's, else the question's; `reference_met` what the study's first reference says of
    the criterion, where verdicts are on criteria; `points` stand where some are below 0. In full, and where
    they are selected by, stand the other kinds of criteria and questions of which the study has values too,
    such as `category`.
    """
    index, where = study.index, _within_runs(study, _given(where))
    if BY_RUBRIC in where:
        names = tuple(map(str, _values(BY_RUBRIC, where[BY_RUBRIC], str)))
        where = {**where, BY_RUBRIC: criterion_ids(study, names)}
    added = (*TEXT_COLUMNS, POINTS, REFERENCE)
    of_rows = {column: value for column, value in where.items() if column not in added}
    table = _stored(study.files, "judgments", JUDGMENT_COLUMNS, of_rows, added, full=full)
    generator, instance = index.responses_of(table)
    rubric = index.rubrics_of(table)
    has_values = [*values_to_group(index)] if full else []
    kinds = [name for name in TEXT_COLUMNS if name == THEME or name in where or name in has_values]
    for name in kinds:
        table = table.append_column(name, pa.array(index.texts_of_rows(name, instance, rubric), pa.string()))
    has_points = POINTS in where or bool((index.points < 0).any())
    has_points = has_points or (full and bool((index.points != 1).any()))
    if has_points:
        table = table.append_column(POINTS, _points(index, rubric))
    table = table.append_column(REFERENCE, _reference_met(study, generator, rubric))
    if full:
        for name, texts in _texts(study, instance, rubric).items():
            table = table.append_column(name, texts)
    for name in (name for name in (POINTS, REFERENCE) if name in where):
        table = _with_values(table, name, _values(name, where[name], bool if name == REFERENCE else float))
    for name in (name for name in kinds if name in where):
        present = table[name].unique().drop_null().to_pylist()
        values = stored_values(index, name, [str(value) for value in _values(name, where[name], str)])
        for value in sorted(set(values) - set(present), key=str):
            raise unknown_value(name, str(value), present)
        table = table.filter(pc.is_in(table[name], pa.array(values, pa.string())))
    points = [POINTS] if has_points else []
    return _frame(table, (*JUDGMENT_COLUMNS, *kinds, *points, REFERENCE), full=full)


def _within_runs(study: "StudyArrays", where: Selected) -> Selected:
    """Return what selects rows with the runs of the study, if only some count."""
    if not study.only_runs:
        return where
    stored = _by_stored_names(where)
    runs = study.within_runs({"run": stored.get("run_id")})["run"]
    return {**stored, "run_id": runs}


def _points(index: "StudyIndex", rubric: Ints) -> pa.Array:
    points = np.zeros(len(rubric))
    points[rubric >= 0] = index.points[rubric[rubric >= 0]]
    return pa.array(points, mask=rubric < 0)


def _texts(study: "StudyArrays", instance: Ints, rubric: Ints) -> dict[str, pa.Array]:
    """Return the texts of the question and the criterion of each row, null where none is stored."""
    instances = study.files.table("instances", ("instance_id", "prompt"))
    rubrics = study.files.table("rubrics", ("instance_id", "rubric_id", "criterion"))
    places = {
        "question": (encode(instances.column("instance_id"), study.index.instances), instance),
        "criterion": (study.index.rubrics_of(rubrics), rubric),
    }
    prompts = instances.column("prompt").to_pylist()
    questions = [whole_question(prompt) or None for prompt in prompts]
    texts = {"question": questions, "criterion": rubrics.column("criterion").to_pylist()}
    columns = {}
    for name, (stored, of_rows) in places.items():
        by_place = dict(zip(stored.tolist(), texts[name], strict=True))
        columns[name] = pa.array([by_place.get(place) for place in of_rows.tolist()], pa.string())
    return columns


def _reference_met(study: "StudyArrays", generator: Ints, rubric: Ints) -> pa.Array:
    """Return the verdict of the reference on each response and criterion, null without one."""
    try:
        source = study.references.choose(None)
    except UsageError:  # several, and no default
        source = None
    every = np.arange(len(study.index.models))
    planes = study.references.planes(source, every, every, Exclusion())
    met, has = (study.index.layout.unpack(plane[0]) for plane in (planes.met, planes.has))
    judged = (rubric >= 0) & (generator >= 0)
    judged[judged] = has[generator[judged], rubric[judged]]
    verdicts = np.zeros(len(rubric), dtype=bool)
    verdicts[judged] = met[generator[judged], rubric[judged]]
    return pa.array(verdicts, mask=~judged)


def _stored(
    files: StudyFiles,
    name: str,
    columns: Sequence[str],
    where: Selected,
    computed: Sequence[str] = (),
    *,
    full: bool,
) -> pa.Table:
    """Return the rows of a table that match `where`; `computed` are columns that a caller adds to it."""
    where = _by_stored_names(_given(where))
    kinds = _kinds(name, where, computed)
    accepted = {column: _values(column, value, kinds[column]) for column, value in where.items()}
    pushed: dict[str, Any] = {
        column: values for column, values in accepted.items() if kinds[column] is not float
    }
    names = schema.TABLES[name].names
    table = files.table(name, names if full else tuple(dict.fromkeys((*columns, *where))), pushed)
    for column, values in accepted.items():
        if column in pushed:
            _check_values(files, name, column, set(values) - set(table[column].unique().to_pylist()))
        else:
            table = _with_values(table, column, values)
    return table


def _given(where: Selected) -> Selected:
    """Return what selects rows: not None, nor a list without a value."""
    return {
        column: value
        for column, value in where.items()
        if value is not None and not (isinstance(value, Sized) and len(value) == 0)
    }


_MOST_CHOICES = 20
"""The most numbers that an error lists."""


def _with_values(table: pa.Table, column: str, values: Sequence[Value]) -> pa.Table:
    """Return the rows with one of the values; UsageError for a value that no row has."""
    present = sorted(table[column].unique().drop_null().to_pylist())
    for value in (value for value in values if value not in present):
        choices = [str(each).removesuffix(".0") for each in present]
        if len(choices) <= _MOST_CHOICES:
            raise unknown(column, value, choices)
        its_values = f"its {len(choices):,} values are from {choices[0]} to {choices[-1]}"
        raise UsageError(f"unknown {column} {value!r}; {its_values}; give some of these")
    accepted = [each for each in present if each in values]
    return table.filter(pc.is_in(table[column], pa.array(accepted, table[column].type)))


def _frame(table: pa.Table, columns: Sequence[str], *, full: bool) -> "pd.DataFrame":
    """Return a table as a frame: those of the columns that hold anything, or with `full` all of the table."""
    import pandas as pd

    if not full:
        table = table.select(
            [each for each in columns if table[each].null_count < len(table) or not len(table)]
        )
    plain = pa.table({each: _plain(table[each]) for each in table.column_names})
    kinds = {pa.bool_(): pd.BooleanDtype(), pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype()}
    frame: pd.DataFrame = plain.to_pandas(types_mapper=kinds.get)
    return frame


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def _by_stored_names(where: Selected) -> Selected:
    for also, stored in _ALSO.items():
        if also in where and stored in where:
            raise UsageError(f"both {also}= and {stored}= are given; give one of them")
    return {_ALSO.get(column, column): value for column, value in where.items()}


_KINDS: dict[str, type[Value]] = {"text": str, "boolean": bool, "integer": float, "number": float}
"""The values of the stored kinds of columns that rows are selected by."""


def _kinds(name: str, where: Selected, computed: Sequence[str]) -> dict[str, type[Value]]:
    """Return the kind of each stored column; UsageError for one that rows are not selected by."""
    columns = schema.TABLES[name].columns
    kinds = {each.name: _KINDS[each.kind] for each in columns if each.kind in _KINDS}
    for column in where:
        if column not in kinds:
            choices = [*kinds, *computed]
            raise unknown(f"column of {name}", column, choices, import_hint(column, choices))
    return kinds


_EXPECTED = {
    str: "{each!r} is no text; give one, or a list of texts",
    bool: "{column} is True or False; give one of these",
    float: "{each!r} is no number; give one, or a list of numbers",
}


def _values(column: str, value: object, kind: type[Value]) -> tuple[Value, ...]:
    """Return the accepted values of a column; UsageError for one that the column cannot have."""
    of_list = value if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    values: list[Any] = [each.item() if isinstance(each, np.generic) else each for each in of_list]
    for each in values:
        fits = parse_float(each) is not None if kind is float else isinstance(each, kind)
        if not fits:
            raise UsageError(f"{column}={value!r}: {_EXPECTED[kind].format(each=each, column=column)}")
    return tuple(values)


def _check_values(files: StudyFiles, name: str, column: str, absent: set[Value]) -> None:
    """Raise UsageError, which names the values of the column, if one of these is not among them."""
    if not absent:
        return
    values = [
        value for value in files.table(name, (column,))[column].unique().to_pylist() if value is not None
    ]
    for value in sorted(absent - set(values), key=str):
        raise unknown(column, str(value), [str(each) for each in values])
