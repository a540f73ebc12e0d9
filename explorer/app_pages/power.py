"""Power: how many instances a study needs, and what they cost."""

import streamlit as st

from engine.explore.planned_cost import assumptions_from
from engine.views.keys import read_keys
from engine.views.planned_cost import PLANNED_COST
from engine.views.planned_excess import PLANNED_EXCESS
from engine.views.power import POWER
from engine.views.view import AnyView
from explorer.parts import components
from explorer.parts.context import Context, show_page
from explorer.parts.show import draw, has_rows
from explorer.parts.view_widgets import Quantity, quantity

PLAN = (
    ("plan_effect", "plan_judges", "plan_generators", "plan_families"),
    ("plan_rubrics_per_instance", "plan_failure_rate", "plan_overestimation", "plan_clustering"),
    ("plan_power",),
)
# The rows of fields to type the assumptions in, and those of the costs.
MONEY = ("plan_tokens_in", "plan_tokens_out", "plan_price_in", "plan_price_out")


def render(context: Context) -> None:
    """Show what conclusions need, and for a ratio the assumptions, the curves and the costs."""
    if PLANNED_EXCESS.lacks(context.study) is None:
        st.subheader(PLANNED_EXCESS.title, anchor=False)
        _row(context, PLANNED_EXCESS, ("plan_excess",))
        draw(context, PLANNED_EXCESS)
        st.subheader("For the HSPP ratio, as in the papers", anchor=False)
    typical = (
        f"{context.name} has no verdicts on criteria with a reference; the starting values are typical ones."
    )
    source = f"The starting values are those of {context.name}; change what differs in your plan."
    components.note(source if assumptions_from(context.study) else typical, key="pilot")
    for names in PLAN:
        _row(context, POWER, names)
    draw(context, POWER)
    if not has_rows(context, POWER.name):  # which says why
        return
    st.subheader(PLANNED_COST.title, anchor=False)
    _row(context, PLANNED_COST, MONEY)
    draw(context, PLANNED_COST)


def _row(context: Context, view: AnyView, names: tuple[str, ...]) -> None:
    """Show a field to type for each of a view's keys, side by side."""
    usual = vars(read_keys(view.keys, context.study, {})[0])
    for column, name in zip(st.columns(4), names, strict=False):
        key = view.declared[name]
        kind = int if float(key.step).is_integer() else float
        low, high = map(kind, key.bounds)
        with column:
            quantity(Quantity(name, key.label, low, high, kind(key.step), key.meaning), usual[name])


show_page(render)
