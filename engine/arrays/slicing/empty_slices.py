"""Why the filters of a slice keep nothing: what the study lacks, or which values it has."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.index import StudyIndex
from engine.arrays.slicing.group_by import agreement_required, single_view
from engine.arrays.slicing.resolve import NoDataError, of_runs, resolve
from engine.arrays.slicing.slice_masks import rubric_mask, within
from engine.arrays.truths.reference_coverage import coverage
from engine.arrays.truths.references import NONE
from engine.errors import UsageError
from engine.paradigms import LIST_PARADIGMS, RUBRIC_PARADIGMS
from engine.phrases import quantity
from engine.slices import BY_RUBRIC, TEXT_COLUMNS, Slice, how_stored, pairs_agree
from engine.stats import Floats
from engine.stats.scores.ranks import TOLERANCE
from engine.store.study_files import StudyFiles
from engine.wording import Sentence, option

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

_OF_CRITERIA = ("polarity", "length", *TEXT_COLUMNS, BY_RUBRIC)


def why_nothing_counts(study: "StudyArrays", spec: Slice, otherwise: str) -> str:
    """Return what the filters read that the study lacks, else another reason why a slice has no rows."""
    reason = (
        _why_no_criterion(study.index, spec)
        or _why_no_answer(study, spec)
        or _why_no_place(study, spec)
        or _why_no_agreement(study, spec)
        or _why_no_verdict(study, spec)
        or _why_no_own_verdict(study, spec)
    )
    if reason is not None:
        return reason
    if spec.min_agreement is None:
        return otherwise
    return Sentence(f"{otherwise}; only {pairs_agree(spec.filters())} count: lower ", option("min_agreement"))


def _why_no_criterion(index: StudyIndex, spec: Slice) -> str | None:
    """Return why the filters of criteria keep none; None if they keep some."""
    used = [name for name in _OF_CRITERIA if getattr(spec, name)]
    if not used:
        return None
    if index.n_rubrics == 0 and (spec.polarity is not None or spec.length is not None):
        name, what = ("polarity", "points") if spec.polarity is not None else ("length", "texts of them")
        return f"the study has no criteria, and so no {what}, {how_stored(name)}"
    if index.n_rubrics == 0 or rubric_mask(index, spec).any():
        return None
    if spec.polarity is not None and not rubric_mask(index, Slice(polarity=spec.polarity)).any():
        points = "points below 0" if spec.polarity == "negative" else "points of 0 or more"
        remedy = "" if (index.points != 1).any() else f", {how_stored('polarity')}"
        return f"the study has no {spec.polarity} criteria: none has {points}{remedy}"
    if spec.length is not None:
        lengths = index.lengths[spec.length_unit]
        if not within(lengths, spec.length).any():
            return _outside_bounds(lengths[~np.isnan(lengths)], "criterion", spec.length_unit)
    return f"no criterion passes all of these filters together: {', '.join(used)}"


def _why_no_answer(study: "StudyArrays", spec: Slice) -> str | None:
    """Return why no answer is as long as the filter says; None if some is."""
    if spec.response_length is None:
        return None
    texts = study.files.table("responses", ["text"])["text"].drop_null()
    lengths = np.asarray(pc.utf8_length(texts), dtype=np.float64)
    return None if within(lengths, spec.response_length).any() else _outside_bounds(lengths, "answer")


def _why_no_verdict(study: "StudyArrays", spec: Slice) -> str | None:
    """Return that no judgment of the runs and the paradigm has a verdict; None if one has."""
    where = of_runs(spec) | ({} if spec.paradigm is None else {"paradigm": spec.paradigm})
    statuses = study.inventory.values("status", **where)
    if not statuses or "ok" in statuses:
        return None
    total = study.inventory.total(**where)
    parts = (f"{study.inventory.total(status=each, **where):,} {each}" for each in statuses)
    return f"none of {quantity(total, 'judgment')} has a verdict: {', '.join(parts)}"


def _why_no_own_verdict(study: "StudyArrays", spec: Slice) -> str | None:
    """Return why no judge has a verdict on its own answers, though they were judged; None if one has."""
    if not {*RUBRIC_PARADIGMS} & {*study.inventory.values("paradigm", **of_runs(spec))}:
        return None
    try:
        cube = study.cube(resolve(study, spec, RUBRIC_PARADIGMS).selection)
    except (NoDataError, UsageError):
        return None
    if not isinstance(cube, VerdictCube) or cube.ok[cube.judges[:, None] == cube.generators].any():
        return None
    lost = cube.failures
    lost = lost.select(cube.judges[lost.judge] == cube.generators[lost.generator])
    if n_split := int(lost.count[lost.code == "merged"].sum()):
        return (
            "judges judged their own answers repeatedly, and of each verdict as many trials say yes as say "
            f"no, so that none of {n_split:,} counts"
        )
    if n_own := int(lost.count.sum()):
        return f"none of {quantity(n_own, 'judgment')} by judges of their own answers has a verdict"
    return None


def why_no_truth(study: "StudyArrays", spec: Slice) -> str | None:
    """Return that the reference decides none of the criteria judged; None if it decides some, or is none."""
    try:
        view = single_view(study, replace(spec, level="rubric"), None, RUBRIC_PARADIGMS).with_all_judges()
    except (NoDataError, UsageError):
        return None
    covered = coverage(view)
    if covered is None or covered.covers or not covered.of:
        return None
    undecided = f"the reference {covered.source} decides none of {quantity(covered.of, 'criterion')} judged"
    return Sentence(f"{undecided}; to count them without it: ", option("reference", NONE))


def _outside_bounds(lengths: Floats, what: str, unit: str = "characters") -> str:
    """Return that no text has a length within the bounds, and the lengths that there are."""
    if not len(lengths):
        texts, name = {"criterion": ("criteria", "length"), "answer": ("answers", "response_length")}[what]
        return f"the study has no texts of {texts}, {how_stored(name)}"
    ends = f"from {lengths.min():g} to {lengths.max():g} {unit}"
    return f"no {what} has a length within the bounds; the study's are {ends}"


def _why_no_place(study: "StudyArrays", spec: Slice) -> str | None:
    """Return why no criterion was shown in one of these places; None if some was."""
    if not spec.position:
        return None
    present = study.inventory.values("paradigm", **of_runs(spec))
    paradigm = spec.paradigm or next((name for name in RUBRIC_PARADIGMS if name in present), None)
    places = [] if paradigm is None else places_shown(study.files, (paradigm,))
    if set(spec.position) & set(places):
        return None
    if places:
        ends = f"from {places[0]} to {places[-1]}" if len(places) > 1 else f"{places[0]} alone"
        return f"no criterion was shown in such a place; the study's places are {ends}"
    for other in LIST_PARADIGMS:
        if other != paradigm and other in present and places_shown(study.files, (other,)):
            one_by_one = f"{paradigm} judgments have no places of criteria; choose "
            return Sentence(one_by_one, option("paradigm", other))
    return f"the study has no places of criteria, {how_stored('position')}"


def places_shown(files: StudyFiles, paradigms: tuple[str, ...]) -> list[int]:
    """Return the places in which criteria were shown, ascending."""
    places: set[int] = set()
    for table in files.judgment_batches(columns=["position"], where={"paradigm": paradigms}):
        places.update(pc.unique(table["position"].drop_null()).to_pylist())
    return sorted(places)


def _why_no_agreement(study: "StudyArrays", spec: Slice) -> str | None:
    """Return why no criterion has as much agreement as the filter says; None if some has."""
    if spec.min_agreement is None:
        return None
    try:
        agreement = agreement_required(study, resolve(study, spec, RUBRIC_PARADIGMS))
    except NoDataError as error:
        return f"judges agree on criteria, and {error.message}"
    except UsageError:  # the measure's own paradigm says more
        return None
    defined = agreement[~np.isnan(agreement)]
    if not len(defined):
        whose = " of other families than the judge's own" if spec.agreement_without_family else ""
        return f"agreement takes two judges on a criterion, and none has verdicts of two{whose}"
    if defined.max() < spec.min_agreement - TOLERANCE:
        return f"there are no {pairs_agree(spec.filters())}; the highest share is {100 * defined.max():.4g}%"
    return None
