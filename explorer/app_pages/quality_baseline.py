"""Quality baseline: a judge's votes for its own worse answers, beyond those for equally bad ones."""

from engine.views.registry import VIEWS
from explorer.new_run import studies
from explorer.parts import selection
from explorer.parts.context import Context, show_page
from explorer.parts.show import choose_part, show, show_part

PRINTED = VIEWS["printed_votes"]


def render(context: Context) -> None:
    """Show the baseline, its curve, and DBG; of a paper's own votes, also its printed numbers on request."""
    of_paper = {"printed": PRINTED.title} if PRINTED.lacks(context.study) is None else {}
    if of_paper and selection.value(context.page.part_key) in of_paper:
        choose_part(context, of_paper)
        show(context, PRINTED.name)
    elif not show_part(context, of_paper):
        studies.supply(context, "quality-baseline")


show_page(render)
