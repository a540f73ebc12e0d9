"""A measure's columns made into rows with intervals, p-values and reasons; the method of each interval."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Field, Measure
from engine.measures.result import Values
from engine.stats import Floats, Ints, Weights
from engine.stats.bootstrap import Expansion, Interval, benjamini_hochberg, bootstrap_p, percentile_interval

# ------------------------------------------------------------------------------
# Which numbers have an interval other than percentiles of plain resamples (MEASURES section 13).


ADDED = "added cases"
"""Percentiles of resamples with a case or two added on each side: `engine.stats.bootstrap`."""

TESTED = "costs not ruled out"
"""The costs under which the observed one is neither too high nor too low: `engine.stats.bootstrap`."""

DELETED = "instances deleted one at a time"
"""Student's t with the error from deleting each instance in turn: `engine.stats.outside`."""

STUDENT = "Student's t"
"""With the errors of labels and predictions together: `engine.stats.quality_baseline`."""

OF_FEW_CASES = "effective cases where few"
"""Wilson's and the score test's intervals, in place of the expanded one: `engine.stats.few_events`."""

METHODS: dict[str, dict[str, str]] = {
    "hspp": {"hspp_matched": DELETED, "hspp_mantel_haenszel": DELETED},
    "equal-quality": dict.fromkeys(("pir", "null_pir", "spb", "pir_family", "spb_family"), ADDED),
    "discriminability": {"d": ADDED},
    "archetypes": dict.fromkeys(("d", "spb"), ADDED),
    "mitigation": dict.fromkeys(
        ("spb_baseline", "spb", "reduction", "eta", "d", "d_baseline", "d_change"), ADDED
    ),
    "ordering": {"cost": TESTED},
    "outside": dict.fromkeys(
        (
            *("ratio_outside", "difference_outside", "ratio_outside_family"),
            *("odds_self", "odds_family", "odds_common", "bonus_outside", "vote_outside"),
        ),
        DELETED,
    ),
    "scorecard": {"ratio_outside": DELETED},
    "corrected": {"score": STUDENT},
    "recognition-score": {"recognition": DELETED},
    "familiarity-score": dict.fromkeys(
        (
            *("familiarity_gap", "familiarity_own", "familiarity_other", "own_effect", "own_effect_held"),
            *("explained", "familiarity_effect"),
        ),
        DELETED,
    ),
    "list-ranks": dict.fromkeys(("pick_gap", "rank_gap"), DELETED),
    "robustness": {
        **dict.fromkeys(("difference", "lift_difference", "lift_own"), DELETED),
        **dict.fromkeys(("robustness_own", "robustness_other"), ADDED),
    },
}
"""The method by measure and field; what is not here has plain percentiles."""


WHERE_FEW: dict[str, tuple[str, ...]] = {
    "hspp": (
        *("o_self", "o_family", "o_other", "hspp_self", "hspp_family", "hspp_family_with_self"),
        "difference_self",
    ),
    "overestimation": ("rate", "under_rate"),
}
"""The fields with other intervals if cases are few, by measure, unless percentiles are requested."""


def method(measure: str, field: str) -> str | None:
    """Return the method of a field that has one of its own; None for the percentiles of plain resamples."""
    return METHODS.get(measure, {}).get(field)


def named(measure: str, interval: str) -> str | None:
    """Return how a measure's intervals are made, in the words of `filters`; None: percentiles throughout."""
    by_method: dict[str, list[str]] = {}
    for field, own in METHODS.get(measure, {}).items():
        by_method.setdefault(own, []).append(field)
    if interval == "expanded" and measure in WHERE_FEW:
        by_method[OF_FEW_CASES] = list(WHERE_FEW[measure])
    if not by_method:
        return None if interval == "percentile" else interval
    return "; ".join([interval, *(f"{own}: {', '.join(fields)}" for own, fields in by_method.items())])


# ------------------------------------------------------------------------------
# What a measure computes for one slice: named columns of values, with their draws and reasons.


Reasons = Sequence[str | None] | str | None

FEW = 30
"""Cases below which a number is marked as resting on few (MEASURES section 13)."""

SURE = 0.05
"""The p below which something counts as certain, adjusted for all that was tested."""


@dataclass(frozen=True, eq=False)
class Stated:
    """Intervals and p-values that come from a formula instead of resamples, one of each for each row.

    `reason` says why a row that has a value has no interval.
    """

    low: Floats
    high: Floats
    p: Floats
    reason: str


