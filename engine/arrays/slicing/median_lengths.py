"""`median` as an end of a range of lengths: the median of the study's texts in its place."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from engine.arrays.slicing.median_ends import has_median, put_median
from engine.errors import UsageError
from engine.slices import how_stored, parse_filters

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

_TEXTS = {"length": "criteria", "response_length": "answers"}


def with_medians(study: "StudyArrays", flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return flags as they are typed, with a number for `median` in a range of lengths, of --against too.

    It is the median of all criteria, in the unit of `length`, or of all answers stored as they were judged,
    in characters.
    UsageError where the study has no texts of them.
    """
    numbers: dict[str, Any] = {
        name: put_median(value, partial(_median, study, name, flags))
        for name in _TEXTS
        if isinstance(value := flags.get(name), str)
    }
    against = flags.get("against")
    if isinstance(against, str) and has_median(against):
        numbers["against"] = with_medians(study, parse_filters(against))
    return {**flags, **numbers}


def _median(study: "StudyArrays", name: str, flags: Mapping[str, Any]) -> float:
    if name == "length":
        lengths = study.index.lengths[flags.get("length_unit") or "characters"]
    else:
        table = study.files.table("responses", ["text", "transform"])
        judged = pc.equal(table["transform"], flags.get("transform") or "none")
        texts = table.filter(judged)["text"].drop_null()
        lengths = np.asarray(pc.utf8_length(texts), dtype=np.float64)
    lengths = lengths[~np.isnan(lengths)]
    if not len(lengths):
        raise UsageError(f"the study has no texts of {_TEXTS[name]}, {how_stored(name)}")
    return float(np.median(lengths))
