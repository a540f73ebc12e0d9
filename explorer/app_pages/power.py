"""Power: how many instances a study needs, and what they cost."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from engine.explore.planned_cost import WAYS, Prices, assumptions_from, cost_of
from engine.stats.power import TARGETS, Assumptions, StudySize, Target
from engine.views.keys import read_keys
from engine.views.power import PLAN, POWER, WHOLE, plan_of, sizes_of, usual_plan
from explorer.parts import components
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.parts.selection import Quantity, quantity
from explorer.parts.show import draw, texts_of

SIZE = ("plan_effect", "plan_judges", "plan_generators", "plan_families")
RATES = ("plan_rubrics_per_instance", "plan_failure_rate", "plan_overestimation", "plan_clustering")
MONEY = (
    Quantity("plan_tokens_in", "Tokens in", 0, 1_000_000, 100, "Tokens sent in one call on one rubric"),
    Quantity("plan_tokens_out", "Tokens out", 0, 1_000_000, 10, "Tokens received in return"),
    Quantity("plan_price_in", "Dollars per million tokens in", 0.0, 1000.0, 0.1, "The mean over judges"),
    Quantity("plan_price_out", "Dollars per million tokens out", 0.0, 1000.0, 0.1, "The mean over judges"),
)
# The assumptions of the costs.
COSTS = (
    "Every call succeeds the first time, at the judges' mean price. A call on a pair reads twice as many "
    "tokens; a call on all rubrics writes an answer for each."
)


def render(context: Context) -> None:
    """Show the assumptions, the curves, and the costs."""
    typical = f"{context.name} has no rubric verdicts with a reference; the starting values are typical ones."
    source = f"The starting values are those of {context.name}; change what differs in your plan."
    components.note(source if assumptions_from(context.study) else typical, key="pilot")
    usual = {PLAN + name: value for name, value in usual_plan(context.study).items()}
    for names in (SIZE, RATES, ("plan_power",)):
        _row(tuple(map(_quantity, names)), usual)
    draw(context, POWER)
    keys, _ = read_keys(POWER.keys, context.study, texts_of(POWER))
    _costs(plan_of(keys), sizes_of(keys))


def _quantity(name: str) -> Quantity:
    """Return the number to type for a key."""
    key = POWER.declared[name]
    kind = int if name.removeprefix(PLAN) in WHOLE else float
    low, high = map(kind, key.bounds)
    return Quantity(name, key.label, low, high, kind(key.step), key.meaning)


def _row(quantities: tuple[Quantity, ...], usual: dict[str, float]) -> dict[str, float]:
    """Show the controls side by side and return their values."""
    columns = st.columns(4)
    row = {}
    for column, each in zip(columns, quantities, strict=False):
        with column:
            row[each.key] = quantity(each, usual[each.key])
    return row


@section
def _costs(plan: Assumptions, sizes: dict[Target, StudySize]) -> None:
    """Show the cost of the study for each way of judging."""
    st.subheader("What it would cost", anchor=False)
    usual = {PLAN + name: price for name, price in asdict(Prices()).items()}
    prices = Prices(**{name.removeprefix(PLAN): price for name, price in _row(MONEY, usual).items()})
    rows = [
        {"target": TARGETS[target], "meaning": WAYS[way]} | asdict(cost_of(way, plan, instances, prices))
        for target, instances in sizes.items()
        for way in WAYS
    ]
    frame = pd.DataFrame(rows)[["target", "way", "calls", "tokens_in", "tokens_out", "dollars", "meaning"]]
    config = {
        "target": "Detected",
        "way": "Judged by",
        "calls": st.column_config.NumberColumn("Calls", format="localized"),
        "tokens_in": st.column_config.NumberColumn("Tokens in", format="compact"),
        "tokens_out": st.column_config.NumberColumn("Tokens out", format="compact"),
        "dollars": st.column_config.NumberColumn("US dollars", format="dollar"),
        "meaning": "What a call is",
    }
    components.table(frame.assign(way=frame["way"].str.replace("_", " ")), config, "power_costs")
    components.note(COSTS, key="costs")


show_page(render)
