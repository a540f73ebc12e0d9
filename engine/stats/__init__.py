"""Statistics on arrays: NumPy and SciPy only, no tables, no files.

Every function accepts any leading axes, so that one definition gives the value (from counts of shape
(judges, generators)) and its bootstrap draws (from counts of shape (resamples, judges, generators)).
Undefined values are NaN here; the measures turn them into null with a reason.
"""

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.number]
Counts = NDArray[np.integer]
Weights = NDArray[np.float32]
"""How often each resample drew each cluster: shape (resamples, clusters)."""
