"""What an analyst would fit to the verdicts on failed criteria: logits of a table, or a mixed model.

Both say of each judge by how much it credits its own failures more than its leniency and the generator's
appeal explain, in log-odds; the p-values are adjusted over judges as in the scorecard.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, ndtr, stdtr

from engine.stats.intervals.adjusted_p import benjamini_hochberg

from .judges import Floats
from .rubrics import RubricVerdicts

ROUNDS, CONVERGED = 40, 0.002
SURE = 0.05
METHODS = ("two-way fit", "mixed model")


@dataclass(frozen=True, eq=False)
class OwnEffects:
    """What each judge adds for its own failures, with its error and two-sided p: (judges,)."""

    value: Floats
    se: Floats
    p: Floats

    def claims(self, names: list[str]) -> dict[str, int]:
        """Return the sign of the effect of each judge whose adjusted p is below .05."""
        adjusted = benjamini_hochberg(self.p)
        signs = np.sign(self.value).astype(int).tolist()
        return {name: sign for name, sign, p in zip(names, signs, adjusted.tolist(), strict=True) if p < SURE}


def fits(study: RubricVerdicts) -> dict[str, dict[str, int]]:
    """Return the claims of each method."""
    names = study.studies.judges.names
    return {"two-way fit": two_way(study).claims(names), "mixed model": mixed(study).claims(names)}


def two_way(study: RubricVerdicts) -> OwnEffects:
    """Fit judges and generators to the logits of the shares credited, by ordinary least squares.

    A judge's own effect is the residual of its own logit in the fit to the others; t with the fit's degrees
    of freedom.
    """
    counted = study.failed & study.answered
    credited, number = (study.favourable & counted).sum(axis=(2, 3)), counted.sum(axis=(2, 3))
    logits = np.log((credited + 0.5) / (number - credited + 0.5))
    models = len(logits)
    each = np.eye(models)
    judge, generator = np.nonzero(~np.eye(models, dtype=bool))
    design = np.hstack([each[judge], each[generator][:, 1:]])
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ design.T @ logits[judge, generator]
    rest = logits[judge, generator] - design @ coefficients
    freedom = len(rest) - design.shape[1]
    own = np.hstack([each, each[:, 1:]])
    value = np.diag(logits) - own @ coefficients
    leverage = np.einsum("ij,jk,ik->i", own, inverse, own)
    se = np.sqrt(rest @ rest / freedom * (1 + leverage))
    return OwnEffects(value, se, 2 * stdtr(freedom, -abs(value / se)))


def mixed(study: RubricVerdicts) -> OwnEffects:
    """Fit a logistic mixed model by penalised quasi-likelihood.

    logit P(judge J credits failure c of G) = B_J + m_G + s_J [G = J] + a_c + t_JG, with a_c and t_JG normal;
    their variances by Fellner and Schall's updates. Each round solves the weighted normal equations, the a_c
    eliminated; z from the last.
    """
    generator, *_ = place = np.nonzero(study.failed)
    judge, cell = np.nonzero(study.answered[:, *place])
    verdict = study.favourable[:, *place][judge, cell].astype(float)
    generator, judges, cells = generator[cell], len(study.favourable), len(place[0])
    own = judge == generator
    first_s, first_t = 2 * judges - 1, 3 * judges - 1  # columns: B, m without the first, s, t
    rows = np.arange(len(judge))
    entries = (
        (rows, judge),
        (rows[generator > 0], judges - 1 + generator[generator > 0]),
        (rows[own], first_s + judge[own]),
        (rows, first_t + judge * judges + generator),
    )
    row, column = (np.concatenate(part) for part in zip(*entries, strict=True))
    shape = (len(judge), first_t + judges**2)
    effects_of = csr_array((np.ones(len(row)), (row, column)), shape=shape)
    cell_of = csr_array((np.ones(len(rows)), (rows, cell)), shape=(len(judge), cells))
    effects, of_cells, variances = np.zeros(shape[1]), np.zeros(cells), np.array([0.5, 0.05])
    for _ in range(ROUNDS):
        linear = effects_of @ effects + of_cells[cell]
        chance = expit(linear)
        weight = np.maximum(chance * (1 - chance), 1e-6)
        score = weight * linear + verdict - chance
        weighted = effects_of.multiply(weight[:, None]).tocsr()
        squares, by_cell = (effects_of.T @ weighted).toarray(), (cell_of.T @ weighted).toarray()
        squares[np.diag_indices(first_t)] += 1e-6
        squares[first_t:, first_t:] += np.eye(judges**2) / variances[1]
        precision = cell_of.T @ weight + 1 / variances[0]
        shrunk, of_score = by_cell / precision[:, None], cell_of.T @ score
        covariance = np.linalg.inv(squares - by_cell.T @ shrunk)
        before, effects = effects, covariance @ (effects_of.T @ score - shrunk.T @ of_score)
        of_cells = (of_score - by_cell @ effects) / precision
        spread = (1 / precision).sum() + np.sum((shrunk @ covariance) * shrunk)
        tastes, of_tastes = effects[first_t:], np.diag(covariance)[first_t:].sum()
        new = (
            of_cells @ of_cells / (cells - spread / variances[0]),
            tastes @ tastes / (judges**2 - of_tastes / variances[1]),
        )
        variances = np.array(new).clip(1e-4)
        if abs(effects - before).max() < CONVERGED:
            break
    value, se = effects[first_s:first_t], np.sqrt(np.diag(covariance)[first_s:first_t])
    return OwnEffects(value, se, 2 * ndtr(-abs(value / se)))
