"""Responses to be scored by the rubrics of their question that have options."""

import numpy as np

from engine.annotations.items import Hidden, Item
from engine.annotations.selection.source import Source
from engine.annotations.selection.strata import spread
from engine.request import LackingError


def scored(source: Source) -> list[Item]:
    """Return responses with a rubric's options, spread over themes, questions and models.

    LackingError where no rubric with options has a response with a text.
    """
    index = source.index
    found: list[tuple[int, str, str]] = []
    for place in np.flatnonzero(source.rubrics).tolist():
        instance, rubric = int(index.layout.instance_of[place]), index.rubric_ids[place].as_py()
        name = source.names[instance]
        if not source.rubric_rows[name, rubric]["options"]:
            continue
        models = (index.models[model] for model in source.models)
        found += [(instance, rubric, model) for model in models if source.has(name, model)]
    if not found:
        raise LackingError("no rubric with options has a response with a text; choose another selection")
    instances, rubrics, names = zip(*found, strict=True)
    strata = [names, rubrics, instances, [source.theme(instance) for instance in instances]]
    items = []
    for drawn in spread(strata, source.wanted.number, source.rng):
        instance, rubric, model = found[drawn]
        name = source.names[instance]
        hidden = Hidden(name, (model,), rubric, why="scores")
        items.append(Item(source.texts(name, [model], rubric), hidden))
    return items
