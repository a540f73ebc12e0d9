"""Power: how many instances a study needs under given assumptions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.charts import power_curves
from engine.charts.chart_spec import spec_of
from engine.explore.planned_cost import assumptions_from
from engine.phrases import part_of, quantity
from engine.stats.conclusions.power import (
    TARGETS,
    Assumptions,
    StudySize,
    Target,
    instances_needed,
    power_curve,
)
from engine.views.keys import Key, keys_of, number
from engine.views.shown import Figure, Shown, ShownTable
from engine.views.view import View
from engine.words.group_conclusions import no_more_than_a_mean
from engine.words.planned_for import PLANNED_FOR

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

PLAN = "plan_"
"""The prefix of the keys of a planned study."""

WHOLE = ("judges", "generators", "families")
"""Assumptions that are whole numbers."""

USUAL_POWER = 0.8

CAPTION = "Power by number of questions, for one judge, one of several that are tested, and their mean."
RESTS_ON = (
    "Every judge has the same effect and judges every answer; clustered failures count for less. The "
    "formula is for ratios of verdicts on criteria, and agrees with simulated studies of at least ten own "
    "failures per judge. A ratio that is found does not say yet that a judge favours itself: that must be "
    "more than judges' tastes explain, for which families of judges count more than questions."
)
"""The assumptions of the curves."""

COLUMNS = {
    "target": ("Detected", "What the study is to detect"),
    "instances": ("Questions", "How many it needs"),
    "own_failures": ("Own failures", "Of each judge, about"),
}


def usual_plan(study: "MeasuredStudy") -> dict[str, float]:
    """Return the assumptions of a study like this one, typical ones where it has no such verdicts."""
    pilot: dict[str, float] = study.remember("pilot", lambda: assumptions_from(study))
    return asdict(Assumptions(1.2)) | {"generators": 6, "power": USUAL_POWER} | pilot


def _of_plan(name: str, label: str, meaning: str, low: float, high: float, step: float) -> Key:
    """Return the key of an assumption, by default that of the study as a page writes it."""

    def usual(study: "MeasuredStudy", _: Mapping[str, Any]) -> float:
        return min(max(round(usual_plan(study)[name], 3), low), high)

    return number(label, meaning, low, high, step=step, usual=usual)


@dataclass(frozen=True)
class PowerKeys:
    """The assumptions about a planned study, and the power that it is to have."""

    plan_effect: Annotated[
        float, _of_plan("effect", "Effect", "The self-preference ratio to detect", 0.05, 20, 0.05)
    ]
    plan_judges: Annotated[
        float, _of_plan("judges", "Judges", "Each judges every answer, including its own", 1, 200, 1)
    ]
    plan_generators: Annotated[
        float, _of_plan("generators", "Models that answer", "The judges are among them", 2, 500, 1)
    ]
    plan_families: Annotated[
        float, _of_plan("families", "Families", "Of equal size, as far as possible", 2, 200, 1)
    ]
    plan_rubrics_per_instance: Annotated[
        float, _of_plan("rubrics_per_instance", "Criteria per question", "On average", 1, 500, 0.5)
    ]
    plan_failure_rate: Annotated[
        float,
        _of_plan(
            "failure_rate", "Failure rate", "Share of criteria that an answer fails", 0.001, 0.999, 0.01
        ),
    ]
    plan_overestimation: Annotated[
        float,
        _of_plan(
            "overestimation",
            "Overestimation",
            "Share of other families' failures passed",
            0.001,
            0.999,
            0.01,
        ),
    ]
    plan_clustering: Annotated[
        float,
        _of_plan(
            "clustering", "Clustering", "Intraclass correlation of failures and verdicts", 0, 0.99, 0.05
        ),
    ]
    plan_power: Annotated[
        float, _of_plan("power", "Power", "Share of such studies whose interval excludes 1", 0.1, 0.99, 0.05)
    ]


def plan_of(keys: PowerKeys) -> Assumptions:
    """Return the assumptions of the chosen numbers."""
    names = (name for name in keys_of(PowerKeys) if name != "plan_power")
    values = {name.removeprefix(PLAN): getattr(keys, name) for name in names}
    return Assumptions(**{name: round(value) if name in WHOLE else value for name, value in values.items()})


def sizes_of(keys: PowerKeys) -> dict[Target, StudySize]:
    """Return the size that a study needs to detect each target; of a single judge there is only one."""
    plan = plan_of(keys)
    targets = TARGETS if plan.judges > 1 else TARGETS[:1]
    return {target: instances_needed(plan, keys.plan_power, target) for target in targets}


def answer(_: "MeasuredStudy", keys: PowerKeys) -> Shown:
    """Show how many instances each target takes, and the power of fewer and more."""
    plan, sizes = plan_of(keys), sizes_of(keys)
    curves = {target: power_curve(plan, target=target) for target in sizes}
    frame = power_curves.power_rows(curves, sizes)
    figure = Figure(spec_of(power_curves.power_curves(frame, keys.plan_power)), CAPTION, RESTS_ON)
    rows = tuple(
        (PLANNED_FOR[target].title, f"{size.instances:,}", f"{size.own_failures:,.0f}")
        for target, size in sizes.items()
    )
    labels = {name.removeprefix(PLAN): key.label for name, key in keys_of(PowerKeys).items()}
    settings = "; ".join(f"{labels[name].lower()} {value:g}" for name, value in asdict(plan).items())
    return Shown(
        sentences=tuple(_sentences(plan, keys.plan_power, sizes)),
        figure=figure,
        table=ShownTable.under(COLUMNS, rows),
        basis=(f"Assumed: {settings}; power {keys.plan_power:g}.",),
    )


def _sentences(plan: Assumptions, power: float, sizes: Mapping[Target, StudySize]) -> Sequence[str]:
    """Return how many instances each question needs, and what that means for one judge."""
    one = sizes["judge"].instances
    own = f"about {sizes['judge'].own_failures:,.0f} own failures"
    several = []
    if plan.judges > 1:
        adjusted, mean = (sizes[target].instances for target in ("adjusted", "mean"))
        everyone = part_of(plan.judges, plan.judges, "judge")
        several.append(f"With p adjusted for testing {everyone}, it takes {adjusted:,}.")
        several.append(f"For the mean over judges, it takes {mean:,}.")
    sentences = [
        f"Detecting a ratio of {plan.effect:g} with {power:.0%} power takes {quantity(one, 'question')}.",
        *several,
        f"With {quantity(one, 'question')}, {'each' if plan.judges > 1 else 'the'} judge has {own}.",
        no_more_than_a_mean(plan.families) if plan.judges > 1 else None,
    ]
    return [each for each in sentences if each is not None]


POWER = View("power", "Power", "How many questions does a study need?", PowerKeys, answer)
