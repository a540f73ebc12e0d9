"""The plan of a run: which calls it makes, stage by stage, as requests.

`stages` names the stages, `planning` plans each from the study as it is by then, and `prepare` is all that
comes before the first call. Nothing here calls a model.
"""
