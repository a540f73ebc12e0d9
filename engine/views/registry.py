"""Every view by name, and the views that names of earlier versions meant."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.views.accuracy import ACCURACY
from engine.views.agreement import AGREEMENT
from engine.views.associations import ASSOCIATIONS
from engine.views.audit import AUDIT
from engine.views.baseline import BASELINE, BASELINE_CURVE, BASELINE_SUMMARY, DBG
from engine.views.best_of_n import BEST_OF_N
from engine.views.committee import COMMITTEE, COMMITTEE_FAMILIES, COMMITTEE_SIZE
from engine.views.compare import COMPARE, SWAPPED
from engine.views.conclusion import CONCLUSION
from engine.views.contents import CONTENTS
from engine.views.definition import DEFINITION, GLOSSARY_VIEW, MEASURE_LIST, MEASURE_OPTIONS
from engine.views.detectable import DETECTABLE
from engine.views.differences import DIFFERENCES
from engine.views.equal_quality import (
    ARCHETYPES,
    FIRM_CHOICES,
    LABELS,
    MITIGATION,
    SPB_BY_CATEGORY,
    SPB_BY_EPSILON,
)
from engine.views.families import FAMILIES
from engine.views.findings import FINDINGS
from engine.views.gold_stress import GOLD_STRESS
from engine.views.grid import GRID
from engine.views.independent_votes import INDEPENDENT_VOTES
from engine.views.judges import JUDGES
from engine.views.keys import Texts
from engine.views.kinds import KINDS
from engine.views.longer import LONGER
from engine.views.matrix import LIFT, MATRIX
from engine.views.mean_scores import MEAN_SCORES
from engine.views.missing_verdicts import MISSING_VERDICTS
from engine.views.model_likeness import MODEL_LIKENESS
from engine.views.one_judge import OWN_RANK, STRONGEST
from engine.views.orders import COSTS, FLIPS, LISTS, PERMUTATION, POSITIONS
from engine.views.paradigms import PARADIGMS
from engine.views.people import PEOPLE
from engine.views.planned_cost import PLANNED_COST
from engine.views.planned_excess import PLANNED_EXCESS
from engine.views.power import POWER
from engine.views.printed_votes import PRINTED_RUBRICS, PRINTED_VOTES
from engine.views.ranking_without_own import RANKING_WITHOUT_OWN
from engine.views.rankings import DISTANCES, RANK_FLIPS, RANKINGS
from engine.views.ratios import RATIOS_VIEW
from engine.views.relatedness import RELATEDNESS
from engine.views.shown import Shown
from engine.views.slices import CURVE, SLICES
from engine.views.standout_slices import STANDOUT_SLICES
from engine.views.stated_reasons import REASONS
from engine.views.statuses import STATUSES_BY_JUDGE, STATUSES_BY_PARADIGM
from engine.views.together import TOGETHER
from engine.views.verdicts import VERDICTS
from engine.views.view import AnyView
from engine.views.vote_matrix import VOTE_MATRIX, VOTE_RANKS
from engine.views.votes import VOTES
from engine.views.which_judge import WHICH_JUDGE

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

VIEWS: Mapping[str, AnyView] = {
    view.name: view
    for view in (
        *(JUDGES, CONCLUSION, DIFFERENCES, REASONS, STRONGEST, OWN_RANK, RATIOS_VIEW, ACCURACY),
        *(WHICH_JUDGE, BEST_OF_N, PEOPLE, FAMILIES, MEAN_SCORES),
        *(SLICES, CURVE, MATRIX, LIFT, VOTES, VOTE_MATRIX, VOTE_RANKS, COMPARE, SWAPPED, VERDICTS, GRID),
        STANDOUT_SLICES,
        *(PARADIGMS, COMMITTEE, COMMITTEE_SIZE, COMMITTEE_FAMILIES, AGREEMENT, RELATEDNESS, KINDS),
        *(ARCHETYPES, FIRM_CHOICES, SPB_BY_EPSILON, SPB_BY_CATEGORY, MITIGATION, LABELS),
        *(BASELINE, BASELINE_CURVE, BASELINE_SUMMARY, DBG, GOLD_STRESS, PRINTED_VOTES, PRINTED_RUBRICS),
        *(TOGETHER, ASSOCIATIONS, FINDINGS, RANKINGS, DISTANCES, RANK_FLIPS, POWER, PLANNED_COST),
        PLANNED_EXCESS,
        *(STATUSES_BY_PARADIGM, STATUSES_BY_JUDGE, CONTENTS),
        *(DEFINITION, MEASURE_LIST, MEASURE_OPTIONS, GLOSSARY_VIEW),
        *(POSITIONS, COSTS, PERMUTATION, MODEL_LIKENESS, LISTS, FLIPS),
        *(AUDIT, RANKING_WITHOUT_OWN, LONGER, MISSING_VERDICTS, INDEPENDENT_VOTES, DETECTABLE),
    )
}

FORMER: Mapping[str, tuple[str, Mapping[str | None, str]]] = {
    "overview": ("", {None: "judges"}),
    "slice": ("", {None: "slices"}),
    "workbench": ("chart", {None: "slices", "matrix": "matrix", "curve": "curve"}),
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


OF_PAPERS = {"against": ("responses",)}
"""What pins of slices compared own answers with before they named it."""


def shown_by_name(study: "MeasuredStudy", name: str, texts: Texts) -> Shown:
    """Return what the view of a pin's name and keys shows; an unknown name is its problem.

    Where a judge is opened on the board, the sentences are those of its conclusion, as on the page.
    """
    view, texts = view_of(study, name, texts)
    if view is None:
        return Shown(problems=(f"There is no page {name!r} whose views can be shown here.",))
    shown = view.shown(study, texts)
    of_judge = CONCLUSION.shown(study, texts) if view is JUDGES else Shown()
    return replace(shown, sentences=of_judge.sentences, basis=of_judge.basis) if of_judge.sentences else shown


def view_of(study: "MeasuredStudy", name: str, texts: Texts) -> tuple[AnyView | None, Texts]:
    """Return the view that a pin's name and keys mean, None for an unknown name, and its keys.

    Where they name no part of a page, it is the first that the study can fill.
    """
    if name not in FORMER:
        return VIEWS.get(name), texts
    key, parts = FORMER[name]
    part = next(iter(texts.get(key, ())), None)
    fit = (each for each in parts.values() if VIEWS[each].lacks(study) is None)
    view = parts[part] if part is not None and part in parts else next(fit, parts[None])
    if name == "workbench" and texts.get("compare"):
        view = "compare"
    elif name == "workbench" and (texts.get("item") or texts.get("q")):
        view = "verdicts"
    implied = OF_PAPERS if view in ("slices", "curve") else {}
    return VIEWS[view], {**implied, **texts}
