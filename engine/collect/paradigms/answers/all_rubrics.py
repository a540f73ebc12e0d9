"""Reads a verdict on each of a list of criteria: `{"results": [{"criteria_met": true}, ...]}`."""

import re
from collections.abc import Mapping
from typing import Any

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import only_object
from engine.collect.paradigms.answers.single_rubric import verdict_row
from engine.collect.paradigms.judgment_rows import Values, blank_rows


def read_verdicts(request: CallRequest, reply: Reply) -> list[Values]:
    """Return a row for each criterion; a list of the wrong length leaves all without a verdict.

    So does one whose results have numbers other than their places.
    """
    rows = blank_rows(request)
    results = (only_object(reply, "results") or {}).get("results")
    if not isinstance(results, list) or len(results) != len(rows) or _misnumbered(results):
        return rows
    return [
        verdict_row(each, {"criteriamet": result} if isinstance(result, bool) else result)
        for each, result in zip(rows, results, strict=True)
    ]


_NUMBERED = (
    "criterion", "criterionnumber", "criterionid", "criterionindex", "number", "no", "id", "index", "i", "n",
    "item", "position", "rubric", "rubricid", "rubricnumber",
)  # fmt: skip
"""The fields in which judges number their results, squeezed."""
_OWN_NUMBER = re.compile(
    r"(?:criterion|rubric|item|no\.?|number|[#rc])?[\s_]{0,3}([0-9]{1,4})(?:[.):].{0,2000})?", re.I | re.S
)


def _misnumbered(results: list[Any]) -> bool:
    """Return whether results are numbered otherwise than by their places, counted from 1 or from 0."""
    numbers = {
        place: own_number
        for place, result in enumerate(results, 1)
        if isinstance(result, Mapping)
        for name in _NUMBERED
        if (own_number := _own_number(result.get(name))) is not None
    }
    from_zero = {place: place - 1 for place in range(1, len(results) + 1)}
    return numbers != from_zero and any(place != own_number for place, own_number in numbers.items())


def _own_number(value: object) -> int | None:
    match = _OWN_NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is not None:
        return int(match[1])
    return value if isinstance(value, int) and not isinstance(value, bool) else None
