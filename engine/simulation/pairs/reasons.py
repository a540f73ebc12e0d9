"""What the judges of simulated pairs say: their reasons, and answers without a verdict."""

import numpy as np
import pyarrow as pa

from engine.simulation.columns import coded
from engine.simulation.pairs.responses import Bools
from engine.simulation.pairs.verdicts import Answers

RAW = ("Both have their merits; it depends on the reader.", "The request was declined by the provider.")
"""What was said where the status is unparsed, and where it is refused."""

_FOR_ONE = (
    "The {shown} response meets more of the question's points.",
    "The {shown} response is more exact where the other stays vague.",
    "What the {shown} response says can be acted on; the other leaves gaps.",
    "The {shown} response explains its reasons, the other mostly asserts.",
)
_FOR_NONE = ("I find no difference that matters.", "Each makes a point that the other misses; they are even.")
_LONG = (
    "Let me go through relevance, accuracy, depth, logic and clarity in turn, and read both responses "
    "twice. On relevance both stay with the question. On accuracy I compare them sentence by sentence, and "
    "on depth I ask what a reader would still have to look up. Logic and clarity I weigh last, since a "
    "clear text can be thin. Having set all of this side by side, this is where I come down. "
)


def reasons(answers: Answers, ok: Bools, *, verbose: bool, rng: np.random.Generator) -> pa.DictionaryArray:
    """Return a reason for each answer with status ok, null for the others; `verbose` ones are long."""
    begin = _LONG if verbose else ""
    bank = [begin + text.format(shown=shown) for shown in ("first", "second") for text in _FOR_ONE]
    bank += [begin + text for text in _FOR_NONE]
    drawn = rng.random(len(answers))
    second = (answers.choice == 1) == answers.two_first
    of_one = (drawn * len(_FOR_ONE)).astype(np.int64) + len(_FOR_ONE) * second
    of_none = (drawn * len(_FOR_NONE)).astype(np.int64) + 2 * len(_FOR_ONE)
    return coded(np.where(ok, np.where(answers.choice == 0, of_none, of_one), -1), bank)
