"""Paradigms and committee: whether the paradigm, a majority or agreement removes the bias."""

from explorer import data
from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show the chosen part, and what would give a study without a reference one."""
    show_part(context)
    if context.page.name in data.lacking(context.key):
        study_needs.next_steps(context)


show_page(render)
