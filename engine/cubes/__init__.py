"""A study's judgments in memory, as arrays.

- `index`: models, instances and rubrics as positions; every other array is addressed by them.
- `rows`: judgment rows read and encoded; `inventory`: which combinations there are, with their counts.
- `verdicts`, `scores`, `pairs`: the three kinds of arrays; `planes`: verdicts held against a reference.
- `stored`: what is kept beside a large study; `shards`: verdicts packed by shards of instances.

May import the store (to read), NumPy and PyArrow; knows neither measures nor pages.
"""
