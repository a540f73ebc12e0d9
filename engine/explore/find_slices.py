"""The slices that differ from the rest, as rows in the form of a measure's result."""

from collections.abc import Callable, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.empty_slices import why_nothing_counts
from engine.arrays.slicing.given_names import with_given_names
from engine.arrays.slicing.median_lengths import with_medians
from engine.arrays.slicing.own_columns import refuse_own_values
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.text_names import criterion_names
from engine.errors import UsageError, unknown
from engine.explore.slice_filters import filters_for
from engine.explore.slice_search import FEWEST_FAILURES, METHOD, FoundSlice, SliceSearch, find_slices
from engine.explore.slots import COLUMNS_SEARCHED
from engine.measures.entry import SMALL, Field, Measure, count, key
from engine.measures.finished_rows import plain
from engine.measures.no_reference import why_no_reference
from engine.measures.result import Result, columns_of
from engine.measures.rows import FEW, SURE
from engine.paradigms import RUBRIC_PARADIGMS
from engine.saved_slices import apply_saved_slices, with_plain_names
from engine.slices import FLAG_NAMES, Slice, grouping, whole_number
from engine.wording import option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays
    from engine.measures.row_types import FindRow


FIND = Measure(
    name="find",
    title="Slices that stand out",
    question="In which slices does a judge's ratio differ from its ratio on all other criteria?",
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
        key("where", "the column values that define the slice", title="Slice"),
        Field(
            "difference",
            "ratio",
            "the slice's ratio / the ratio of the rest",
            interval=True,
            title="Slice / elsewhere",
            axis="ratio there / elsewhere",
        ),
        Field("p", "number", "two-sided p-value of no difference"),
        Field(
            "p_adjusted",
            "number",
            "p-value adjusted over all slices tested, of all judges (Benjamini-Hochberg)",
        ),
        Field("hspp_self", "ratio", "HSPP ratio in the slice", title="Ratio in slice"),
        Field("hspp_rest", "ratio", "HSPP ratio on all other criteria", title="Ratio elsewhere"),
        Field("hspp_matched", "ratio", "matched ratio in the slice", title="Matched ratio in slice"),
        count("n_self", "own failures in the slice", title="n in slice"),
        count("n_rest", "own failures outside the slice", title="n elsewhere"),
        count("n_matched", "matched criteria in the slice"),
        count("instances", "questions with own failures, in the slice or outside it, whichever is fewer"),
        Field(
            "stands_out",
            "flag",
            f"whether it differs significantly: an adjusted p below {SURE:g}",
            title="Stands out",
        ),
        SMALL,
        Field("filters", "list", "filters that open the slice"),
        key("by", "column to group by, for a slice that no filter can select"),
        key("criterion", "the criterion, where the slice holds one alone of several"),
    ),
    empty="no slice has enough own failures to be tested",
)

Row = dict[str, Any]


def search_study(
    study: "StudyArrays", *, top: int | None = None, by: str | Sequence[str] = (), **arguments: Any
) -> Result:
    """Search a slice of a study and return at most `top` of the slices tested, by ascending p.

    Slices are by all columns, or by those in `by`, and by two of them. The result's `filters` also hold the
    columns crossed, the number of slices tested and the method; `left_out` the number of those too small.
    Raises UsageError for an unknown filter, value or column.
    """
    columns = [
        grouping(name, COLUMNS_SEARCHED, study.files) for name in ([by] if isinstance(by, str) else by)
    ]
    if top is not None:
        top = whole_number("top", top, least=1, example="10, or leave it out")
    arguments = with_given_names(study, with_plain_names(arguments))
    arguments = apply_saved_slices(study.info, with_medians(study, study.within_runs(arguments)))
    for name in arguments:
        if name not in FLAG_NAMES:
            raise unknown("filter or option", name, (*FLAG_NAMES, "slice", "top", "by"))
    refuse_own_values(study, arguments)
    if arguments.get("level") not in (None, "rubric"):
        raise UsageError("`find` works at level 'rubric' only; leave out ", option("level"))
    spec = Slice.of(**arguments)
    try:
        search = find_slices(study, spec, columns)
    except NoDataError as error:
        return Result(FIND, study.name, spec.filters() | {"top": top}, {}, {}, error.message)
    filters = {
        **spec.filters(),
        **search.filters,
        "top": top,
        "columns": search.columns,
        "slices_tried": search.n_tried,
        "fewest_failures": FEWEST_FAILURES,
        "interval": METHOD,
    }
    names = criterion_names(study) if any(each.criterion is not None for each in search.slices) else {}
    rows = [_row(each, spec, names) for each in search.slices[:top]]
    left_out = search.left_out | {"too_small": search.too_small}
    reason = None if rows else why_nothing_counts(study, spec, _why(study, search))
    return Result(FIND, study.name, filters, columns_of(rows), left_out, reason)


def _why(study: "StudyArrays", search: SliceSearch) -> str:
    if search.filters.get("reference") is None:
        return why_no_reference(study)
    if not search.columns:
        return "criteria failed in this selection do not differ in any column, so there are no slices"
    return f"{FIND.empty}; tried were slices by {', '.join(search.columns)}"


