"""The DBG score (MEASURES section 11): how a judge's wins differ from those that gold judges give."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.ratios import rate
from engine.stats.scores.ranks import TOLERANCE

MOST_SOURCES = 8  # the most gold judges whose subsets are all tried


def panels(sources: int) -> list[tuple[int, ...]]:
    """Return every non-empty subset of so many gold judges, smallest first."""
    return [subset for n in range(1, sources + 1) for subset in combinations(range(sources), n)]


def mean_gold(votes: Floats) -> Floats:
    """Return the gold outcome of each item by the mean vote: 1 above one half, 0 below, else 0.5.

    `votes` (items, sources) are 1, 0.5 or 0 for the judge's own response, NaN for none; NaN without any vote.
    """
    present = ~np.isnan(votes)
    above = rate(np.nan_to_num(votes).sum(axis=1), present.sum(axis=1)) - 0.5
    return np.where(np.abs(above) < TOLERANCE, 0.5, (1 + np.sign(above)) / 2)


def agreed_gold(votes: Floats) -> Floats:
    """Return the gold outcome by the gold judges that name a winner: 1 or 0 if at least two do, else NaN.

    More must name it than the other response. A tie names none: it is mostly a change of mind with the order.
    """
    wins, losses = ((votes == side).sum(axis=1) for side in (1, 0))
    outcome = np.where(wins > losses, 1.0, 0.0)
    return np.where((np.maximum(wins, losses) >= 2) & (wins != losses), outcome, np.nan)


GoldRule = Callable[[Floats], Floats]


def bias_of_subsets(
    win: Floats, votes: Floats, rows: tuple[Ints, ...], size: int, rule: GoldRule = mean_gold
) -> Floats:
    """Return DBG under every panel of the gold judges: shape (panels, rows), NaN where undefined.

    `win` (items,) is 1, 0.5 or 0 for the judge's own response, `votes` (items, sources) those of the gold
    judges for it, NaN for none. `rows` name the rows that each item belongs to, each of shape (items,).
    """
    biases = []
    for panel in panels(votes.shape[1]):
        gold = rule(votes[:, list(panel)])
        defined = ~np.isnan(gold)
        bias, count = np.zeros(size), np.zeros(size)
        for row in rows:
            bias += np.bincount(row[defined], weights=(win - gold)[defined], minlength=size)
            count += np.bincount(row[defined], minlength=size)
        biases.append(rate(bias, count))
    return np.array(biases).reshape(-1, size)


def like_length(one: Floats, two: Floats, most: float) -> Bools:
    """Return where two word counts are similar: |ln of their ratio| at most `most`; False for NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(np.log(one / two)) <= most + TOLERANCE)
