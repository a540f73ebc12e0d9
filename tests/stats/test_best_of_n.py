"""What judges pick as the best of several answers: by hand and against plain loops."""

import numpy as np
import pytest
from plain.best_of_n import chosen, lost_by

from engine.stats.judges.best_of_n import (
    JudgesPicks,
    PairChoices,
    pick_shares,
    picks_of_pairs,
    picks_of_scores,
)
from engine.stats.outside.outside import FamilyMasks


def test_equal_best_answers_are_picked_alike_and_an_unscored_one_leaves_no_pick():
    scores = np.array([[0.5, 1.0, np.nan], [0.5, 0.0, 1.0], [0.2, 1.0, 0.0]])
    among = np.array([[True, False, True], [True, True, True], [True, True, True]])

    shares = pick_shares(scores, among)

    np.testing.assert_allclose(shares[:, 0], [0.5, 0.5, 0])
    np.testing.assert_allclose(shares[:, 1], [0, 0, 1])  # the first is none to choose from
    assert np.isnan(shares[:, 2]).all()


def test_an_answer_that_is_best_by_rounding_alone_is_picked_alike_and_none_to_choose_from_gives_no_pick():
    scores = np.array([[0.5, 0.1], [0.5 + 1e-12, 0.3], [0.4, 0.2]])
    among = np.array([[True, False], [True, False], [True, False]])

    shares = pick_shares(scores, among)

    np.testing.assert_allclose(shares[:, 0], [0.5, 0.5, 0])
    assert np.isnan(shares[:, 1]).all()


OF_JUDGES, OF_GENERATORS = np.array([0, 0, 1, 2, 3]), np.array([0, 0, 1, 2, 4, 1])
"""Families of five judges, of which the first four answer, and of six generators."""


def masks():
    own = np.eye(5, 6, dtype=bool)
    own[4] = False
    related = OF_JUDGES[:, None] == OF_GENERATORS
    return FamilyMasks(
        own,
        related & ~own,
        ~related,
        OF_JUDGES[:, None] != OF_JUDGES,
        OF_GENERATORS[:, None] != OF_GENERATORS,
    )


@pytest.mark.parametrize("of_each_judge", [True, False])
def test_picks_of_scores_equal_plain_choices(of_each_judge):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 4, (5, 6, 30)) / 3
    scores[rng.random(scores.shape) < 0.3] = np.nan
    truth = rng.integers(0, 4, (5 if of_each_judge else 1, 6, 30)) / 4
    truth[rng.random(truth.shape) < 0.05] = np.nan

    picks = picks_of_scores(scores, truth, masks())

    for j in range(5):
        for x in range(30):
            expected = plain_choice(scores[:, :, x], truth[j if of_each_judge else 0, :, x], j)
            actual = {name: getattr(picks, name)[j, x] for name in picks.__dataclass_fields__}
            assert actual == pytest.approx(expected), (j, x)
    assert picks.better.sum() > 20
    assert 10 < picks.beside.sum() < picks.compared.sum() < picks.choices.sum() < 110


def plain_choice(scores, truth, j):
    """What judge j picks in one instance, all 0 without a choice."""
    names = JudgesPicks.__dataclass_fields__
    among = [g for g in range(6) if not np.isnan([scores[j, g], truth[g]]).any()]
    if j == 4 or j not in among or len(among) < 2:
        return dict.fromkeys(names, 0)
    true = {g: truth[g] for g in among}
    pick = chosen({g: scores[j, g] for g in among}, true, j)
    compared = []
    for b in range(5):
        if OF_JUDGES[b] == OF_JUDGES[j]:
            continue
        fewer = [g for g in among if OF_GENERATORS[g] != OF_JUDGES[b]]
        if len(fewer) < 2 or np.isnan(scores[b, fewer]).any():
            continue
        rest = {g: truth[g] for g in fewer}
        compared.append([chosen({g: scores[who, g] for g in fewer}, rest, j) for who in (j, b)])
    worse = [pair for pair in compared if pair[0]["better"]]
    return {
        "choices": 1,
        "answers": len(among),
        "better": int(pick["better"]),
        "own": pick["own"] if pick["better"] else 0,
        "lost": pick["lost"],
        "lost_to_own": pick["lost_to_own"],
        "beside": min(len(worse), 1),
        "own_beside": sum(own["own"] for own, _ in worse) / max(len(worse), 1),
        "own_outside": sum(other["own"] for _, other in worse) / max(len(worse), 1),
        "compared": min(len(compared), 1),
        "cost": sum(own["lost"] - other["lost"] for own, other in compared) / max(len(compared), 1),
    }


def test_picks_of_pairs_equal_plain_choices():
    rng = np.random.default_rng(6)
    judge, instance = rng.integers(0, 3, 80), rng.integers(0, 4, 80)
    votes, outside = rng.integers(0, 3, 80) / 2, rng.integers(0, 5, 80) / 4
    truth = rng.integers(0, 5, 80) / 4
    outside[rng.random(80) < 0.3] = np.nan

    picks = picks_of_pairs(PairChoices(judge, instance, votes, outside, truth), 4, 5)

    expected = {name: np.zeros((4, 5)) for name in picks.__dataclass_fields__}
    for j, x, vote, theirs, gold in zip(judge, instance, votes, outside, truth, strict=True):
        added = {"choices": 1, "answers": 2, "lost": lost_by(vote, gold)}
        if gold < 0.5:
            added |= {"better": 1, "own": vote, "lost_to_own": lost_by(vote, gold)}
        if not np.isnan(theirs):
            added |= {"compared": 1, "cost": lost_by(vote, gold) - lost_by(theirs, gold)}
            if gold < 0.5:
                added |= {"beside": 1, "own_beside": vote, "own_outside": theirs}
        for name, value in added.items():
            expected[name][j, x] += value
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(picks, name), values, atol=1e-12, err_msg=name)


def test_picks_of_no_choice_are_zero_and_apart_from_each_other():
    picks = JudgesPicks.none(2, 3)

    picks.choices[0, 0], picks.cost[1, 2] = 4, 0.5

    assert (picks.choices.dtype, picks.own.dtype) == (np.int64, np.float64)
    assert {name: getattr(picks, name).sum() for name in picks.__dataclass_fields__} == {
        **dict.fromkeys(picks.__dataclass_fields__, 0), "choices": 4, "cost": 0.5,
    }  # fmt: skip


def test_each_of_two_judges_picks_by_its_own_reference_and_rounding_makes_no_answer_better():
    # Both pick their own answer. In the first instance the other's is better, by .5 to the first judge's
    # panel and by .25 to the second's; in the second only by what is left of rounding.
    alone = np.eye(2, dtype=bool)
    pair = FamilyMasks(alone, alone & ~alone, ~alone, ~alone, ~alone)
    scores = np.repeat(np.eye(2)[:, :, None], 2, axis=2)
    truth = np.array([[[0.0, 0.3], [0.5, 0.1 + 0.2]], [[0.25, 0.1 + 0.2], [0.0, 0.3]]])

    picks = picks_of_scores(scores, truth, pair)

    assert picks.better.tolist() == [[1, 0], [1, 0]]
    assert picks.own.tolist() == [[1, 0], [1, 0]]
    np.testing.assert_allclose(picks.lost, [[0.5, 0], [0.25, 0]], atol=1e-12)
