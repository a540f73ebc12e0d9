"""Quality baseline: a judge's votes for its own worse answers, beyond those for equally bad ones."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show the baseline, its curve, and DBG; of a paper's own votes, also its printed numbers on request."""
    if not show_part(context):
        study_needs.supply(context, "quality-baseline")


show_page(render)
