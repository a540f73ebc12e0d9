"""Expected values of the measures of a simulated study of pairs, from what is planted."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from engine.simulation.pair_choices import JudgeInputs, VariantAnswers, firm_chances
from engine.simulation.study_tables import text_column
from engine.stats import Bools
from engine.stats.pairs.archetypes import archetypes


def expected(case: JudgeInputs) -> dict[str, Any]:
    """Return what is planted in one judge, with its archetype and the values to expect in variant `forced`.

    `dbg` is the share won by the judge's own responses less their share by the drawn gold preferences,
    `first_share` that of answers for the response shown first, `flip_rate` that of pairs whose two orders
    differ, given the drawn quality.
    """
    model, chances, gold = case.model, firm_chances(case, "forced"), case.gold.win
    side = np.broadcast_to(case.own, gold.shape)
    gap = np.where(side > 0, chances.wins - gold, gold - chances.wins)
    flips = float((1 - chances.first - chances.second).mean())
    details = ("name", "family", "provider", "size_b", "stage")
    planted = {name: value for name, value in asdict(model).items() if name not in details}
    return {
        **planted,
        "archetype": archetypes(np.array([model.sight]), np.array([model.spb]))[0],
        "null_pir": model.firm,
        "t": model.beyond,
        "by_variant": {
            variant: {
                "spb": model.spb * share,
                "spb_family": model.family_spb * share,
                "d": case.sight(variant),
            }
            for variant, share in case.design.spb_share.items()
        },
        "expected": {
            "dbg": float(np.nanmean(gap[side != 0])),
            "first_share": (1 - flips) / 2 + flips * model.first,
            "flip_rate": flips,
        },
    }


_FOR_ONE = (
    "The {shown} response meets more of the question's points.",
    "The {shown} response is more exact where the other stays vague.",
    "What the {shown} response says can be acted on; the other leaves gaps.",
    "The {shown} response explains its reasons, the other mostly asserts.",
)
_FOR_NONE = ("I find no difference that matters.", "Each makes a point that the other misses; they are even.")
_LONG = (
    "Let me go through relevance, accuracy, depth, logic and clarity in turn, and read both responses "
    "twice. On relevance both stay with the question. On accuracy I compare them sentence by sentence, and "
    "on depth I ask what a reader would still have to look up. Logic and clarity I weigh last, since a "
    "clear text can be thin. Having set all of this side by side, this is where I come down. "
)


def reasons(
    answers: VariantAnswers, ok: Bools, *, verbose: bool, rng: np.random.Generator
) -> pa.DictionaryArray:
    """Return a reason for each answer with status ok, null for the others; `verbose` ones are long."""
    opening = _LONG if verbose else ""
    bank = [opening + text.format(shown=place) for place in ("first", "second") for text in _FOR_ONE]
    bank += [opening + text for text in _FOR_NONE]
    uniform = rng.random(len(answers))
    named_second = (answers.choice == 1) == answers.second_first
    winner_reason = (uniform * len(_FOR_ONE)).astype(np.int64) + len(_FOR_ONE) * named_second
    tie_reason = (uniform * len(_FOR_NONE)).astype(np.int64) + 2 * len(_FOR_ONE)
    return text_column(np.where(ok, np.where(answers.choice == 0, tie_reason, winner_reason), -1), bank)


COST = {"forced": 0.0002, "forced_tie": 0.0002, "cot": 0.0012, "structured": 0.0005, "quality": 0.0003}
"""The cost of a call in USD in each variant, and for scores of quality."""
