"""Which judge: what speaks for and against each judge, and what to use it for."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show the advice on each judge with its numbers, or what the study lacks for it."""
    if not show_part(context):
        study_needs.next_steps(context)


show_page(render)
