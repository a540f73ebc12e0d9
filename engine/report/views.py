"""What a pinned view shows now, without the explorer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.report.exhibit import expand_slices
from engine.store.study_files import Pin
from engine.views.shown import Shown

if TYPE_CHECKING:
    from engine.study import Study


def exhibit_of(study: "Study", pin: Pin) -> Shown:
    """Return what a pinned view shows now, with a sentence for every value no longer available."""
    keys, problems = expand_slices(study.info, pin.view)
    shown = view_exhibit(study, pin.page, keys)
    return replace(shown, problems=(*problems, *shown.problems))


def view_exhibit(study: "Study", name: str, keys: Mapping[str, Sequence[str]]) -> Shown:
    """Return what a view shows for keys without saved slices; see `exhibit_of`."""
    from engine.views.registry import view_of  # which needs Altair

    view, texts = view_of(study, name, keys)
    if view is None:
        return Shown(problems=(f"There is no page {name!r} whose views can be shown here.",))
    return view.shown(study, texts)
