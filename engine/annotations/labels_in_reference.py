"""How people's labels count in a study's reference."""

from dataclasses import dataclass

import numpy as np

from engine.arrays.bitsets import count
from engine.arrays.references import HUMAN, Exclusion, is_human
from engine.arrays.study_arrays import StudyArrays
from engine.errors import UsageError
from engine.store.study_files import StudyFiles


@dataclass(frozen=True)
class PeopleInReference:
    """The sources whose majority is the reference `human`, the other ones, and the cases left undecided."""

    sources: tuple[str, ...]
    others: tuple[str, ...]
    undecided: int


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
    people = tuple(name for name in study.references.stored_sources if is_human(name))
    others = tuple(name for name in study.references.sources if not is_human(name))
    return PeopleInReference(people, others, undecided)
