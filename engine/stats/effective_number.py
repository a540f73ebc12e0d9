"""How many independent judges a panel is worth: the correlation of their errors (MEASURES section 20)."""

import numpy as np

from engine.stats import Bools, Counts, Floats


def error_correlations(both: Counts, wrong: Counts, both_wrong: Counts) -> Floats:
    """Return Pearson's correlation of the errors of each two judges, (judges, judges); NaN where constant.

    `both` counts the cells that two judges share and the reference decides, `wrong` those of them on which
    the first differs from the reference, `both_wrong` those on which both do.
    """
    n = np.asarray(both, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = wrong / n, np.asarray(wrong).T / n
        spread = np.sqrt(one * (1 - one) * other * (1 - other))
        r = (both_wrong / n - one * other) / spread
    return np.where(spread > 0, r, np.nan)


def effective_number(correlation: Floats, votes: Bools) -> float:
    """Return n / (1 + (n - 1) r), from 1 to n, of the n judges that vote; NaN if no two have a correlation.

    r is the mean of `correlation` over pairs of them, below 0 taken as 0. With r = 0 they are worth n
    independent votes, with r = 1 a single one.
    """
    members = np.flatnonzero(votes)
    n = len(members)
    if n < 2:
        return float(n) if n else np.nan
    pairs = correlation[np.ix_(members, members)][np.triu_indices(n, 1)]
    if np.isnan(pairs).all():
        return np.nan
    r = max(0.0, float(np.nanmean(pairs)))
    return float(np.clip(n / (1 + (n - 1) * r), 1.0, n))
