"""Order effects: whether the place of an option, a criterion or an answer affects verdicts."""

from explorer.page_list import part_of
from explorer.parts import selection
from explorer.parts.context import Context, show_page
from explorer.parts.show import show_part
from explorer.workbench import study_needs


def render(context: Context) -> None:
    """Show the chosen part, or how a study without what it needs gets it: other orders, of pairs or lists."""
    if show_part(context):
        return
    page = context.page
    of_pairs = part_of(page, selection.value(page.part_key), context.study) == "pairs"
    if of_pairs:
        study_needs.let_judge(context, both_orders=True)
    else:
        context.link("new_run", "Have the same answers judged in several orders")


show_page(render)
