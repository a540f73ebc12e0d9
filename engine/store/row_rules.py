"""What rows of each paradigm must and must not contain, checked on whole batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import shown_order
from engine.paradigms import TRAITS
from engine.rubric_options import read_options
from engine.store.batches import Batch

Columns = dict[str, pa.Array]
Mask = np.ndarray
Present = dict[str, Mask]  # mask of the rows that have a value, by column


@dataclass(frozen=True, slots=True)
class Breach:
    """Rows (a mask) that break a rule, the column whose value is shown, what is wrong and what to do."""

    rows: Mask
    column: str
    problem: str
    remedy: str


def check_rows(columns: Columns, batch: Batch) -> None:
    """Raise BadInputError for the first row that breaks the rules of its table."""
    table = batch.table.name
    if table == "judgments":
        breaches = _judgment_breaches(columns, batch.rows.num_rows)
    elif table in ("preferences", "pairs"):
        breaches = _same_model_breaches(columns)
    elif table == "rubrics":
        breaches = _option_breaches(columns)
    else:
        return
    for breach in breaches:
        if not breach.rows.any():
            continue
        index = int(breach.rows.argmax())
        value = columns[breach.column][index].as_py() if breach.column in columns else None
        raise batch.error(index, f"{breach.column} is {value!r}, {breach.problem}", breach.remedy)


def _judgment_breaches(columns: Columns, size: int) -> Iterator[Breach]:
    paradigm, ok = columns["paradigm"], equals(columns["status"], "ok")
    names = ("met", "score", "choice", "p_generator", "opponent", "rubric_id")
    present = dict.fromkeys(names, np.zeros(size, bool))
    for name in columns.keys() & set(names):
        present[name] = columns[name].is_valid().to_numpy(zero_copy_only=False)
    for name in ("met", "score", "choice"):
        yield Breach(
            present[name] & ~ok,
            name,
            f"but only rows with status 'ok' carry {name}",
            "set the status to 'ok' or leave the value out",
        )
    for subject, verdict in _VERDICTS.items():
        paradigms = [name for name, traits in TRAITS.items() if traits.subject == subject]
        rows = np.logical_or.reduce([equals(paradigm, name) for name in paradigms])
        if not rows.any():
            continue
        if subject in _REQUIRED:
            column, problem, remedy = _REQUIRED[subject]
            yield Breach(rows & ~present[column], column, problem, remedy)
        if verdict is not None:
            column, remedy = verdict
            remedy = f"{remedy}, or set the status to 'unparsed'"
            yield Breach(rows & ok & ~present[column], column, "but the row's status is 'ok'", remedy)
        if subject in _RANGES and "score" in columns:
            low, high, problem, remedy = _RANGES[subject]
            score = _numbers(columns["score"])
            yield Breach(rows & ok & ((score < low) | (score > high)), "score", problem, remedy)
        if subject in _RULES:
            yield from _RULES[subject](columns, present, rows, rows & ok)


def _pair_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    for breach in _same_model_breaches(columns):
        yield Breach(rows & breach.rows, breach.column, breach.problem, breach.remedy)
    yield Breach(
        ok & ~present["choice"] & ~present["p_generator"],
        "choice",
        "but the row's status is 'ok' and p_generator is missing too",
        "write the choice ('generator', 'opponent' or 'tie'), or set the status to 'unparsed'",
    )


def _score_rubric_breaches(columns: Columns, _: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    if not {"score", "position", "ordering"} <= columns.keys():
        return
    score, position = _numbers(columns["score"]), _numbers(columns["position"])
    ordering = columns["ordering"]
    codes = pc.fill_null(ordering.indices, -1).to_numpy()
    wrong = np.zeros(len(rows), bool)
    for code, text in enumerate(ordering.dictionary.to_pylist()):
        try:
            options = np.array([float(part) for part in (text or "").split("-")])
        except ValueError:  # not an ordering such as 5-4-3-2-1
            continue
        in_ordering = ok & (codes == code) & ~np.isnan(score) & ~np.isnan(position)
        place = np.clip(np.nan_to_num(position, nan=1).astype(np.int64) - 1, 0, len(options) - 1)
        wrong |= in_ordering & ((position > len(options)) | (options[place] != score))
    yield Breach(
        wrong,
        "position",
        "which is not the position of the score in the row's ordering",
        "correct position, score or ordering, or leave position out",
    )


def _list_breaches(columns: Columns, _: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    """Check ranks against the models in `ordering`: each row's generator is one of them, at its position."""
    size = len(rows)
    orderings = columns["ordering"].dictionary.to_pylist() if "ordering" in columns else []
    code = pc.fill_null(columns["ordering"].indices, -1).to_numpy() if orderings else np.full(size, -1)
    lists = [shown_order.shown_models(text) or () for text in orderings]
    places = [{name: place for place, name in enumerate(models, 1)} for models in [*lists, ()]]
    generator = columns["generator"].to_pylist()
    triples = zip(code, generator, rows, strict=True)
    place = np.array([places[c].get(name, 0) if is_list else 1 for c, name, is_list in triples])
    yield Breach(
        rows & (place == 0),
        "ordering",
        "which is not a JSON list of the ranked models with `generator` among them",
        'write the models in the order shown, such as ["m1", "m2"]',
    )
    if "position" in columns:
        position = _numbers(columns["position"])
        yield Breach(
            rows & ~np.isnan(position) & (position != place),
            "position",
            "which is not the position of `generator` in the row's ordering",
            "correct position or ordering, or leave position out",
        )
    length = np.array([len(models) for models in places])[code]
    score = _numbers(columns["score"]) if "score" in columns else np.full(size, np.nan)
    yield Breach(
        ok & ((score < 1) | (score > length)),
        "score",
        "which is not a rank in the list",
        "it must be from 1, the best, to the number of answers in the list",
    )


