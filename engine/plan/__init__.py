"""From a configuration to the calls of a run, made one after the other; planning calls nobody.

- `make`: the three stages (responses, rewrites, judgments) as plans; `plan`: requests and their messages.
- `subjects`: what each way of judging asks about; `orders`: orders of rubrics and options; `pairs`,
  `drawing`, `stored_pairs`, `truth`: which pairs, by which rule; `sampling`: which instances; `needs`: what a
  study must hold.
- `library`, `texts`: a study's texts by key; `estimates`: what a plan would cost in tokens; `rebuilding`: the
  prompt of a stored judgment.

It may import `engine.config`, `engine.paradigms`, `engine.store` and what measures are made of: the rules by
which pairs are drawn are those by which they are counted.
"""

from engine.plan.estimates import Estimate, estimate
from engine.plan.library import Library
from engine.plan.make import make_plan
from engine.plan.plan import STAGES, Plan, Stage
from engine.plan.rebuilding import Rebuilt, rebuild

__all__ = ["STAGES", "Estimate", "Library", "Plan", "Rebuilt", "Stage", "estimate", "make_plan", "rebuild"]
