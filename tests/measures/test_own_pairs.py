"""The pairs with a judge's own answer that count, that it judged, and that it lacks: by hand."""

import numpy as np
import pytest
from plain.builders import compare, study_of
from plain.pair_builders import G, O, T, both_orders

from engine.arrays.pairs.judged_pairs import judged_pairs
from engine.arrays.slicing.family_masks import family_masks
from engine.arrays.slicing.group_by import single_view
from engine.arrays.truths.gold_preferences import resolve_truth
from engine.measures.pairs.own_pairs import counting_sides, fill_own, gold_rule, own_pairs
from engine.slices import Slice

OPTIONS = {"pairs": "all", "opponents": "outside", "quality": "judges", "quality_judges": (), "epsilon": 0.25}


def view_of(study):
    spec = resolve_truth(study, Slice(paradigm="pairwise", variant="default"))
    return single_view(study, spec, None, ("pairwise",)).with_all_judges()


def names_of(view, pairs):
    """Return pairs as (judge, instance, the two models in the order of their names)."""
    index = view.study.index
    rows = zip(pairs.judge, pairs.instance, pairs.target, pairs.other, strict=True)
    return sorted(
        (index.models[judge], f"x{instance}", *sorted((index.models[one], index.models[two])))
        for judge, instance, one, two in rows
    )


@pytest.fixture
def study(load):
    """Return a study in which J and K are relatives, and pairs lack an order, an answer, or every row."""
    plain = study_of("J:F K:F A:G B:H", instances=3)
    both_orders(plain, "J", "J", "A", (G, G), "x0")
    compare(plain, "J", "J", "B", "generator", G, "x0")  # the other order is missing
    both_orders(plain, "J", "J", "K", (G, G), "x0")  # a relative's answer beside its own
    both_orders(plain, "A", "J", "A", (O, O), "x0")
    both_orders(plain, "B", "J", "B", (T, T), "x0")
    both_orders(plain, "K", "J", "B", (G, G), "x1")  # judged by a relative of J alone
    both_orders(plain, "J", "A", "B", (G, O), "x1")
    both_orders(plain, "B", "J", "A", (G, G), "x2")
    for first in ("generator", "opponent"):
        compare(plain, "J", "A", "B", first, None, "x2", status="unparsed")
    for instance, outcome in (("x0", -1), ("x2", 0)):
        plain.add(
            "preferences", instance_id=instance, generator="J", opponent="A", source="P", outcome=outcome
        )
    plain.add("preferences", instance_id="x0", generator="B", opponent="J", source="P", outcome=-1)
    return load(plain)


def test_own_pairs_are_judged_lack_an_outcome_or_lack_every_row(study):
    view = view_of(study)

    judged, missing, absent = own_pairs(view, OPTIONS).own

    # J's pair with K's answer is of no other family's opponent.
    assert names_of(view, judged) == [
        ("A", "x0", "A", "J"), ("B", "x0", "B", "J"), ("J", "x0", "A", "J"),
    ]  # fmt: skip
    assert names_of(view, missing) == [("J", "x0", "B", "J")]
    # J has rows on x2, where B judged J's pair, but none for that; on x1 only its relative K did.
    assert names_of(view, absent) == [("J", "x2", "A", "J")]


def test_pairs_without_the_judges_own_answer_are_the_others(study):
    view = view_of(study)

    judged, missing, absent = own_pairs(view, OPTIONS).other

    # Of x1, J's pair of A and B; K's pair with J's answer is not its own.
    assert names_of(view, judged) == [
        ("B", "x2", "A", "J"), ("J", "x1", "A", "B"), ("K", "x1", "B", "J"),
    ]  # fmt: skip
    assert names_of(view, missing) == [("J", "x2", "A", "B")]
    # On x0, A and B have rows, and lack the pairs that others judged; on x1 K lacks J's pair of A and B.
    assert names_of(view, absent) == [
        ("A", "x0", "B", "J"), ("A", "x0", "J", "K"), ("B", "x0", "A", "J"), ("B", "x0", "J", "K"),
        ("K", "x1", "A", "B"),
    ]  # fmt: skip


def test_the_share_of_ties_is_of_own_pairs_with_a_gold_vote(study):
    view = view_of(study)

    ties = own_pairs(view, OPTIONS).tie_share

    # J's pair of x0 was lost and A's won; B's of x0 was lost. Nobody judged a pair of its own that ties.
    of_judge = dict(zip([study.index.models[j] for j in view.judges], ties.tolist(), strict=True))
    assert {name: of_judge[name] for name in "JAB"} == {"J": 0, "A": 0, "B": 0}
    assert np.isnan(of_judge["K"])


@pytest.mark.parametrize("kind", ["all", "lost", "won", "tied"])
def test_which_pairs_count_depends_on_the_gold_vote_for_the_side(study, kind):
    view, options = view_of(study), OPTIONS | {"pairs": kind}
    pairs = judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs)
    gold = gold_rule(view, options)

    sides = counting_sides(view, pairs, gold, options)

    assert (gold is None) == (kind == "all")
    if kind == "all":
        assert all(side.all() for side in sides)
        return
    # Gold: J loses to A on x0 and wins over B; they tie on x2. What is seen from the winner counts as won.
    models = study.index.models
    truth = {("x0", "J", "A"): "lost", ("x0", "J", "B"): "won", ("x2", "J", "A"): "tied"}
    opposite = {"lost": "won", "won": "lost", "tied": "tied"}
    truth |= {(place, two, one): opposite[of] for (place, one, two), of in truth.items()}
    for place, (instance, target, other) in enumerate(
        zip(pairs.instance, pairs.target, pairs.other, strict=True)
    ):
        names = f"x{instance}", models[target], models[other]
        assert sides[0][place] == (truth.get(names) == kind)
        assert sides[1][place] == (truth.get((names[0], names[2], names[1])) == kind)


@pytest.mark.parametrize("won", [True, False])
def test_what_a_judge_lacks_of_its_own_is_filled_in_as_won_or_lost(study, won):
    view = view_of(study)
    masks = family_masks(view)
    judged = judged_pairs(view, view.pair_cube.rows, view.pair_cube.pairs)
    only = np.array([study.index.models[j] == "J" for j in view.judges])

    filled = fill_own(judged, view, masks, only, won)

    new = filled.select(np.arange(len(judged.row), len(filled.row)))
    assert names_of(view, new) == [("J", "x0", "B", "J"), ("J", "x2", "A", "J")]
    own = study.index.models.index("J")
    assert np.where(new.target == own, new.value, -new.value).tolist() == [1.0 if won else -1.0] * 2
    assert len(fill_own(judged, view, masks, ~only, won).row) == len(judged.row)
