"""From a request to rows: slices, intervals, p-values, reasons, and what was left out."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.arrays.slicing.empty_slices import why_no_truth, why_nothing_counts
from engine.arrays.slicing.given_names import with_given_names
from engine.arrays.slicing.group_by import group_views
from engine.arrays.slicing.own_columns import filters_meant, refuse_own_values
from engine.arrays.slicing.resolve import NoDataError, of_runs, with_names
from engine.arrays.slicing.slice_masks import values_to_group
from engine.errors import UsageError, unknown
from engine.measures.comparison import compare_slices
from engine.measures.entry import ROWS, Measure, Option
from engine.measures.finished_rows import finish, plain
from engine.measures.no_reference import why_no_reference
from engine.measures.result import Result, Values, plain_values
from engine.measures.rows import Table
from engine.measures.slice_tables import tables_of_slices, weights_of
from engine.measures.without_groups import refuse_groups
from engine.phrases import join_names
from engine.slices import (
    FLAG_NAMES,
    GROUPINGS,
    OF_INTERVALS,
    Slice,
    finite_number,
    grouping,
    grouping_words,
    import_hint,
    name_of,
    parse_filters,
    parts_of,
    switch,
    whole_number,
)
from engine.wording import Sentence, Wording, command_line, option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

RESAMPLES = 1000
FEWEST_RESAMPLES = 10
"""With one resample an interval has no width; with a few it is far too narrow."""
INTERVALS = ("expanded", "percentile")


def compute_measure(
    study: "StudyArrays",
    measure: Measure,
    *,
    by: str | None = None,
    against: str | Mapping[str, Any] | None = None,
    common: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    interval: str | None = None,
    **arguments: Any,
) -> Result:
    """Compute a measure of a slice; see `Study.measure`."""
    options, flags = _options(measure, arguments)
    if by is not None and (groups := GROUPINGS if measure.sliced else measure.groups):
        by = grouping(by, groups, study.files)
    common = switch("common", common)
    resamples, seed = check_resamples(resamples), whole_number("seed", seed, least=0)
    if interval is None:
        interval = "expanded" if measure.sliced else "percentile"
    elif interval not in INTERVALS:
        raise unknown("interval", interval, INTERVALS)
    elif interval != "percentile" and not measure.sliced:
        problem = f"interval {interval!r} does not apply to {measure.name}"
        raise UsageError(f"{problem}; leave out ", option("interval"))
    if measure.level is not None:
        if flags.get("level") not in (None, measure.level):
            problem = f"{measure.name} is defined at level {measure.level!r} only"
            raise UsageError(f"{problem}; leave out ", option("level"))
        flags["level"] = measure.level
    refuse_own_values(study, flags)
    wanted = Slice.of(**flags)
    spec = prepare_slice(study, measure, wanted, options, by)
    columns = () if by is None else (by,)
    check_grouping(study.name, measure, columns, comparing=against is not None, common=common)
    sampling = ({"common": common} if measure.sliced else {}) | {"resamples": resamples, "seed": seed}
    filters, options = sampling | options, options | {"seed": seed}
    if against is not None:
        written = parse_filters(against) if isinstance(against, str) else against
        if not written:
            raise UsageError(option("against"), " names no filter; give one such as ", _AN_AGAINST)
        other_flags = filters_meant(study, with_given_names(study, written))
        other_spec = prepare_slice(study, measure, Slice.of(**(flags | other_flags)), options, by)
        return compare_slices(study, measure, (spec, other_spec), filters, options, interval)
    filters = spec.filters() | {"by": by} | filters
    if resamples and measure.resampled and (words := measure.interval_words(interval)):
        filters["interval"] = words
    result = _rows(study, measure, wanted, filters, options, expanded=interval == "expanded")
    return result if flags.get("variant") is not None else with_other_variants(study, spec, result)


def check_resamples(resamples: object) -> int:
    """Return the number of resamples; UsageError unless it is 0 or enough for an interval."""
    number = whole_number("resamples", resamples, least=0, example="1000, or 0 for no intervals")
    if 0 < number < FEWEST_RESAMPLES:
        raise UsageError(
            f"resamples {number}: too few for an interval; give {FEWEST_RESAMPLES} or more, "
            "1000 to report numbers, or 0 for no intervals"
        )
    return number


def prepare_slice(
    study: "StudyArrays", measure: Measure, spec: Slice, options: Mapping[str, Any], by: str | None
) -> Slice:
    spec = with_names(study, spec)
    return spec if measure.prepare is None else measure.prepare(study, spec, options, by)


def check_grouping(study: str, measure: Measure, by: Sequence[str], *, comparing: bool, common: bool) -> None:
    """Raise UsageError if a measure cannot be grouped by one column, or split by two, or be compared so.

    `study` is the name of the study, for the command that groups.
    """
    if not measure.sliced:
        if comparing or common:
            against, common_slices = option("against"), option("common")
            raise UsageError(
                f"{measure.name} cannot compare slices; leave out ", against, " and ", common_slices
            )
        if by and not measure.groups:
            slices = Wording(command_line("slices", study), "study.slices()")
            raise refuse_groups(measure, by, slices, partial(_grouped, study))
        if len(by) > 1:
            raise UsageError(f"{measure.name} takes one column to group by, or none; leave out a column")
    elif comparing and by:
        raise UsageError(
            option("against"),
            " cannot be combined with ",
            option("by"),
            "; leave out ",
            option("by"),
            ", or compare the groups one by one",
        )
    elif len(by) > 1:
        own = {name for field in measure.fields for name in field.columns()}
        if clash := next((name for name in by if name in own), None):
            raise UsageError(
                f"{measure.name} has a column {clash!r} of its own; group by the other column alone"
            )
        if common:
            raise UsageError(
                option("common"),
                " compares the slices of one column; leave it out, or give ",
                option("by"),
                " one column",
            )


def _grouped(study: str, measure: str, columns: str) -> Wording:
    """Return the command, and the call, that groups a measure by columns."""
    call = f"study.measure({json.dumps(measure)}, {option('by', columns).python})"
    if "," in columns:
        call = f"study.measure({json.dumps(measure)}, by={json.dumps(columns.split(','))})"
    return Wording(command_line("measure", measure, study, "--by", columns), call)


def _rows(
    study: "StudyArrays",
    measure: Measure,
    wanted: Slice,
    filters: dict[str, Any],
    options: dict[str, Any],
    *,
    expanded: bool,
) -> Result:
    by = filters["by"]

    def part(value: Any) -> Slice:
        return prepare_slice(study, measure, replace(wanted, **{by: value}), options, None)

    spec = prepare_slice(study, measure, wanted, options, by)
    weights = weights_of(study, filters["resamples"] if measure.resampled else 0, filters["seed"])
    slices: list[Values] = []
    table_filters: list[Mapping[str, Any]] = []
    left_out: Counter[str] = Counter()
    why_not = ""
    try:
        if measure.sliced:
            pieces = group_views(study, spec, by, weights, measure.paradigms, part)
            tables: Iterable[Table] = tables_of_slices(measure, pieces, options, common=filters["common"])
        else:  # it reads the study itself
            tables = measure.function(study, spec, options | {"by": by}, weights)
        for table in [tables] if isinstance(tables, Table) else tables:
            table_filters.append(table.filters)
            left_out.update(table.left_out)
            why_not = why_not or table.why_empty
            if table.keep.any():
                values = finish(measure, table, spec.min_instances, weights if expanded else None)
                name: Values = {"slice": [plain(table.slice)] * len(values["reasons"])}
                slices.append(name | values if by else values)
    except NoDataError as no_data:
        return Result(measure, study.name, filters, {}, {}, no_data.message, by)
    columns = slices[0] if slices else {}
    if len(slices) > 1:
        columns = {
            name: [cell for values in slices for cell in plain_values(values[name])] for name in columns
        }
    reason = None
    if not slices:
        reason = why_not or why_empty(study, measure, table_filters)
        if measure.sliced:
            if shared_filters(table_filters).get("truth") not in (None, "any"):
                reason = why_no_truth(study, spec) or reason
            reason = why_nothing_counts(study, spec, reason)
    elif by and measure.sliced and all(value is None for value in plain_values(columns["slice"])):
        columns, reason = {}, _why_not_grouped(study, by)
    applied = filters | shared_filters(table_filters) | _judges_that_agree(study, spec, table_filters)
    return Result(measure, study.name, applied, columns, dict(left_out), reason, by)


def with_other_variants(study: "StudyArrays", spec: Slice, result: Result) -> Result:
    """Return the result of a slice that names no variant, with the judgments of those that it does not take.

    They are counted whatever criteria and answers the slice has.
    """
    paradigm, variant = (result.filters.get(name) for name in ("paradigm", "variant"))
    compares = any(field.name == "variant" for field in result.measure.fields)
    if compares or not (result.left_out and paradigm and variant):
        return result
    where: dict[str, Any] = {"paradigm": paradigm} | of_runs(spec)
    if spec.judges and result.measure.sliced:
        where["judge"] = spec.judges
    others = study.inventory.total(**where) - study.inventory.total(**where, variant=variant)
    return replace(result, other_variants=others)


def _judges_that_agree(
    study: "StudyArrays", spec: Slice, table_filters: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Return how many judges a bound on agreement counts, if it counts the same for every judge."""
    if spec.min_agreement is None or spec.agreement_without_family:
        return {}
    names = {(filters.get("paradigm"), filters.get("variant")) for filters in table_filters}
    if len(names) != 1 or None in (one := names.pop()):
        return {}
    where = {"paradigm": str(one[0]), "variant": str(one[1])} | of_runs(spec)
    return {"agreement_judges": len(study.inventory.values("judge", **where))}


