"""Paradigms: ratios by the way in which judges are asked, on the same judges and responses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import scatter
from engine.charts.chart_spec import spec_of
from engine.charts.lazy_altair import alt
from engine.measures.result import Result
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import quantity
from engine.views.keys import Filters, filters, needs_verdicts, switch, without
from engine.views.of_measure import beside, measure, shown_of
from engine.views.shown import Figure, Shown
from engine.views.view import View
from engine.words import paradigm_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import HsppRow

FIELDS = ("judge", "hspp_self", "n_self", "hspp_family", "n_family")
CAPTION = "Accuracy of each judge against its ratio, in each paradigm, of whole answers and of criteria."
MARKS = (
    "Lines are 95% intervals of both numbers; hollow marks rest on fewer than 30 own failures. Where there "
    "is room, a judge's name stands beside its highest mark."
)


def shared_where_possible(study: "MeasuredStudy", values: dict[str, Any]) -> bool:
    """Return whether any judge has a ratio on the responses that all paradigms share."""
    rows: list[HsppRow] = measure(study, "hspp", _options(values["slice_"], common=True)).rows
    return any(row["hspp_self"] is not None for row in rows)


@dataclass(frozen=True)
class ParadigmsKeys:
    """The slice, and whether paradigms are compared on the responses that they share."""

    slice_: Annotated[Filters, filters("paradigm", "level")]
    common: Annotated[
        bool,
        switch(
            "Only shared answers",
            "Answers with a counted judgment in every paradigm and by every judge that has any",
            usual=shared_where_possible,
        ),
    ]


def _options(slice_: Filters, *, common: bool) -> dict[str, Any]:
    return {**slice_, "common": common, "level": "instance", "by": "paradigm"}


def answer(study: "MeasuredStudy", keys: ParadigmsKeys) -> Shown:
    """Compare the ratios of paradigms, on the judges that have one in each of them."""
    options = _options(keys.slice_, common=keys.common)
    ratios = measure(study, "hspp", options)
    judges = in_every_slice(ratios)
    if keys.common and judges and set(judges) < {row["judge"] for row in ratios.rows if row["judge"]}:
        options["judges"] = judges
        ratios = measure(study, "hspp", options)
    accuracy = measure(study, "accuracy", without(options, "level"))
    of_rubrics = measure(study, "hspp", without(options, "level"))
    shown = shown_of(
        study,
        ratios,
        options,
        FIELDS,
        sentences=(
            paradigm_words.paradigms(ratios.rows),
            paradigm_words.what_counts(ratios.rows, common=keys.common),
            _judges_compared(ratios, options),
        ),
        figure=_figure(accuracy, ratios, of_rubrics),
    )
    return beside(shown, accuracy)


def in_every_slice(ratios: Result) -> tuple[str, ...]:
    """Return the judges that have a ratio in every slice in which any judge has one."""
    every: list[HsppRow] = ratios.rows
    defined = [row for row in every if row["judge"] is not None and row["hspp_self"] is not None]
    slices = {row["slice"] for row in defined}
    of_judge: dict[str, set[Any]] = {}
    for row in defined:
        of_judge.setdefault(row["judge"], set()).add(row["slice"])
    return tuple(judge for judge, found_in in of_judge.items() if found_in == slices)


def _judges_compared(ratios: Result, options: dict[str, Any]) -> str:
    judges = options.get("judges")
    if not judges or ratios.filters.get("judges") is None:
        return ""
    return f"Compared on the same {quantity(len(judges), 'judge')}: those with a ratio in each paradigm."


def _figure(accuracy: Result, ratios: Result, of_rubrics: Result) -> Figure | None:
    """Draw accuracy against the ratio: of whole responses and, where rubrics are judged, of rubrics."""
    every: list[HsppRow] = of_rubrics.rows
    rubric_rows = [row for row in every if row["slice"] in RUBRIC_PARADIGMS]
    panels = [
        scatter.scatter(frame, level)
        for level, rows in (("instance", ratios.rows), ("rubric", rubric_rows))
        if len(frame := scatter.scatter_rows(accuracy.rows, rows, level))
    ]
    return Figure(spec_of(alt.hconcat(*panels, spacing=24)), CAPTION, MARKS) if panels else None


PARADIGMS = View(
    "paradigms",
    "Paradigms",
    "Does the way in which judges are asked change how they treat their own answers?",
    ParadigmsKeys,
    answer,
    needs_verdicts,
)
