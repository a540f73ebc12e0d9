"""What a page of the explorer and the report's view of it have in common, declared once for both."""

from collections.abc import Collection

OF_RUBRICS = ("level", "paradigm", "min_agreement")
"""The filters that do not act on measures of pairs."""

FIRST_OF_ORDERS = {"score_rubric": "positions", "pairwise": "pairs", "all_rubrics": "rubrics"}
"""The part of the page on orders that is shown first, by the first paradigm of these that a study has."""

TOLD = {
    "overview": "Ratio of each judge for its own responses, on matched rubrics, and for its relatives.",
    "slice": "Ratio of each judge for its own responses, on all and on matched rubrics.",
    "committee": "Ratio and accuracy of each member, and of the committee in its place, at both levels.",
    "agreement": "Mean ratio over judges on rubrics of at least each agreement, and the share of them kept.",
    "archetypes": "Discriminability D of each judge against SPB, over the regions of the archetypes.",
    "baseline": "ILSP before and after the baseline, ILSP and LSP, and entropies, of each judge or opponent.",
    "orderings": "Bias cost of each order of score options, of each judge; the recommended one is marked.",
    "permutation": "Correlation with people of orderings permuted, one repeated, and repeats corrected.",
    "flips": "Flip rate, share that chose the first shown, and flips to the first, of each judge.",
}
"""Charts that both draw, in words for who cannot see them."""


def first_of_orders(paradigms: Collection[str | None]) -> str:
    """Return the part of the page on orders that is shown first of a study with these paradigms."""
    return next((part for way, part in FIRST_OF_ORDERS.items() if way in paradigms), "pairs")


def usual_quality(paradigms: Collection[str | None]) -> str:
    """Return what quality is taken from where nothing is chosen, of a study with these paradigms."""
    return "judges" if "quality" in paradigms else "reference"
