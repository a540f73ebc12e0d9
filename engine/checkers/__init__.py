"""Programs that decide whether a response meets an instruction; `docs/checkers.md` says how to add one.

- `instruction_rules`: the 25 instruction types of IFEval (Zhou et al. 2023, arXiv:2311.07911), each as a
  function of the same name (`existence` for `keywords:existence`), in time linear in the text;
  `rule_sentences`: each in words, which also gives it its group; `counts`: what they count.
- `verifiers`: whether a final answer is the reference answer, as a text, an option or mathematics.
- `making`: turns an id and its arguments into a check; loads users' own checkers from an entry point.
- `verdicts`: a check's strict and loose verdict on a text.
- `programs`: the programs of a study's rubrics; `run`: checks the responses of a study.

Only `programs` and `run` know studies; `instruction_rules` and `verifiers` hold functions of a text.
"""

from engine.checkers.counts import Check
from engine.checkers.making import ENTRY_POINTS, SHIPPED, checker_ids, make_check
from engine.checkers.verdicts import Verdict, judge

__all__ = ["ENTRY_POINTS", "SHIPPED", "Check", "Verdict", "checker_ids", "judge", "make_check"]
