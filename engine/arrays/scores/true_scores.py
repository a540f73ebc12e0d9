"""The scores of answers by a reference (MEASURES sections 3 and 20)."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.judgment_rows import Selection
from engine.arrays.scores.scores import score_responses
from engine.arrays.truths.reference_planes import ReferencePlanes
from engine.paradigms import OPTION_PARADIGMS
from engine.stats import Floats, Ints
from engine.stats.scores.system_scores import ScoreKind

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


def true_scores(
    study: "StudyArrays", source: str | None, truth: ReferencePlanes, models: Ints, kind: ScoreKind
) -> Floats:
    """Return a source's scores of the models' answers, (judges or 1, models, instances); NaN for none.

    They follow from its verdicts on all criteria, `truth`; of a source without any verdict they are its
    scores by criterion.
    """
    if source is not None and not truth.has.any():
        return scores_given(study, source)[:, models]
    return score_responses(study.index, truth.met, truth.has, study.verdict_criteria, kind).values


def scores_given(study: "StudyArrays", source: str) -> Floats:
    """Return a source's mean scores by criterion of all answers, (1, models, instances), NaN for none.

    An answer has one where it has all that the source scores in any answer to the question. Scales are those
    of the judges' scores.
    """
    (paradigm,) = OPTION_PARADIGMS
    variants = study.inventory.values("variant", paradigm=paradigm)
    variant = str(variants[0]) if variants and "default" not in variants else "default"

    def read() -> Floats:
        by_judges = study.criterion_scores(Selection(paradigm=paradigm, variant=variant))
        given = by_judges.reference(study.files, study.index, source)
        by_source = replace(by_judges, requested=np.unique(given.key))
        everything = np.ones(len(by_judges.instance_of), dtype=bool)
        models = np.arange(len(study.index.models))
        return by_source.mean_over(everything, given, np.array([-1]), models)

    return study.remember(("scores given", source, variant), read)
