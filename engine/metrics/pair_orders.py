"""What the order of two responses does to a judge's answers (MEASURES section 14)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OrderEffects:
    """What each pair counts for, arrays of shape (pairs,).

    Of the two answers: `firsts` chose the response shown first, `ties` neither. `decided` pairs name a winner
    in both orders; of these `firm` name the same and `flips` two different ones, `to_first` each time the one
    shown first. `shift` is the change of the probability, 0 where it is not `shifted`.
    """

    pairs: Floats
    answers: Floats
    firsts: Floats
    ties: Floats
    decided: Floats
    firm: Floats
    flips: Floats
    to_first: Floats
    shift: Floats
    shifted: Floats


def order_effects(one: Floats, two: Floats, p_one: Floats, p_two: Floats) -> OrderEffects:
    """Return what pairs count for from whom each order names, +1, 0 or -1, always seen from one response.

    In `one` that response was shown first, in `two` the other; `p_one` and `p_two` are its probabilities,
    NaN where there is none.
    """
    decided = (one != 0) & (two != 0)
    shift = np.abs(p_one - p_two)
    marks = {
        "pairs": np.ones(len(one)),
        "answers": np.full(len(one), 2.0),
        "firsts": (one == 1).astype(np.float64) + (two == -1),
        "ties": (one == 0).astype(np.float64) + (two == 0),
        "decided": decided,
        "firm": decided & (one == two),
        "flips": decided & (one != two),
        "to_first": (one == 1) & (two == -1),
        "shift": np.nan_to_num(shift, nan=0.0),
        "shifted": ~np.isnan(shift),
    }
    return OrderEffects(**{name: np.asarray(part, dtype=np.float64) for name, part in marks.items()})
