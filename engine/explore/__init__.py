"""Questions across measures (layer 3): slices that differ, two sides compared, what a study allows.

`judgments` and `judgment` go from a number down to the verdicts behind it.
"""