@dataclass(frozen=True, eq=False)
class FewCases:
    """Intervals and p-values in place of those from resamples, one for each row (MEASURES section 17).

    `replaced` marks the rows that have them; `small` those that rest on few cases, whose difference from
    another slice is not tested. NaN where there is no interval, with the code of the reason. `always`:
    whatever interval was requested.
    """

    replaced: NDArray[np.bool_]
    small: NDArray[np.bool_]
    low: Floats
    high: Floats
    p: Floats
    reasons: Sequence[str]
    always: bool = False

    def with_row(self) -> "FewCases":
        """Return them with one more row, which has none."""
        return dataclasses.replace(
            self,
            replaced=np.append(self.replaced, False),
            small=np.append(self.small, False),
            low=np.append(self.low, np.nan),
            high=np.append(self.high, np.nan),
            p=np.append(self.p, np.nan),
            reasons=[*self.reasons, ""],
        )

    def select(self, rows: Ints) -> "FewCases":
        """Return the ones of some rows."""
        return dataclasses.replace(
            self,
            replaced=self.replaced[rows],
            small=self.small[rows],
            low=self.low[rows],
            high=self.high[rows],
            p=self.p[rows],
            reasons=[self.reasons[row] for row in rows.tolist()],
        )


@dataclass(frozen=True, eq=False)
class Column:
    """The values of one field, one for each row; NaN or None where undefined.

    `draws` has shape (resamples, rows). `reasons` says why a value is undefined: one code for all rows or one
    for each; it counts only where the value is undefined. Intervals are those of the draws, unless they are
    `stated`. `few` are the intervals of rows that rest on few cases, `tail` the p-values of rows whose
    resamples are all on one side of the null value.
    """

    values: Sequence[Any] | NDArray[Any]
    draws: Floats | None = None
    reasons: Reasons = None
    stated: Stated | None = None
    few: FewCases | None = None
    tail: Floats | None = None

    def reason(self, row: int) -> str:
        """Return why the value of a row is undefined."""
        if isinstance(self.reasons, str):
            return self.reasons
        code = self.reasons[row] if self.reasons is not None else None
        return code or "undefined"


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of one slice.

    `keep` marks the rows to show (a judge without a counted row has none). `instances` is the number of
    instances with a counted row: with too few there are no p-values. `filters` says what the measure
    itself settled. One that reads the study itself returns a table for each group, whose value is `slice`.
    """

    columns: Mapping[str, Column]
    keep: NDArray[np.bool_]
    instances: int
    left_out: Mapping[str, int] = dataclasses.field(default_factory=dict)
    filters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    slice: Any = None


Columns = dict[str, Column]


def first_reason(*conditions: tuple[NDArray[np.bool_], str]) -> list[str | None]:
    """Return for each row the code of the first condition that holds, None where none does."""
    codes: list[str | None] = [None] * len(conditions[0][0])
    for condition, code in reversed(conditions):
        for row in np.flatnonzero(condition):
            codes[int(row)] = code
    return codes


def stack(rows: Sequence[Column]) -> Column:
    """Return one column of the columns' rows, in order; draws, or stated intervals, if all have them."""
    values = [value for column in rows for value in column.values]
    reasons = [column.reason(i) for column in rows for i in range(len(column.values))]
    drawn = [column.draws for column in rows if column.draws is not None]
    draws = np.concatenate(drawn, axis=1) if len(drawn) == len(rows) else None
    given = [column.stated for column in rows if column.stated is not None]
    stated = None
    if len(given) == len(rows):
        low, high, p = (np.concatenate([getattr(one, end) for one in given]) for end in ("low", "high", "p"))
        stated = Stated(low, high, p, given[0].reason)
    return Column(values, draws, reasons, stated)


# ------------------------------------------------------------------------------
# A measure's table made into rows: plain values, intervals, p-values, reasons.


