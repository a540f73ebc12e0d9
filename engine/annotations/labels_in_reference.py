"""How people's labels count in a study's reference."""

from dataclasses import dataclass

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import HUMAN, Exclusion, is_human
from engine.errors import UsageError
from engine.store.study_files import StudyFiles


@dataclass(frozen=True)
class PeopleInReference:
    """The sources whose majority is the reference `human`, and the cases that they leave undecided.

    `original` is the source to take for the reference without people who have names, if there is one.
    """

    sources: tuple[str, ...]
    undecided: int
    original: str | None


def people_in_reference(files: StudyFiles) -> PeopleInReference | None:
    """Return how labels count in the reference that a study's measures take; None where they do not."""
    study = StudyArrays(files)
    try:
        source = study.references.choose(None)
    except UsageError:  # several, and no default
        return None
    if source != HUMAN:
        return None
    every = np.arange(len(study.index.models))
    planes = study.references.planes(source, every, every, Exclusion())
    undecided = int(count(planes.tie & ~planes.has).sum())
    people = study.references.voters
    unnamed = [name for name in people if name not in study.references.stored_sources]
    others = [name for name in study.references.sources if not is_human(name)]
    return PeopleInReference(people, undecided, next(iter((*unnamed, *others)), None))
