"""New judgments from models (layer 4): a configuration, its plan, the calls, and what is stored of them.

`config` is read, `plan` says what is asked, `prepare` makes the study ready, `session` makes the calls,
`journal` writes each answer to disk before it counts, `recorder` puts the answers into the study; `run` is
the whole. `litellm_gateway` alone imports litellm.
"""
