"""What rows of each paradigm must and must not hold, as declared checks on whole batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine import schema
from engine.schema import read_options
from engine.store.conversion import Batch

Columns = dict[str, pa.Array]
Mask = np.ndarray
Present = dict[str, Mask]
"""Where each column has a value."""


@dataclass(frozen=True, slots=True)
class Breach:
    """Rows (a mask) that break a rule, the column whose value is shown, what is wrong and what to do."""

    rows: Mask
    column: str
    problem: str
    remedy: str


def check_rows(table: schema.Table, columns: Columns, batch: Batch) -> None:
    """Raise BadInputError for the first row that breaks the rules of its table."""
    if table.name == "judgments":
        breaches = _judgment_breaches(columns, batch.rows.num_rows)
    elif table.name in ("preferences", "pairs"):
        breaches = _same_model_breaches(columns)
    elif table.name == "rubrics":
        breaches = _option_breaches(columns)
    else:
        return
    for breach in breaches:
        if not breach.rows.any():
            continue
        index = int(breach.rows.argmax())
        value = columns[breach.column][index].as_py() if breach.column in columns else None
        raise batch.error(table.name, index, f"{breach.column} is {value!r}, {breach.problem}", breach.remedy)


def _judgment_breaches(columns: Columns, size: int) -> Iterator[Breach]:
    paradigm, ok = columns["paradigm"], equals(columns["status"], "ok")
    names = ("met", "score", "choice", "p_generator", "opponent", "rubric_id")
    present = {name: _present(columns, name, size) for name in names}
    for name in ("met", "score", "choice"):
        yield Breach(
            present[name] & ~ok,
            name,
            f"but only rows with status 'ok' carry {name}",
            "set the status to 'ok' or leave the value out",
        )
    for subject, check in _RULES.items():
        rows = np.zeros(size, bool)
        for name, traits in schema.TRAITS.items():
            if traits.subject == subject:
                rows |= equals(paradigm, name)
        if rows.any():
            yield from check(columns, present, rows, rows & ok)


def _rubric_breaches(_: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    yield Breach(
        rows & ~present["rubric_id"], "rubric_id", "but the paradigm judges rubrics", "name the rubric"
    )
    yield _without_verdict(present, ok, "met", "write whether the criterion is met")


def _without_verdict(present: Present, ok: Mask, column: str, remedy: str) -> Breach:
    remedy = f"{remedy}, or set the status to 'unparsed'"
    return Breach(ok & ~present[column], column, "but the row's status is 'ok'", remedy)


def _quality_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    yield Breach(
        rows & ~present["rubric_id"], "rubric_id", "but a quality row rates a dimension", "name the dimension"
    )
    yield from _score_breaches(columns, present, rows, ok, 10)


def _score_breaches(
    columns: Columns, present: Present, _: Mask, ok: Mask, top: float | None = None
) -> Iterator[Breach]:
    yield _without_verdict(present, ok, "score", "write the score")
    if top is not None and "score" in columns:
        score = _numbers(columns["score"])
        yield Breach(
            ok & ((score < 0) | (score > top)),
            "score",
            "which is out of range for its paradigm",
            f"it must be from 0 to {top:g}",
        )


def _likelihood_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    yield from _score_breaches(columns, present, rows, ok)
    if "score" in columns:
        yield Breach(
            ok & (_numbers(columns["score"]) > 0),
            "score",
            "which is not a mean log-probability of words",
            "it must be 0 or below, in natural logarithms",
        )


def _pair_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    yield Breach(
        rows & ~present["opponent"],
        "opponent",
        "but a pair has two responses",
        "name the other response's model",
    )
    for breach in _same_model_breaches(columns):
        yield Breach(rows & breach.rows, breach.column, breach.problem, breach.remedy)
    yield Breach(
        ok & ~present["choice"] & ~present["p_generator"],
        "choice",
        "but the row's status is 'ok' and p_generator is missing too",
        "write the choice ('generator', 'opponent' or 'tie'), or set the status to 'unparsed'",
    )


def _score_rubric_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    yield from _score_breaches(columns, present, rows, ok)
    if not {"score", "position", "ordering"} <= columns.keys():
        return
    score, position = _numbers(columns["score"]), _numbers(columns["position"])
    ordering = columns["ordering"]
    codes = pc.fill_null(ordering.indices, -1).to_numpy()
    wrong = np.zeros(len(rows), bool)
    for code, text in enumerate(ordering.dictionary.to_pylist()):
        options = _options(text)
        if options is None:
            continue
        mine = ok & (codes == code) & ~np.isnan(score) & ~np.isnan(position)
        place = np.clip(np.nan_to_num(position, nan=1).astype(np.int64) - 1, 0, len(options) - 1)
        wrong |= mine & ((position > len(options)) | (options[place] != score))
    yield Breach(
        wrong,
        "position",
        "which is not where the score stands in the row's ordering",
        "correct position, score or ordering, or leave position out",
    )


def _list_breaches(columns: Columns, present: Present, rows: Mask, ok: Mask) -> Iterator[Breach]:
    """Check ranks against the list of models in `ordering`: each row is one of them, at its place."""
    yield from _score_breaches(columns, present, rows, ok)
    size = len(rows)
    orderings = columns["ordering"].dictionary.to_pylist() if "ordering" in columns else []
    listed = [schema.shown_models(text) for text in orderings]
    code = pc.fill_null(columns["ordering"].indices, -1).to_numpy() if listed else np.full(size, -1)
    places: list[dict[str, int]] = [{}] * (len(listed) + 1)
    for number, models in enumerate(listed):
        places[number] = {name: place for place, name in enumerate(models or (), 1)}
    generator = columns["generator"].to_pylist()
    place = np.array(
        [places[c].get(g, 0) if wanted else 1 for c, g, wanted in zip(code, generator, rows, strict=True)]
    )
    yield Breach(
        rows & (place == 0),
        "ordering",
        "which is not a JSON list of the ranked models with the generator among them",
        'write the models in the order shown, such as ["m1", "m2"]',
    )
    if "position" in columns:
        position = _numbers(columns["position"])
        yield Breach(
            rows & ~np.isnan(position) & (position != place),
            "position",
            "which is not where the generator stands in the row's ordering",
            "correct position or ordering, or leave position out",
        )
    length = np.array([len(each) for each in places])[code]
    score = _numbers(columns["score"]) if "score" in columns else np.full(size, np.nan)
    yield Breach(
        ok & ((score < 1) | (score > length)),
        "score",
        "which is not a rank in the list",
        "it must be from 1, the best, to the number of responses in the list",
    )


def _options(ordering: str | None) -> np.ndarray | None:
    """Return the scores of an ordering such as `5-4-3-2-1`, None where it is not one."""
    try:
        return np.array([float(part) for part in (ordering or "").split("-")])
    except ValueError:
        return None


def _same_model_breaches(columns: Columns) -> Iterator[Breach]:
    if "opponent" not in columns:
        return
    same = pc.equal(columns["generator"].cast(pa.string()), columns["opponent"].cast(pa.string()))
    yield Breach(
        pc.fill_null(same, False).to_numpy(zero_copy_only=False),
        "opponent",
        "which is the generator itself",
        "a pair needs two different models; correct one of them",
    )


def _option_breaches(columns: Columns) -> Iterator[Breach]:
    if "options" not in columns:
        return
    texts = columns["options"].dictionary.to_pylist()
    strange = np.array([bool(text) and read_options(text) is None for text in texts], bool)
    yield Breach(
        _in_rows(columns["options"], strange),
        "options",
        "which is not a JSON list of scores, each with its text",
        'write it as [{"score": 1, "text": "what it stands for"}]',
    )


def _present(columns: Columns, name: str, size: int) -> Mask:
    if name not in columns:
        return np.zeros(size, bool)
    return np.asarray(columns[name].is_valid().to_numpy(zero_copy_only=False))


def equals(array: pa.Array, text: str) -> Mask:
    """Return where a dictionary-encoded array holds the text."""
    return _in_rows(array, pc.equal(array.dictionary, text).to_numpy(zero_copy_only=False))


def _in_rows(array: pa.Array, hits: Mask) -> Mask:
    """Return for each row of a dictionary-encoded array whether its distinct value is a hit."""
    hits = np.append(hits, False)  # the place that nulls point to
    return np.asarray(hits[pc.fill_null(array.indices, -1).to_numpy()])


def _numbers(array: pa.Array) -> Mask:
    return np.asarray(pc.fill_null(array.cast(pa.float64()), np.nan).to_numpy())


_RULES: dict[str, Callable[..., Iterator[Breach]]] = {
    "rubric": _rubric_breaches,
    "response": partial(_score_breaches, top=1),
    "pair": _pair_breaches,
    "list": _list_breaches,
    "options": _score_rubric_breaches,
    "dimension": _quality_breaches,
    "words": _likelihood_breaches,
}
"""What must hold of a judgment, by what it is about."""
