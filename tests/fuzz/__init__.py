"""Damaged files, answers and addresses for every reader: each ends in a result or in a named error.

`python -m tests.fuzz --seconds N --seed S [--only READER]` tries as many as the time allows and prints a
report; with `--sweep` it puts each odd value in each place in turn. `test_fuzz` tries a few of each, and all
of the corpus, in CI.
- `corpus/READER/ENTRY/`: the files that are changed, and every input that once was a finding.
- `samples`: the corpus; `mutating`, `structured`: what is done to it by a seed; `sweeping`: place by place.
- `readers`, `table_readers`, `run_readers`, `pages`: what reads; `every`: all of them by name.
- `trying`: one input and what came of it; `campaign`: many, in a process that may die; `__main__`: the
  command.
"""
