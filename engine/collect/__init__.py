"""New judgments from models (layer 4): a configuration, its plan, the calls, and the stored answers.

`config` reads the configuration, `plan` lists the calls, `prepare` makes the study ready, `session` makes
the calls, `journal` writes each answer to disk before it counts, `recorder` puts the answers into the study;
`run` does all of it. Only `litellm_gateway` imports litellm.
"""
