"""The cells on which a judge and the judges outside its family differ, with the judges on each side.

`outside` and the conclusion on a judge rest on them (MEASURES section 15): the judge's verdict on its own
response, compared with those of judges that have no stake in it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays.group_by import single_view
from engine.arrays.joint_verdicts import JointVerdicts, with_all_judges
from engine.arrays.references import NONE
from engine.errors import UsageError, unknown
from engine.paradigms import RUBRIC_PARADIGMS
from engine.slices import Slice

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


@dataclass(frozen=True)
class DisputedCell:
    """A judge's verdict on a rubric of a response, and the judges outside both families on either side.

    `favourable` is the judge's verdict; `crediting` and `not_crediting` are the outside judges.
    """

    judge: str
    generator: str
    instance_id: str
    rubric_id: str
    favourable: bool
    crediting: tuple[str, ...]
    not_crediting: tuple[str, ...]

    @property
    def against(self) -> float:
        """The share of outside judges that disagree."""
        otherwise = self.not_crediting if self.favourable else self.crediting
        return len(otherwise) / (len(self.crediting) + len(self.not_crediting))


def disputed_cells(
    study: "StudyArrays",
    spec: Slice,
    judge: str,
    *,
    generator: str | None = None,
    truth: str | None = None,
    favourable: bool | None = None,
    limit: int | None = 50,
) -> list[DisputedCell]:
    """Return the cells on which a judge and at least one outside judge differ, the most contradicted first.

    `generator` defaults to the judge itself, `truth` (see `outside`) to `failed` with a reference and to
    `any` without; `favourable` selects the cells that the judge credits, or does not. Ties are in the order
    of the study. Raises UsageError for an unknown model, and for judgments other than rubric verdicts;
    NoDataError if the study has no such judgments.
    """
    models = study.index.models
    for name, role in ((judge, "judge"), (generator or judge, "generator")):
        if name not in models:
            raise unknown(role, name, models)
    spec = replace(spec, judges=(), level="rubric", reference=NONE if truth == "any" else spec.reference)
    view = with_all_judges(single_view(study, spec, None, RUBRIC_PARADIGMS))
    truth = truth or ("any" if view.request.source is None else "failed")
    if truth != "any" and view.request.source is None:
        raise UsageError(f"truth {truth!r} needs a reference, and the study has none; choose 'any'")
    joint = JointVerdicts.of(view, truth)
    author = models.index(generator or judge)
    if models.index(judge) not in view.judges or author not in view.generators:
        return []
    row = int(np.searchsorted(view.judges, models.index(judge)))
    column = int(np.searchsorted(view.generators, author))
    counted, credited = (joint.layout.unpack(plane[:, column]) for plane in (joint.counted, joint.favourable))
    unrelated = ~(joint.masks.own | joint.masks.family)[:, column]
    outside = joint.masks.outside[row] & (unrelated | (author == models.index(judge)))
    differ = (counted & (credited != credited[row]) & outside[:, None]).any(axis=0) & counted[row]
    if favourable is not None:
        differ &= credited[row] == favourable
    names = [models[j] for j in view.judges]
    cells = [
        DisputedCell(
            judge,
            generator or judge,
            study.index.instances[int(joint.layout.instance_of[place])].as_py(),
            study.index.rubric_ids[place].as_py(),
            bool(credited[row, place]),
            tuple(names[j] for j in np.flatnonzero(outside & counted[:, place] & credited[:, place])),
            tuple(names[j] for j in np.flatnonzero(outside & counted[:, place] & ~credited[:, place])),
        )
        for place in np.flatnonzero(differ).tolist()
    ]
    return sorted(cells, key=lambda cell: -cell.against)[:limit]
