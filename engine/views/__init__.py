"""One slice of one selection of judgments, ready to be counted.

- `counted`: a count for each cell, with its bootstrap draws.
- `rubric`: counts of rubric verdicts; `instance`: counts of comparisons and sums of scores; `paired`,
  `quality`, `gold`, `examples`: judged pairs, and how good or better responses are; `options`: scores of
  score rubrics; `bench`, `ballots`: committees; `left_out`: what does not count.
- `view`: all of them together, with who is shown and who is kin to whom.

Measures are written against `View`; they never see packed bits or tables.
"""

from engine.views.counted import Counted
from engine.views.view import View

__all__ = ["Counted", "View"]
