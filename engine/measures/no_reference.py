"""Why a study without a reference has no rows of a measure that needs one, and what would give it some."""

from typing import TYPE_CHECKING

from engine.arrays.truths.references import FEWEST_MEMBERS
from engine.paradigms import PAIR_PARADIGMS, RESPONSE_SCORES, RUBRIC_PARADIGMS

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

COMMITTEE_VOTES = "let a committee of judges vote"
"""What makes a reference of verdicts on criteria; a terminal names the command."""

PAIRS_ALONE = (
    "the study has no reference for these pairs: that takes verdicts on criteria of their answers; people's "
    "preferences and judges' votes on pairs do not make one"
)
"""Why neither preferences nor a committee would give a study of pairs alone its rows."""


def why_no_reference(study: "StudyArrays") -> str:
    """Return that a study has no reference for its judgments, and what would give it one."""
    present = set(study.inventory.values("paradigm"))
    if present & set(PAIR_PARADIGMS) and not present & set(RESPONSE_SCORES):
        return PAIRS_ALONE
    vote = f", or {COMMITTEE_VOTES}" if voters(study) else ""
    return f"the study has no reference for these judgments; import one{vote}"


def voters(study: "StudyArrays") -> list[str]:
    """Return the judges whose verdicts on criteria a committee can count; none if they are too few."""
    present = [each for each in study.inventory.values("paradigm") if each in RUBRIC_PARADIGMS]
    if not present:
        return []
    judges = study.inventory.values("judge", paradigm=present[0], variant="default")
    return [str(judge) for judge in judges] if len(judges) >= FEWEST_MEMBERS else []
