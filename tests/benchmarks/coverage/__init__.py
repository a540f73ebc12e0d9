"""How often the intervals hold a truth that is known: simulated studies, the product's own statistics.

- `population`: a population of instances whose self-preference is planted, and studies drawn from it.
- `statistics`: the headline numbers of a study from its counts by instance.
- `pairs`, `pair_numbers`, `orders`: the same for responses judged in pairs and for options in several orders.
- `trial`: many studies, and how many intervals hold the truth; `report`: what came out, as tables.

`python -m tests.benchmarks.coverage` runs it. It is no test: `tests/explore` holds a small one.
"""
