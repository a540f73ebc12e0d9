"""What judges lack: its shares and places, and where own answers lack more or less than others'."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.arrays.pairs.judged_pairs import JudgedPairs
from engine.measures.missing_cells import MissingPairs, MissingScores, unequal
from engine.measures.pairs.own_pairs import OwnPairs
from engine.measures.rows import Column
from engine.measures.scorecard.scorecard_caveats import missing_columns
from engine.stats.judges.missing import MissingShares
from engine.stats.outside.outside import FamilyMasks


class Cells:
    """Two judges over 50 instances with 4 cells of each kind: the second lacks so many of each kind."""

    def __init__(self, own, other, *, cells=200):
        self.lacking = {"own": own, "family": own, "other": other}
        self.asked_cells = cells

    def shares(self, whose):
        share = np.array([0.0, sum(self.lacking[whose]) / self.asked_cells])
        return MissingShares(share / 2, share / 2)

    def by_instance(self, judge, whose):
        assert judge == 1
        return np.array(self.lacking[whose]), np.full(50, 4)


def lacking(cells):
    """Return 50 instances, of which the first lack one cell each."""
    return [1] * cells + [0] * (50 - cells)


@pytest.mark.parametrize(
    ("own", "other", "sign"),
    [
        (12, 0, 1),  # 6 points more: t = 3.9
        (0, 12, -1),
        (12, 12, 0),
        (4, 0, 1),  # 2 points: of 50 instances 4 differ by a quarter, t = 2.06, p = .044
        (3, 0, 0),  # 1.5 points are too few
        (0, 4, -1),
        (0, 3, 0),
    ],
)
def test_own_answers_lack_more_or_less_by_2_points_and_beyond_chance(own, other, sign):
    cells = Cells(lacking(own), lacking(other))

    assert unequal(cells).tolist() == [0, sign]
    assert unequal(cells, "family").tolist() == [0, sign]


def test_a_difference_within_chance_is_none():
    # Two instances lack all of their own: 8 of 200 are 4 points, but t = 1.43.
    assert unequal(Cells([4, 4] + [0] * 48, [0] * 50)).tolist() == [0, 0]


def pairs(*places):
    """Return pairs of (row, instance)."""
    row, instance = np.array(places, dtype=np.int64).reshape(-1, 2).T
    nothing = np.full(len(row), np.nan)
    return JudgedPairs(row, row, instance, row, row, *[nothing] * 5)


def test_of_pairs_those_with_an_outcome_those_without_one_and_those_never_asked_are_told_apart():
    own = pairs((0, 0), (0, 0), (0, 1), (1, 1)), pairs((0, 0), (0, 2)), pairs((0, 2), (1, 0), (1, 1))
    other = pairs((1, 2)), pairs(), pairs((1, 2))
    cells = MissingPairs(OwnPairs(own, other, np.zeros(2)), 3)

    shares, of_others = cells.shares("own"), cells.shares("other")

    # Judge 0 judged 3 of 6, lacks 2 outcomes and 1 row; judge 1 judged 1 of 3 and lacks 2 rows.
    assert shares.missing.tolist() == pytest.approx([2 / 6, 0])
    assert shares.absent.tolist() == pytest.approx([1 / 6, 2 / 3])
    assert np.isnan(of_others.missing[0])
    assert (of_others.missing[1], of_others.absent[1]) == (0, 0.5)
    assert np.isnan(cells.shares("family").together).all()
    lacks, of = cells.by_instance(0, "own")
    assert (lacks.tolist(), of.tolist()) == ([1, 0, 2], [3, 1, 2])
    lacks, of = cells.by_instance(1, "other")
    assert (lacks.tolist(), of.tolist()) == ([0, 0, 1], [0, 0, 2])


def test_of_scores_those_of_the_judges_own_answers_are_counted_and_filled_in():
    own, other = np.eye(2, dtype=bool), ~np.eye(2, dtype=bool)
    masks = FamilyMasks(own, np.zeros((2, 2), dtype=bool), other, other, other)
    # Judge 0: its own is scored, unparsed and never asked; the other's is scored on all three instances.
    scored = np.array([[[1, 0, 0], [1, 1, 1]], [[0, 0, 0], [1, 0, 0]]], dtype=bool)
    missing = np.array([[[0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 1]]], dtype=bool)
    absent = np.array([[[0, 0, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]], dtype=bool)
    cells = MissingScores(masks, scored, missing, absent)

    shares = cells.shares("own")
    lacks, of = cells.by_instance(0, "own")
    scores = np.where(scored, 0.5, np.nan)
    filled = [cells.filled(scores, own & [[True], [False]], favourable=way) for way in (True, False)]

    assert shares.missing.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert shares.absent.tolist() == pytest.approx([1 / 3, 0])
    assert cells.shares("other").together[0] == 0
    assert (lacks.tolist(), of.tolist()) == ([0, 1, 1], [1, 1, 1])
    assert filled[0][0, 0].tolist() == [0.5, 1, 1]
    assert filled[1][0, 0].tolist() == [0.5, 0, 0]
    np.testing.assert_array_equal(filled[0][1], scores[1])


class Bounded:
    """Four judges: the first two lack own verdicts, the third none, the fourth all and has judged nothing."""

    def __init__(self, scale="points"):
        lacks = {"own": np.array([0.1, 0.2, 0, 1]), "other": np.array([0.3, np.nan, 0, 0])}
        self.missing = SimpleNamespace(shares=lambda whose: MissingShares(lacks[whose], 2 * lacks[whose]))
        own = SimpleNamespace(value=np.array([1.0, 2.0, 3.0, np.nan]))
        evidence = SimpleNamespace(own=own, scale=scale, undefined=[None, None, None, "no_own_cells"])
        self.case = SimpleNamespace(evidence=evidence)
        self.judged = np.array([True, True, True, False])
        self.requests = []

    def bounds(self, judge):
        self.requests.append(judge)
        return judge - 5.0, judge + 5.0


def plain(column: Column):
    return [None if value != value else value for value in np.asarray(column.values).tolist()]


def test_the_bounds_are_of_the_judges_shown_that_lack_own_verdicts_the_number_itself_else():
    source = Bounded()

    columns = missing_columns(source, np.array([True, False, True, True]))

    assert source.requests == [0]
    assert plain(columns["bound_low"]) == [-5, 2, 3, None]
    assert plain(columns["bound_high"]) == [5, 2, 3, None]
    assert columns["bound_low"].reason(3) == "no_own_cells"
    assert plain(columns["missing_own"]) == [0.1, 0.2, 0, 1]
    assert plain(columns["absent_own"]) == [0.2, 0.4, 0, 2]
    assert plain(columns["missing_other"]) == [0.3, None, 0, 0]
    assert plain(columns["absent_other"]) == [0.6, None, 0, 0]
    assert columns["missing_other"].reason(1) == "nothing_asked"


def test_bounds_of_odds_are_odds():
    columns = missing_columns(Bounded("odds"), np.ones(4, dtype=bool))

    assert plain(columns["bound_low"])[:3] == pytest.approx([np.exp(-5), np.exp(-4), np.exp(3)])
    assert plain(columns["bound_high"])[:3] == pytest.approx([np.exp(5), np.exp(6), np.exp(3)])


def test_with_more_judges_than_are_refitted_there_are_no_bounds(monkeypatch):
    everyone = np.ones(4, dtype=bool)
    monkeypatch.setattr("engine.measures.scorecard.scorecard_caveats.MOST_REFITTED", 4)
    assert plain(missing_columns(Bounded(), everyone)["bound_low"]) == [-5, -4, 3, None]
    monkeypatch.setattr("engine.measures.scorecard.scorecard_caveats.MOST_REFITTED", 3)
    source = Bounded()

    columns = missing_columns(source, everyone)

    assert plain(columns["bound_low"]) == plain(columns["bound_high"]) == [None] * 4
    assert [columns["bound_low"].reason(judge) for judge in (0, 3)] == ["many_judges", "no_own_cells"]
    assert source.requests == []
