"""How many independent judges a panel is worth: the correlation of their errors (MEASURES section 20)."""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """How often each two judges err on what both judged and the reference decides: (judges, judges).

    `both` counts those cells (or comparisons of two responses), `wrong` those of them on which the first
    differs from the reference, `both_wrong` those on which both do.
    """

    both: Ints
    wrong: Ints
    both_wrong: Ints

    @classmethod
    def of(cls, counted: Bools, wrong: Bools) -> "SharedErrors":
        """Count them; both have shape (judges, cells), and what is wrong is counted."""
        of_counted, of_wrong = counted.astype(np.float64), wrong.astype(np.float64)
        counts = (of_counted @ of_counted.T, of_wrong @ of_counted.T, of_wrong @ of_wrong.T)
        return cls(*(np.rint(count).astype(np.int64) for count in counts))

    def __add__(self, other: "SharedErrors") -> "SharedErrors":
        return SharedErrors(
            self.both + other.both, self.wrong + other.wrong, self.both_wrong + other.both_wrong
        )


def error_correlations(errors: SharedErrors) -> Floats:
    """Return Pearson's correlation of the errors of each two judges, (judges, judges); NaN where constant."""
    n = errors.both.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = errors.wrong / n, errors.wrong.T / n
        spread = np.sqrt(one * (1 - one) * other * (1 - other))
        r = (errors.both_wrong / n - one * other) / spread
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
