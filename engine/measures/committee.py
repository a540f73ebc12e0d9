"""`committee`: each member beside its committee's majority in its place (MEASURES section 7)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.cubes.index import positions
from engine.cubes.verdicts import VerdictCube
from engine.errors import UsageError, unknown
from engine.measures.accuracy import pair_accuracy, rubric_accuracy
from engine.measures.hspp import preference_columns
from engine.measures.table import Column, Table, stack
from engine.references import FEWEST_MEMBERS, vote
from engine.request import LackingError
from engine.views import View

_COMPARED = ("hspp_self", "hspp_family", "mra", "mipa")


def compute(view: View, options: Mapping[str, Any]) -> Table:
    """Return a row for each member at rubric level, then one for each at instance level."""
    members = _members(view, options["members"])
    cube = view.cube
    assert isinstance(cube, VerdictCube)  # noqa: S101 - the catalogue allows rubric paradigms only
    here = np.flatnonzero(np.isin(cube.judges, positions(members, view.study.index.models)))
    seated = view.shown_judges(np.intersect1d(here, view.rows))
    together = seated.judged_by(_one_voice(view, cube, here))
    names = [view.study.index.models[j] for j in seated.judges]
    rows: dict[str, list[Column]] = {name: [] for name in ("judge", "level", *_all(_COMPARED))}
    levels = ("rubric", "instance") if view.request.spec.level is None else (view.request.level,)
    for level in levels:
        rows["judge"].append(Column(names))
        rows["level"].append(Column([level] * len(names)))
        alone, joined = _numbers(seated.at(level)), _numbers(together.at(level))
        for name in _COMPARED:
            rows[name].append(alone[name])
            rows[f"{name}_committee"].append(joined[name])
    columns = {name: stack(parts) for name, parts in rows.items()}
    columns["members"] = Column([list(members)] * (len(levels) * len(names)))
    keep = np.tile(seated.rubric.cells.any(axis=(1, 2)), len(levels))
    return Table(columns, keep, seated.rubric.instances, seated.at(levels[-1]).left_out)


def _all(names: tuple[str, ...]) -> list[str]:
    return [column for name in names for column in (name, f"{name}_committee")]


def _members(view: View, asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the members asked for, or those of the study's first committee."""
    committees = view.study.info.committees
    if not asked and not committees:
        raise LackingError("the study has no committee; name one with --members A,B,C or `spb committee`")
    members = tuple(asked) if asked else tuple(next(iter(committees.values())).members)
    for name in members:
        if name not in view.study.index.models:
            raise unknown("member", name, view.study.index.models)
    if len(set(members)) < FEWEST_MEMBERS:
        raise UsageError(
            f"a committee needs {FEWEST_MEMBERS} members, {members!r} are {len(set(members))}; add some"
        )
    return members


def _one_voice(view: View, cube: VerdictCube, members: Any) -> VerdictCube:
    """Return the cube in which every judge says what the members' majority says."""
    layout = view.study.index.layout
    met, decided, _ = vote(layout.unpack(cube.met[members]), layout.unpack(cube.ok[members]))
    shape = cube.met.shape
    return VerdictCube(
        judges=cube.judges,
        generators=cube.generators,
        met=np.broadcast_to(layout.pack(met), shape),
        ok=np.broadcast_to(layout.pack(decided), shape),
        failures=cube.failures,
    )


def _numbers(view: View) -> dict[str, Column]:
    return preference_columns(view, view.counts) | rubric_accuracy(view) | pair_accuracy(view)
