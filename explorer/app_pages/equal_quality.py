"""Equal quality: archetypes, preference among equally good answers, and the effect of other prompts."""

from explorer.new_run import studies
from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part


def render(context: Context) -> None:
    """Show archetypes, firm choices, other prompts and labels, or what the study lacks for them."""
    if not show_part(context):
        studies.supply(context, "equal-quality")


show_page(render)