def finish(measure: Measure, table: Table, min_instances: int, weights: Weights | None = None) -> Values:
    """Return by column the rows that the table keeps, in its order, with every column that fields declare.

    Undefined numbers are None, and `reasons` of the row says why. Intervals and p-values are those of the
    percentiles; with the `weights` that drew the table's resamples, the expanded ones (docs/intervals.md).
    """
    shown = np.flatnonzero(table.keep)
    cells = {
        field.name: _plain_values(_select(table.columns[field.name].values, shown))
        for field in measure.fields
    }
    doubts = _doubts(measure, table, shown, cells, weights)
    rows = _Rows(len(shown))
    for field in measure.fields:
        column = table.columns[field.name]
        rows.put(field.name, cells[field.name], partial(_reason, column, shown))
        if not field.interval:
            continue
        doubt, few = doubts.get(field.name), None
        if column.few is not None and (weights is not None or column.few.always):
            few = column.few.select(shown)
        _put_interval(rows, field, doubt, few)
        if field.null is not None:
            _put_p(rows, field, doubt, few, table.instances < min_instances)
    return rows.with_reasons()


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The draws of those rows that have a value, their places among all, and how their intervals are made."""

    there: Ints
    draws: Floats
    tail: Floats | None
    wide: Expansion | None = None
    none: str = "too_many_undefined_resamples"

    def interval(self) -> Interval:
        """Return the interval of each row that has a value."""
        return percentile_interval(self.draws) if self.wide is None else self.wide.interval(self.draws)

    def p(self, null: float) -> Floats:
        """Return the p-value of each row that has a value; one at the floor is refined by its tail."""
        if self.wide is None:
            return bootstrap_p(self.draws, null)
        p = self.wide.p(self.draws, null)
        return p if self.tail is None else np.fmin(p, self.tail)  # NaN: no tail


@dataclass(frozen=True, eq=False)
class _Given:
    """The stated intervals of those rows that have a value, and their places among all."""

    there: Ints
    stated: Stated
    none: str

    def interval(self) -> Interval:
        """Return the interval of each row that has a value."""
        nothing = np.zeros(len(self.there), dtype=np.int64)
        return Interval(self.stated.low, self.stated.high, nothing)

    def p(self, null: float) -> Floats:  # noqa: ARG002 - it is stated of the field's own null value
        """Return the p-value of each row that has a value."""
        return self.stated.p


def _doubts(
    measure: Measure,
    table: Table,
    shown: Ints,
    cells: Mapping[str, Sequence[Any]],
    weights: Weights | None,
) -> dict[str, _Drawn | _Given]:
    """Return what the intervals of each field are made from; a field without draws has none."""
    doubts: dict[str, _Drawn | _Given] = {}
    expanded: dict[str, _Drawn] = {}
    for field in measure.fields:
        if not field.interval:
            continue
        column = table.columns[field.name]
        there = np.flatnonzero([value is not None for value in cells[field.name]])
        valued = shown[there]
        if column.stated is not None:
            low, high, p = (ends[valued] for ends in (column.stated.low, column.stated.high, column.stated.p))
            stated = Stated(low, high, p, column.stated.reason)
            doubts[field.name] = _Given(there, stated, stated.reason)
        elif column.draws is not None:
            tail = None if column.tail is None else column.tail[valued]
            drawn = _Drawn(there, column.draws[:, valued], tail)
            doubts[field.name] = drawn
            if method(measure.name, field.name) is None:
                expanded[field.name] = drawn
    return doubts | _with_expansions(expanded, weights)


def _with_expansions(drawn: Mapping[str, _Drawn], weights: Weights | None) -> dict[str, _Drawn]:
    """Return the draws with the expansion of their intervals, computed for all in one product."""
    if weights is None or not drawn:
        return dict(drawn)
    every = Expansion.of(np.concatenate([one.draws for one in drawn.values()], axis=1), weights)
    ends = np.cumsum([len(one.there) for one in drawn.values()])
    return {
        name: dataclasses.replace(one, wide=dataclasses.replace(every, freedom=freedom))
        for (name, one), freedom in zip(drawn.items(), np.split(every.freedom, ends[:-1]), strict=True)
    }


class _Rows:
    """Rows built column by column, and why values of each are missing."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.columns: Values = {}
        self._codes: dict[str, list[str | None]] = {}

    def put(self, name: str, column: list[Any], why: Callable[[int], str]) -> None:
        """Put a column of plain values; `why` gives the reason for a row's missing value."""
        self.columns[name] = column
        if None in column:
            self._codes[name] = [why(row) if value is None else None for row, value in enumerate(column)]

    def leave_empty(self, names: Sequence[str], of: str, otherwise: str) -> None:
        """Put columns without any value: for the reason that `of` has none, or `otherwise` if it has one."""
        codes: list[str | None] = [code or otherwise for code in self._codes.get(of, [None] * self.number)]
        for name in names:
            self.columns[name] = [None] * self.number
            self._codes[name] = codes

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return in which rows a column has no value."""
        return np.array([value is None for value in self.columns[name]], dtype=bool)

    def reason(self, name: str, row: int) -> str | None:
        """Return why a column has no value in a row; None if it has one."""
        codes = self._codes.get(name)
        return None if codes is None else codes[row]

    def with_reasons(self) -> Values:
        """Return the columns, last the `reasons` of each row: a code by column."""
        reasons: list[dict[str, str]] = [{} for _ in range(self.number)]
        for name, codes in self._codes.items():
            for of_row, code in zip(reasons, codes, strict=True):
                if code is not None:
                    of_row[name] = code
        return self.columns | {"reasons": reasons}


def _select(values: Sequence[Any] | NDArray[Any], shown: Ints) -> Sequence[Any] | NDArray[Any]:
    return values[shown] if isinstance(values, np.ndarray) else [values[i] for i in shown.tolist()]


def _reason(column: Column, shown: Ints, row: int) -> str:
    return column.reason(int(shown[row]))


def _plain_values(values: Sequence[Any] | NDArray[Any]) -> list[Any]:
    if not isinstance(values, np.ndarray):
        return [plain(value) for value in values]
    listed: list[Any] = values.tolist()
    return [value if isfinite(value) else None for value in listed] if values.dtype.kind == "f" else listed


def plain(value: Any) -> Any:
    """Return a Python value that JSON can hold; NaN and infinities become None."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None
    return list(value) if isinstance(value, tuple) else value


