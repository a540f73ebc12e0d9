"""Committees written into a study as reference verdicts (MEASURES section 7)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.judgment_rows import Selection
from engine.arrays.truths.references import COMMITTEE, FEWEST_MEMBERS, vote
from engine.errors import UsageError, unknown
from engine.measures.measured_study import MeasuredStudy
from engine.paradigms import RUBRIC_PARADIGMS
from engine.store.arrow_types import plain_texts
from engine.store.study_files import Committee, StudyFiles
from engine.store.writer import replace_tables


@dataclass(frozen=True)
class CommitteeCounts:
    decided: int
    divided: int


def write_committee(
    files: StudyFiles,
    name: str,
    members: list[str],
    paradigm: str | None = None,
    variant: str = "default",
    runs: Sequence[str] = (),
) -> CommitteeCounts:
    """Write the reference `committee:<name>` and its members, replacing any of that name.

    It is that of their verdicts in all runs, or in some. Rows are written if at least three members have a
    verdict; `met` is null if they are divided. Raises UsageError for an unknown member or run, fewer than
    three members, or a study without their verdicts.
    """
    study = MeasuredStudy(files).of_runs(runs)
    selection = replace(_selection(study, name, members, paradigm, variant), runs=study.only_runs)
    cube = study.cube(selection)
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the selection is of a rubric paradigm
    member_places = {study.index.models.index(member) for member in members}
    missing = [study.index.models[m] for m in sorted(member_places - set(cube.judges.tolist()))]
    if missing:
        raise UsageError(
            f"member {missing[0]!r} has no {selection.paradigm} verdicts; leave it out, or collect them"
        )
    voters = np.flatnonzero(np.isin(cube.judges, list(member_places)))
    unpack = study.index.layout.unpack
    met, decided, divided = map(unpack, vote(cube.met[voters], cube.ok[voters]))
    rows = _reference_rows(study, cube, COMMITTEE + name, met, decided, divided)
    others = files.table("references")
    others = others.filter(pc.not_equal(others.column("source").cast(pa.string()), COMMITTEE + name))
    info = files.info.model_copy(deep=True)
    info.committees[name] = Committee(
        members=members, paradigm=selection.paradigm, variant=variant, runs=list(study.only_runs) or None
    )
    references = pa.concat_tables([plain_texts(others), rows], promote_options="default")
    replace_tables(files, {"references": references}, info)
    return CommitteeCounts(int(decided.sum()), int(divided.sum()))


def _selection(
    study: MeasuredStudy, name: str, members: list[str], paradigm: str | None, variant: str
) -> Selection:
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
    present = [str(p) for p in study.inventory.values("paradigm") if p in RUBRIC_PARADIGMS]
    paradigm = paradigm or (present[0] if present else None)
    if paradigm not in present:
        raise unknown("paradigm of criteria", paradigm, present)
    variants = [str(v) for v in study.inventory.values("variant", paradigm=paradigm)]
    if variant not in variants:
        raise unknown("variant", variant, variants)
    return Selection(paradigm=paradigm, variant=variant)


def _reference_rows(
    study: MeasuredStudy,
    cube: VerdictCube,
    source: str,
    met: np.ndarray,
    decided: np.ndarray,
    divided: np.ndarray,
) -> pa.Table:
    generator, rubric = np.nonzero(decided | divided)
    index = study.index
    names = pa.array([index.models[g] for g in cube.generators])
    columns = {
        "instance_id": index.instances.take(pa.array(index.layout.instance_of[rubric])),
        "generator": names.take(pa.array(generator)),
        "rubric_id": index.rubric_ids.take(pa.array(rubric)),
        "source": pa.array([source] * len(rubric), pa.string()),
        "met": pa.array(met[generator, rubric], mask=~decided[generator, rubric]),
    }
    return pa.table(columns)
