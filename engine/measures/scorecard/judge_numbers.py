"""The numbers of the other measures for each judge, brought together (MEASURES section 14)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from engine.arrays.encoding import numbers as floats
from engine.arrays.judgment_rows import stored_responses
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.view import SliceView
from engine.errors import UsageError, unknown
from engine.measures.causes.familiarity_score import FAMILIARITY
from engine.measures.causes.recognition_score import RECOGNITION
from engine.measures.compute import compute_measure
from engine.measures.entry import Measure
from engine.measures.orders.list_ranks import LIST_RANKS
from engine.measures.orders.order_effect import ORDER_EFFECT
from engine.measures.pairs.dbg import DBG
from engine.measures.pairs.discriminability import DISCRIMINABILITY
from engine.measures.pairs.equal_quality import EQUAL_QUALITY
from engine.measures.pairs.quality_baseline import QUALITY_BASELINE
from engine.measures.quality.accuracy import ACCURACY
from engine.measures.reference.delta import DELTA, delta_table
from engine.measures.reference.hspp import HSPP
from engine.measures.rows import Options, Table
from engine.slices import Slice

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeMeasure:
    """One number of a judge: the measure and field it is read from, and what a study must have for it.

    `name` is its name among the numbers of a judge. `count` is the field with the number of cases behind it.
    `null` is the value that means no preference, None if the number measures something else. `words` name a
    measure of self-preference in sentences; that of the family has none there.
    """

    name: str
    measure: Measure
    field: str
    count: str
    needs: str
    null: float | None = None
    words: str = ""

    @property
    def title(self) -> str:
        return self.measure.name if self.measure.headline == self.field else self.field


def _delta_of_itself(view: SliceView, options: Options) -> Table:
    """Return the rows of `delta` of each judge on itself, or without a generator, and without rankings."""
    table = delta_table(view, options, rankings=False)
    judge, generator = (table.columns[name].values for name in ("judge", "generator"))
    is_own = [other in (name, None) for name, other in zip(judge, generator, strict=True)]
    return replace(table, keep=table.keep & is_own)


_OF_RANKS = ("rank_shift", "pair_order", "n_ranked")
_UNRANKED = tuple(field for field in DELTA.fields if field.name not in _OF_RANKS)
_DELTA = replace(DELTA, function=_delta_of_itself, fields=_UNRANKED)
_TRUE = "verdicts with a reference"
_OWN = "pairs with the judge's own answer and a known better answer"
BIASES = (
    JudgeMeasure("hspp", HSPP, "hspp_self", "n_self", _TRUE, 1.0, "the HSPP ratio"),
    JudgeMeasure(
        "hspp_matched",
        HSPP,
        "hspp_matched",
        "n_matched",
        "verdicts on criteria with a reference",
        1.0,
        "the matched ratio",
    ),
    JudgeMeasure("hspp_family", HSPP, "hspp_family", "n_family", f"{_TRUE}, and its family", 1.0),
    JudgeMeasure(
        "bonus", _DELTA, "bonus", "n", "scores of answers, with a reference", 0.0, "the score bonus"
    ),
    JudgeMeasure(
        "spb",
        EQUAL_QUALITY,
        "spb",
        "n_pairs",
        "pairs judged in both orders, quality scores, null pairs",
        0.0,
        "the preference between equals (SPB)",
    ),
    JudgeMeasure("dbg", DBG, "dbg", "n", _OWN, 0.0, "the DBG score"),
    JudgeMeasure("dbg_decided", DBG, "dbg_decided", "n_decided", _OWN, 0.0, "DBG on decided items"),
    JudgeMeasure(
        "t",
        QUALITY_BASELINE,
        "ilsp_updated",
        "n",
        f"{_OWN}, and proxies judged on the same examples",
        0.0,
        "T of the quality baseline",
    ),
    JudgeMeasure(
        "pick_gap",
        LIST_RANKS,
        "pick_gap",
        "n",
        "lists that judges of other families ranked too",
        0.0,
        "first places in lists",
    ),
)
"""The measures of preference."""

SP = JudgeMeasure("sp", QUALITY_BASELINE, "sp", "n_examples", _OWN, 0.0)
"""The share of votes for itself: not a preference in itself, but a change of it is one."""

PICKS = JudgeMeasure(
    "pick_own", LIST_RANKS, "pick_own", "n", "lists that judges of other families ranked too", 0.0
)
"""The share of lists in which its own is first: other judges have no part in its changes."""

OTHERS = (
    JudgeMeasure("ilsp", QUALITY_BASELINE, "ilsp", "n_examples", _OWN),
    JudgeMeasure("accuracy", ACCURACY, "mra", "mra_total", "verdicts on criteria with a reference"),
    JudgeMeasure("pair_accuracy", ACCURACY, "mipa", "mipa_total", "comparisons with a reference"),
    JudgeMeasure("d", DISCRIMINABILITY, "d", "n", "pairs of others' answers that clearly differ in quality"),
    JudgeMeasure("flip_rate", ORDER_EFFECT, "flip_rate", "n_pairs", "pairs judged in both orders"),
    JudgeMeasure(
        "recognition", RECOGNITION, "recognition", "n", "answers on which of two answers the judge wrote"
    ),
    JudgeMeasure(
        "familiarity", FAMILIARITY, "familiarity_gap", "n_own", "log-probabilities of answers by the judge"
    ),
)
"""The other numbers of a judge."""

COMPUTED = {
    "abs_spb": "|SPB|",
    "mean_quality": "quality of its answers",
    "response_length": "length of its answers",
    "size": "size of the model",
}
"""Numbers of a judge that are no measure's headline, and their short titles."""


