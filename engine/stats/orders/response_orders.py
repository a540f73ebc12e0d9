"""The effect of the order of two responses on a judge's answers (MEASURES section 14)."""

import numpy as np

from engine.stats import Bools, Floats


def order_effects(one: Floats, two: Floats, p_one: Floats, p_two: Floats) -> dict[str, Floats]:
    """Return marks of each pair by name, shape (pairs,), from the winner in each order: +1, 0 or -1.

    The winner is +1 for one response, shown first in `one`, last in `two`; `p_one` and `p_two` are its
    probabilities, NaN for none. Of the two answers: `firsts` chose the response shown first, `ties` neither.
    `decided` pairs name a winner in both orders; of these `firm` name the same and `flips` two different
    ones, `to_first` each time the first. `shift` is the change of the probability, 0 where not `shifted`.
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
    return {name: np.asarray(part, dtype=np.float64) for name, part in marks.items()}


def shown_first(winner: Floats, is_first: Bools) -> dict[str, Floats]:
    """Return the marks of `order_effects` of single answers, shape (answers,): of no pair in both orders.

    The winner is +1, 0 or -1 as seen from a response, which was shown first where it `is_first`.
    """
    nothing = np.zeros(len(winner))
    marks = order_effects(nothing[:0], nothing[:0], nothing[:0], nothing[:0])
    of_answers = {
        "answers": np.ones(len(winner)),
        "firsts": np.where(is_first, winner == 1, winner == -1).astype(np.float64),
        "ties": (winner == 0).astype(np.float64),
    }
    return dict.fromkeys(marks, nothing) | of_answers
