"""What the study says of its responses, before anybody compared them: how good, and which is better."""

import numpy as np

from engine.arrays import StudyArrays
from engine.config import RunConfig
from engine.cubes.gold import Preferences
from engine.cubes.pair_rows import Floats, Ints
from engine.errors import UsageError
from engine.metrics.scores import TOLERANCE
from engine.references import NONE, Exclusion
from engine.request import LackingError
from engine.slices import Slice
from engine.views.gold import Votes
from engine.views.quality import Quality, judged_quality, true_scores


def quality_of_responses(study: StudyArrays, config: RunConfig) -> Quality:
    """Return Q by the judges of quality or by the reference; UsageError where the study has neither."""
    try:
        if config.drawing.quality == "reference":
            return Quality(10 * _scores(study, config))
        return judged_quality(study, Slice(), {"quality_judges": tuple(config.quality_judges)})
    except LackingError:
        wanted = "references" if config.drawing.quality == "reference" else "quality judgments"
        raise UsageError(
            f"pairs: the study {study.name!r} has no {wanted} to draw pairs by; run paradigms = "
            '["quality"] on it first, or write quality = "reference" under [drawing] where it has references'
        ) from None
    except UsageError as error:
        raise UsageError(f"pairs: {error} (in a configuration: quality_judges)") from None


def pair_truth(study: StudyArrays, config: RunConfig, models: Ints, instances: Ints) -> Floats:
    """Return whether each model's response is better than each other's: 1, 0, or NaN for open.

    Of shape (models, opponents, instances): the majority of preferences, without any the reference's scores.
    """
    preferences = Preferences.read(study.files, study.index)
    if preferences.sources and config.drawing.reference in (None, NONE):
        shape = (len(models), len(models), len(instances))
        target, other, instance = (part.ravel() for part in np.indices(shape))
        outcome = preferences.of(instances[instance], models[target], models[other])
        found = Votes((1 + outcome) / 2).oracle.reshape(shape)
        found[np.arange(len(models)), np.arange(len(models))] = np.nan
        return found
    try:
        scores = _scores(study, config)[0][np.ix_(models, instances)]
    except LackingError:
        raise UsageError(
            f"pairs: the study {study.name!r} has neither preferences nor references, and proxies need to be "
            "right or wrong as often as the judge; add one of them"
        ) from None
    gap = scores[:, None] - scores[None, :]
    return np.where(gap > TOLERANCE, 1.0, np.where(gap < -TOLERANCE, 0.0, np.nan))


def _scores(study: StudyArrays, config: RunConfig) -> Floats:
    """Return the reference's scores: (1, models, instances)."""
    source = study.references.choose(config.drawing.reference)
    return true_scores(study, source, np.zeros(1, dtype=np.int64), Exclusion(), "fraction")
