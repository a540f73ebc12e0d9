"""Paradigms and committee: whether the paradigm, a majority or agreement removes the bias."""

from engine.explore import published
from explorer import data
from explorer.new_run import studies
from explorer.parts import selection
from explorer.parts.context import Context, show_page
from explorer.parts.show import choose_part, show_part
from explorer.workbench import as_printed

PRINTED = {"printed": "As printed"}


def render(context: Context) -> None:
    """Show the chosen part, and what would give a study without a reference one."""
    of_paper = PRINTED if published.dataset_of(context.study) is not None else {}
    if of_paper and selection.value(context.page.part_key) in of_paper:
        choose_part(context, of_paper)
        as_printed.as_printed(context)
    else:
        show_part(context, of_paper)
    if context.page.name in data.lacking(context.key):
        studies.next_steps(context)


show_page(render)
