"""What the explorer's views need, decided from the study's content without computing measures."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


_REFERENCE = (
    "It needs a reference that says which answers are right: import one, let several judges vote as "
    "a committee, or ask people to label."
)
_PAIRS = "It needs judgments that compare two answers; this study has none."
NEEDS_ORDERS = "It needs pairs, lists of criteria or score options that were shown in more than one order."
_JUDGMENTS = "It needs judgments; this study has none yet."

OF_REFERENCE = ("paradigms",)
OF_PAIRS = ("equal_quality", "quality_baseline")
OF_ORDERS = ("order_effects",)


def unavailable_views(study: "MeasuredStudy") -> dict[str, str]:
    """Return the views that a study cannot fill, each with a text on what they need.

    The names are those of views in pins. Other views may still be empty for some filters.
    """
    paradigms = set(study.inventory.values("paradigm")) - {"quality"}
    if not paradigms:
        return dict.fromkeys(("workbench", *OF_REFERENCE, *OF_PAIRS, *OF_ORDERS), _JUDGMENTS)
    reasons: dict[str, str] = {}
    if not study.references.sources and not study.info.committees:
        reasons |= dict.fromkeys(OF_REFERENCE, _REFERENCE)
    if "pairwise" not in paradigms:
        reasons |= dict.fromkeys(OF_PAIRS, _PAIRS)
    if not paradigms & {"pairwise", "all_rubrics", "score_rubric"}:
        reasons |= dict.fromkeys(OF_ORDERS, NEEDS_ORDERS)
    return reasons
