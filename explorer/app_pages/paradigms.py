"""Paradigms and committee: whether the paradigm, a majority or agreement removes the bias."""

from engine.explore import published
from explorer import data
from explorer.new_run import studies
from explorer.parts import selection
from explorer.parts.context import Context, show_page
from explorer.parts.show import show
from explorer.workbench import paradigms

PARTS = {
    "paradigms": "Paradigms",
    "committee": "Committee",
    "agreement": "Agreement",
    "slices": "Kinds of criteria",
}
PRINTED = "printed"


def render(context: Context) -> None:
    """Show the chosen part, and what would give a study without a reference one."""
    words = dict(PARTS)
    if published.dataset_of(context.study) is not None:
        words[PRINTED] = "As printed"
    part = selection.part("part", words, next(iter(words)))
    if part == PRINTED:
        paradigms.as_printed(context)
    else:
        show(context, *context.page.parts[part])
    if context.page.name in data.lacking(context.key):
        studies.next_steps(context)


show_page(render)
