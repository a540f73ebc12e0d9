"""Analyses across measures (layer 3): slices that differ, comparisons, what a study can measure.

`judgment_list` and `judgment_detail` lead from a number to the verdicts behind it.
"""
