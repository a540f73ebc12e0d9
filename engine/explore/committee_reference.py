"""Committees written into a study as reference verdicts (MEASURES section 7)."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.references import COMMITTEE, FEWEST_MEMBERS, vote
from engine.arrays.rows import Selection
from engine.arrays.verdicts import VerdictCube
from engine.errors import UsageError, unknown
from engine.schema import RUBRIC_PARADIGMS
from engine.store.parquet import plain_texts
from engine.store.study_files import Committee, StudyFiles
from engine.study import Study


@dataclass(frozen=True)
class Written:
    """How many verdicts a committee reached, and on how many it is divided."""

    decided: int
    divided: int


def write_committee(
    files: StudyFiles, name: str, members: list[str], paradigm: str | None = None, variant: str = "default"
) -> Written:
    """Write the reference `committee:<name>` and its members; one of that name is replaced.

    Rows are written where at least three members have a verdict; `met` is null where they are divided.
    Raises UsageError for an unknown member, fewer than three, or a study without their verdicts.
    """
    study = Study(files)
    selection = _selection(study, name, members, paradigm, variant)
    cube = study.cube(selection)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the selection is of a rubric paradigm
    wanted = {study.index.models.index(member) for member in members}
    silent = [study.index.models[m] for m in sorted(wanted - set(cube.judges.tolist()))]
    if silent:
        raise UsageError(
            f"member {silent[0]!r} has no {selection.paradigm} verdicts; leave it out, or collect them"
        )
    sat = np.flatnonzero(np.isin(cube.judges, list(wanted)))
    unpack = study.index.layout.unpack
    met, decided, divided = map(unpack, vote(cube.met[sat], cube.ok[sat]))
    rows = _rows(study, cube, COMMITTEE + name, met, decided, divided)
    others = files.table("references")
    others = others.filter(pc.not_equal(others.column("source").cast(pa.string()), COMMITTEE + name))
    info = files.info.model_copy(deep=True)
    info.committees[name] = Committee(members=members, paradigm=selection.paradigm, variant=variant)
    references = pa.concat_tables([plain_texts(others), rows], promote_options="default")
    files.replace_table("references", references, info)
    return Written(int(decided.sum()), int(divided.sum()))


def _selection(study: Study, name: str, members: list[str], paradigm: str | None, variant: str) -> Selection:
    if not name.strip():
        raise UsageError(f"the committee's name is {name!r}; give a name that is not empty")
    for member in members:
        if member not in study.index.models:
            raise unknown("member", member, study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a committee needs at least {FEWEST_MEMBERS} members, but {name!r} has "
            f"{len(set(members))}; name more"
        )
    present = [p for p in study.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
    chosen = paradigm or (present[0] if present else None)
    if chosen not in present:
        raise unknown("rubric paradigm", chosen, [str(p) for p in present])
    variants = [str(v) for v in study.inventory.values("variant", paradigm=chosen)]
    if variant not in variants:
        raise unknown("variant", variant, variants)
    return Selection(paradigm=str(chosen), variant=variant)


def _rows(
    study: Study, cube: VerdictCube, source: str, met: np.ndarray, decided: np.ndarray, divided: np.ndarray
) -> pa.Table:
    generator, rubric = np.nonzero(decided | divided)
    index = study.index
    names = pa.array([index.models[g] for g in cube.generators])
    verdict = pa.array(met[generator, rubric], mask=~decided[generator, rubric])
    return pa.table(
        {
            "instance_id": index.instances.take(pa.array(index.layout.instance_of[rubric])),
            "generator": names.take(pa.array(generator)),
            "rubric_id": index.rubric_ids.take(pa.array(rubric)),
            "source": pa.array([source] * len(rubric), pa.string()),
            "met": verdict,
        }
    )
