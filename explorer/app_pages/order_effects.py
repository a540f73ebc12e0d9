"""Order effects: whether the place of an option, a criterion or an answer affects verdicts."""

from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show the chosen part; a study without pairs in both orders learns how to get them."""
    if not show_part(context):
        study_needs.let_judge(context, both_orders=True)


show_page(render)
