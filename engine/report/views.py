"""Pinned views shown without the explorer: for each of its pages, what the view of it shows.

A value of the view that the study does not have (any more) is taken out of it and said, as for links.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.choices import Choices, choices_of
from engine.errors import SpbError
from engine.report import compared, reading
from engine.report.exhibit import Exhibit, measured
from engine.report.looked import Looked, unfolded
from engine.report.pages import OF_RUBRICS, TOLD, first_of_orders, usual_quality
from engine.store.info import Pin

if TYPE_CHECKING:
    from engine.study import Study

PARTS = {
    "positions": ("position", "Share of selections at each position in the list of options, of each judge."),
    "costs": ("ordering", TOLD["orderings"]),
    "permutation": ("permutation", TOLD["permutation"]),
    "rubrics": ("order-effect", "Verdicts along the places of rubrics in their list."),
    "pairs": ("order-effect", TOLD["flips"]),
}
"""The parts of the page on orders: the measure of each, and its chart in words."""


def exhibit_of(study: "Study", pin: Pin, choices: Choices | None = None) -> Exhibit:
    """Return what a pinned view shows now, with a sentence for every value that is no longer there."""
    view, lost = unfolded(study.info, pin.view)
    shown = shown_by(study, pin.page, view, choices or choices_of(study))
    return replace(shown, problems=(*lost, *shown.problems))


def shown_by(study: "Study", page: str, view: Mapping[str, Sequence[str]], choices: Choices) -> Exhibit:
    """Return what a page shows of a view that names no saved slice; see `exhibit_of`."""
    show = PAGES.get(page)
    if show is None:
        return Exhibit(problems=(f"There is no page {page!r} whose views can be shown here.",))
    looked = Looked(study, choices, view)
    try:
        shown = show(looked)
    except SpbError as error:
        shown = Exhibit(problems=(f"It cannot be shown: {error}.",))
    return replace(shown, problems=(*looked.gone, *shown.problems))


def _overview(looked: Looked) -> Exhibit:
    from engine.findings import self_preference

    result = looked.study.result("hspp")
    if not result.rows:
        return measured(looked.study, "together", {}, told="What each measure says of each judge.")
    shown = measured(looked.study, "hspp", {}, told=TOLD["overview"], result=result)
    sentences = self_preference(result.rows, result.filters["level"] or "rubric").sentences
    return replace(shown, sentences=tuple(sentences))


def _slice(looked: Looked) -> Exhibit:
    from engine import contrasts
    from engine.findings import self_preference

    by = looked.one("by", looked.choices.groupings, "Group by")
    options = looked.filters() | ({} if by is None else {"by": by})
    result = looked.study.result("hspp", **options)
    shown = measured(looked.study, "hspp", options, told=TOLD["slice"], result=result)
    if not result.rows:
        return shown
    if by is not None:
        return replace(shown, sentences=(contrasts.slices(result.rows, by.replace("_", " ")),))
    sentences = self_preference(result.rows, result.filters["level"] or "rubric").sentences
    return replace(shown, sentences=tuple(sentences))


def _matrix(looked: Looked) -> Exhibit:
    from engine.charts.cells import SHADES

    shade = looked.one("shade", tuple(SHADES), "Cells show")
    options = looked.filters(*(("level",) if shade == "delta" else ()))
    measure = "delta" if shade == "delta" else "overestimation"
    told = f"Judges in rows, generators in columns, each cell the {measure} of one pair."
    fields = ("judge", "generator", "relation", "under_rate", "under", "under_n")
    return measured(
        looked.study, measure, options, told=told, fields=fields if shade == "underestimation" else ()
    )


def _paradigms(looked: Looked) -> Exhibit:
    part = looked.one("part", ("paradigms", "committee", "agreement", "slices", "printed"), "Part")
    if part == "committee":
        members = looked.many("members", looked.choices.judges, "Member")
        options = looked.filters("level") | ({"members": members} if members else {})
        return measured(looked.study, "committee", options, told=TOLD["committee"])
    if part == "agreement":
        options = looked.filters("level", "min_agreement")
        return measured(looked.study, "agreement-curve", options, told=TOLD["agreement"])
    by = next((by for by in ("polarity", "axis", "theme") if by in looked.choices.groupings), None)
    if part == "slices" and by is not None:
        told = f"Ratio of each judge by {by}."
        return measured(looked.study, "hspp", looked.filters() | {"by": by}, told=told)
    options = looked.filters("level", "paradigm") | {"level": "instance", "by": "paradigm"}
    return measured(looked.study, "hspp", options, told="Ratio of each judge in each way of judging.")


def _order_effects(looked: Looked) -> Exhibit:
    first = first_of_orders(looked.study.inventory.values("paradigm"))
    part = looked.one("orders", tuple(PARTS), "Part") or first
    measure, told = PARTS[part]
    way = {"rubrics": "all_rubrics", "pairs": "pairwise"}.get(part)
    options = looked.filters("paradigm", "level", *(() if part == "rubrics" else ("min_agreement",)))
    return measured(looked.study, measure, options | ({"paradigm": way} if way else {}), told=told)


def _plain(measure: str, told: str, idle: Collection[str] = ()) -> Callable[[Looked], Exhibit]:
    """Return what shows a page whose view is the filters alone."""
    return lambda looked: measured(looked.study, measure, looked.filters(*idle), told=told)


def _equal_quality(looked: Looked) -> Exhibit:
    usual = usual_quality(looked.study.inventory.values("paradigm"))
    quality = looked.option("archetypes", "quality", "Quality from") or usual
    options = looked.filters(*OF_RUBRICS) | {"quality": quality}
    epsilon = looked.number("epsilon", (0.0, 2.0), "Equal within")
    options |= {} if epsilon is None else {"epsilon": epsilon}
    return measured(looked.study, "archetypes", options, told=TOLD["archetypes"])


def _quality_baseline(looked: Looked) -> Exhibit:
    proxies = looked.option("quality-baseline", "proxies", "Proxies from")
    options = looked.filters(*OF_RUBRICS) | ({} if proxies is None else {"proxies": proxies})
    return measured(looked.study, "quality-baseline", options, told=TOLD["baseline"])


PAGES: Mapping[str, Callable[[Looked], Exhibit]] = {
    "overview": _overview,
    "findings": reading.answers,
    "slice": _slice,
    "matrix": _matrix,
    "compare": compared.sides,
    "paradigms": _paradigms,
    "verdicts": reading.judgments,
    "equal_quality": _equal_quality,
    "quality_baseline": _quality_baseline,
    "order_effects": _order_effects,
    "together": _plain("together", "What each measure says of each judge, for or against self-preference."),
    "power": reading.power,
    "measures": reading.measure,
}
"""What shows the views of each page that can be pinned."""
