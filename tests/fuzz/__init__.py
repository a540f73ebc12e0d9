"""Damaged files, answers and addresses for every reader: each gives a result or a named error.

`python -m tests.fuzz --seconds N --seed S [--only READER]` tries as many as the time allows and prints a
report; with `--sweep` it puts each odd value in each place in turn. `test_fuzz` tries a few of each, and all
of the corpus, in CI.
- `corpus/READER/ENTRY/`: the files to change, and every input that once was a finding.
- `samples`: the corpus; `mutating`, `structured`: seeded changes to it; `sweeping`: place by place.
- `readers`, `table_readers`, `run_readers`, `pages`: the readers; `every`: all of them by name.
- `trying`: one input and its outcome; `campaign`: many, in a process that may die; `__main__`: the
  command.
"""
