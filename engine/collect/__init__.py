"""New answers and judgments from models (layer 4): a run, from its configuration to rows of a study.

One package for each step, each importing only from those after it in this list (import-linter holds it):

- `forecast`: what a run would take. `watch`: runs seen from outside.
- `run`: a run from its start to its report, in one process or several.
- `dispatch`: the calls while they are made.
- `rows`: answers as rows of the study.
- `plan`: which calls there are, stage by stage.
- `client`: one call of one model. `limits`: the cap, the pace, what is refused.
- `database`: what must not be lost. `locks`: one writer for each study.
- `configuration`: the fields of a run, read and checked.
- `paradigms`: the messages to judges, and what their answers say.

What passes between them is in `calls`.
"""
