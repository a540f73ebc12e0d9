"""Which items of a study people label: seeded, and spread evenly over themes and questions.

- `wanted`: what a coordinator asks for; `choosing`: `select`, which hands it on.
- `pairs`, `clusters`, `verdicts`, `scores`: one selection each, as items with what stays hidden.
- `source`: the study's names and texts; `strata`: an even draw.
"""

from engine.annotations.selection.choosing import select
from engine.annotations.selection.wanted import CLUSTER, EPSILON, GAP, NUMBER, SELECTIONS, Wanted

__all__ = ["CLUSTER", "EPSILON", "GAP", "NUMBER", "SELECTIONS", "Wanted", "select"]
