"""Where judges favour themselves most: slices of rubrics, and opponents in pairs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.finder import words
from engine.findings.claims import Claim, Mark, MarkKind, Outcome, Row
from engine.findings.declared import Made
from engine.findings.making import Number, claim_of, near_end
from engine.findings.material import Material
from engine.findings.rules.who import BEYOND
from engine.findings.wording import counted
from engine.measures.result import Result
from engine.measures.table import SURE
from engine.metrics.resampling import benjamini_hochberg

SLICE = Number("slices", "where", "find", "difference", "slice", "n_self", "own failures there", 1.0)
OPPONENT = replace(BEYOND, rule="opponents", question="where")


def slices(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge the slice in which its ratio is surely higher than on all its other rubrics.

    All slices of one column and of two are tried (`spb find`), and p is adjusted over all of them, of all
    judges; a slice is claimed below 0.05. Of a judge the surest is told, or the plainer one that holds it.
    Contradicted where on rubrics of the slice that both responses failed the ratio is not above 1. The slice
    whose interval stays farthest above 1 comes first.
    """
    result = material.result(SLICE.measure)
    if not result.rows:
        return Made(reason=result.reason)
    higher = [row for row in result.rows if row["p_adjusted"] < SURE and row["difference"] > 1]
    foremost = []
    for judge in dict.fromkeys(row["judge"] for row in higher):
        first = words.foremost([row for row in higher if row["judge"] == judge])
        foremost += [] if first is None else [first]
    foremost.sort(key=lambda row: -near_end(row, SLICE))
    tried = int(result.filters["slices_tried"])
    shown = f"{counted(len(higher), 'slice')} of {tried:,} tried"
    return Made(tuple(_slice(material, result, row) for row in foremost), shown)


def _slice(material: Material, result: Result, row: Row) -> Claim:
    view = {
        name: (value,) if isinstance(value, str) else tuple(value) for name, value in row["filters"].items()
    }
    matched = row["hspp_matched"]
    doubt = []
    if matched is not None and matched <= 1:
        why = (
            f"on rubrics there that both responses failed the ratio is {matched:.2f} (n {row['n_matched']:,})"
        )
        doubt = [Mark(MarkKind.CONTRADICTED, why)]
    same = [other for other in result.rows if other["judge"] == row["judge"] and other is not row]
    return claim_of(
        material,
        result,
        row,
        SLICE,
        row["judge"],
        f"On {words.place(row)} the ratio of {row['judge']} is {row['hspp_self']:.2f}: "
        f"{SLICE.told(row)} times its {row['hspp_rest']:.2f} on all other rubrics.",
        rows=same[:4],
        view=view | ({} if row["by"] is None else {"by": (row["by"],)}),
        marks=doubt,
    )


def opponents(material: Material, before: Sequence[Outcome]) -> Made:  # noqa: ARG001
    """Claim of each judge the opponent against which it surely favours its own worse responses most.

    The number is T of `quality-baseline` against that opponent. Every judge is held against every opponent,
    and p is adjusted over all these pairs; an opponent is claimed below 0.05. Of a judge the opponent is told
    whose interval stays farthest above 0, and the judge whose own does comes first.
    """
    result = material.result(OPPONENT.measure)
    if not result.rows:
        return Made(reason=result.reason)
    field = OPPONENT.field
    tested = [row for row in result.rows if row["opponent"] is not None and row[f"{field}_p"] is not None]
    if not tested:
        return Made(reason="no judge has a T with an interval against any one opponent")
    adjusted = benjamini_hochberg(np.array([row[f"{field}_p"] for row in tested], dtype=np.float64))
    known = [row | {f"{field}_p_adjusted": float(p)} for row, p in zip(tested, adjusted, strict=True)]
    sure = [row for row in known if row[f"{field}_p_adjusted"] < SURE and row[field] > 0]
    sure.sort(key=lambda row: -near_end(row, OPPONENT))
    first = list({row["judge"]: row for row in reversed(sure)}.values())[::-1]
    shown = f"{len(sure):,} of {len(tested):,} pairs of judge and opponent"
    return Made(tuple(_opponent(material, result, row, known) for row in first), shown)


def _opponent(material: Material, result: Result, row: Row, known: Sequence[Row]) -> Claim:
    judge = row["judge"]
    return claim_of(
        material,
        result,
        row,
        OPPONENT,
        judge,
        f"Of responses that lost to {row['opponent']}, {judge} votes for its own {OPPONENT.told(row)} more "
        "than for other models', the most of all opponents.",
        rows=[other for other in known if other["judge"] == judge],
        view={"judge": (judge,)},
    )
