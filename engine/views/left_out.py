"""What a slice leaves out, counted beside every table (MEASURES section 1)."""

from typing import TYPE_CHECKING

import numpy as np

from engine.cubes.pairs import PairCube
from engine.cubes.scores import ScoreCube
from engine.cubes.verdicts import VerdictCube

if TYPE_CHECKING:
    from engine.views.view import View

CODES = {
    "unparsed": "judgments in which no verdict could be read",
    "refused": "judgments that the judge's provider refused",
    "error": "judgments whose call failed",
    "no_reference": "judgments for which the reference has no verdict",
    "reference_tie": "judgments on which the reference's members are divided",
    "order_missing": "pair judgments without their other order",
    "no_choice": "pair judgments that name no outcome",
    "merged": "judgments merged with a repeat of theirs",
    "repeat_tie": "judgments whose repeats are divided",
    "incomplete": "responses (of a judge, instance and generator) that lack a verdict",
    "not_common": "responses (instance and generator) not counted in all the sets compared",
}
"""What each code of `left_out` counts."""


def left_out(view: "View") -> dict[str, int]:
    """Return the counts by code, zeros too for the codes that the judgments' kind can have."""
    if isinstance(view.cube, VerdictCube):
        counts = dict.fromkeys(("unparsed", "refused", "error", "no_reference", "reference_tie"), 0)
        counts |= view.rubric.left_out
        if not view.at_rubrics:
            counts["incomplete"] = _incomplete(view)
        return counts
    counts = dict.fromkeys(("unparsed", "refused", "error", "no_reference"), 0)
    return counts | (
        _of_pairs(view, view.cube) if isinstance(view.cube, PairCube) else _of_scores(view, view.cube)
    )


def _incomplete(view: "View") -> int:
    """Count the responses that a judge began to judge, with rubrics kept, but has no score for."""
    assert isinstance(view.cube, VerdictCube)  # noqa: S101 - for the type checker; left_out asked already
    layout = view.study.index.layout
    asked = layout.count_by_instance(view._mask) > 0
    present = view.cube.present & asked
    return int((present[np.ix_(view.rows, view.columns)] & np.isnan(view.scored.judge.values)).sum())


def _of_scores(view: "View", cube: ScoreCube) -> dict[str, int]:
    failures, kept = cube.failures, np.broadcast_to(view._kept_cells, cube.scores.shape[1:])
    shown = np.isin(failures.judge, view.rows) & np.isin(failures.generator, view.columns)
    codes = failures.tally(shown & kept[failures.generator, failures.place])
    unknown = np.isnan(view.scored.reference.values) & ~np.isnan(view.scored.judge.values)
    return codes | {"no_reference": int(unknown.sum())}


def _of_pairs(view: "View", cube: PairCube) -> dict[str, int]:
    kept = np.broadcast_to(view._kept_cells, (len(cube.generators), view.study.index.n_instances))

    def shown(rows: object) -> np.ndarray:
        judge, generator, opponent, instance = (
            getattr(rows, name) for name in ("judge", "generator", "opponent", "instance")
        )
        one, two = (np.searchsorted(cube.generators, side) for side in (generator, opponent))
        return (
            np.isin(judge, view.judges)
            & np.isin(generator, view.generators)
            & np.isin(opponent, view.generators)
            & kept[one, instance]
            & kept[two, instance]
        )

    marks = shown(cube.failures)
    codes = {
        code: int(cube.failures.count[marks & (cube.failures.code == code)].sum())
        for code in sorted(set(cube.failures.code[marks]))
    }
    rows, used = cube.rows, shown(cube.rows) & cube.used
    levels = view._reference_scores.levels
    judge = np.minimum(np.searchsorted(view.judges, rows.judge[used]), len(levels) - 1)
    one, two = (np.searchsorted(view.generators, side[used]) for side in (rows.generator, rows.opponent))
    known = (levels[judge, one, rows.instance[used]] >= 0) & (levels[judge, two, rows.instance[used]] >= 0)
    return {"order_missing": 0} | codes | {"no_reference": int((~known).sum())}
