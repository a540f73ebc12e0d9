"""What the power page says in words: the numbers needed, and what is assumed."""

from collections.abc import Mapping
from dataclasses import asdict

from engine.power import Assumed, Needed, Target

ASSUMED = (
    "Every judge has the same effect, and judges its own responses and all others.",
    "Where failures of one response hang together, they count for less: that is what clustering says.",
    "The formula agrees with simulated studies (docs/intervals.md) from ten failures of a judge's own up.",
    "It knows nothing of how far what is assumed is from the study to come.",
    "It is for ratios of rubric verdicts; direct assessment and pairs compare whole responses.",
    "Costs are of judgments that succeed at the first call, by judges of the mean price.",
    "A call on a pair is taken to read twice as much, one on all rubrics to answer for each.",
)
"""What the curves and the costs take for granted."""


def sentences(assumed: Assumed, wanted: float, needed: Mapping[Target, Needed]) -> list[str]:
    """Return how many instances each question needs, and what that means for one judge."""
    one, all_of, mean = (needed[target].instances for target in ("judge", "adjusted", "mean"))
    return [
        f"To tell a ratio of {assumed.effect:g} from 1 in {wanted:.0%} of studies takes {one:,} instances.",
        f"Where all {assumed.judges} judges are tested, and adjusted for that, it takes {all_of:,}.",
        f"For the mean over judges it takes {mean:,}.",
        f"With {one:,} instances a judge fails about {needed['judge'].own_failures:,.0f} rubrics of its own.",
    ]


def listed(assumed: Assumed) -> str:
    """Return what is assumed, in a line."""
    return ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in asdict(assumed).items())


def pilot(study: str, *, known: bool) -> str:
    """Return where the numbers come from that the page begins with."""
    if known:
        return f"What is assumed at first is as in {study}; change what will be different."
    return f"{study} has no rubric verdicts with a reference: what is assumed at first is a usual study."
