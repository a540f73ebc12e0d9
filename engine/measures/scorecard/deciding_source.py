"""The judgments that decide: the first paradigm and number that the study allows (MEASURES section 16)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays.pairs.judged_pairs import prefer_variant
from engine.arrays.slicing.empty_slices import why_nothing_counts
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError, of_runs
from engine.arrays.truths.gold_preferences import resolve_truth, stored_preferences
from engine.arrays.truths.reference_coverage import coverage
from engine.arrays.truths.references import NONE
from engine.arrays.view import SliceView
from engine.errors import SpbError, UsageError
from engine.measures.rows import Options
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.paradigms import PAIR_PARADIGMS, RESPONSE_SCORES, RUBRIC_PARADIGMS
from engine.phrases import join_names
from engine.slices import Slice
from engine.stats import Ints
from engine.wording import Sentence, Wording, option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

FEWEST_THEMES = 10
"""With fewer themes, errors cannot be clustered by theme."""
LOST_PAIRS = "vote_outside_lost"
"""Decides by only the pairs that the judge's own response lost by the gold votes."""
_SCORED = RESPONSE_SCORES
DECIDING = tuple(dict.fromkeys((*RUBRIC_PARADIGMS, "pairwise", *_SCORED)))
"""The paradigms that may decide, one of them for a study; a filter chooses another."""


def deciding_source(study: "StudyArrays", spec: Slice, options: Options) -> NumberSource:
    """Return the first number in section 16's order that the study has; NoDataError if it has none.

    If all are undefined, the first of them, which says why; `decide` names the number to use. UsageError for
    a reference that the study does not have, also where the number uses none.
    """
    study.references.choose(NONE if spec.reference is None else spec.reference)
    first: NumberSource | None = None
    near: NumberSource | None = None  # has a number of relatives alone
    unpaired = 0
    clusters = _themes(study) if options["clusters"] == "theme" else None
    material = _material(options)
    for source in _sources(study, spec, options["decide"]):
        source = replace(source, material=material)
        if clusters is not None:
            if source.number not in ("odds_self", "hspp_matched"):
                raise UsageError(
                    f"clusters 'theme' applies to verdicts on criteria, but {source.number} decides here; "
                    "leave out ",
                    option("clusters"),
                )
            source = replace(source, clusters=clusters)
        if np.isfinite(source.case.evidence.own.value).any():
            return source
        if first is None and source.judged.any():
            first = source
        relatives = source.case.evidence.relatives
        if near is None and relatives is not None and np.isfinite(relatives.own.value).any():
            near = source
        unpaired = max(unpaired, source.orders_missing)
    if first is None:
        first = near
    if first is not None:
        return first
    if unpaired:
        raise NoDataError(
            f"{unpaired:,} judgments of pairs lack the other order, and no pair with a judge's own "
            "answer has both; ",
            other_order(study),
        )
    raise _why_nothing_decides(study, spec, options["decide"])


def other_order(study: "StudyArrays") -> Sentence:
    """Return what helps where pairs were judged in one order only, which may not be known of all."""
    remedy = "judge the pairs in the other order too"
    if knows_orders(study):
        return Sentence(
            f"{remedy}; the measure `votes` shows how often each judge votes for its own, whichever was "
            "shown first"
        )
    return Sentence(
        f"{remedy}; import which answer was shown first, where that is not known; only verdicts that are "
        "over both orders already are imported with ",
        Wording("first=both", "set={'first': 'both'}"),
    )


def knows_orders(study: "StudyArrays") -> bool:
    """Return whether it is known of each judgment of a pair which answer was shown first."""
    orders = study.files.table("judgments", ("first",), {"paradigm": PAIR_PARADIGMS})["first"]
    return set(orders.unique().to_pylist()) <= {"generator", "opponent"}


def _why_nothing_decides(study: "StudyArrays", spec: Slice, decide: str | None) -> SpbError:
    """Return why a study has no source: a refusal, if no judgments take the filters; else that none is own.

    What scores lack, such as a scale, is said too, and that there are no judgments of which `decide` is.
    """
    if decide is not None and decide not in (can := _numbers_of(study, spec)):
        remedy = ("; leave out ", option("decide"))
        if can:
            remedy = (f"; choose from {join_names(can)}, or leave out ", option("decide"))
        return NoDataError(f"{decide} is of {_JUDGMENTS[decide]}, of which the study has none here", *remedy)
    refusals: list[SpbError] = []
    present = study.inventory.values("paradigm", **of_runs(spec))
    paradigms = [name for name in DECIDING if name in present and spec.paradigm in (None, name)]
    for paradigm in paradigms:
        try:
            single_view(study, replace(spec, paradigm=paradigm, reference=NONE), None, (paradigm,))
        except (NoDataError, UsageError) as error:
            if paradigm in _SCORED and isinstance(error, NoDataError):
                return error
            refusals.append(error)
    if refusals and len(refusals) == len(paradigms):
        return refusals[0]
    return NoDataError(why_nothing_counts(study, spec, "no judge has judged its own answers in this slice"))


_JUDGMENTS = {
    "odds_self": "verdicts on criteria",
    "hspp_matched": "verdicts on criteria with a reference",
    "vote_outside": "comparisons of pairs",
    LOST_PAIRS: "comparisons of pairs",
    "bonus_outside": "scores, or of verdicts on criteria",
}
"""The judgments that a number which may decide is of."""


