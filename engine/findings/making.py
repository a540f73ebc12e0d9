"""A row of a measure made into a claim: number, marks, view and command, as every rule makes them."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from engine.charts import CHARTS
from engine.findings.claims import Claim, Mark, MarkKind, Question, Row
from engine.findings.command import command_of
from engine.findings.material import Material
from engine.measures.result import Result

SURE = 0.05
"""The adjusted p below which a claim is significant."""

FEW = 30
"""Cases below which a claim is marked small."""


def claim_of(
    material: Material,
    result: Result,
    row: Row,
    *,
    id: str,  # noqa: A002 - what the field is called
    question: Question,
    sentence: str,
    field: str,
    asked: Mapping[str, Any] | None = None,
    at: Sequence[str] = ("judge",),
    null: float | None = None,
    n: str | None = None,
    cases: str = "",
    few: int = FEW,
    rows: Sequence[Row] = (),
    page: str = "slice",
    view: Mapping[str, tuple[str, ...]] | None = None,
    marks: Sequence[Mark] = (),
    because: tuple[str, ...] = (),
) -> Claim:
    """Return the claim read from one row of a result that was taken with the options `asked`.

    `at` names the columns that tell the row apart, `n` the one that counts its cases, which are small below
    `few`. Marks for few cases, for what is not significant, and for simulated judgments are put before those
    given.
    """
    measure = result.measure.name
    options = material.options(measure, **dict(asked or {}))
    low, high = ends_of(row, field)
    p, tested = _adjusted_p_of(row, field)
    cased = None if n is None else int(row[n])
    doubts = [] if null is None else _not_significant(p, (low, high), null, tested=tested)
    return Claim(
        id=id,
        question=question,
        sentence=sentence,
        measure=measure,
        options=options,
        at={name: row[name] for name in at},
        field=field,
        value=row[field],
        low=low,
        high=high,
        null=null,
        p_adjusted=p,
        n=cased,
        cases=cases,
        left_out={code: count for code, count in result.left_out.items() if count},
        marks=(*_small(cased, cases, row, few), *doubts, *_simulated(material), *marks),
        rows=tuple(rows) or (row,),
        page=page,
        view={"study": (material.study.name,)} | dict(view or {}),
        chart=measure if measure in CHARTS and "against" not in options else None,
        command=command_of(material.study.name, measure, options),
        because=because,
    )


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the interval of a field, None where there is none; that of a comparison is `low` and `high`."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    return (row.get("low"), row.get("high")) if field == "difference" else (None, None)


def near_end(row: Row, field: str, null: float) -> float:
    """Return how far the nearer end of the interval is from nothing: both sure and large where it is great.

    Of ratios (against 1) on the logarithmic scale.
    """
    low, high = ends_of(row, field)
    if low is None or high is None:
        return float("-inf")
    if null == 1:
        ends = [log(end) if end > 0 else float("-inf") for end in (low, high)]
        null = 0.0
    else:
        ends = [low, high]
    return max(ends[0] - null, null - ends[1])


def _adjusted_p_of(row: Row, field: str) -> tuple[float | None, bool]:
    """Return the adjusted p of a field, None where there is none, and whether the field is tested at all."""
    if f"{field}_p_adjusted" in row:
        return row[f"{field}_p_adjusted"], True
    return (row.get("p_adjusted"), True) if field == "difference" else (None, False)


def _small(cased: int | None, cases: str, row: Row, few: int) -> list[Mark]:
    if cased is not None and cased < few:
        return [Mark(MarkKind.SMALL, f"it rests on {cased:,} {cases or 'cases'}, fewer than {few}")]
    if row.get("small"):
        return [Mark(MarkKind.SMALL, f"fewer than {FEW} cases stand behind a side of it")]
    return []


def _not_significant(
    p: float | None, ends: tuple[float | None, float | None], null: float, *, tested: bool
) -> list[Mark]:
    """Return the mark of a number whose p is not small; of one without a test whose interval holds `null`."""
    low, high = ends
    if p is not None and p >= SURE:
        why = f"p is {p:.2f} after adjustment for everything that the rule tried"
    elif p is None and (low is None or high is None):
        why = "there is no interval"
    elif p is None and low is not None and high is not None and low <= null <= high:
        why = f"its interval holds {null:g}, which means nothing found"
    elif p is None and tested:
        why = "there are too few questions for a test"
    else:
        return []
    return [Mark(MarkKind.NOT_SIGNIFICANT, why)]


def _simulated(material: Material) -> list[Mark]:
    made_up = {"simulated": "all judgments", "mixed": "some judgments"}.get(material.study.info.provenance)
    if made_up is None:
        return []
    return [Mark(MarkKind.SIMULATED, f"{made_up} of this study were made up by a simulation")]
