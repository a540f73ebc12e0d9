"""The kinds of array that statistics take and give."""

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Weights = NDArray[np.float32]
"""How often each resample drew each cluster: shape (resamples, clusters)."""