def _numbers_of(study: "StudyArrays", spec: Slice) -> list[str]:
    """Return the numbers that may decide by the judgments of a slice."""
    present = {p for p in study.inventory.values("paradigm", **of_runs(spec)) if spec.paradigm in (None, p)}
    of_verdicts, has_pairs = (bool(present & {*each}) for each in (RUBRIC_PARADIGMS, PAIR_PARADIGMS))
    can = {
        "odds_self": of_verdicts,
        "hspp_matched": of_verdicts and bool(study.references.sources),
        "vote_outside": has_pairs,
        LOST_PAIRS: has_pairs,
        "bonus_outside": bool(present & {*_SCORED}),
    }
    return [name for name, is_possible in can.items() if is_possible]


def other_sources(study: "StudyArrays", decided: str | None) -> list[str]:
    """Return the study's paradigms on which the scorecard could rest, beside the one that it rests on."""
    present = study.inventory.values("paradigm")
    return [name for name in DECIDING if name in present and name != decided]


def unused_reference(
    study: "StudyArrays", spec: Slice, source: NumberSource, decide: str | None
) -> dict[str, Any]:
    """Return the reference, where the number that decides uses none; else nothing.

    With it how many criteria of judged answers it covers, and all of them, if there are verdicts on criteria.
    One that was not named is that of these verdicts, unless `decide` says what is used.
    """
    if spec.reference == NONE or source.view.request.source is not None or source.pairs is not None:
        return {}
    if spec.reference is None and decide is not None:
        return {}
    facts: dict[str, Any] = {} if spec.reference is None else {"unused_reference": spec.reference}
    present = study.inventory.values("paradigm", **of_runs(spec))
    for paradigm in [p for p in RUBRIC_PARADIGMS if p in present and spec.paradigm in (None, p)][:1]:
        view = _view(study, replace(spec, paradigm=paradigm, level="rubric"))
        covered = None if view is None else coverage(view)
        if covered is not None:
            facts = {
                "unused_reference": covered.source,
                "unused_covers": covered.covers,
                "unused_of": covered.of,
            }
    return facts


def _material(options: Options) -> float | None:
    """Return the bound of equivalence; UsageError unless it is above 0 (above 1 for odds, checked there)."""
    material = options["material"]
    if material is not None and not material > 0:
        raise UsageError(
            f"material {material!r} is not above 0; give odds such as 1.25, or points of 100 such as 2"
        )
    return None if material is None else float(material)


def _themes(study: "StudyArrays") -> Ints:
    """Return the theme of each instance as a code; an instance without one stands alone."""
    themes = study.index.instance_fields["theme"].tolist()
    n_themes = len({theme for theme in themes if theme is not None})
    if n_themes < FEWEST_THEMES:
        raise UsageError(
            f"clusters 'theme' needs at least {FEWEST_THEMES} themes, but the study has {n_themes}; "
            "leave out ",
            option("clusters"),
        )
    labels = [place if theme is None else str(theme) for place, theme in enumerate(themes)]
    codes = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    return np.array([codes[label] for label in labels])


def _sources(study: "StudyArrays", spec: Slice, decide: str | None) -> Iterator[NumberSource]:
    """Yield the sources that the study may have, in the order in which they decide."""
    present = [p for p in study.inventory.values("paradigm", **of_runs(spec)) if spec.paradigm in (None, p)]
    rubrics = [p for p in RUBRIC_PARADIGMS if p in present][:1]
    for paradigm in rubrics:
        view = _view(study, replace(spec, paradigm=paradigm, level="rubric"))
        if view is not None and view.request.source is not None:
            alone = not family_masks(view).outside.any()
            if decide == "odds_self" or (decide is None and not alone):
                yield NumberSource("odds_self", view, "failed")
            if decide == "hspp_matched" or (decide is None and alone):
                yield NumberSource("hspp_matched", view, "failed")
    if "pairwise" in present and decide in (None, "vote_outside", LOST_PAIRS):
        pairs = "lost" if decide == LOST_PAIRS else "all"
        yield from _sources_of_pairs(study, replace(spec, paradigm="pairwise"), pairs)
    for paradigm in [p for p in _SCORED if p in present][:1] if decide in (None, "bonus_outside") else []:
        view = _view(study, replace(spec, paradigm=paradigm, level="instance", reference=NONE))
        if view is not None:
            yield NumberSource("bonus_outside", view, "any" if paradigm in RUBRIC_PARADIGMS else None)
    for paradigm in rubrics if decide in (None, "odds_self") else []:
        view = _view(study, replace(spec, paradigm=paradigm, level="rubric", reference=NONE))
        if view is not None:
            yield NumberSource("odds_self", view, "any")


def _sources_of_pairs(study: "StudyArrays", spec: Slice, pairs: str) -> Iterator[NumberSource]:
    """Yield the pairs, with the gold that says which are ties and lost, if the study has it.

    All decide by default, rather than those lost by the gold votes: these are half of them, and detect a
    planted judge in 75 % of studies where all detect it in 95 % (docs/claims.md).
    """
    spec = prefer_variant(study, spec, None, "default", "forced", "forced_tie")
    has_gold = stored_preferences(study, spec.transform).counting or study.references.sources
    view = _view(study, resolve_truth(study, spec)) if has_gold else None
    view = view or _view(study, replace(spec, reference=NONE))
    if view is not None:
        yield NumberSource("vote_outside", view, None, pairs)


def _view(study: "StudyArrays", spec: Slice) -> SliceView | None:
    """Return the slice with all judges; None if the study or the filters do not allow it."""
    try:
        every = single_view(study, replace(spec, judges=()), None, (spec.paradigm or "",))
        return every.with_all_judges()
    except (NoDataError, UsageError):
        return None
