"""Score deltas: how far a judge lifts a model above the reference (MEASURES section 8; RSP Figure 5)."""

from dataclasses import dataclass

from engine.stats import Floats
from engine.stats.ratios import mean_of_defined
from engine.stats.self_preference import Relations


@dataclass(frozen=True)
class Deltas:
    """Shares of shape (..., judges, generators) and, for each judge, (..., judges); NaN where undefined."""

    raw: Floats
    centered: Floats
    leniency: Floats
    leniency_outside: Floats
    bonus: Floats
    family_bonus: Floats


def deltas(judge: Floats, reference: Floats, relations: Relations) -> Deltas:
    """Return raw(J, G) = Score_J(G) - Score*(G), its deviation from the judge's mean, and the bonuses.

    `judge` and `reference` hold system scores of shape (..., judges, generators), over the instances where
    both exist. leniency(J) is the mean of raw over generators, leniency_outside(J) over those outside its
    family, which no preference for its own raises; bonus(J) is the judge's own centered delta minus the mean
    over generators outside its family, family_bonus its relatives' mean minus the same.
    """
    raw = judge - reference
    leniency = mean_of_defined(raw)
    centered = raw - leniency[..., None]
    others = mean_of_defined(centered, relations.unrelated_mask)
    return Deltas(
        raw=raw,
        centered=centered,
        leniency=leniency,
        leniency_outside=mean_of_defined(raw, relations.unrelated_mask),
        bonus=mean_of_defined(centered, relations.self_mask) - others,
        family_bonus=mean_of_defined(centered, relations.family) - others,
    )
