"""Small tasks written out by hand."""

import itertools

from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.people import add_person
from engine.annotations.tasks import assign, create_task

_ids = itertools.count(1)


def fresh():
    """A unique submission id."""
    return f"s{next(_ids)}"


def pair(number, **hidden):
    """A pair of models `alpha` and `beta`, whose texts do not name them."""
    texts = ItemTexts(f"question {number}", (f"one {number}", f"two {number}"))
    return Item(texts, Hidden(instance_id=f"x{number}", models=("alpha", "beta"), **hidden))


def practice():
    """A practice pair whose first response is better."""
    feedback = {"value": "generator", "explanation": "The first one answers."}
    return Item(ItemTexts("try", ("good", "bad")), Hidden(gold="generator"), "practice", feedback)


def task(database, items, people=("ann",), kind="equal_pair", **settings):
    """A task `t` of these items, assigned to these people."""
    for person in people:
        add_person(database, person)
    create_task(database, "t", "study", kind, items, **settings)
    assign(database, "t", people)
