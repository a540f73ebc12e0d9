"""What judges like for reasons that have nothing to do with themselves (MEASURES sections 16 and 18).

A placebo is a number of self-preference with another generator in place of the judge's own. If judges have
tastes, placebos vary by more than their errors, and so would the true numbers without any self-preference.
Judges of one family may share their tastes; all judges may share one, each for what is like its own.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats, Ints
from engine.stats.conditional.taste_spread import ASSUMED, FEWEST_JUDGES, squared_spread
from engine.stats.intervals.jackknife import Estimates
from engine.stats.outside.outside import FamilyMasks

FEWEST_TO_ESTIMATE = 3
"""With fewer families of judges, what a family's tastes add is unknown."""
FEW_FAMILIES = 6
"""With fewer families the variance of tastes is multiplied by F / (F - 2)."""
_SEVERAL = 1.01  # placebos for each block above which the parts between and within families are told apart
_PRIOR_PLACEBOS = 5  # how many placebos the spread of all judges counts for in that of one
_ROUNDS, _TRUST = 15, 0.8  # of filling in what is missing from a matrix, and the share of a fit that is used
MOST_FILLED, _TURNS, _MANY_TURNS = 20, 20, 200
"""Families up to which that is done for each, and turns of the power method that find the style of more."""


@dataclass(frozen=True, eq=False)
class Families:
    """A number for the family of each judge and of each generator, the same for the same family."""

    judge: Ints
    generator: Ints

    @classmethod
    def of(cls, masks: FamilyMasks) -> "Families":
        """Return the families that the masks tell apart; unknown ones are families of one."""
        judge = (~masks.outside).argmax(axis=1)
        related = ~masks.other
        alone = len(judge) + (~masks.unrelated).argmax(axis=1)
        generator = np.where(related.any(axis=0), judge[related.argmax(axis=0)], alone)
        return cls(np.asarray(judge, dtype=np.int64), np.asarray(generator, dtype=np.int64))


@dataclass(frozen=True)
class FamilyTastes:
    """The spread of tastes that a family shares (`between`, tau_B) and of each judge's own (`within`, tau_W).

    `families` (F) and `judges` (n) are the judges' own. NaN where tastes are unknown; `assumed`: too few
    judges, so that the spread of the published study stands in.
    """

    between: float
    within: float
    families: int
    judges: int
    assumed: bool = False

    @property
    def variance(self) -> float:
        """What tastes add to a squared error: T = tau_B^2 (F / (F - 1))^2 + tau_W^2 (n / (n - 1))^2.

        With fewer than six families it is multiplied by F / (F - 2), unless it is assumed.
        """
        of_families = (self.between * (1 + 1 / max(self.families - 1, 1))) ** 2
        total = of_families + self.within**2 * self._inflation
        few = 2 < self.families < FEW_FAMILIES and not self.assumed
        return total * self.families / (self.families - 2) if few else total

    @property
    def freedom(self) -> float:
        """The degrees of freedom of that variance, max((F - 1)^2 - F, 1); without limit if it is assumed."""
        return np.inf if self.assumed else float(max((self.families - 1) ** 2 - self.families, 1))

    def variance_of_judges(self, placebo: Floats, se: Floats) -> Floats:
        """Return the same for each judge, with its own spread of tastes where that is larger: (judges,).

        The squared spread of the m placebos of one judge counts m times, tau_B^2 + tau_W^2 five times.
        """
        each = [squared_spread(*of_judge, self.judges) for of_judge in zip(placebo, se, strict=True)]
        own, number = np.array(each).reshape(-1, 2).T
        of_all = self.between**2 + self.within**2
        pooled = (number * own + _PRIOR_PLACEBOS * of_all) / (number + _PRIOR_PLACEBOS)
        return np.asarray(np.maximum(self.variance, pooled * self._inflation))

    @property
    def _inflation(self) -> float:
        return (1 + 1 / max(self.judges - 1, 1)) ** 2


