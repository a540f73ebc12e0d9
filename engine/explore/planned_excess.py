"""How many questions a study needs for an excess of own cases, of 100, by the number that decides in it."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

from engine.errors import UsageError
from engine.explore.planned_cost import caveats_of_plan
from engine.explore.planned_power import assumed_of, decides
from engine.explore.share_of_cases import share_of_cases
from engine.phrases import quantity
from engine.stats.conclusions.group import FEWEST_FAMILIES
from engine.stats.conclusions.power_of_differences import MOST, WHO, AssumedStudy, instances_for, power_of
from engine.wording import Wording

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

PLANNED_IN_CASES = ("odds_self", "vote_outside", "bonus_outside")
"""Numbers on which conclusions rest and for which an excess of 100 cases can be planned."""

EXCESSES = (5.0, 10.0, 20.0)
"""Own cases of 100 beyond those expected that are planned for where no effect is named."""

EXCESSES_OF_POINTS = (2.0, 5.0, 10.0)
"""The same of points of scores, which vary less than verdicts do."""

TYPICAL_RATE = 0.3
"""The share without an effect where no study supplies one."""


def usual_excesses(measure: str) -> tuple[float, ...]:
    return EXCESSES_OF_POINTS if measure == "bonus_outside" else EXCESSES


def planned_measure(decided_by: str | None) -> str:
    """Return the number that is planned for a study, by default as `spb try` computes questions."""
    return decided_by if decided_by in PLANNED_IN_CASES else "vote_outside"


def effect_of_excess(excess: float, measure: str, rate: float) -> float:
    """Return an excess of 100 cases in its measure's unit; of odds by the rate that is expected."""
    if isinstance(excess, bool) or not isinstance(excess, Real) or not 0 < excess <= 100:
        raise UsageError(_argument("excess", excess), ": give a number of 100 cases, above 0 and at most 100")
    if measure == "bonus_outside":
        return excess
    if measure != "odds_self":
        return excess / 100
    given = rate + excess / 100
    if not 0 < rate < 1:
        raise UsageError(_argument("rate", rate), ": give a share above 0 and below 1")
    if given >= 1:
        raise UsageError(
            _argument("excess", excess),
            f": {100 * rate:.0f} of 100 are expected to pass",
            Wording(" (--rate)", ""),
            f", so that fewer than {100 * (1 - rate):.0f} more can; give less",
        )
    return given / (1 - given) * (1 - rate) / rate


def _argument(name: str, value: object) -> Wording:
    words = f"{value:g}" if isinstance(value, Real) and not isinstance(value, bool) else repr(value)
    return Wording(f"--{name} {words}", f"{name}={words}")


def too_few_planned(families: int) -> str | None:
    """Return that a study of so many families has no conclusion on the judges together; None if it can."""
    if families >= FEWEST_FAMILIES:
        return None
    verb = "is" if families == 1 else "are"
    number = quantity(families, "family")
    return f"{number} {verb} too few for a conclusion on the judges as a group; four are needed"


def rows_of_design(design: AssumedStudy, wanted: float, instances: int | None) -> list[dict[str, Any]]:
    """Return how many instances detect an effect, or their power, by who is tested; or why nothing does."""
    rows: list[dict[str, Any]] = []
    for who in WHO:
        if who == "group" and (few := too_few_planned(design.families)) is not None:
            rows.append({"target": who, "instances": None, "power": None, "reason": few})
            continue
        try:
            number = instances_for(design, wanted, who) if instances is None else instances
        except UsageError as error:
            if not (design.tastes or (who == "group" and design.heterogeneity)):
                raise
            rows.append({"target": who, "instances": None, "power": None, "reason": str(error)})
            continue
        rows.append({"target": who, "instances": number, "power": power_of(design, number, who)})
    return rows


def least_excess(design: AssumedStudy, wanted: float, who: str) -> float | None:
    """Return the smallest whole excess of 100 cases that some number of questions detects; None without any.

    What is assumed beside the effect is that of `design`.
    """
    if who == "group" and too_few_planned(design.families) is not None:
        return None
    for excess in range(1, 101):
        try:
            effect = effect_of_excess(float(excess), design.measure, design.rate)
        except UsageError:  # more than can pass
            return None
        if power_of(replace(design, effect=effect), MOST, who) >= wanted:
            return float(excess)
    return None


def planned_rows(
    study: "MeasuredStudy",
    excesses: Sequence[float],
    *,
    wanted: float,
    instances: int | None,
    tastes: float,
) -> tuple[list[dict[str, Any]], dict[str, Any], list[str]]:
    """Return a row for each excess and who is tested, what is assumed as in the study, and caveats."""
    if instances is not None and (
        isinstance(instances, bool) or not isinstance(instances, Integral) or instances < 1
    ):
        raise UsageError(_argument("questions", instances), ": give a number of questions, 1 or more")
    measure = planned_measure(decides(study))
    supplied = assumed_of(study, measure)
    assumed: dict[str, Any] = {"rate": TYPICAL_RATE, "tastes": tastes} | supplied
    rows = []
    for excess in excesses or usual_excesses(measure):
        effect = effect_of_excess(excess, measure, assumed["rate"])
        design = AssumedStudy(cast("Any", measure), effect, **assumed)
        rows += [
            {"excess": excess, "effect": effect, **row} for row in rows_of_design(design, wanted, instances)
        ]
    caveats = [hint for each in excesses if (hint := share_of_cases("excess", each)) is not None]
    caveats += caveats_of_plan(study, supplied, measure)
    settings = asdict(design)
    del settings["effect"]
    return rows, settings, caveats
