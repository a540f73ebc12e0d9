"""Strengths of models from the votes between them, by Bradley and Terry."""

import numpy as np
from scipy.special import expit

from engine.stats import Floats

_MOST_ROUNDS, _STILL, _STRIDE = 100, 1e-9, 1.0


def bradley_terry(wins: Floats) -> Floats:
    """Return the models' log-strengths by Bradley and Terry (1952), shape (..., models); NaN without a vote.

    `wins`, shape (..., models, models), are votes for one model over another, a tie half a vote for each:
    P(i over j) = p_i / (p_i + p_j), by Newton's steps, none longer than 1. Each model also wins and loses
    half a vote against one of strength 1, so that one that never lost has a strength too.
    """
    games = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1)
    strength = np.zeros(won.shape)
    diagonal = np.eye(won.shape[-1], dtype=bool)
    for _ in range(_MOST_ROUNDS):
        share, against_one = expit(strength[..., :, None] - strength[..., None, :]), expit(strength)
        score = won - (games * share).sum(axis=-1) + 0.5 - against_one
        weight = games * share * (1 - share)
        own = weight.sum(axis=-1) + against_one * (1 - against_one)
        step = np.linalg.solve(np.where(diagonal, own[..., None], 0.0) - weight, score[..., None])[..., 0]
        length = np.abs(step).max(axis=-1, keepdims=True, initial=0.0)
        strength = strength + step * np.minimum(1.0, _STRIDE / np.maximum(length, _STILL))
        if length.max(initial=0.0) < _STILL:
            break
    return np.where(games.sum(axis=-1) > 0, strength, np.nan)
