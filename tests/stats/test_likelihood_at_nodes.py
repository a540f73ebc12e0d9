"""Log-odds at the nodes, whether they are small or far out."""

import numpy as np
import pytest
from scipy.special import expit

from engine.stats.conditional.likelihood_at_nodes import passes_at


@pytest.mark.parametrize("scale", [0.1, 3.0, 200.0, 2000.0])
def test_passes_are_those_of_the_logistic_function_however_far_out(scale):
    eta, effect = scale * np.array([[-1.0, 0.2], [0.7, 1.0]]), scale * np.array([-0.8, 0.1, 0.5])

    log, chance = passes_at(eta, effect)

    at = eta[..., None] + effect
    np.testing.assert_allclose(log, np.logaddexp(0, at), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(chance, expit(at), rtol=1e-10, atol=1e-15)