def number_rows(
    study: StudyArrays, spec: Slice, measures: tuple[JudgeMeasure, ...], resamples: int, seed: int
) -> Iterator[tuple[JudgeMeasure, Row]]:
    """Yield each number with the rows of its measure; one that study or filters do not allow has none."""
    for name in (*spec.judges, *spec.generators):
        if name not in study.index.models:
            raise unknown("model", name, study.index.models)
    rows_by_measure: dict[str, list[Row]] = {}
    settings = {"resamples": resamples, "seed": seed, **spec.filters()}
    for number in measures:
        name = number.measure.name
        if name not in rows_by_measure:
            rows_by_measure[name] = []
            with suppress(UsageError, NoDataError):
                rows_by_measure[name] = compute_measure(study, number.measure, **settings).rows
        for row in rows_by_measure[name]:  # of single judges, over all opponents
            if row["judge"] is not None and row.get("opponent") is None and row.get("ordering") is None:
                yield number, row


def numbers_of(study: StudyArrays, spec: Slice, seed: int) -> dict[str, dict[str, float]]:
    """Return name -> judge -> value of all numbers that may correlate, without intervals."""
    numbers: dict[str, dict[str, float]] = {}
    for number, row in number_rows(study, spec, (*BIASES, *OTHERS), 0, seed):
        value = row[number.field]
        if value is not None:
            numbers.setdefault(number.name, {}).setdefault(row["judge"], float(value))
            if number.name == "spb":
                numbers.setdefault("abs_spb", {})[row["judge"]] = abs(float(value))
                if row["mean_quality"] is not None:
                    numbers.setdefault("mean_quality", {})[row["judge"]] = float(row["mean_quality"])
    models = study.files.table("models", ("model", "size_b"))
    sizes = zip(models.column("model").to_pylist(), models.column("size_b").to_pylist(), strict=True)
    (author, _), texts = stored_responses(study.files, study.index, "none", "text")
    length = floats(pc.utf8_length(texts))
    has_text = ~np.isnan(length)
    size = len(study.index.models)
    total = np.bincount(author[has_text], weights=length[has_text], minlength=size)
    count = np.bincount(author[has_text], minlength=size)
    mean_length = {name: float(total[i] / count[i]) for i, name in enumerate(study.index.models) if count[i]}
    known_sizes = {str(name): float(value) for name, value in sizes if value is not None}
    return numbers | {"size": known_sizes, "response_length": mean_length}
