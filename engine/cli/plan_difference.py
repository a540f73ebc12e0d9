"""How many questions detect another number than the HSPP ratio, printed with what is assumed of the study."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from engine.cli.fitting_columns import print_folded
from engine.cli.output import say
from engine.cli.plan_words import answer
from engine.cli.rows import Rows, print_rows, print_sentences
from engine.errors import UsageError
from engine.phrases import quantity
from engine.words.planned_for import PLANNED_FOR

if TYPE_CHECKING:
    from engine.stats.power_of_differences import AssumedStudy


def print_of_difference(
    design: "AssumedStudy",
    wanted: float,
    instances: int | None,
    format: str,  # noqa: A002
) -> None:
    """Print how many instances detect another number than the HSPP ratio, or their power."""
    rows = _rows_of_difference(design, wanted, instances)
    assumed = asdict(design) | {"cases": design.in_instance}
    document = {"assumed": assumed, "power": wanted, "rows": rows}
    if format == "json":
        print(json.dumps(document, allow_nan=False))
        return
    if format == "csv":
        print_rows(Rows(rows, {}), format)
        return
    lead = answer(_effect_words(design), rows, design.judges, wanted, instances)
    print_sentences([lead, _assumed_words(design), *_of_few_families(design)])
    print()
    cells = [
        [
            PLANNED_FOR[row["target"]].title,
            "none" if row["instances"] is None else f"{row['instances']:,}",
            "" if row["power"] is None else f"{row['power']:.2f}",
        ]
        for row in rows
    ]
    print_folded(["Detected", "Questions", "Power"], cells)
    for row in rows:
        if "reason" in row and not (row["target"] == "group" and _of_few_families(design)):
            say(f"{PLANNED_FOR[row['target']].title}: {row['reason']}")
    if design.measure == "odds_self" and not design.tastes:
        print()
        print_sentences([_with_tastes(design, wanted, instances)])


def _rows_of_difference(design: "AssumedStudy", wanted: float, instances: int | None) -> list[dict[str, Any]]:
    """Return how many instances detect an effect, or their power, by who is tested; or why nothing does."""
    from engine.stats.power_of_differences import WHO, instances_for, power_of
    from engine.words.group_conclusions import too_few_planned

    rows: list[dict[str, Any]] = []
    for who in WHO:
        if who == "group" and (few := too_few_planned(design.families)) is not None:
            rows.append({"target": who, "instances": None, "power": None, "reason": few})
            continue
        try:
            number = instances_for(design, wanted, who) if instances is None else instances
        except UsageError as error:
            if not design.tastes:
                raise
            rows.append({"target": who, "instances": None, "power": None, "reason": str(error)})
            continue
        rows.append({"target": who, "instances": number, "power": power_of(design, number, who)})
    return rows


def print_of_excesses(
    designs: "Sequence[AssumedStudy]",
    wanted: float,
    instances: int | None,
    format: str,  # noqa: A002
) -> None:
    """Print how many instances detect each of several effects, or their power: a row for each."""
    rows, cells = [], []
    for design in designs:
        of_design = _rows_of_difference(design, wanted, instances)
        rows += [{"effect": design.effect, **row} for row in of_design]
        words = [_power_cell(row, of_power=instances is not None) for row in of_design]
        cells.append([_effect_size(design), *words])
    if format != "table":
        facts = {"assumed": asdict(designs[0]) | {"effect": None}, "power": wanted}
        print_rows(Rows(rows, {}, facts=facts), format)
        return
    share = f"in {wanted:.0%} of studies" if instances is None else f"with {quantity(instances, 'question')}"
    what = "Questions that detect an excess" if instances is None else "Power to detect an excess"
    few = _of_few_families(designs[0])
    print_sentences([f"{what} {share} ({designs[0].measure}):", _assumed_words(designs[0]), *few])
    print()
    targets = dict.fromkeys(row["target"] for row in rows)
    print_folded(["Excess", *(PLANNED_FOR[target].title for target in targets)], cells)


def _of_few_families(design: "AssumedStudy") -> list[str]:
    """Return as a sentence that the judges together cannot be concluded on, if their families are too few."""
    from engine.words.group_conclusions import too_few_planned

    few = too_few_planned(design.families)
    return [] if few is None else [f"{few}."]


def _power_cell(row: Mapping[str, Any], *, of_power: bool) -> str:
    number = row["power" if of_power else "instances"]
    return "none" if number is None else f"{number:.2f}" if of_power else f"{number:,}"


def _effect_words(design: "AssumedStudy") -> str:
    if design.measure == "odds_self":
        return f"odds of {design.effect:g} (odds_self)"
    return f"{_effect_size(design)} ({design.measure})"


def _effect_size(design: "AssumedStudy") -> str:
    if design.measure == "bonus_outside":
        return f"{design.effect:g} points of 100"
    return f"{100 * design.effect:g} of 100 cases"


def _with_tastes(design: "AssumedStudy", wanted: float, instances: int | None) -> str:
    """Return which conclusion the table is about, and what the other takes with usual tastes."""
    from engine.stats.power_of_differences import instances_for, power_of
    from engine.stats.taste_spread import ASSUMED

    with_tastes = replace(design, tastes=ASSUMED)
    try:
        if instances is None:
            takes = f"it takes {quantity(instances_for(with_tastes, wanted), 'question')}"
        else:
            takes = f"the power is {power_of(with_tastes, instances):.2f}"
    except UsageError as error:
        takes = str(error)
    return (
        "This is about whether a judge overrates its own answers. That it favours itself must be more than "
        f"judges' tastes explain: with those of the published study ({ASSUMED:g}), {takes}."
    )


_RATES = {
    "spb": "firm choices on {:.0%} of null pairs (--rate)",
    "t": "votes for itself on {:.0%} of the pairs that it should lose (--rate)",
    "dbg": "the judge and gold differ on {:.0%} of pairs (--rate)",
    "vote_outside": "two judges differ on {:.0%} of cases (--rate)",
    "odds_self": "{:.0%} passed without the effect (--rate)",
}


def _assumed_words(design: "AssumedStudy") -> str:
    """Return what is assumed of the study, in one line."""
    parts = [f"{design.judges} judges of {design.families} families"]
    if design.measure == "bonus_outside":
        parts.append(f"scores with a standard deviation of {design.spread:g} points")
    else:
        parts.append(f"{design.in_instance:.3g} own cases in a question, correlated by {design.clustering:g}")
        parts.append(_RATES[design.measure].format(design.rate))
    if design.tastes:
        parts.append(f"tastes of {design.tastes:g}")
    else:
        parts.append("no tastes of judges, with which it takes more questions, or none are enough (--tastes)")
    return f"Assumed: {'; '.join(parts)}."
