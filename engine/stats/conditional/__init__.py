"""Models that condition on what an answer deserves: odds, and what was expected (MEASURES 15 and 19).

`conditional_*` is the conditional likelihood; `marginal_fit` the model of given and expected; `tastes` and
`discernment` what else explains how a judge treats its own answers.
"""
