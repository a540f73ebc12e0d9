"""Responses put together so that they meet or fail IFEval's instructions, as a demonstration wants them.

- `draft`: a response on its way, made of sentences about a topic that no writer invents.
- `writers`: one writer for each instruction.

The tests ask the checkers whether every text came out as it was meant.
"""

from collections.abc import Sequence

import numpy as np

from engine.simulation.drafts.draft import Draft, Topic
from engine.simulation.drafts.writers import WRITERS, Kwargs

__all__ = ["Topic", "write_response"]

_ORDER = list(WRITERS)


def write_response(
    topic: Topic,
    asked: Sequence[tuple[str, Kwargs]],
    met: Sequence[bool],
    rng: np.random.Generator,
    lead: str = "",
) -> str:
    """Write a response that meets each instruction or does not, as `met` says, in a model's manner."""
    draft = Draft(topic, rng, lead)
    wanted = sorted(zip(asked, met, strict=True), key=lambda item: _ORDER.index(item[0][0]))
    for (checker, kwargs), meets in wanted:
        WRITERS[checker](draft, kwargs, meets)
    return draft.write()
