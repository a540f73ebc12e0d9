"""Runs under strain, too long for every day.

`python -m benchmarks.runs kills` (in `tests/`): 5,000 calls of which 30 % go wrong, killed ten times at random.
`... memory`: peak memory of 10,000 and of 100,000 calls. `... rate`: calls a second of this runner and of bare
litellm against one loopback server.
"""
