"""Equal quality: archetypes, preference among equally good answers, and the effect of other prompts."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show archetypes, firm choices, other prompts and labels, or what the study lacks for them."""
    if not show_part(context):
        study_needs.supply(context, "equal-quality")


show_page(render)
