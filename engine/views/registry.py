"""Every view by name, and the views that names of earlier versions meant."""

from collections.abc import Mapping

from engine.views.agreement import AGREEMENT
from engine.views.baseline import BASELINE, BASELINE_CURVE, BASELINE_SUMMARY, DBG
from engine.views.committee import COMMITTEE, COMMITTEE_FAMILIES, COMMITTEE_SIZE
from engine.views.equal_quality import (
    ARCHETYPES,
    FIRM_CHOICES,
    LABELS,
    MITIGATION,
    SPB_BY_CATEGORY,
    SPB_BY_EPSILON,
)
from engine.views.families import FAMILIES
from engine.views.judges import JUDGES
from engine.views.keys import Texts
from engine.views.kinds import KINDS
from engine.views.mean_scores import MEAN_SCORES
from engine.views.orders import COSTS, FLIPS, LISTS, PERMUTATION, POSITIONS
from engine.views.paradigms import PARADIGMS
from engine.views.people import PEOPLE
from engine.views.view import AnyView
from engine.views.which_judge import WHICH_JUDGE

VIEWS: Mapping[str, AnyView] = {
    view.name: view
    for view in (
        *(JUDGES, WHICH_JUDGE, PEOPLE, FAMILIES, MEAN_SCORES),
        *(PARADIGMS, COMMITTEE, COMMITTEE_SIZE, COMMITTEE_FAMILIES, AGREEMENT, KINDS),
        *(ARCHETYPES, FIRM_CHOICES, SPB_BY_EPSILON, SPB_BY_CATEGORY, MITIGATION, LABELS),
        *(BASELINE, BASELINE_CURVE, BASELINE_SUMMARY, DBG),
        *(POSITIONS, COSTS, PERMUTATION, LISTS, FLIPS),
    )
}

FORMER: Mapping[str, tuple[str, Mapping[str | None, str]]] = {
    "overview": ("", {None: "judges"}),
    "paradigms": (
        "part",
        {None: "paradigms", "committee": "committee", "agreement": "agreement", "slices": "kinds"},
    ),
    "equal_quality": ("", {None: "archetypes"}),
    "quality_baseline": ("", {None: "baseline"}),
    "order_effects": (
        "orders",
        {None: "flips", "positions": "positions", "costs": "costs", "permutation": "permutation"}
        | {"rubrics": "lists", "pairs": "flips"},
    ),
}
"""Pages under whose names views were pinned: the key of their part, and the view that each value means."""


def view_of(name: str, texts: Texts) -> AnyView | None:
    """Return the view that a pin's name and keys mean; None for an unknown name."""
    if name in FORMER:
        key, parts = FORMER[name]
        part = next(iter(texts.get(key, ())), None)
        name = parts.get(part, parts[None])
    return VIEWS.get(name)
