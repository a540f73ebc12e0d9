"""Simulated studies with a planted bias (layer 4), and simulated models that answer prompts.

`rubrics`, `pairs` and `orders` each make a study; `provider` answers messages like a model, so that a run
works without a key. Arrays and Arrow tables only: no pandas, no measures, no command line.
"""
