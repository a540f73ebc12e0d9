"""A row of a measure made into a claim: number, marks, view and command, as every rule makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from engine.charts import CHARTS
from engine.findings.claims import Claim, Mark, MarkKind, Question, Row
from engine.findings.command import command_of
from engine.findings.material import Material
from engine.findings.wording import Form, told
from engine.measures.result import Result
from engine.measures.table import FEW, SURE


@dataclass(frozen=True)
class Number:
    """The number that the claims of one rule are read from: a `field` of a measure's rows.

    `page` shows it. `n` names the column that counts its cases, told in words by `cases`, which are small
    below `few`. `null` is the value that would mean nothing found, None where the rule settles by itself what
    is significant.
    """

    rule: str
    question: Question
    measure: str
    field: str
    page: str
    n: str | None = None
    cases: str = ""
    null: float | None = None
    form: Form = "ratio"
    few: int = FEW

    def told(self, row: Row) -> str:
        """Return the number of a row with its interval."""
        return told(row[self.field], *ends_of(row, self.field), self.form)


def claim_of(
    material: Material,
    result: Result,
    row: Row,
    number: Number,
    of: str,
    sentence: str,
    *,
    asked: Mapping[str, Any] | None = None,
    rows: Sequence[Row] = (),
    view: Mapping[str, tuple[str, ...]] | None = None,
    marks: Sequence[Mark] = (),
) -> Claim:
    """Return the claim `of` whom or what, read from one row of a result taken with the options `asked`.

    `rows` are those it is compared with. Marks for few cases, for what is not significant, and for simulated
    judgments are put before those given.
    """
    options = material.options(number.measure, **dict(asked or {}))
    low, high = ends_of(row, number.field)
    return Claim(
        id=f"{number.rule}:{of}",
        question=number.question,
        sentence=sentence,
        measure=number.measure,
        options=options,
        at={name: row[name] for name in result.measure.keys},
        field=number.field,
        value=row[number.field],
        low=low,
        high=high,
        null=number.null,
        p_adjusted=_adjusted_p_of(row, number.field)[0],
        n=None if number.n is None else int(row[number.n]),
        cases=number.cases,
        left_out={code: count for code, count in result.left_out.items() if count},
        marks=(*_small(row, number), *_not_significant(row, number), *_simulated(material), *marks),
        rows=(row, *(other for other in rows if other is not row)),
        page=number.page,
        view={"study": (material.study.name,)} | dict(view or {}),
        chart=number.measure if number.measure in CHARTS and "against" not in options else None,
        command=command_of(material.study.name, number.measure, options),
    )


def ends_of(row: Row, field: str) -> tuple[float | None, float | None]:
    """Return the interval of a field, None where there is none; that of a comparison is `low` and `high`."""
    if f"{field}_low" in row:
        return row[f"{field}_low"], row[f"{field}_high"]
    return (row.get("low"), row.get("high")) if field == "difference" else (None, None)


def near_end(row: Row, number: Number) -> float:
    """Return how far the nearer end of the interval is from nothing: both sure and large where it is great.

    Of ratios (against 1) on the logarithmic scale.
    """
    null = number.null or 0.0
    low, high = ends_of(row, number.field)
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


def _small(row: Row, number: Number) -> list[Mark]:
    if number.n is not None and (n := int(row[number.n])) < number.few:
        return [Mark(MarkKind.SMALL, f"it rests on {n:,} {number.cases}, fewer than {number.few}")]
    if row.get("small"):
        return [Mark(MarkKind.SMALL, f"fewer than {FEW} cases stand behind a side of it")]
    return []


def _not_significant(row: Row, number: Number) -> list[Mark]:
    """Return the mark of a number whose p is not small; of one without a test whose interval holds `null`."""
    null = number.null
    if null is None:
        return []
    low, high = ends_of(row, number.field)
    p, tested = _adjusted_p_of(row, number.field)
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
