"""Findings of a study: claims made by documented rules, with sentences built from numbers.

Rules read only the rows of measures; no model writes anything. May import measures, the slice finder and the
names of charts.
"""
