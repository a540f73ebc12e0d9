"""How many of the criteria that judges judged a reference decides."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.bits.bitsets import count
from engine.arrays.bits.verdicts import VerdictCube

if TYPE_CHECKING:
    from engine.arrays.view import SliceView


@dataclass(frozen=True, slots=True)
class Coverage:
    """A reference, and how many criteria of judged answers it decides, of how many."""

    source: str
    covers: int
    of: int


def coverage(view: "SliceView") -> Coverage | None:
    """Return how much of the criteria judged in a slice its reference decides; None if it has none."""
    cube, request = view.cube, view.request
    if request.source is None or not isinstance(cube, VerdictCube):
        return None
    planes = view.study.references.planes(request.source, cube.judges, cube.generators, request.exclusion)
    judged, covered = (
        np.bitwise_or.reduce(part, axis=0)[view.columns] for part in (cube.ok & view.rubric.mask, planes.has)
    )
    return Coverage(request.source, int(count(judged & covered).sum()), int(count(judged).sum()))
