"""The atlas: what published studies say on judges, one row for each study and judge.

`datasets/atlas.toml` declares the studies and the models' names, `datasets/atlas/` holds the numbers that
ship. Imports whatever is below the presenting layer; holds numbers alone, never verdicts or texts of others.
"""