def family_tastes(
    placebo: Floats, se: Floats, families: Families, present: Bools, *, in_log_odds: bool
) -> FamilyTastes:
    """Return the spread of tastes between families and within them, from placebos (judges, generators).

    With M1 = (sum theta^2 / se^2 - m) / sum 1 / se^2 over the m placebos, M2 the same over the means m_AB of
    the judges of family A on the generators of family B (weights 1 / se^2), and k placebos for each block:
    tau_W^2 = (M1 - M2) / (1 - 1/k) / (1 - 1/n)^2, tau_B^2 = (M2 - (M1 - M2) / (k - 1)) / (1 - 1/F)^2, both at
    least 0, the latter at most M1 / (1 - 1/F)^2. With k up to 1.01 all of it is tau_B. `present` marks the
    judges that have verdicts. Unknown without a placebo or with fewer than three families; with fewer than
    five judges .34 is assumed for log-odds (section 18).
    """
    n_judges, n_families = int(present.sum()), len(np.unique(families.judge[present]))
    if n_judges < FEWEST_JUDGES:
        spread = ASSUMED if in_log_odds else np.nan
        return FamilyTastes(spread, 0.0, n_families, n_judges, assumed=in_log_odds)
    judge, generator = np.nonzero(np.isfinite(placebo) & (se > 0))
    if not len(judge) or n_families < FEWEST_TO_ESTIMATE:
        return FamilyTastes(np.nan, np.nan, n_families, n_judges)
    theta, weight = placebo[judge, generator], se[judge, generator] ** -2
    of_families = (1 - 1 / n_families) ** 2
    first = _excess(theta, weight)
    mean, block_weight = _block_means(theta, weight, families.judge[judge], families.generator[generator])
    many = len(theta) / len(mean)
    if many <= _SEVERAL:
        return FamilyTastes(_root(first / of_families), 0.0, n_families, n_judges)
    second = _excess(mean, block_weight)
    within = (first - second) / (1 - 1 / many) / (1 - 1 / n_judges) ** 2
    between = min(second - (first - second) / (many - 1), first) / of_families
    return FamilyTastes(_root(between), _root(within), n_families, n_judges)


def _excess(theta: Floats, weight: Floats) -> float:
    """Return the mean square of numbers beyond their errors, weighted by 1 / se^2."""
    return float(((weight * theta**2).sum() - len(theta)) / weight.sum())


def _root(squared: float) -> float:
    return float(np.sqrt(max(squared, 0.0)))


def _block_means(theta: Floats, weight: Floats, row: Ints, column: Ints) -> tuple[Floats, Floats]:
    """Return the weighted mean of each (row, column) that has numbers, and its weight."""
    _, block = np.unique(row * (column.max() + 1) + column, return_inverse=True)
    total = np.bincount(block, weight).astype(np.float64)
    return np.bincount(block, weight * theta) / total, total


def placebos_of_families(placebo: Floats, se: Floats, families: Families, which: Ints) -> Floats:
    """Return the mean placebo of each family's judges on each family's responses, weights 1 / se^2.

    `which` are the families, in both directions; NaN for a family's own and where there is no placebo.
    """
    defined = np.isfinite(placebo) & (se > 0)
    weight = np.where(defined, np.where(defined, se, 1.0) ** -2, 0.0)
    judges, generators = (
        (of == which[:, None]).astype(np.float64) for of in (families.judge, families.generator)
    )
    total, weighted = (
        judges @ values @ generators.T for values in (weight, weight * np.where(defined, placebo, 0.0))
    )
    means = np.divide(weighted, total, out=np.full_like(total, np.nan), where=total > 0)
    np.fill_diagonal(means, np.nan)
    return np.asarray(means)


