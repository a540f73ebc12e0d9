"""The odds that a judge credits its own responses more than other judges do (MEASURES section 15).

A conditional logistic regression: each cell (an instance, a rubric and the response to it) is a stratum with
the verdicts of all judges. What the response deserves is conditioned out, so that neither its quality nor how
well it convinces everybody can pass for self-preference; a cell on which all judges agree says nothing.
"""

from dataclasses import dataclass

import numpy as np

from engine.stats import Bools, Floats
from engine.stats.conditional.conditional_model import CLOSE_ENOUGH, FittedModel, LogOdds, Refitted
from engine.stats.conditional.conditional_steps import CLOSE
from engine.stats.conditional.separated_verdicts import judged_by
from engine.stats.conditional.strata import Strata, Verdicts


@dataclass(frozen=True, eq=False)
class Odds:
    """The model's estimates: `own` and `family` for each judge; `common`, the same two for all together.

    `placebo` and `placebo_se`, shape (judges, generators), are the log-odds of each judge's liking for each
    generator of another family, NaN elsewhere. `cells` counts the cells on which verdicts differ.
    """

    own: LogOdds
    family: LogOdds
    common: LogOdds
    placebo: Floats
    placebo_se: Floats
    cells: int


@dataclass(frozen=True, eq=False)
class FittedOdds:
    """The estimates with their model, from which fits of nearly the same verdicts begin."""

    odds: Odds
    model: FittedModel

    def weighted(self, weight: Floats, kind: int) -> Refitted | None:
        """Return the log-odds of one kind if the cells of the fit count so often, by `weight` (cells,).

        `kind` is a judge, or judges + a judge for its relatives. None where a term would be fitted exactly,
        so that cells have to be left out: the fit begins anew then.
        """
        return self.model.weighted(weight, kind)

    def with_rows(self, strata: Strata, kind: int) -> Refitted | None:
        """Return the same from other rows of cells."""
        return self.model.with_rows(strata, kind)

    @property
    def strictness(self) -> Floats:
        """The judges' intercepts B, 0 for the first and for judges without a term: (judges,)."""
        return self.model.strictness


def fit_odds(
    verdicts: Verdicts,
    own: Bools,
    family: Bools,
    *,
    errors: bool = True,
    pooled: bool = True,
    placebos: bool = True,
    start: FittedOdds | None = None,
) -> Odds:
    """Return the estimates of `fit_with_model`."""
    wanted = {"errors": errors, "pooled": pooled, "placebos": placebos}
    return fit_with_model(verdicts, own, family, **wanted, start=start).odds


def fit_with_model(
    verdicts: Verdicts,
    own: Bools,
    family: Bools,
    *,
    errors: bool = True,
    pooled: bool = True,
    placebos: bool = True,
    start: FittedOdds | None = None,
    rough: bool = False,
) -> FittedOdds:
    """Fit logit P = a(cell) + B(judge) + s(judge) [own] + f(judge) [family], with a conditioned out.

    `own` and `family`, shape (judges, generators), mark each judge's own responses and its relatives'. Errors
    are CR3: each instance is deleted in turn, by one Newton step from the estimate. A log-odds is undefined
    for one of the reasons `absent`, `verdicts_agree` (on every such cell), `verdicts_all_favourable` or
    `verdicts_all_unfavourable` (the judge's, on such cells), `separated`, `not_identified`,
    `single_instance`, `hangs_on_one_instance`.
    Without `errors` the estimates have none, which saves half of the time; without `pooled` those of all
    judges together are undefined (`absent`), which saves another fit; without `placebos` these are NaN.
    A placebo is the efficient score of a further log-odds of (judge, generator) at the estimate, divided by
    its information; its error is that of the scores summed by instance. `start` is a fit of nearly the same
    verdicts by the same judges. A `rough` fit ends where what remains is a hundredth of the error.
    """
    judges = len(own)
    each = np.eye(judges, dtype=bool)[..., None]
    n_instances = int(verdicts.instance.max(initial=-1)) + 1
    disputed = verdicts.without(np.zeros_like(own))
    begin = None if start is None else start.model.beginning
    close = CLOSE_ENOUGH if rough else CLOSE
    single = FittedModel.fit(disputed, np.concatenate([each & own, each & family]), n_instances, begin, close)
    judged = judged_by(verdicts, own.shape) > 0
    kinds = single.log_odds(judged, errors=errors)
    nothing = np.full(2, np.nan)
    common = LogOdds(nothing, nothing, np.zeros(2, dtype=np.int64), ("absent", "absent"))
    if pooled:
        both = FittedModel.fit(disputed, np.stack([own, family]), n_instances)
        common = both.log_odds(judged, errors=errors)
    own_odds, family_odds = kinds.part(slice(judges)), kinds.part(slice(judges, None))
    placebo, placebo_se = single.placebos(~own & ~family & placebos)
    odds = Odds(own_odds, family_odds, common, placebo, placebo_se, cells=len(disputed.generator))
    return FittedOdds(odds, single)
