"""What self-preference does to the ranking of the models, and which corrected ranking is nearest."""

from collections.abc import Mapping, Sequence

from engine.findings.claims import Claim, Outcome, Row
from engine.findings.declared import Made
from engine.findings.making import Number, claim_of
from engine.findings.material import Material
from engine.findings.wording import counted
from engine.measures.ranking import ALL
from engine.measures.result import Result

SURELY = 0.95
"""The share of resamples from which on two places are said to flip for sure."""

NAMES = {
    ALL: "all judges together",
    "all-without-self": "all judges but the model itself",
    "all-without-family": "all judges outside the model's family",
}
"""The rankings by several judges, in words."""

SHIFT = Number("own-places", "ranking", "delta", "rank_shift", "matrix", "n", "questions", 0.0)
LEAD = Number("flips", "ranking", "ranking-flips", "lead", "findings", form="share")
GAIN = Number(
    "corrections", "ranking", "ranking-distance", "gain", "findings", "n_models", "models", 0.0, few=0
)

RANKING: Mapping[str, tuple[str, ...]] = {"part": ("ranking",)}
"""The part of the page of findings that shows the ranking."""


def own_places(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge that ranks itself surely higher than the reference ranks it.

    The number is the judge's own row of `delta`: its rank by its own scores less its rank by the
    reference's. It is claimed where the interval lies below 0; there is no p. Leniency alone lifts a weak
    model: contradicted where the ratio of own failures shows nothing, not significant where that is unsure.
    Who gains most places comes first.
    """
    result = material.result(SHIFT.measure)
    rows = [row for row in result.rows if row["judge"] == row["generator"] and row["rank_shift"] is not None]
    if not rows:
        return Made(reason=result.reason or "no judge ranks itself beside a reference")
    lifted = [row for row in rows if row["rank_shift_high"] is not None and row["rank_shift_high"] < 0]
    lifted.sort(key=lambda row: (row["rank_shift_high"], row["rank_shift"]))
    claims = [
        claim_of(
            material,
            result,
            row,
            SHIFT,
            row["judge"],
            f"{row['judge']} ranks itself {_places(row)} higher than the reference does.",
            rows=rows,
            view={"shade": ("delta",)},
        )
        for row in lifted
    ]
    return Made(tuple(claims), f"{len(lifted)} of {counted(len(rows), 'judge')}")


def _places(row: Row) -> str:
    value, low, high = (-row[f"rank_shift{end}"] for end in ("", "_high", "_low"))
    return f"{value:.1f} places [{low:.1f}, {high:.1f}]"


def flips(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim each pair of models that all judges together surely put in the other order than the reference.

    With them of each judge the surest pair in which it puts itself above a model that the reference puts
    above it. Surely: at least 95 % of the resamples turn the two round too, by the ranking and by the
    reference; all other flips stand in the list below. The number is by how much the ranking scores the one
    above higher. The surest comes first.
    """
    result = material.result(LEAD.measure)
    if not result.rows:
        held = result.filters.get("reference") is not None
        return Made(told="no pair is turned round") if held else Made(reason=result.reason)
    sure = [row for row in result.rows if row["sure"] is not None and row["sure"] >= SURELY]
    own = [row for row in sure if row["itself"]]
    surest = [
        max((row for row in own if row["by"] == by), key=_sureness) for by in {row["by"] for row in own}
    ]
    told_of = [*(row for row in sure if row["by"] == ALL), *surest]
    told_of.sort(key=lambda row: (-row["sure"], row["by"], row["above"], row["below"]))
    shown = f"{len(sure)} of {counted(len(result.rows), 'flip')} sure"
    return Made(tuple(_flip(material, result, row) for row in told_of), shown)


def _sureness(row: Row) -> tuple[float, float]:
    return row["sure"], row["lead"]


def _flip(material: Material, result: Result, row: Row) -> Claim:
    who = "All judges together put" if row["by"] == ALL else f"{row['by']} puts"
    above = "itself" if row["itself"] else row["above"]
    return claim_of(
        material,
        result,
        row,
        LEAD,
        f"{row['by']}:{row['above']}:{row['below']}",
        f"{who} {above} above {row['below']}, by {LEAD.told(row)}; the reference puts "
        f"{row['below']} higher ({row['sure']:.0%} of the resamples turn the two round).",
        view=RANKING,
    )


def corrections(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each ranking by several judges how much nearer to the reference it is than all judges' is.

    The number is `gain` of `ranking-distance`: Kendall's tau-b with the reference's ranking less that of all
    judges together, from the same resamples. Not significant where the interval holds 0. The ranking that
    is nearest to the reference comes first.
    """
    result = material.result(GAIN.measure)
    everyone = next((row for row in result.rows if row["by"] == ALL and row["tau"] is not None), None)
    if everyone is None:
        return Made(reason=result.reason or "all judges together rank no two models of the reference's")
    rows = [row for row in result.rows if row["gain"] is not None and row["by"] != ALL and joint(row["by"])]
    rows.sort(key=lambda row: -row["tau"])
    claims = [
        claim_of(
            material, result, row, GAIN, row["by"], _correction(row, everyone), rows=result.rows, view=RANKING
        )
        for row in rows
    ]
    return Made(tuple(claims), f"{counted(len(result.rows), 'ranking')} held against the reference's")


def joint(by: str) -> bool:
    """Return whether a ranking is by several judges."""
    return by in NAMES or by.startswith("committee:")


def named(by: str) -> str:
    """Return in words whose ranking it is."""
    return NAMES.get(by) or (f"the {by.replace(':', ' ', 1)}" if by.startswith("committee:") else by)


def _correction(row: Row, everyone: Row) -> str:
    pairs = counted(int(row["flips"]), "pair")
    change = "nearer to" if row["gain"] > 0 else "farther from" if row["gain"] < 0 else "no nearer to"
    return (
        f"By {named(row['by'])} the ranking is {change} the reference's than by all judges together: tau "
        f"{row['tau']:.2f} against {everyone['tau']:.2f}, "
        f"{GAIN.told(row)} more; {pairs} turned round against "
        f"{int(everyone['flips']):,}."
    )
