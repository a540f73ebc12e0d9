"""What merging repeats, and several runs, leaves out of a result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.arrays.one_thread import one_thread
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.split_repeats import SplitRepeats, split_repeats
from engine.arrays.truths.references import NONE
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.scorecard.deciding_source import deciding_source
from engine.slices import FLAGS, Slice

if TYPE_CHECKING:
    from engine.arrays.view import SliceView
    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True)
class MergedRepeats:
    """How many judgment rows count for none of their own, and how far repeats split (None: scores).

    `paradigm` is that of the judgments; None where there are none.
    """

    merged: int
    split: SplitRepeats | None
    paradigm: str | None = None


def merged_repeats(study: "MeasuredStudy", filters: Mapping[str, Any]) -> MergedRepeats:
    """Return what merging leaves out of the judgments that a result with these `filters` takes.

    Without a paradigm among them, of those that decide on judges.
    """
    spec = slice_of(filters)
    return study.remember(("merged repeats", spec), lambda: _of_slice(study, spec))


@one_thread()
def _of_slice(study: "MeasuredStudy", spec: Slice) -> MergedRepeats:
    try:
        view = deciding_view(study, spec)
    except (NoDataError, UsageError):  # of a slice that is refused, or has nothing
        return MergedRepeats(0, None)
    return MergedRepeats(view.left_out.get("merged", 0), split_repeats(view), view.request.paradigm)


def deciding_view(study: "MeasuredStudy", spec: Slice) -> "SliceView":
    if spec.paradigm is None:
        return deciding_source(study, spec, find("scorecard").defaults).view
    return single_view(study, spec, None, (spec.paradigm,))


def slice_of(filters: Mapping[str, Any]) -> Slice:
    """Return the slice of a result's filters, which name its defaults too.

    Of two columns grouped by, one is a filter with all its values; a filter that takes one is then left out.
    """
    values = {
        flag.name: (flag.kind, filters[flag.name]) for flag in FLAGS if filters.get(flag.name) is not None
    }
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, (kind, value) in values.items()
        if not (isinstance(value, list) and kind == "name")
    }
    if "paradigm" in given:
        given["reference"] = filters.get("reference") or NONE
    if given.get("ordering") == "original":  # or none recorded
        del given["ordering"]
    if "decided_by" in filters:  # all judges count, whatever is shown
        given.pop("judges", None)
    return Slice(**given)
