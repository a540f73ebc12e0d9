"""The effect of rewriting on self-preference, by plain loops (MEASURES section 14).

Readings:
 1. Common: the (instance, generator) cells that the judge counts both without the transform and under it, as
    `common` has them; every other row of the judge is dropped, then each side is measured alone.
 2. A model is no gold judge, on either side, of a response it rewrote; else the panel would move the effect.
 3. The effect is a difference, for ratios too; the ratio of ratios stands beside it.
"""

from typing import Any

from plain.asking import ask, models
from plain.dbg import dbg
from plain.equal_quality import Rules, equal_quality
from plain.judged import all_pairs, outcome_of, preferred_variant
from plain.measures import hspp
from plain.pairs import resolved_pairs
from plain.study import PlainStudy, Row
from plain.verdicts import counted_verdicts

Cells = set[tuple[str, str]]


def transforms(study: PlainStudy, name: str, judge: str, transform: str) -> tuple[Any, Any] | None:
    """A judge's `hspp`, `dbg` or `spb` without the transform and under it; None without a common cell."""
    sides = ("none", transform)
    cells = [counted(study, name, judge, side) for side in sides]
    common = cells[0] & cells[1]
    if not common:
        return None
    narrowed = narrowed_to(study, judge, common)
    values = [value_of(narrowed, name, judge, side, transform) for side in sides]
    return values[0], values[1]


def counted(study: PlainStudy, name: str, judge: str, transform: str) -> Cells:
    """The (instance, generator) that the judge counts."""
    if name == "hspp" and any(row["paradigm"] == "single_rubric" for row in study.judgments):
        query = ask(study, judges=[judge], transform=transform)
        return {(v.instance_id, v.generator) for v in counted_verdicts(query)}
    variant = {} if name == "hspp" else {"variant": preferred_variant(study, "forced", "default")}
    query = ask(study, judges=[judge], transform=transform, paradigm="pairwise", **variant)
    if name == "hspp" or (name == "dbg" and not study.preferences):
        pairs = [(c.instance_id, (c.first, c.second)) for c in resolved_pairs(query)]
    else:
        pairs = [(p.instance_id, (p.one, p.two)) for p in all_pairs(query) if outcome_of(p) is not None]
    return {(instance_id, model) for instance_id, two in pairs for model in two}


def narrowed_to(study: PlainStudy, judge: str, cells: Cells) -> PlainStudy:
    """The study with only the judge's judgments of these cells, and the quality rows."""
    copy = PlainStudy(**vars(study))
    copy.judgments = [
        row
        for row in study.judgments
        if row["paradigm"] == "quality" or (row["judge"] == judge and is_in(row, cells))
    ]
    return copy


def is_in(row: Row, cells: Cells) -> bool:
    """Whether all responses of a judgment are in the cells."""
    sides = [side for side in (row["generator"], row["opponent"]) if side is not None]
    return all((row["instance_id"], side) in cells for side in sides)


def value_of(study: PlainStudy, name: str, judge: str, side: str, transform: str) -> Any:
    """The measure on one side."""
    if name == "hspp":
        return next(
            (row["hspp_self"] for row in hspp(study, transform=side)[0] if row["judge"] == judge), None
        )
    if name == "spb":
        return equal_quality(study, Rules(), transform=side).get(judge, {}).get("spb")
    if side == "none":
        study = without_rewriters(study, transform)
    return dbg(study, transform=side).get((judge, None), {}).get("dbg")


def without_rewriters(study: PlainStudy, transform: str) -> PlainStudy:
    """The study without the votes of gold judges on what they rewrote."""
    wrote = {
        (row["instance_id"], row["generator"], row["transformed_by"])
        for row in study.responses
        if row["transform"] == transform
    }
    copy = PlainStudy(**vars(study))
    copy.preferences = [
        row
        for row in study.preferences
        if not any(
            (row["instance_id"], row[side], row["source"]) in wrote for side in ("generator", "opponent")
        )
    ]
    return copy


def judges(study: PlainStudy) -> list[str]:
    """All models' names."""
    return models(ask(study))
