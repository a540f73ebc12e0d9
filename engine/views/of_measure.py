"""Parts of views that every measure has: its result, the table of its rows, its basis and its command."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.arrays.once_cache import OnceCache
from engine.errors import UsageError
from engine.explore.two_columns import result_by_two
from engine.findings.commands import command_of
from engine.measures.catalogue import find
from engine.measures.compute import with_other_variants
from engine.measures.result import Result
from engine.measures.row_kinds import without_mean_of_one
from engine.phrases import sentence_case
from engine.slices import Slice
from engine.views.keys import choices_in
from engine.views.shown import Figure, Shown, ShownTable, without_number
from engine.words.based_on import basis_of, left_out_of, set_apart
from engine.words.column_meanings import meaning_in_words
from engine.words.concluded_elsewhere import with_caveat
from engine.words.conclusion_remarks import remarks_on_result
from engine.words.plain_names import paradigms_in_words
from engine.words.row_cells import declared_fields, format_rows, heading
from engine.words.scoring import agreement_on_met, unweighted_scores

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_ROWS = 60
"""Most rows of a table; the rest are counted."""

_MOST_RESULTS = 200
"""How many results of a study are kept: the views of a page share measures."""


def measure(study: "MeasuredStudy", name: str, options: Mapping[str, Any]) -> Result:
    """Compute a measure once for all views of a study.

    A slice that the measure refuses gives a result without rows, whose reason is the error.
    """
    results: OnceCache = study.remember("results of views", lambda: OnceCache(_MOST_RESULTS))
    effective = {key: value for key, value in options.items() if value is not None and value is not False}
    hashable = {key: tuple(value) if isinstance(value, list) else value for key, value in effective.items()}
    key = (name, tuple(sorted(hashable.items())))
    return results.get(key, lambda: _compute(study, name, effective))


def _compute(study: "MeasuredStudy", name: str, options: Mapping[str, Any]) -> Result:
    by = options.get("by")
    try:
        if isinstance(by, tuple):
            return result_by_two(study, name, by, options)
        result = study.result(find(name), **options)
        if options.get("variant") != choices_in(study).starts.get("variant", ""):
            return result
        spec = Slice.of(run=options.get("run"), judges=options.get("judges"))
        return with_other_variants(study, spec, result)  # since nobody has named it
    except UsageError as error:
        return Result(find(name), study.name, dict(options), {}, {}, str(error), options.get("by"))


def shown_of(
    study: "MeasuredStudy",
    result: Result,
    options: Mapping[str, Any],
    fields: Sequence[str],
    *,
    sentences: Sequence[str] = (),
    figure: Figure | None = None,
    notes: Sequence[str] = (),
) -> Shown:
    """Return what a view of one measure shows of a study; see `shown_of_rows`. `notes` end its basis."""
    shown = shown_of_rows(result, options, fields, study.name, sentences=sentences, figure=figure)
    if not result.rows:
        return shown
    of_points = (*unweighted_scores(study, result), *agreement_on_met(study, result))
    return with_remarks(shown, (*remarks_on_result(study, result), *of_points, *notes))


def with_remarks(shown: Shown, remarks: Sequence[str]) -> Shown:
    """Return what is shown with remarks on it: in its basis, or above it where numbers mislead without."""
    above, below = set_apart(remarks)
    return replace(shown, sentences=(*shown.sentences, *above), basis=(*shown.basis, *below))


def shown_of_rows(
    result: Result,
    options: Mapping[str, Any],
    fields: Sequence[str],
    name_of_study: str | None = None,
    *,
    sentences: Sequence[str] = (),
    figure: Figure | None = None,
) -> Shown:
    """Return what a view of one measure shows: its rows in these fields, and what they rest on.

    `options` are those of the command that prints the result, beside the runs that count.
    """
    name = result.measure.name
    if "run" not in options:
        options = {**options, "run": result.filters.get("run")}
    unnumbered = () if figure is None else without_number(result, figure.spec)
    facts: dict[str, Any] = {
        "basis": (basis_of(result.filters, fields, result.names), left_out_of(result), *unnumbered),
        "commands": (command_of(name_of_study or result.study, name, options),),
        "measures": (name,),
    }
    if not result.rows:
        reason = result.reason or "no judgment of this slice counts"
        return Shown(problems=(f"There is nothing to show: {paradigms_in_words(reason)}.",), **facts)
    table = table_of(without_mean_of_one(result), fields)
    return Shown(sentences=with_caveat(result, sentences), figure=figure, table=table, **facts)


def table_of(result: Result, fields: Sequence[str], most: int = MOST_ROWS) -> ShownTable:
    """Return the rows of a result as readable texts in these columns."""
    frame = format_rows(result, fields)
    declared = declared_fields(result)
    meanings = (
        meaning_in_words(declared[name].meaning) if name in declared else "" for name in frame.columns
    )
    return ShownTable(
        tuple(heading(name, result) for name in frame.columns),
        tuple(tuple(row) for row in frame.head(most).itertuples(index=False)),
        max(len(frame) - most, 0),
        tuple(frame.columns),
        tuple(map(sentence_case, meanings)),
        result,
    )


def beside(shown: Shown, *others: Result) -> Shown:
    """Return what is shown with further measures that its figure draws."""
    names = dict.fromkeys((*shown.measures, *(result.measure.name for result in others)))
    return replace(shown, measures=tuple(names))
