"""Paradigms and committee: whether the way of judging, a majority or agreement takes the bias away."""

from collections.abc import Callable, Collection

from engine import published
from explorer import committees, context, data, filters, sections, selection
from explorer.sitemap import FILTERS

PARTS: dict[str, tuple[str, Callable[[context.Context, data.Asked], None]]] = {
    "paradigms": ("Ways of judging", sections.paradigms),
    "committee": ("Committee", committees.committee),
    "agreement": ("Agreement", sections.agreement),
    "slices": ("Kinds of rubrics", sections.slices),
}
PRINTED = "printed"
# The filters that have no effect on a part.
IDLE: dict[str, Collection[str]] = {
    "paradigms": ("paradigm", "level"),
    "committee": ("level",),
    "agreement": ("level", "min_agreement"),
    PRINTED: FILTERS,
}


def render(here: context.Context) -> None:
    """Show the part chosen."""
    words = {name: told for name, (told, _) in PARTS.items()}
    if published.dataset_of(here.study) is not None:
        words[PRINTED] = "As printed"
    part = selection.part("part", words, next(iter(words)))
    asked = filters.sidebar(here.choices, IDLE.get(part, ()))
    if part == PRINTED:
        sections.as_printed(here)
    else:
        PARTS[part][1](here, asked)


context.show(render)
