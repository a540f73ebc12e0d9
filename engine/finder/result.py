"""The slices found as rows, in the shape that measures have."""

from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.finder.declared import FIND
from engine.finder.opening import opening
from engine.finder.search import FEWEST_FAILURES, METHOD, Found, FoundSlice, find_slices
from engine.measures.result import Result
from engine.measures.rows import plain
from engine.measures.table import FEW
from engine.request import LackingError
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays import StudyArrays

Row = dict[str, Any]


def found(study: "StudyArrays", *, top: int | None = None, **asked: Any) -> Result:
    """Search a slice of a study and return the slices found, the surest first, at most `top` of them.

    `filters` of the result say besides which columns were crossed, how many slices were tried, and by which
    method; `left_out` how many were too small. Raises UsageError for a filter or value that is none.
    """
    if top is not None and top < 1:
        raise UsageError(f"top {top!r} is below 1; give the number of rows wanted, or leave it out")
    if asked.get("level") not in (None, "rubric"):
        raise UsageError("slices are found at level 'rubric' only; leave out --level")
    spec = Slice.of(**asked)
    try:
        told = find_slices(study, spec)
    except LackingError as lacking:
        return Result(FIND, study.name, spec.given() | {"top": top}, [], {}, str(lacking))
    filters = spec.given() | told.filters | {"top": top} | _search(told)
    rows = [_row(each, spec) for each in told.slices[:top]]
    left_out = told.left_out | {"too_small": told.too_small}
    return Result(FIND, study.name, filters, rows, left_out, None if rows else _why(told))


def _search(told: Found) -> dict[str, Any]:
    return {
        "columns": told.columns,
        "slices_tried": told.tried,
        "fewest_failures": FEWEST_FAILURES,
        "interval": METHOD,
    }


def _why(told: Found) -> str:
    if told.filters.get("reference") is None:
        return "the study has no reference; import references, or write a committee with `spb committee`"
    if not told.columns:
        return "what failed in this selection differs in no column, so that there are no slices"
    return FIND.empty


def _row(each: FoundSlice, spec: Slice) -> Row:
    opened = opening(each.where, spec)
    row = {
        "judge": each.judge,
        "where": "; ".join(f"{column}={value}" for column, value in each.where),
        "difference": each.difference,
        "difference_low": each.low,
        "difference_high": each.high,
        "p": each.p,
        "p_adjusted": each.p_adjusted,
        "hspp_self": each.hspp_self,
        "hspp_rest": each.rest,
        "hspp_matched": each.hspp_matched,
        "n_self": each.n_self,
        "n_rest": each.n_rest,
        "n_matched": each.n_matched,
        "instances": each.instances,
        "small": min(each.n_self, each.n_rest) < FEW,
    }
    row = {name: plain(value) for name, value in row.items()} | {"filters": opened.filters, "by": opened.by}
    reasons = {} if row["hspp_matched"] is not None else {"hspp_matched": _unmatched(each)}
    return row | {"reasons": reasons | ({} if opened.by else {"by": "filters_suffice"})}


def _unmatched(each: FoundSlice) -> str:
    return "no_overestimation_of_others" if each.n_matched else "no_matched_rubrics"
