"""Paradigms and committee: whether the paradigm, a majority or agreement removes the bias."""

from collections.abc import Callable, Collection

from engine.explore import published
from explorer import data
from explorer.new_run import studies
from explorer.parts import selection
from explorer.parts.context import Context, show_page
from explorer.parts.page_list import FILTERS
from explorer.workbench import filters, paradigms

PARTS: dict[str, tuple[str, Callable[[Context, data.FlagValues], None]]] = {
    "paradigms": ("Paradigms", paradigms.paradigms),
    "committee": ("Committee", paradigms.committee),
    "agreement": ("Agreement", paradigms.agreement),
    "slices": ("Kinds of rubrics", paradigms.slices),
}
PRINTED = "printed"
# The filters that have no effect on a part.
IDLE: dict[str, Collection[str]] = {
    "paradigms": ("paradigm", "level"),
    "committee": ("level",),
    "agreement": ("level", "min_agreement"),
    PRINTED: FILTERS,
}


def render(context: Context) -> None:
    """Show the chosen part, and what would give a study without a reference one."""
    words = {name: words_of for name, (words_of, _) in PARTS.items()}
    if published.dataset_of(context.study) is not None:
        words[PRINTED] = "As printed"
    part = selection.part("part", words, next(iter(words)))
    flags = filters.bar(context, IDLE.get(part, ()), begins=True)
    if part == PRINTED:
        paradigms.as_printed(context)
    else:
        PARTS[part][1](context, flags)
    if context.page.name in data.lacking(context.key):
        studies.next_steps(context)


show_page(render)
