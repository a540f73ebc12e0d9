"""Scorers for a simulation that names only who takes part: pulls of positions in turn."""

from collections.abc import Sequence

import numpy as np

from engine.errors import UsageError
from engine.simulation.cast import cast
from engine.simulation.design import Bias
from engine.simulation.orders.design import Scorer

OVERESTIMATION, UNDERESTIMATION = 0.2, 0.06

_PULLS = (1.0, 2.5, 1.0, 0.4)
_SLOPES = (0.0, 0.5, -0.5, 0.0)
_WANDERS = (0.0, 0.0, 1.0, 0.5)


def scorers(
    names: Sequence[str],
    families: Sequence[str] = (),
    *,
    options: int = 5,
    biased: Sequence[str] | None = None,
    pull: float | None = None,
    slope: float | None = None,
    self_ratio: float = 1.0,
) -> tuple[Scorer, ...]:
    """Return scorers of these names: in turn steady, drawn to the first places, wandering, drawn to the last.

    `pull` is how many times likelier the first place is than the last, `slope` that of lists (see `Scorer`);
    what is given takes its place in the judges named by `biased` (None: in all), `self_ratio` holds in those
    too, and the others are then steady. Raises UsageError where families are not as many as names, or a
    biased judge is none of them.
    """
    models = cast(
        names,
        families,
        Bias(self_ratio),
        biased,
        overestimation=OVERESTIMATION,
        underestimation=UNDERESTIMATION,
    )
    made = []
    for place, model in enumerate(models):
        turn = place % len(_PULLS)
        steady = biased is not None and model.name not in biased
        chosen = 1.0 if steady else _PULLS[turn] if pull is None else pull
        tilt = 0.0 if steady else _SLOPES[turn] if slope is None else slope
        made.append(Scorer(model, pulled(chosen, options), wander=_WANDERS[turn], slope=tilt))
    return tuple(made)


def pulled(pull: float, options: int) -> tuple[float, ...]:
    """Return weights that fall evenly, on the log scale, so that the first is `pull` times the last.

    Raises UsageError where `pull` is no ratio.
    """
    if not 0 < pull < float("inf"):
        raise UsageError(f"pull {pull!r} is no ratio; give a number above 0")
    if pull == 1:
        return ()
    return tuple(np.geomspace(pull**0.5, pull**-0.5, options).round(6).tolist())