def _put_interval(rows: _Rows, field: Field, doubt: _Drawn | _Given | None, few: FewCases | None) -> None:
    """Put the ends of the interval: from resamples, or for few cases if a row rests on few."""
    if doubt is None and few is None:
        rows.leave_empty((f"{field.name}_low", f"{field.name}_high"), field.name, "no_resamples")
        return
    interval = None if doubt is None else doubt.interval()

    def why(row: int) -> str:
        code = rows.reason(field.name, row)
        if code is None and few is not None and few.replaced[row]:
            code = few.reasons[row]
        return code or ("no_resamples" if doubt is None else doubt.none)

    for end in ("low", "high"):
        values = np.full(rows.number, np.nan)
        if doubt is not None:
            values[doubt.there] = getattr(interval, end)
        if few is not None:
            values = np.where(few.replaced & ~rows.missing(field.name), getattr(few, end), values)
        rows.put(f"{field.name}_{end}", _plain_values(values), why)


def _put_p(
    rows: _Rows, field: Field, doubt: _Drawn | _Given | None, few: FewCases | None, too_few: bool
) -> None:
    """Put the p-values; the adjusted ones are over the judges of this slice, without its row of means."""
    assert field.null is not None  # noqa: S101 - for the type checker; the caller asked
    low = f"{field.name}_low"
    p = np.full(rows.number, np.nan)
    if doubt is not None:
        p[doubt.there] = doubt.p(field.null)
    if few is not None:
        p = np.where(few.replaced, few.p, p)
    p = np.where(too_few | rows.missing(low), np.nan, p)
    nothing = [None] * rows.number
    judged = np.array([judge is not None for judge in rows.columns.get("judge", nothing)], dtype=bool)
    # a judge may have a row at each level, against each opponent, in each variant
    apart = [rows.columns.get(key, nothing) for key in ("level", "opponent", "variant")]
    families: dict[tuple[Any, ...], list[int]] = {}
    for row in np.flatnonzero(judged & ~np.isnan(p)).tolist():
        families.setdefault(tuple(column[row] for column in apart), []).append(row)
    adjusted = np.full(rows.number, np.nan)
    for family in families.values():
        adjusted[family] = benjamini_hochberg(p[family])

    def why(row: int) -> str:
        return rows.reason(low, row) or ("too_few_instances" if too_few else "no_resamples")

    rows.put(f"{field.name}_p", _plain_values(p), why)
    rows.put(
        f"{field.name}_p_adjusted",
        _plain_values(adjusted),
        lambda row: why(row) if judged[row] else "row_of_means",
    )
