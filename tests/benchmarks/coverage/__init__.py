"""How often the intervals cover a known truth, with simulated studies and the product's own statistics.

- `population`: a population of instances whose self-preference is planted, and studies drawn from it.
- `statistics`: the headline numbers of a study from its counts by instance.
- `pairs`, `pair_numbers`, `orders`: the same for responses judged in pairs and for options in several orders.
- `trial`: many studies, and how many intervals cover the truth; `report`: the results as tables.

`python -m tests.benchmarks.coverage` runs it. It is not a test; `tests/explore` has a small one.
"""
