"""Scores of models by several judges, less what is due to who judged whom."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from engine.stats import Bools, Floats, Ints


def scores_of_equal_strictness(scores: Floats, among: Bools) -> Floats:
    """Return the score of each model as judges of the same strictness would give it, shape (..., models).

    `scores` have shape (..., judges, models), NaN for none; `among` (judges, models) says which count. They
    are fitted by least squares as s_jm = a_m + b_j, the b of the judges that count summing to 0; a is
    returned. Where every judge scored every model, that is the mean over judges: leaving a judge out of one
    model's scores then takes its strictness out of the comparison, too. Where judges and models fall into
    groups that share no score, the models of the group with most scores are compared. NaN for the others, and
    for a model without a score.
    """
    flat = scores.reshape(-1, *scores.shape[-2:])
    counted = among & ~np.isnan(flat)
    patterns, pattern_of = np.unique(counted.reshape(len(flat), -1), axis=0, return_inverse=True)
    fitted = np.full((len(flat), scores.shape[-1]), np.nan)
    for place, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == place)
        fitted[rows] = _fitted(flat[rows], pattern.reshape(among.shape))
    return fitted.reshape(*scores.shape[:-2], scores.shape[-1])


def _fitted(scores: Floats, counted: Bools) -> Floats:
    """Return the fit of draws that have the same scores, shape (draws, models)."""
    fitted = np.full((len(scores), counted.shape[1]), np.nan)
    if not counted.any():
        return fitted
    judges, models = _largest_group(counted)
    cells = counted[np.ix_(judges, models)].astype(np.float64)
    values = np.where(counted, scores, 0.0)[:, judges][:, :, models]
    n = len(models)
    normal = np.zeros((n + len(judges), n + len(judges)))
    normal[:n, :n], normal[n:, n:] = np.diag(cells.sum(axis=0)), np.diag(cells.sum(axis=1)) + 1.0
    normal[n:, :n], normal[:n, n:] = cells, cells.T
    totals = np.concatenate([values.sum(axis=1), values.sum(axis=2)], axis=1)
    fitted[:, models] = np.linalg.solve(normal, totals.T)[:n].T
    return fitted


def _largest_group(counted: Bools) -> tuple[Ints, Ints]:
    """Return the judges and models of the group with most scores, in which all can be compared."""
    n_judges, n_models = counted.shape
    edges = np.zeros((n_judges + n_models, n_judges + n_models))
    edges[:n_judges, n_judges:] = counted
    _, groups = connected_components(csr_array(edges), directed=False)
    of_judges, of_models = groups[:n_judges], groups[n_judges:]
    largest = np.bincount(of_judges, weights=counted.sum(axis=1)).argmax()
    return np.flatnonzero(of_judges == largest), np.flatnonzero(of_models == largest)