def _why_not_grouped(study: "StudyArrays", by: str) -> Sentence:
    """Return that nothing has a value of the column grouped by, and what has values in the study."""
    word = grouping_words([by])[0]
    others = [
        Sentence(option("by", column), f" ({join_names(names, _MOST_VALUES)})")
        for column, names in values_to_group(study.index).items()
        if column != by
    ]
    choices = [part for other in others for part in (", ", other)][1:]
    remedy = ("; to group by what it has: ", *choices) if others else ()
    return Sentence(f"nothing is grouped by {word}, of which the study has no value here", *remedy)


_MOST_VALUES = 4
"""Most values of a column that are named; the rest are counted."""


def why_empty(study: "StudyArrays", measure: Measure, table_filters: Sequence[Mapping[str, Any]]) -> str:
    if measure.empty:
        return measure.empty
    if not measure.sliced:
        return "no judgment of this slice counts"
    if table_filters and all(filters["reference"] is None for filters in table_filters):
        return why_no_reference(study)
    return "no judgment of this slice has a verdict and a reference"


def shared_filters(table_filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the filters that all tables share: null where they differ, lists of names merged."""
    shared = {
        key: value if all(other.get(key) == value for other in table_filters) else None
        for key, value in (table_filters[0] if table_filters else {}).items()
    }
    names_by_key: dict[str, dict[Any, None]] = {}
    for filters in table_filters:
        for key, value in filters.items():
            if isinstance(value, list):
                names_by_key.setdefault(key, {}).update(dict.fromkeys(value))
    return shared | {key: list(names) for key, names in names_by_key.items()}


def _options(measure: Measure, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the measure's own options from the slice flags."""
    declared = {option.name: option for option in measure.options if option.name != ROWS}
    defaults = {name: option.default for name, option in declared.items()}
    flags = {name: value for name, value in arguments.items() if name not in declared}
    for name in flags:
        if name not in FLAG_NAMES:
            choices = (*FLAG_NAMES, "slice", *declared, *_SHARED)
            raise unknown("filter or option", name, choices, _hint(name, choices))
    values = {name: value for name, value in arguments.items() if name in declared and value is not None}
    return defaults | {name: _option(declared[name], value) for name, value in values.items()}, flags


def _hint(name: str, choices: Iterable[str]) -> str:
    """Return which argument a name was meant for: the filter of a table's column, or one in the singular."""
    if name == "full":
        return "measure() returns all columns"
    if hint := import_hint(name, FLAG_NAMES):
        return hint
    if name in _OF_LEVEL:
        return OF_INTERVALS
    singular = name.removesuffix("s")
    return f"did you mean {singular}" if singular in choices else ""


_OF_LEVEL = ("alpha", "ci", "conf", "conf_level", "confidence", "confidence_level", "coverage")
"""What other programs call the level of an interval."""
_AN_AGAINST = Wording('--against "polarity=negative"', 'against={"polarity": "negative"}')

_SHARED = ("by", "against", "common", "resamples", "seed", "interval")


def _option(option: Option, value: Any) -> Any:
    if option.kind == "switch":
        return switch(option.name, value)
    if option.kind == "names":
        return tuple(parts_of(value))
    example = "3" if option.default is None else str(option.default)
    if option.kind == "integer":
        return whole_number(option.name, value, least=0, example=example)
    if option.kind == "number":
        return finite_number(option.name, value, example)
    return name_of(option, value)
