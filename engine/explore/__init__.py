"""Analyses across measures (layer 3): slices that differ, comparisons, what a study can measure.

- `verdict_kinds`, `judgment_list`, `judgment_page` and `judgment_detail` lead from a number to the verdicts
  behind it.
- `find_slices`: the slices that differ from the rest, as rows; `slots`, `slice_search`, `slice_filters`: how.
- `doctor`, `diagnosis`, `cautions`: what can be measured, with its doubts; `planned_cost`: the cost.
"""