def allow_for_shared_taste(
    own: Estimates, placebo: Floats, se: Floats, mask: Bools, styles: Floats, spread: float
) -> Estimates:
    """Return each judge's number less what a taste that other families' judges share explains.

    L is the judge's row of `styles`, centred on its placebos (weights 1 / se^2). The slope of J's placebos on
    L, with prior variance `spread`^2, times L at J's own generators (`mask`) is taken off, and the slope's
    error added. Nothing is where nothing can be told: no style, no placebo, no generator of its own.
    """
    usable = np.isfinite(placebo) & (se > 0) & np.isfinite(styles)
    measurable = usable.any(axis=1) & mask.any(axis=1) & ~(mask & ~np.isfinite(styles)).any(axis=1)
    if not measurable.any():
        return own
    weight = np.where(usable, np.where(usable, se, 1.0) ** -2, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (weight * np.nan_to_num(styles)).sum(axis=1) / weight.sum(axis=1)
        centred = styles - middle[:, None]
        squares = (weight * np.where(usable, centred, 0.0) ** 2).sum(axis=1) + spread**-2
        slope = (weight * np.where(usable, centred * placebo, 0.0)).sum(axis=1) / squares
        of_own = np.where(mask, centred, 0.0).sum(axis=1) / mask.sum(axis=1)
        error = np.sqrt(own.se**2 + of_own**2 / squares)
    value = np.where(measurable, own.value - slope * of_own, own.value)
    return Estimates(value, np.where(measurable, error, own.se), own.freedom)


def styles_outside(placebo: Floats, se: Floats, families: Families, spread: float) -> Floats:
    """Return for each judge the style that judges outside its family share: (judges, generators).

    That is the first right singular vector of their placebos, of unit spread; NaN with fewer than two such
    judges with placebos, or without a `spread` of tastes.
    """
    if not spread > 0:
        return np.full(placebo.shape, np.nan)
    defined = np.isfinite(placebo) & (se > 0)
    which, place = np.unique(families.judge, return_inverse=True)
    return np.stack(_styles_without(np.where(defined, placebo, np.nan), families.judge, which))[place]


def _styles_without(placebo: Floats, family: Ints, which: Ints) -> list[Floats]:
    """Return the common style of the judges outside each family in `which`.

    Of more than MOST_FILLED families with placebos what is missing is filled in once, from the fit to all
    judges: leaving out one family in so many hardly changes it.
    """
    of_all = family[np.isfinite(placebo).any(axis=1)]
    if len(np.unique(of_all)) <= MOST_FILLED:
        return [_common_style(placebo[family != each]) for each in which]
    columns, filled = _filled(placebo)
    product = filled.T @ filled
    inside = (of_all == which[:, None]).astype(np.float64)
    place = inside.argmax(axis=0)
    vectors = np.tile(_first_right(filled), (len(which), 1))
    for _ in range(_TURNS):
        along = (filled * vectors[place]).sum(axis=1, keepdims=True)
        vectors = vectors @ product - inside @ (filled * along)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [_of_unit_spread(vector, columns) for vector in vectors]


def _first_right(rows: Floats, start: Floats | None = None) -> Floats:
    """Return the first right singular vector: of many rows by turns of the power method, from `start`."""
    if len(rows) <= MOST_FILLED:
        return np.asarray(np.linalg.svd(rows, full_matrices=False)[2][0])
    vector = np.ones(rows.shape[1]) + np.arange(rows.shape[1]) % 2 if start is None else start
    for _ in range(_MANY_TURNS if start is None else _TURNS):
        vector = rows.T @ (rows @ vector)
        vector = vector / np.linalg.norm(vector)
    return vector


def _common_style(placebo: Floats) -> Floats:
    """Return the first right singular vector of placebos, of unit spread, NaN where a column has none.

    What is missing, as each judge's own family is, is filled in from the fit of rank 1, shrunk, in rounds.
    """
    if np.isfinite(placebo).any(axis=1).sum() < 2:
        return np.full(placebo.shape[1], np.nan)
    columns, filled = _filled(placebo)
    return _of_unit_spread(_first_right(filled), columns)


def _filled(placebo: Floats) -> tuple[Bools, Floats]:
    """Return which columns have a placebo, and the rows that have one, filled in there."""
    columns = np.asarray(np.isfinite(placebo).any(axis=0))
    rows = placebo[np.isfinite(placebo).any(axis=1)][:, columns]
    missing = ~np.isfinite(rows)
    filled = np.where(missing, 0.0, rows)
    vector: Floats | None = None
    for _ in range(_ROUNDS):
        vector = _first_right(filled, vector)
        filled = np.where(missing, _TRUST * np.outer(filled @ vector, vector), filled)
    return columns, np.asarray(filled, dtype=np.float64)


def _of_unit_spread(vector: Floats, columns: Bools) -> Floats:
    style, deviation = np.full(len(columns), np.nan), vector.std()
    if deviation > 0:
        style[columns] = vector / deviation
    return style
