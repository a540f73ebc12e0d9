"""Programs that decide whether a response meets an instruction; how to add one is in `docs/checkers.md`.

- `keywords`, `language`, `length_constraints`, `detectable_content`, `detectable_format`, `combination`,
  `startend`, `change_case`, `punctuation`: the 25 instruction types of IFEval (Zhou et al. 2023,
  arXiv:2311.07911), grouped as their ids are: `keywords:existence` is made by `keywords.existence`.
- `counting`: what several of them count, in time that grows with the text and no faster.
- `registry`: from an id and its arguments to a check; users' own checkers come in by an entry point.
- `verdicts`: a check's strict and loose verdict on a text; `wording`: what is asked for, in a sentence.
- `rubrics`, `running`: the checks of a study's rubrics, over its responses, written as references.

Only `rubrics` and `running` know of studies; the rest are functions of a text.
"""

from engine.checkers.registry import ENTRY_POINTS, SHIPPED, Check, available, make_check
from engine.checkers.run import Verdict, judge

__all__ = ["ENTRY_POINTS", "SHIPPED", "Check", "Verdict", "available", "judge", "make_check"]
