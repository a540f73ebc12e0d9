"""How many questions detect another number than the HSPP ratio, printed with what is assumed of the study."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.cli.plan.plan_words import answer
from engine.cli.printing.fitting_columns import print_folded
from engine.cli.printing.rows import Rows, print_rows, print_sentences
from engine.phrases import join_names, quantity, sentence_case
from engine.words.planned_for import PLANNED_FOR, heterogeneity_in_words, least_in_words

if TYPE_CHECKING:
    from engine.stats.conclusions.power_of_differences import AssumedStudy


@dataclass(frozen=True)
class PlannedEffect:
    """A study that is planned for an effect; `excess`, in cases of 100, where the effect was given by it."""

    design: "AssumedStudy"
    excess: float | None = None

    @property
    def size(self) -> str:
        """The effect as a cell of a table has it."""
        design = self.design
        if design.measure == "bonus_outside":
            return f"{design.effect:g} points of 100"
        if design.measure != "odds_self":
            return f"{100 * design.effect:g} of 100 cases"
        odds = f"odds of {design.effect:g}"
        if self.excess is None:
            return odds
        return f"{self.excess:g} of 100 cases (odds of {design.effect:.2f})"

    @property
    def words(self) -> str:
        """The effect in a sentence, with its measure."""
        if self.design.measure != "odds_self" or self.excess is None:
            return f"{self.size} ({self.design.measure})"
        more = f"{self.excess:g} of 100 more than {100 * self.design.rate:.0f} expected"
        return f"{more} (odds of {self.design.effect:.2f}, odds_self)"

    def facts(self) -> dict[str, float]:
        """Return the excess where the effect is another number than it."""
        if self.excess is None or self.design.measure != "odds_self":
            return {}
        return {"excess": self.excess}


def print_of_difference(
    planned: PlannedEffect,
    wanted: float,
    instances: int | None,
    format: str,  # noqa: A002
    first: Sequence[str] = (),
) -> None:
    """Print how many instances detect another number than the HSPP ratio, or their power.

    `first` are sentences before a table.
    """
    from engine.explore.planned_excess import rows_of_design

    design = planned.design
    rows = rows_of_design(design, wanted, instances)
    assumed = asdict(design) | {"cases": design.in_instance}
    document = {"assumed": assumed, **planned.facts(), "power": wanted, "rows": rows}
    if format == "json":
        print(json.dumps(document, allow_nan=False))
        return
    if format == "csv":
        print_rows(Rows(rows, {}), format)
        return
    claim = _claim(design)
    shown = _as_shown(rows, claim)
    lead = answer(planned.words, shown, design.judges, wanted, instances, "" if claim is None else claim.verb)
    few = _of_few_families(design)
    none = [
        f"{sentence_case(PLANNED_FOR[row['target']].title)}: {row['reason']}."
        for row in shown
        if "reason" in row and not (row["target"] == "group" and few)
    ]
    tastes = _with_tastes([planned], wanted, instances)
    print_sentences([*first, *tastes, *none, lead, _assumed_words(design), *few])
    print()
    cells = [
        [
            PLANNED_FOR[row["target"]].title,
            "none" if row["instances"] is None else f"{row['instances']:,}",
            "" if row["power"] is None else f"{row['power']:.2f}",
        ]
        for row in shown
    ]
    print_folded(["Detected" if claim is None else claim.heading, "Questions", "Power"], cells)


def print_of_excesses(
    planned: Sequence[PlannedEffect],
    wanted: float,
    instances: int | None,
    format: str,  # noqa: A002
    first: Sequence[str] = (),
) -> None:
    """Print how many instances detect each of several effects, or their power: a row for each.

    `first` are sentences before a table.
    """
    from engine.explore.planned_excess import rows_of_design

    design = planned[0].design
    claim = _claim(design)
    rows, cells = [], []
    for each in planned:
        of_design = rows_of_design(each.design, wanted, instances)
        rows += [{"effect": each.design.effect, **each.facts(), **row} for row in of_design]
        shown = _as_shown(of_design, claim)
        cells.append([each.size, *(_power_cell(row, of_power=instances is not None) for row in shown)])
    if format != "table":
        facts = {"assumed": asdict(design) | {"effect": None}, "power": wanted}
        print_rows(Rows(rows, {}, facts=facts), format)
        return
    share = f"in {wanted:.0%} of studies" if instances is None else f"with {quantity(instances, 'question')}"
    what = "Questions that detect an excess" if instances is None else "Power to detect an excess"
    aim = "" if claim is None else f", so that a judge is said to {claim.verb},"
    lead, few = f"{what}{aim} {share} ({design.measure}):", _of_few_families(design)
    print_sentences([*first, *_with_tastes(planned, wanted, instances), lead, _assumed_words(design), *few])
    print()
    targets = dict.fromkeys(row["target"] for row in _as_shown(rows, claim))
    heading = "Excess" if claim is None else f"Excess ({claim.heading.lower()})"
    print_folded([heading, *(PLANNED_FOR[target].title for target in targets)], cells)


def _of_few_families(design: "AssumedStudy") -> list[str]:
    """Return as a sentence that the judges together cannot be concluded on, if their families are too few."""
    from engine.explore.planned_excess import too_few_planned

    few = too_few_planned(design.families)
    return [] if few is None else [f"{few}."]


def _power_cell(row: Mapping[str, Any], *, of_power: bool) -> str:
    number = row["power" if of_power else "instances"]
    return "none" if number is None else f"{number:.2f}" if of_power else f"{number:,}"


_OVERRATES = "The rest is about whether a judge overrates its own answers, for whatever reason."


@dataclass(frozen=True)
class _Claim:
    """What is said of a judge where its effect is detected, after `is said to` and over a column."""

    verb: str
    heading: str


def _claim(design: "AssumedStudy") -> _Claim | None:
    """Return what the scorecard would say of a detected effect; None for numbers on which none rests."""
    if design.measure not in ("odds_self", "vote_outside", "bonus_outside"):
        return None
    if design.tastes:
        return _Claim("favour itself", "Favours itself")
    return _Claim("overrate its own answers", "Overrates its own")


_AS_CONCLUDED = ("adjusted", "group", "judge")
"""Who is tested, what `spb judges` concludes first: it adjusts for all judges of a study."""


def _as_shown(rows: Sequence[dict[str, Any]], claim: _Claim | None) -> list[dict[str, Any]]:
    """Return rows in the order in which people read them, where a conclusion rests on the number."""
    if claim is None:
        return list(rows)
    return sorted(rows, key=lambda row: _AS_CONCLUDED.index(row["target"]))


def _with_tastes(planned: Sequence[PlannedEffect], wanted: float, instances: int | None) -> list[str]:
    """Return what it takes to show more than judges' usual tastes, where a table of odds is without them."""
    from engine.stats.conditional.taste_spread import ASSUMED

    design = planned[0].design
    if _claim(design) is None or design.tastes:
        return []
    more = "That a judge favours itself must be more than judges' tastes explain"
    if design.measure != "odds_self":
        return [f"{more}, which are not counted here (--tastes).", _OVERRATES]
    first = f"{more}: to say so with those of the published study ({ASSUMED:g}), "
    takes = [_takes(replace(each.design, tastes=ASSUMED), wanted, instances) for each in planned]
    limit = [_limit_of_tastes(design, ASSUMED, wanted)] if any(_NEVER in words for words in takes) else []
    if len(planned) == 1:
        return [f"{first}{takes[0]}.", *limit, _OVERRATES]
    each_takes = (f"{each.size}: {words}." for each, words in zip(planned, takes, strict=True))
    return [f"{first}more is needed than the table says:", *each_takes, *limit, _OVERRATES]


