"""One slice of one selection of judgments, ready to be counted.

- `counted`: a count for each cell, with its bootstrap draws.
- `rubric`: counts of rubric verdicts; `instance`: counts of comparisons and sums of scores.
- `view`: the two together, with who is shown and who is kin to whom.

Measures are written against `View`; they never see packed bits or tables.
"""

from engine.views.counted import Counted
from engine.views.view import View

__all__ = ["Counted", "View"]
