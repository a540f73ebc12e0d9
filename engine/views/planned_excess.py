"""How many questions a study like this one needs for a conclusion on its judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.explore.planned_excess import (
    planned_measure,
    planned_rows,
    too_few_planned,
    usual_excesses,
)
from engine.explore.planned_power import decides
from engine.findings.commands import command_words
from engine.phrases import join_names, quantity, sentence_case
from engine.stats.conclusions.power_of_differences import AssumedStudy
from engine.stats.conditional.taste_spread import ASSUMED
from engine.views.keys import number
from engine.views.power import USUAL_POWER
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.planned_for import PLANNED_FOR, heterogeneity_in_words, least_in_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

COLUMNS = {
    "excess": ("Excess", "Own cases of 100 beyond those expected; of scores, points of 100"),
    "target": ("Detected", "Whom the number of questions is for"),
    "instances": ("Questions", "How many it takes to say that own answers are overrated"),
}
WITH_TASTES = (
    "More than tastes explain",
    "How many it takes to say that it is self-preference: more than judges' usual tastes explain",
)
_FIRST = ("group", "adjusted", "judge")
"""Whom plans are for: the judges together first, as conclusions are said."""

RESTS_ON = (
    "Judges, their families, own cases in a question and the share that is expected to pass are as in this "
    "study."
)
MORE_FAMILIES = "Tastes do not average out over questions: more families of judges help, not more questions."


def needs(study: "MeasuredStudy") -> str | None:
    """Return why no excess is planned, None where conclusions rest on one."""
    return None if decides(study) is not None else "No conclusion on the judges of this study is possible."


def _middle(study: "MeasuredStudy", _: Mapping[str, Any]) -> float:
    return usual_excesses(planned_measure(decides(study)))[1]


@dataclass(frozen=True)
class ExcessKeys:
    """The excess that is to be found, beside the usual ones."""

    plan_excess: Annotated[float, number("Excess", COLUMNS["excess"][1], 0.5, 100, step=0.5, usual=_middle)]


def answer(study: "MeasuredStudy", keys: ExcessKeys) -> Shown:
    """Show how many questions an excess takes, by whom it is for."""
    excesses = sorted({*usual_excesses(planned_measure(decides(study))), keys.plan_excess})
    rows, assumed, caveats = planned_rows(study, excesses, wanted=USUAL_POWER, instances=None, tastes=0.0)
    of_odds = assumed["measure"] == "odds_self"
    beyond: Sequence[Mapping[str, Any]] = rows
    if of_odds:
        beyond = planned_rows(study, excesses, wanted=USUAL_POWER, instances=None, tastes=ASSUMED)[0]
    records = [{**row, "with_tastes": other["instances"]} for row, other in zip(rows, beyond, strict=True)]
    few = too_few_planned(assumed["families"])
    records.sort(key=lambda row: (row["excess"], _FIRST.index(row["target"])))
    columns = COLUMNS | ({"with_tastes": WITH_TASTES} if of_odds else {})
    return Shown(
        sentences=_sentences(records, assumed, keys.plan_excess, of_odds=of_odds),
        table=ShownTable.under(columns, [_cells(row, columns) for row in records], records),
        basis=(RESTS_ON, f"{sentence_case(few or heterogeneity_in_words(assumed))}.", *caveats),
        commands=(command_words(("plan", "power"), study.name, {}),),
    )


def _cells(row: Mapping[str, Any], columns: Mapping[str, object]) -> tuple[str, ...]:
    words = {"excess": f"{row['excess']:g}", "target": PLANNED_FOR[row["target"]].title}
    return tuple(words.get(name) or ("none" if row[name] is None else f"{row[name]:,}") for name in columns)


def _sentences(
    records: Sequence[Mapping[str, Any]], assumed: Mapping[str, Any], excess: float, *, of_odds: bool
) -> tuple[str, ...]:
    """Return how many questions an excess takes, how many to show self-preference, and what can be shown."""
    measure = assumed["measure"]
    of_excess = [row for row in records if row["excess"] == excess]
    what = "points of 100" if measure == "bonus_outside" else "of 100 own cases"
    to_find = f"To find {excess:g} {what} more than expected in {USUAL_POWER:.0%} of studies"
    takes = {name: _takes(of_excess, name, assumed["judges"]) for name in ("instances", "with_tastes")}
    design = AssumedStudy(effect=of_excess[0]["effect"], **assumed)
    sentences = [f"{to_find}, {takes['instances']}.{_possible(design, of_excess, 'instances')}"]
    if of_odds:
        beyond = (
            "To show that such an excess is more than judges' usual tastes explain, and so self-preference"
        )
        possible = _possible(replace(design, tastes=ASSUMED), of_excess, "with_tastes")
        sentences.append(f"{beyond}, {takes['with_tastes']}.{possible}")
        if any(row["with_tastes"] is None for row in of_excess):
            sentences.append(MORE_FAMILIES)
    return tuple(sentences)


def _possible(design: AssumedStudy, rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return from which excess on some number of questions is enough, where none is."""
    return least_in_words(design, USUAL_POWER, [row["target"] for row in rows if row[name] is None])


def _takes(rows: Sequence[Mapping[str, Any]], name: str, judges: int) -> str:
    """Return how many questions are needed, and for whom no number is enough."""
    whom = {row["target"]: PLANNED_FOR[row["target"]].phrase.format(judges=judges) for row in rows}
    needed = {row["target"]: row[name] for row in rows}
    enough = [f"{quantity(n, 'question')} {whom[who]}" for who, n in needed.items() if n is not None]
    if not enough:
        return "no number of questions is enough"
    never = [whom[who] for who, n in needed.items() if n is None]
    return f"it takes {join_names(enough)}" + (
        f", and no number is enough {join_names(never, last='or')}" if never else ""
    )


PLANNED_EXCESS = View(
    "planned_excess",
    "For the conclusions on judges",
    "How many questions does a conclusion on judges need?",
    ExcessKeys,
    answer,
    needs,
)
