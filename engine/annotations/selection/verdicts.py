"""Rubric verdicts worth a look: those that divide the judges, and those that the reference contradicts."""

from itertools import groupby
from typing import Any

import numpy as np

from engine.annotations.items import Hidden, Item
from engine.annotations.selection.source import Source
from engine.annotations.selection.strata import evenly, spread
from engine.drill import rows as drill_rows
from engine.request import LackingError, settle
from engine.schema import RUBRIC_PARADIGMS

_EVERYTHING = 1 << 31


def disagreements(source: Source) -> list[Item]:
    """Return the verdicts on which judges disagree most; LackingError where they disagree on none."""
    request = settle(source.study, source.wanted.spec, RUBRIC_PARADIGMS)
    agreement = source.study.agreement(request.selection)
    agreed = agreement.of_verdicts
    models = [int(model) for model in agreement.cube.generators]
    kept = np.isin(models, source.models)[:, None] & source.rubrics[None, :]
    found = []
    for row, rubric in np.argwhere((agreed < 1) & kept):  # NaN, with fewer than two verdicts, is not
        instance, model = int(source.index.layout.instance_of[rubric]), source.index.models[models[row]]
        if source.has(source.names[instance], model):
            level = round(float(agreed[row, rubric]), 9)
            found.append((level, instance, model, source.index.rubric_ids[int(rubric)].as_py()))
    if not found:
        raise LackingError("judges disagree on no verdict with a text; choose another selection")
    items = []
    for place in _most_first(found, source.rng)[: source.wanted.number]:
        level, instance, model, rubric_id = found[place]
        name = source.names[instance]
        hidden = Hidden(name, (model,), rubric_id, why="disagreement", facts={"agreement": level})
        items.append(Item(source.texts(name, [model], rubric_id), hidden))
    return items


def _most_first(found: list[tuple[float, int, str, str]], rng: np.random.Generator) -> list[int]:
    """Return the places by how little is agreed; within a level spread over questions."""
    by_level = sorted(rng.permutation(len(found)).tolist(), key=lambda place: found[place][0])
    instances = [instance for _, instance, _, _ in found]
    levels = groupby(by_level, key=lambda place: found[place][0])
    return [place for _, level in levels for place in evenly(list(level), [instances])]


def overestimations(source: Source) -> list[Item]:
    """Return verdicts that a judge gave and the reference does not; LackingError where there are none."""
    wanted = source.wanted
    listing = drill_rows(
        source.study,
        wanted.spec,
        "overestimation",
        judge=wanted.judge,
        generator=wanted.generator,
        limit=_EVERYTHING,
    )
    distinct: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in listing.rows:
        if row["rubric_id"] is not None and source.has(row["instance_id"], row["generator"]):
            distinct.setdefault((row["instance_id"], row["generator"], row["rubric_id"]), row)
    if not distinct:
        raise LackingError(listing.reason or "no overestimated rubric verdict here has a text; import them")
    kept = list(distinct.values())
    strata = [[row["instance_id"] for row in kept], [str(row["theme"]) for row in kept]]
    items = []
    for place in spread(strata, wanted.number, source.rng):
        name, model, rubric = (kept[place][key] for key in ("instance_id", "generator", "rubric_id"))
        facts = {"judge": kept[place]["judge"]}
        hidden = Hidden(name, (model,), rubric, why="overestimation", facts=facts)
        items.append(Item(source.texts(name, [model], rubric), hidden))
    return items