def _same_model_breaches(columns: Columns) -> Iterator[Breach]:
    if "opponent" not in columns:
        return
    same = pc.equal(columns["generator"].cast(pa.string()), columns["opponent"].cast(pa.string()))
    yield Breach(
        pc.fill_null(same, False).to_numpy(zero_copy_only=False),
        "opponent",
        "which is the `generator` itself",
        "a pair needs two different models; correct one of them",
    )


def _option_breaches(columns: Columns) -> Iterator[Breach]:
    if "options" not in columns:
        return
    texts = columns["options"].dictionary.to_pylist()
    is_invalid = np.array([bool(text) and read_options(text) is None for text in texts], bool)
    yield Breach(
        _in_rows(columns["options"], is_invalid),
        "options",
        "which is not a JSON list of scores, each with its text",
        'write it as [{"score": 1, "text": "what it stands for"}]',
    )


def equals(array: pa.Array, text: str) -> Mask:
    """Return the mask of a dictionary-encoded array's rows that equal the text."""
    return _in_rows(array, pc.equal(array.dictionary, text).to_numpy(zero_copy_only=False))


def _in_rows(array: pa.Array, hits: Mask) -> Mask:
    """Return for each row of a dictionary-encoded array whether its distinct value is a hit."""
    hits = np.append(hits, False)  # the place that nulls point to
    return np.asarray(hits[pc.fill_null(array.indices, -1).to_numpy()])


def _numbers(array: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(array.cast(pa.float64()), np.nan).to_numpy())


_REQUIRED = {
    "rubric": ("rubric_id", "but the paradigm judges criteria", "name the criterion"),
    "pair": ("opponent", "but a pair has two answers", "name the other answer's model"),
    "dimension": ("rubric_id", "but a quality row rates a dimension", "name the dimension"),
}
"""The column that a judgment must fill, with the problem and the remedy if it does not, by subject."""

_SCORE = ("score", "write the score")
_VERDICTS = {
    "rubric": ("met", "write whether the criterion is met"),
    "response": _SCORE,
    "pair": None,  # a choice or a probability: see its rule
    "list": _SCORE,
    "options": _SCORE,
    "dimension": _SCORE,
    "words": _SCORE,
}
"""The column of the verdict, with the remedy if it is missing, by subject."""

_RANGES = {
    "response": (0, 1, "which is out of range for its paradigm", "it must be from 0 to 1"),
    "dimension": (0, 10, "which is out of range for its paradigm", "it must be from 0 to 10"),
    "words": (
        -np.inf,
        0,
        "which is not a mean log-probability of words",
        "it must be 0 or below, in natural logarithms",
    ),
}
"""The range of scores, with the problem and the remedy outside it, by subject."""

_RULES: dict[str, Callable[[Columns, Present, Mask, Mask], Iterator[Breach]]] = {
    "pair": _pair_breaches,
    "list": _list_breaches,
    "options": _score_rubric_breaches,
}
"""The other checks of a judgment, by subject."""