def _row(each: FoundSlice, spec: Slice, names: Mapping[str, str]) -> Row:
    filters, by = filters_for(each.where, spec)
    row: Row = {
        **vars(each),
        "where": "; ".join(f"{column}={value}" for column, value in each.where),
        "stands_out": bool(each.p_adjusted < SURE),
        "small": min(each.n_self, each.n_rest) < FEW,
    }
    del row["criterion"]
    row = {name: plain(value) for name, value in row.items()} | {"filters": filters, "by": by}
    row["criterion"] = None if each.criterion is None else names.get(each.criterion)
    reasons = {}
    if row["hspp_matched"] is None:
        reasons["hspp_matched"] = "no_overestimation_of_others" if each.n_matched else "no_matched_rubrics"
    if row["criterion"] is None:
        reasons["criterion"] = "not_of_one_criterion"
    if not by:
        reasons["by"] = "filters_suffice"
    return row | {"reasons": reasons}


def significant_rows(rows: "Sequence[FindRow]") -> "list[FindRow]":
    """Return the rows that differ significantly, in the same order."""
    return [row for row in rows if row["p_adjusted"] < SURE]


def listed_rows(rows: "Sequence[FindRow]") -> "list[FindRow]":
    """Return the rows as people read them: the findings first, and no slice that is the rest of another.

    Of two slices that are each other's rest, the one with the higher ratio is listed.
    """
    rests_of = _rests(rows)
    rests = {id(row) for row in rows if row["difference"] < 1 and rests_of(row)}
    first = distinct_findings(rows)
    listed_first = {id(row) for row in first}
    return [*first, *(row for row in rows if id(row) not in listed_first | rests)]


def distinct_findings(rows: "Sequence[FindRow]") -> "list[FindRow]":
    """Return the rows that differ significantly but for those that say the same as another; `clearest` first.

    A row says the same if its slice lies within that of another of its judge and differs in the same
    direction, or if it is the rest of such a slice or lies within the rest.
    """
    significant = significant_rows(rows)
    singles = [row for row in significant if len(_parts(row)) == 1]
    rests_of = _rests(singles)
    opposite = {(row["judge"], row["where"]): other["where"] for row in singles for other in rests_of(row)}
    first = clearest(rows)
    of_judge: dict[str, list[FindRow]] = {}
    for row in sorted(
        significant, key=lambda row: (row is not first, len(_parts(row)), row["difference"] < 1)
    ):
        parts = _parts(row)
        as_rests = frozenset(opposite.get((row["judge"], part), part) for part in parts)
        findings = of_judge.setdefault(row["judge"], [])
        if not any(
            (_parts(each) <= parts and _is_higher(each) == _is_higher(row))
            or (_parts(each) <= as_rests and as_rests != parts and _is_higher(each) != _is_higher(row))
            for each in findings
        ):
            findings.append(row)
    distinct = {id(row) for findings in of_judge.values() for row in findings}
    return sorted((row for row in significant if id(row) in distinct), key=lambda row: row is not first)


def _rests(rows: "Sequence[FindRow]") -> "Callable[[FindRow], list[FindRow]]":
    """Return a function from a row to those of its judge whose slice is the rest of its own."""
    by_sizes: dict[tuple[str, int, int], list[FindRow]] = {}
    for row in rows:
        by_sizes.setdefault((row["judge"], row["n_self"], row["n_rest"]), []).append(row)

    def rests_of(row: "FindRow") -> "list[FindRow]":
        return [
            other
            for other in by_sizes.get((row["judge"], row["n_rest"], row["n_self"]), ())
            if isclose(row["difference"] * other["difference"], 1) and isclose(row["p"], other["p"])
        ]

    return rests_of


def _is_higher(row: "FindRow") -> bool:
    return bool(row["difference"] > 1)


def clearest(rows: "Sequence[FindRow]") -> "FindRow | None":
    """Return the row to report first among those that differ significantly; None if there is none.

    It is the one with the smallest p in which a judge credits itself more than elsewhere (else with the
    smallest p), or a simpler slice that contains it and differs in the same direction.
    """
    significant = significant_rows(rows)
    higher = [row for row in significant if row["difference"] > 1] or significant
    if not higher:
        return None
    first = higher[0]
    simpler = [
        row
        for row in higher
        if row["judge"] == first["judge"]
        and _parts(row) < _parts(first)
        and (row["difference"] > 1) == (first["difference"] > 1)
    ]
    return simpler[0] if simpler else first


def strongest_first(rows: "Sequence[FindRow]") -> "list[FindRow]":
    """Return the rows that differ significantly, then the others, each by ratio there over elsewhere."""
    return sorted(rows, key=lambda row: (row["p_adjusted"] >= SURE, -row["difference"]))


def strongest_of_each(rows: "Sequence[FindRow]") -> "list[FindRow]":
    """Return of each judge the finding in which its ratio is most above that elsewhere, the clearest first.

    A judge has none if no slice stands out in which it credits itself more than elsewhere.
    """
    strongest: dict[str, FindRow] = {}
    for row in distinct_findings(rows):
        best = strongest.get(row["judge"])
        if _is_higher(row) and (best is None or row["difference"] > best["difference"]):
            strongest[row["judge"]] = row
    return list(strongest.values())


def _parts(row: "FindRow") -> frozenset[str]:
    return frozenset(row["where"].split("; "))
