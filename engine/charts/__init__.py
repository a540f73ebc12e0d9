"""Measures drawn: pure functions from a frame to an Altair chart.

Names and texts of a study reach a chart as values of columns that are named here, never as field names,
expressions or markup. Importing a module of this package loads Altair, which takes a second: nothing but
pages, notebooks and reports does.

It may import `engine.measures`, pandas and Altair.
"""
