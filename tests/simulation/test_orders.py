"""Simulated studies of orders of any size: draws follow the planted effects."""

import numpy as np
import pytest
from simulation.judgment_rows import rows_of

from engine.errors import UsageError
from engine.simulation.design import ModelTraits
from engine.simulation.list_orders import places_in
from engine.simulation.order_design import OrderDesign, Scorer, scorers
from engine.simulation.orders import simulate_orders
from engine.simulation.score_picks import draw_scores
from engine.stats.orders.option_orders import balanced_orderings

NAMES = ["a-1", "a-2", "b-1", "b-2"]


def study(instances=10, options=5, **settings):
    return simulate_orders(
        OrderDesign(scorers(NAMES, options=options), options=options, **settings), instances=instances
    )


def test_only_the_same_seed_draws_the_same_study():
    first, again, other = (study(seed=seed).judgments().read_all() for seed in (1, 1, 2))

    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.parametrize(("options", "count"), [(2, 2), (3, 6), (5, 10)])
def test_balanced_orderings_show_every_score_equally_often_at_every_position(options, count):
    orderings = balanced_orderings(options)

    assert orderings.shape == (count, options)
    assert orderings[0].tolist() == list(range(options))
    for position in range(options):
        assert np.bincount(orderings[:, position]).tolist() == [count // options] * options


def test_every_item_is_scored_once_in_each_ordering_and_repeatedly_in_the_first():
    rows = rows_of(study(), judge="b-1", paradigm="score_rubric")

    item = [
        row
        for row in rows
        if (row["instance_id"], row["generator"], row["rubric_id"]) == ("s01", "a-1", "coherence")
    ]
    assert len(rows) == 10 * 4 * 2 * 19
    assert len({row["ordering"] for row in item if row["trial"] == 0}) == 10
    assert sorted(row["trial"] for row in item if row["ordering"] == "1-2-3-4-5") == list(range(10))
    assert all(row["ordering"].split("-")[row["position"] - 1] == f"{row['score']:.0f}" for row in rows)


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [("original", [1, 2, 3, 4]), ("reversed", [4, 3, 2, 1]), ("rotated-3", [3, 4, 1, 2])],
)
def test_lists_are_shown_in_their_ordering(ordering, expected):
    place, count = np.arange(1, 5), np.full(4, 4)

    assert places_in(ordering, place, count).tolist() == expected


def test_an_unknown_ordering_is_refused():
    with pytest.raises(UsageError, match="the ordering 'shuffled' is unknown; choose from: original"):
        study(lists=("shuffled",))


def test_scores_are_picked_at_each_position_as_often_as_planted():
    planted = (2.2, 1.3, 1.0, 0.8, 0.6)
    judge = Scorer(
        ModelTraits("a", "a"), positions=planted, spread=50.0
    )  # sees nothing, so only the position decides
    orders = simulate_orders(OrderDesign((judge, Scorer(ModelTraits("b", "b")))), instances=500)

    scores = draw_scores(orders.picks(0), np.random.default_rng(1))

    shares = np.bincount(scores.position[scores.trial == 0], minlength=6)[1:] / (scores.trial == 0).sum()
    # 20,000 scores: a standard error below 0.004
    assert shares == pytest.approx(np.array(planted) / sum(planted), abs=0.015)
    assert orders.planted()["judges"]["a"]["expected"]["position_shares"] == pytest.approx(shares, abs=0.015)


def test_only_in_the_home_ordering_are_all_positions_picked_equally_often():
    home = Scorer(ModelTraits("a", "a"), home=(3, 4, 5, 1, 2), spread=0.9)
    orders = simulate_orders(OrderDesign((home, Scorer(ModelTraits("b", "b")))), instances=200)

    costs = orders.planted()["judges"]["a"]["expected"]["costs"]

    assert min(costs, key=costs.get) == "3-4-5-1-2"
    assert sorted(costs.values())[1] > costs["3-4-5-1-2"] + 10


def test_failed_criteria_are_credited_by_position_as_planted():
    late = Scorer(ModelTraits("a", "a", skill=0.4, overestimation=0.3), slope=0.6)
    orders = simulate_orders(OrderDesign((late, Scorer(ModelTraits("b", "b", skill=0.4)))), instances=800)
    rows = rows_of(orders, judge="a", paradigm="all_rubrics", ordering="reversed", generator="b")
    met = {(x, k): value for x, k, value in zip(*_truth(orders), strict=True)}

    credited = {}
    for row in rows:
        truly, negative = met[row["instance_id"], row["rubric_id"]]
        if truly == negative:
            credited.setdefault(row["position"], []).append(row["met"] != negative)

    # 0.3 times 0.4, 0.7, 1, 1.3, 1.6 on some 450 failures each: standard errors up to 0.024
    rates = [np.mean(credited[place]) for place in range(1, 6)]
    assert rates == pytest.approx([0.12, 0.21, 0.30, 0.39, 0.48], abs=0.08)


def _truth(orders):
    items, row = orders.lists.items, orders.design.names.index("b")
    ids = [items.instance_ids[place] for place in items.instance]
    return ids, items.rubric_ids, list(zip(orders.lists.truth.met[row], items.negative, strict=True))


def test_only_ok_answers_have_a_score_or_a_verdict():
    rows = rows_of(study(unparsed=0.05, refused=0.05))

    for row in rows:
        has_value = row["score"] is not None or row["met"] is not None
        assert has_value == (row["status"] == "ok") == (row["raw"] is None)
    assert {row["status"] for row in rows} == {"ok", "unparsed", "refused"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scorer(ModelTraits("a", "a"), positions=(1.0, 0.0)), "give weights above 0"),
        (lambda: Scorer(ModelTraits("a", "a"), home=(1, 1)), "is not an ordering"),
        (lambda: Scorer(ModelTraits("a", "a"), spread=0.0), "give deviations above 0"),
        (lambda: Scorer(ModelTraits("a", "a"), slope=1.0), "slope 1.0 of 'a'"),
        (
            lambda: OrderDesign((Scorer(ModelTraits("a", "a"), home=(2, 1)),)),
            "home of 'a' has 2 places for 5 options",
        ),
        (lambda: OrderDesign(scorers(NAMES), options=1), "options 1: give a whole number from 2 to 9"),
        (
            lambda: OrderDesign((Scorer(ModelTraits("a", "a", overestimation=0.7), slope=0.5),)),
            "is above 1, not a probability",
        ),
        (lambda: study(instances=0), "questions 0"),
    ],
)
def test_an_impossible_simulation_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()
