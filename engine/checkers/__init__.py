"""Programs that decide whether a response meets an instruction; how to add one is in `docs/checkers.md`.

- `ifeval`: the 25 instruction types of IFEval (Zhou et al. 2023, arXiv:2311.07911), each made by the function
  that has its name: `keywords:existence` by `existence`; what several of them count, in time that grows with
  the text and no faster; and each in a sentence.
- `run`: from an id and its arguments to a check, users' own checkers come in by an entry point; a check's
  strict and loose verdict on a text; the checks of a study's rubrics over its responses.

Only `run` knows of studies; `ifeval` holds functions of a text.
"""

from engine.checkers.ifeval import Check
from engine.checkers.run import ENTRY_POINTS, SHIPPED, Verdict, available, judge, make_check

__all__ = ["ENTRY_POINTS", "SHIPPED", "Check", "Verdict", "available", "judge", "make_check"]
