"""Collecting new judgments from models (layer 4): configuration, plan, calls and stored answers.

`config` reads the configuration, `plan` lists the calls, `prepare` readies the study, `session` makes the
calls, `recorded_calls` writes each to the run's database before it counts, and `recorder` adds them to the
study. `run` does all of it. Only `litellm_gateway` imports litellm.
"""
