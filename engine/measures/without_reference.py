"""The slice of a measure that needs no reference."""

from dataclasses import replace

from engine.arrays.study_arrays import StudyArrays
from engine.arrays.truths.references import NONE
from engine.measures.rows import Options
from engine.slices import Slice


def without_reference(_study: StudyArrays, spec: Slice, _options: Options, _by: str | None) -> Slice:
    """Return the slice without a reference, so that nobody has to choose one of several."""
    return replace(spec, reference=NONE) if spec.reference is None else spec
