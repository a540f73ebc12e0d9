"""Power: how many instances a study needs, and what they cost."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from engine.charts import lines as line_charts
from engine.charts.export import spec_of
from engine.explore import doctor
from engine.stats.power import TARGETS, Assumptions, StudySize, Target, instances_needed, power_curve
from explorer import data
from explorer.parts import components, figures
from explorer.parts.context import Context, show_page
from explorer.parts.sections import section
from explorer.parts.selection import Quantity, quantity

SIZE = (
    Quantity("plan_effect", "Effect", 0.05, 20.0, 0.05, "The self-preference ratio to detect"),
    Quantity("plan_judges", "Judges", 1, 200, 1, "Each judges every response, including its own"),
    Quantity("plan_generators", "Models that answer", 2, 500, 1, "The judges are among them"),
    Quantity("plan_families", "Families", 2, 200, 1, "Of equal size, as far as possible"),
)
RATES = (
    Quantity("plan_rubrics_per_instance", "Rubrics per instance", 1.0, 500.0, 0.5, "On average"),
    Quantity(
        "plan_failure_rate", "Failure rate", 0.001, 0.999, 0.01, "Share of rubrics that a response fails"
    ),
    Quantity(
        "plan_overestimation",
        "Overestimation",
        0.001,
        0.999,
        0.01,
        "Share of other families' failures passed",
    ),
    Quantity(
        "plan_clustering", "Clustering", 0.0, 0.99, 0.05, "Intraclass correlation of failures and verdicts"
    ),
)
MONEY = (
    Quantity("plan_tokens_in", "Tokens in", 0, 1_000_000, 100, "Tokens sent in one call on one rubric"),
    Quantity("plan_tokens_out", "Tokens out", 0, 1_000_000, 10, "Tokens received in return"),
    Quantity("plan_price_in", "Dollars per million tokens in", 0.0, 1000.0, 0.1, "The mean over judges"),
    Quantity("plan_price_out", "Dollars per million tokens out", 0.0, 1000.0, 0.1, "The mean over judges"),
)
POWER = Quantity("plan_power", "Power", 0.1, 0.99, 0.05, "Share of such studies whose interval excludes 1")

TITLES = (
    ("target", "Detected"),
    ("instances", "Instances"),
    ("power", "Power"),
    ("own_failures", "Own failures"),
    ("responses", "Responses judged"),
    ("verdicts", "Verdicts"),
)


def render(context: Context) -> None:
    """Show the assumptions, the curves, and the costs."""
    pilot = data.pilot(context.key)
    usual = asdict(Assumptions(1.2)) | {"generators": 6} | pilot
    study = context.name
    source = f"The starting values are those of {study}; change what differs in your plan."
    typical = f"{study} has no rubric verdicts with a reference, so the starting values are typical ones."
    components.note(source if pilot else typical, key="pilot")
    values = _row(SIZE, usual) | _row(RATES, usual)
    for name in ("judges", "generators", "families"):
        values[name] = round(values[name])
    plan = Assumptions(**values)  # type: ignore[arg-type]
    power = _row((POWER,), {"power": 0.8})["power"]
    sizes = {target: instances_needed(plan, power, target) for target in TARGETS}
    components.say(*figures.power_sentences(plan, power, sizes), key="finding_power")
    curves = {target: power_curve(plan, target=target) for target in TARGETS}
    frame = line_charts.power_rows(curves, sizes)
    chart = data.Chart(spec_of(line_charts.power_curves(frame, power)), frame, titles=TITLES)
    text = "Power by number of instances, for one judge, one of several that are tested, and their mean."
    settings = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in asdict(plan).items())
    lines = (f"Assumed: {settings}.", figures.ASSUMPTIONS)
    components.figure(chart, "power_curves", text, lines, study=study)
    _costs(plan, sizes)


def _row(quantities: tuple[Quantity, ...], usual: dict[str, float]) -> dict[str, float]:
    """Show the controls side by side and return their values."""
    columns = st.columns(4)
    row = {}
    for column, each in zip(columns, quantities, strict=False):
        with column:
            name = each.key.removeprefix("plan_")
            row[name] = quantity(each, usual[name])
    return row


@section
def _costs(plan: Assumptions, sizes: dict[Target, StudySize]) -> None:
    """Show the cost of the study for each way of judging."""
    st.subheader("What it would cost", anchor=False)
    prices = doctor.Prices(**_row(MONEY, asdict(doctor.Prices())))
    rows = [
        {"target": TARGETS[target], "meaning": doctor.WAYS[way]}
        | asdict(doctor.cost_of(way, plan, instances, prices))
        for target, instances in sizes.items()
        for way in doctor.WAYS
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
    components.note(figures.COSTS, key="costs")


show_page(render)
