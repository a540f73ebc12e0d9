"""What measuring a simulated study of pairs would find on average, from what is planted."""

from dataclasses import asdict
from typing import Any

import numpy as np

from engine.simulation.pairs.chances import firm_chances, sides_of, sight_in
from engine.simulation.pairs.verdicts import Case

_DETAILS = ("name", "family", "provider", "size_b", "stage")
_BORDER_SIGHT, _BORDER_SPB = 0.80, 0.05


def expected(case: Case) -> dict[str, Any]:
    """Return what is planted in one judge, with its archetype and what follows for DBG and the order.

    `dbg` is expected given the drawn gold preferences, `first_share` and `flip_rate` given the drawn quality;
    `by_variant` has SPB, SPB_family and D.
    """
    design, model = case.design, case.design.contestants[case.judge]
    planted = {name: value for name, value in asdict(model).items() if name not in _DETAILS}
    return {
        **planted,
        "archetype": archetype(model.sight, model.spb),
        "null_pir": model.firm,
        "t": model.beyond,
        "by_variant": {
            variant: {
                "spb": model.spb * left,
                "spb_family": model.family_spb * left,
                "d": sight_in(design, case.judge, variant),
            }
            for variant, left in design.left.items()
        },
        "expected": {"dbg": _dbg(case), **_order(case)},
    }


def archetype(sight: float, spb: float) -> str:
    """Return the archetype that a planted D and SPB make (MEASURES section 9)."""
    if sight < _BORDER_SIGHT:
        return "Incompetent Randomizer"
    if abs(spb) <= _BORDER_SPB:
        return "Objective"
    return "Machiavellian" if spb > 0 else "Blindly Biased"


def _dbg(case: Case) -> float:
    """Return the expected share won by the judge's own responses less the share won by the gold judges."""
    side = np.broadcast_to(sides_of(case.responses, case.judge), case.gold.win.shape)
    wins = firm_chances(case.design, case.responses, case.judge, "forced").wins
    gap = np.where(side > 0, wins - case.gold.win, case.gold.win - wins)
    return float(np.nanmean(gap[side != 0]))


def _order(case: Case) -> dict[str, float]:
    """Return the expected share of answers for the first shown, and of pairs whose two orders differ."""
    chances = firm_chances(case.design, case.responses, case.judge, "forced")
    flips = float((1 - chances.one - chances.two).mean())
    first = case.design.contestants[case.judge].first
    return {"first_share": (1 - flips) / 2 + flips * first, "flip_rate": flips}
