"""What the other measures say of each judge, brought together (MEASURES section 14)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.cubes.arrow import encode, numbers, text_array
from engine.errors import UsageError, unknown
from engine.measures.catalogue import MEASURES
from engine.measures.driver import take
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Floats = NDArray[np.float64]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """One number of a judge: the measure and field it is read from, and what a study must have for it.

    `name` is what it is called where numbers go together. `count` is the field with the number of cases
    behind it. `null` is the value that means no preference, None where the number tells of something else.
    """

    name: str
    measure: str
    field: str
    count: str
    needs: str
    null: float | None = None

    @property
    def title(self) -> str:
        """The measure's name where the field is its headline, else the field's."""
        known = MEASURES.get(self.measure)
        return self.measure if known is not None and known.headline == self.field else self.field


_TRUE = "verdicts with a reference"
_OWN = "pairs with the judge's own response, and a truth"
BIASES = (
    Taken("hspp", "hspp", "hspp_self", "n_self", _TRUE, 1.0),
    Taken("hspp_matched", "hspp", "hspp_matched", "n_matched", "rubric verdicts with a reference", 1.0),
    Taken("hspp_family", "hspp", "hspp_family", "n_family", f"{_TRUE}, and relatives", 1.0),
    Taken("bonus", "delta", "bonus", "n", "scores of responses, with a reference", 0.0),
    Taken("spb", "equal-quality", "spb", "n_pairs", "pairs in both orders, quality, null pairs", 0.0),
    Taken("dbg", "dbg", "dbg", "n", _OWN, 0.0),
    Taken("dbg_decided", "dbg", "dbg_decided", "n_decided", _OWN, 0.0),
    Taken("t", "quality-baseline", "ilsp_updated", "n", f"{_OWN}, and proxies judged too", 0.0),
)
"""The measures of preference."""

SP = Taken("sp", "quality-baseline", "sp", "n_examples", _OWN, 0.0)
"""The share of votes for oneself: no preference by itself, but what it moves by is."""

OTHERS = (
    Taken("ilsp", "quality-baseline", "ilsp", "n_examples", _OWN),
    Taken("accuracy", "accuracy", "mra", "mra_total", "rubric verdicts with a reference"),
    Taken("pair_accuracy", "accuracy", "mipa", "mipa_total", "comparisons with a reference"),
    Taken("d", "discriminability", "d", "n", "pairs of others' responses far apart in quality"),
    Taken("flip_rate", "order-effect", "flip_rate", "n_pairs", "pairs in both orders"),
)
"""What else is told of a judge."""


def rows_of(
    study: "StudyArrays", spec: Slice, taken: tuple[Taken, ...], resamples: int, seed: int
) -> Iterator[tuple[Taken, Row]]:
    """Yield each number with the row of its measure that tells it, judge by judge.

    A measure that the study or the filters do not allow has no rows. Raises UsageError for a model that the
    study does not know.
    """
    for name in (*spec.judges, *spec.generators):
        if name not in study.index.models:
            raise unknown("model", name, study.index.models)
    found: dict[str, list[Row]] = {}
    for one in taken:
        if one.measure not in MEASURES:
            continue
        if one.measure not in found:
            found[one.measure] = _rows(study, spec, one.measure, resamples, seed)
        for row in found[one.measure]:
            yield one, row


def _rows(study: "StudyArrays", spec: Slice, measure: str, resamples: int, seed: int) -> list[Row]:
    """Return the rows of single judges, over all opponents; delta's those on the judge itself."""
    try:
        rows = take(study, measure, resamples=resamples, seed=seed, **spec.given()).rows
    except (UsageError, LackingError):
        return []
    return [
        row
        for row in rows
        if row["judge"] is not None
        and row.get("opponent") is None
        and row.get("ordering") is None
        and row.get("generator", row["judge"]) in (row["judge"], None)
    ]


def numbers_of(study: "StudyArrays", spec: Slice, seed: int) -> dict[str, dict[str, float]]:
    """Return name -> judge -> value of everything that may go together, without intervals."""
    found: dict[str, dict[str, float]] = {}
    for one, row in rows_of(study, spec, (*BIASES, *OTHERS), 0, seed):
        if row[one.field] is not None:
            found.setdefault(one.name, {}).setdefault(row["judge"], float(row[one.field]))
            if one.name == "spb":
                found.setdefault("abs_spb", {})[row["judge"]] = abs(float(row[one.field]))
                if row["mean_quality"] is not None:
                    found.setdefault("mean_quality", {})[row["judge"]] = float(row["mean_quality"])
    return found | _of_models(study)


def _of_models(study: "StudyArrays") -> dict[str, dict[str, float]]:
    """Return the size of each model and the mean length of its responses, where they are known."""
    models = study.files.table("models", ("model", "size_b"))
    sizes = dict(zip(models.column("model").to_pylist(), models.column("size_b").to_pylist(), strict=True))
    texts = study.files.table("responses", ("generator", "transform", "text"))
    plain = pc.is_in(texts.column("transform").cast(pa.string()), value_set=text_array(["none"]))
    texts = texts.filter(plain)
    length = numbers(pc.utf8_length(texts.column("text")))
    author = encode(texts.column("generator"), study.index.model_names)
    known = ~np.isnan(length)
    size = len(study.index.models)
    total = np.bincount(author[known], weights=length[known], minlength=size)
    count = np.bincount(author[known], minlength=size)
    return {
        "size": {str(name): float(value) for name, value in sizes.items() if value is not None},
        "response_length": {
            name: float(total[i] / count[i]) for i, name in enumerate(study.index.models) if count[i]
        },
    }