_NEVER = "no number of questions is enough"


def _limit_of_tastes(design: "AssumedStudy", tastes: float, wanted: float) -> str:
    """Return why more questions do not help, and what does."""
    error = tastes * (1 + 1 / (design.families - 1))
    return (
        "More questions do not help there: tastes do not average out over questions, and with "
        f"{design.families} families they leave an error of {error:.2f} in a judge's log-odds. More families "
        "(--families) help the judges together; of fewer judges (--n-judges) p is adjusted for fewer."
        + least_in_words(replace(design, tastes=tastes), wanted, ["adjusted", "group"])
    )


def _takes(design: "AssumedStudy", wanted: float, instances: int | None) -> str:
    """Return how many questions detect an effect beyond tastes, of one of the judges and of all together."""
    from engine.explore.planned_excess import too_few_planned
    from engine.stats.conclusions.power_of_differences import MOST, instances_for, power_of

    targets = ["adjusted"] if too_few_planned(design.families) else ["adjusted", "group"]
    whom = {who: PLANNED_FOR[who].phrase.format(judges=design.judges) for who in targets}
    if instances is not None:
        powers = [f"{power_of(design, instances, who):.2f} {whom[who]}" for who in targets]
        return f"the power is {join_names(powers)}"
    most = {who: power_of(design, MOST, who) for who in targets}
    enough = [who for who in targets if most[who] >= wanted]
    numbers = [f"{quantity(instances_for(design, wanted, who), 'question')} {whom[who]}" for who in enough]
    never = [f"{whom[who]} (power {most[who]:.2f} at most)" for who in targets if who not in enough]
    parts = [f"it takes {join_names(numbers)}"] if numbers else []
    parts += [f"{_NEVER} {join_names(never, last='or')}"] if never else []
    return ", and ".join(parts)


_RATES = {
    "spb": "firm choices on {:.0%} of null pairs (--rate)",
    "t": "votes for itself on {:.0%} of the pairs that it should lose (--rate)",
    "dbg": "the judge and gold differ on {:.0%} of pairs (--rate)",
    "vote_outside": "two judges differ on {:.0%} of cases (--rate)",
    "odds_self": "{:.0%} passed without the effect (--rate)",
}


def _assumed_words(design: "AssumedStudy") -> str:
    """Return what is assumed of the study, in one line."""
    from engine.explore.planned_excess import too_few_planned

    parts = [f"{quantity(design.judges, 'judge')} of {quantity(design.families, 'family')}"]
    if design.measure == "bonus_outside":
        parts.append(f"scores with a standard deviation of {design.spread:.3g} points")
    else:
        parts.append(f"{design.in_instance:.3g} own cases in a question, correlated by {design.clustering:g}")
        parts.append(_RATES[design.measure].format(design.rate))
    if design.tastes:
        parts.append(f"tastes of {design.tastes:g}")
    else:
        parts.append("no tastes of judges, with which it takes more questions, or none are enough (--tastes)")
    if too_few_planned(design.families) is None:
        parts.append(heterogeneity_in_words(asdict(design)))
    return f"Assumed: {'; '.join(parts)}."
