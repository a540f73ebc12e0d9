"""The coordinator's page: tasks made of a study, shared out, watched, settled and written back.

- `acting`: what buttons do, and what is told of it; `words`: tasks in words.
- `making`: a new task; `sharing`: who labels it, and their links; `watching`: how far they are and agree.
- `settling`: items on which they differ; `reported`: what they told and skipped; `handing`: into the study.

An item that is not decided is shown without whose it is, here as on the annotator's page.
"""
