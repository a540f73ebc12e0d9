"""Found slices as rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.arrays.resolve import NoDataError
from engine.errors import UsageError
from engine.explore.find_slices import FEWEST_FAILURES, METHOD, FoundSlice, SliceSearch, find_slices, opening
from engine.measures.entry import SMALL, Field, Measure, count, key
from engine.measures.result import Result
from engine.measures.rows import FEW, SURE, plain
from engine.schema import RUBRIC_PARADIGMS
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


# ------------------------------------------------------------------------------
# What the finder's rows hold, declared as measures are: the command, the page and the docs read it here.


FIND = Measure(
    name="find",
    title="Slices that stand out",
    question="In which slices does a judge's ratio differ from its ratio on all other rubrics?",
    formula="difference = HSPP ratio of the slice / HSPP ratio of the rest; over slices by one column and "
    "by two",
    paper="rubric-self-preference, section 3",
    left_out="slices too small to test (too_small), and what the ratio leaves out",
    function=find_slices,
    keys=("judge", "where"),
    headline="difference",
    compared_as="ratio",
    paradigms=RUBRIC_PARADIGMS,
    level="rubric",
    sliced=False,
    fields=(
        key("judge", "the judge"),
        key("where", "the column values that define the slice"),
        Field("difference", "ratio", "the slice's ratio / the ratio of the rest", interval=True),
        Field("p", "number", "two-sided p-value of no difference"),
        Field(
            "p_adjusted",
            "number",
            "p-value adjusted over all slices tested, of all judges (Benjamini-Hochberg)",
        ),
        Field("hspp_self", "ratio", "HSPP ratio in the slice"),
        Field("hspp_rest", "ratio", "HSPP ratio on all other rubrics"),
        Field("hspp_matched", "ratio", "matched ratio in the slice"),
        count("n_self", "own failures in the slice"),
        count("n_rest", "own failures outside the slice"),
        count("n_matched", "matched rubrics in the slice"),
        count("instances", "instances with own failures, in the slice or outside it, whichever is fewer"),
        SMALL,
        Field("filters", "list", "filters that open the slice"),
        key("by", "column to group by, for a slice that no filter can select"),
    ),
    empty="no slice has enough own failures to be tested",
)


# ------------------------------------------------------------------------------
# The slices found as rows, in the shape that measures have.


Row = dict[str, Any]


def search_study(study: "StudyArrays", *, top: int | None = None, **arguments: Any) -> Result:
    """Search a slice of a study and return the slices found, the surest first, at most `top` of them.

    `filters` of the result say besides which columns were crossed, how many slices were tried, and by which
    method; `left_out` how many were too small. Raises UsageError for a filter or value that is none.
    """
    if top is not None and top < 1:
        raise UsageError(f"top {top!r} is below 1; give the number of rows to print, or leave it out")
    if arguments.get("level") not in (None, "rubric"):
        raise UsageError("`find` works at level 'rubric' only; leave out --level")
    spec = Slice.of(**arguments)
    try:
        search = find_slices(study, spec)
    except NoDataError as lacking:
        return Result(FIND, study.name, spec.given() | {"top": top}, [], {}, str(lacking))
    filters = {
        **spec.given(),
        **search.filters,
        "top": top,
        "columns": search.columns,
        "slices_tried": search.tried,
        "fewest_failures": FEWEST_FAILURES,
        "interval": METHOD,
    }
    rows = [_row(each, spec) for each in search.slices[:top]]
    left_out = search.left_out | {"too_small": search.too_small}
    return Result(FIND, study.name, filters, rows, left_out, None if rows else _why(search))


def _why(search: SliceSearch) -> str:
    if search.filters.get("reference") is None:
        return "the study has no reference; import one, or let a committee of judges vote"
    if not search.columns:
        return "rubrics failed in this selection do not differ in any column, so there are no slices"
    return FIND.empty


def _row(each: FoundSlice, spec: Slice) -> Row:
    opened = opening(each.where, spec)
    row: Row = {
        **vars(each),
        "where": "; ".join(f"{column}={value}" for column, value in each.where),
        "small": min(each.n_self, each.n_rest) < FEW,
    }
    row = {name: plain(value) for name, value in row.items()} | {"filters": opened.filters, "by": opened.by}
    reasons = {}
    if row["hspp_matched"] is None:
        reasons["hspp_matched"] = "no_overestimation_of_others" if each.n_matched else "no_matched_rubrics"
    if not opened.by:
        reasons["by"] = "filters_suffice"
    return row | {"reasons": reasons}


# ------------------------------------------------------------------------------
# Which of the slices stand apart, and which one is said first.


def claimed(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that stand apart, in their order."""
    return [row for row in rows if row["p_adjusted"] < SURE]


def clearest(rows: Sequence[Row]) -> Row | None:
    """Return the row to be told first of those that stand apart, None where none does.

    It is the surest in which a judge credits itself more than elsewhere (else the surest), or the plainer
    slice that holds it and stands apart in the same way.
    """
    sure = claimed(rows)
    more = [row for row in sure if row["difference"] > 1] or sure
    if not more:
        return None
    first = more[0]
    plainer = [
        row
        for row in more
        if row["judge"] == first["judge"]
        and _parts(row) < _parts(first)
        and (row["difference"] > 1) == (first["difference"] > 1)
    ]
    return plainer[0] if plainer else first


def _parts(row: Row) -> frozenset[str]:
    return frozenset(row["where"].split("; "))
