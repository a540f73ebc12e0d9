"""Scores and families: which models the judges score highest, and what they give their family's."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part


def render(context: Context) -> None:
    """Show the chosen part."""
    show_part(context)


show_page(render)
