"""Slices that stand out: every slice by one column or two, compared with the rest of its judge's verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.arrays.once_cache import OnceCache
from engine.explore.find_slices import listed_rows, search_study
from engine.measures.result import Result
from engine.slices import is_set
from engine.views.keys import FILTER_KEYS, Filters, filters, needs_verdicts
from engine.views.of_measure import shown_of, table_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.slice_words import columns_tried, slice_sentences

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST = 50
"""Most slices listed; the download has all of them."""

_MOST_SEARCHES = 20
"""How many searches of a study are kept."""

FIELDS = (
    *("judge", "where", "stands_out", "difference", "p_adjusted", "hspp_self", "hspp_rest", "hspp_matched"),
    *("n_self", "n_rest", "small"),
)

DEFINED = (
    "Slice / elsewhere: the ratio in the slice divided by the judge's ratio on all other criteria, with its "
    "95% interval. Of two slices that are each other's rest, the one with the higher ratio is listed."
)


@dataclass(frozen=True)
class StandoutSlicesKeys:
    """The slice within which is searched; it is always of rubrics."""

    slice_: Annotated[Filters, filters("level")]


def search(study: "MeasuredStudy", options: Mapping[str, Any]) -> Result:
    """Search a slice once for everything that shows it; raises the same errors as `search_study`."""
    searches: OnceCache = study.remember("searches of views", lambda: OnceCache(_MOST_SEARCHES))
    values = {name: value for name, value in options.items() if is_set(value)}
    key = repr(sorted((name, tuple(v) if isinstance(v, list) else v) for name, v in values.items()))
    return searches.get(key, lambda: search_study(study, **values))


def answer(study: "MeasuredStudy", keys: StandoutSlicesKeys) -> Shown:
    """Show which slices stand out, the clearest first."""
    result = search(study, keys.slice_)
    shown = shown_of(study, result, keys.slice_, FIELDS)
    if not result.rows:
        return replace(shown, measures=())
    n_slices = int(result.filters["slices_tried"])
    table = table_of(result.with_rows(listed_rows(result.rows)), FIELDS, MOST)
    n_shown = len(table.rows)
    order = f"The clearest {n_shown:,} of {n_slices:,} slices; choose one to open it. {DEFINED}"
    return replace(
        shown,
        sentences=tuple(slice_sentences(result.rows, n_slices, result.filters.get("judges", ()))),
        table=table,
        basis=(columns_tried(result), order, *shown.basis),
        measures=(),  # it compares a measure, and is none of the catalogue
    )


def click(row: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Return the keys that open the slice of a row with its judge's verdicts on its own answers.

    They end the search.
    """
    filters_of_row = {name: value for name, value in row["filters"].items() if name in FILTER_KEYS}
    by = () if row["by"] is None else (str(row["by"]),)
    own = dict.fromkeys(("judge", "generator"), (str(row["judge"]),))
    return {name: _texts(value) for name, value in filters_of_row.items()} | own | {"by": by, "find": ()}


def _texts(value: Any) -> tuple[str, ...]:
    if value is True:
        return ("true",)
    return (value,) if isinstance(value, str) else tuple(map(str, value))


STANDOUT_SLICES = View(
    "standout_slices",
    "Slices that stand out",
    "In which slices does a judge favour itself more than elsewhere?",
    StandoutSlicesKeys,
    answer,
    needs_verdicts,
    click,
    picks_rows=True,
)
