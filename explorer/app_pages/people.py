"""People: how far each judge agrees with people, and whether it may stand in for one of them."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part


def render(context: Context) -> None:
    """Show the agreement with people, or what the study lacks for it."""
    if not show_part(context):
        context.link("annotate", "Collect verdicts of people")
        context.link("data", "Import verdicts of people")


show_page(render)
