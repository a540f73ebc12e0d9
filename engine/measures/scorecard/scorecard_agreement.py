"""The study's other numbers on each judge, and how many point the same way as its conclusion."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.truths.references import NONE
from engine.errors import UsageError
from engine.measures.compute import compute_measure
from engine.measures.outside.outside import OUTSIDE, OUTSIDE_VALUES, outside_values
from engine.measures.rows import Column
from engine.measures.scorecard.judge_numbers import BIASES, number_rows
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.paradigms import RUBRIC_PARADIGMS
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

ROUNDING = 1e-9
_BIASES = tuple(one for one in BIASES if one.name != "hspp_family")


def other_numbers(
    study: "StudyArrays", spec: Slice, source: NumberSource, names: list[str]
) -> dict[str, Column]:
    """Return the study's other numbers on each judge, shown or not, and how many point the same way."""
    numbers: dict[str, dict[str, float]] = {name: {} for name in names}
    hspp: dict[str, dict[str, float]] = {"hspp_self": {}, "hspp_matched": {}}
    pairs: dict[str, int] = {}
    for number, row in number_rows(study, replace(spec, judges=()), _BIASES, 0, 0):
        if row[number.field] is None or number.null is None or row["judge"] not in numbers:
            continue
        numbers[row["judge"]].setdefault(number.name, row[number.field] - number.null)
        if number.field in hspp:
            hspp[number.field].setdefault(row["judge"], row[number.field])
        if number.field == "hspp_matched":
            pairs.setdefault(row["judge"], row["n_matched"])
    for row in _rows_outside(study, spec, source, names):
        if row["judge"] in numbers:
            for name, null in OUTSIDE_VALUES.items():
                if row[name] is not None:
                    numbers[row["judge"]].setdefault(name, row[name] - null)
    agreeing, disagreeing = [], []
    for name, value in zip(names, source.case.evidence.own.value.tolist(), strict=True):
        others = [n for of, n in numbers[name].items() if of != source.number and abs(n) > ROUNDING]
        same = sum((number > 0) == (value > 0) for number in others)
        has_side = abs(value) > ROUNDING
        agreeing.append(same if has_side else 0)
        disagreeing.append(len(others) - same if has_side else 0)
    columns = {
        field: Column([hspp[field].get(name) for name in names], reasons="no_verdict_with_a_reference")
        for field in hspp
    }
    counts = {"n_matched": [pairs.get(name, 0) for name in names]}
    counts |= {"agreeing": agreeing, "disagreeing": disagreeing}
    return columns | {name: Column(values) for name, values in counts.items()}


def _rows_outside(
    study: "StudyArrays", spec: Slice, source: NumberSource, names: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `outside` for each paradigm and level; for what decides, the ratio is known."""
    decides = source.number == "odds_self"
    fields = tuple(
        replace(one, interval=False) for one in OUTSIDE.fields if one.name in ("judge", *OUTSIDE_VALUES)
    )
    measure = replace(OUTSIDE, function=partial(outside_values, odds=not decides), fields=fields)
    known_paradigm = source.view.request.spec.paradigm if decides and source.truth == "failed" else None
    for paradigm in study.inventory.values("paradigm") if spec.paradigm is None else [spec.paradigm]:
        for level in ("rubric", "instance") if paradigm in RUBRIC_PARADIGMS else (None,):
            if level == "rubric" and paradigm == known_paradigm:
                for name, ratio in zip(names, source.ratios.ratio.tolist(), strict=True):
                    known_ratio = None if np.isnan(ratio) else ratio
                    yield dict.fromkeys(OUTSIDE_VALUES) | {"judge": name, "ratio_outside": known_ratio}
                continue
            flags = spec.filters() | {"paradigm": paradigm, "level": level}
            if level == "instance":
                flags["reference"] = NONE
            with suppress(UsageError, NoDataError):
                yield from compute_measure(study, measure, resamples=0, **flags).rows
