"""Programs that decide whether an answer meets an instruction; `docs/checkers.md` says how to add one.

- `instruction_rules`: every instruction that a program checks, the 25 types of IFEval first: its sentence for
  judges and its function of a text; `sentence_parts` and `counts`: what sentences and functions share.
- `verifiers`: whether a final answer is the reference answer, as a text, an option or mathematics.
- `checks_by_id`: turns an id and its arguments into a check; loads users' own checkers from an entry point.
- `verdicts`: a check's strict and loose verdict on a text.
- `programs`: the programs of a study's rubrics; `run`: checks the responses of a study.

Only `programs` and `run` know studies; `instruction_rules` and `verifiers` hold functions of a text.
"""

from engine.checkers.checks_by_id import ENTRY_POINTS, SHIPPED, checker_ids, make_check
from engine.checkers.counts import Check
from engine.checkers.verdicts import Verdict, judge

__all__ = ["ENTRY_POINTS", "SHIPPED", "Check", "Verdict", "checker_ids", "judge", "make_check"]
