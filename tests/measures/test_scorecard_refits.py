"""What a conclusion must withstand: missing verdicts filled in against it, the same criteria, and errors."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine.measures.scorecard.scorecard_caveats import _tipping
from engine.measures.scorecard.scorecard_inputs import NumberSource
from engine.measures.scorecard.scorecard_sides import Refits
from engine.stats.conclusions.conclusion_rules import Evidence
from engine.stats.conditional.conditional_model import Refitted
from engine.stats.intervals.jackknife import Estimates


def estimates(value, se):
    value = np.asarray(value, dtype=float)
    return Estimates(value, np.full(len(value), se), np.full(len(value), 50))


def evidence_of(value, *, se=0.1, tastes=0.1, relatives=None):
    """Return log-odds of enough cases, with one error by sampling and another with tastes."""
    own, with_tastes, judges = estimates(value, se), estimates(value, tastes), len(value)
    none = [None] * judges
    return Evidence(
        "odds", own, with_tastes, own, with_tastes, with_tastes, none, none, np.zeros(judges),
        np.full(judges, 0.5), None, relatives,
    )  # fmt: skip


class SourceToFill:
    """Two judges, of whom the second lacks verdicts; `filled` is the evidence with these filled in."""

    def __init__(self, unequal, filled):
        self.unequal, self.case_filled, self.requests = unequal, filled, []
        self.judged = np.ones(2, dtype=bool)

    def filled(self, only, whose, *, favourable):
        self.requests.append((np.flatnonzero(only).tolist(), whose, favourable))
        return SimpleNamespace(evidence=self.case_filled)

    def upheld_on_same_items(self, judge, *, family):
        return (judge, family) == (1, True)


def of_own(sign, filled):
    return SourceToFill({"own": np.array([0, sign]), "family": np.array([0, 0])}, filled)


def test_a_judge_that_lacks_no_more_than_elsewhere_is_not_asked_again():
    source = of_own(1, evidence_of([0.0, 0.0]))
    refits = Refits(source)

    assert refits.first_filled(0, 1)
    assert refits.second_filled(0, 1)
    assert refits.alike_filled(0)
    assert source.requests == []


@pytest.mark.parametrize(
    ("sign", "side", "whose", "favourable"),
    [
        # Of its own more are missing: as failed they speak against overrating, as passed against underrating.
        (1, 1, "own", False),
        (1, -1, "own", True),
        # Of others' more are missing: as passed they speak against overrating its own.
        (-1, 1, "other", True),
        (-1, -1, "other", False),
    ],
)
def test_what_is_missing_is_filled_in_against_the_claim(sign, side, whose, favourable):
    source = of_own(sign, evidence_of([0.0, 1.0 * side]))
    refits = Refits(source)

    assert refits.first_filled(1, side)
    assert refits.second_filled(1, side)
    assert source.requests == [([1], whose, favourable)]  # once for both questions


def test_what_is_missing_of_relatives_is_filled_in_for_them_and_answers_for_them():
    filled = evidence_of([0.0, 0.0], relatives=evidence_of([0.0, 1.0]))
    source = SourceToFill({"own": np.array([0, 0]), "family": np.array([0, 1])}, filled)

    assert Refits(source, family=True).first_filled(1, 1)
    assert source.requests == [([1], "family", False)]
    assert Refits(source).first_filled(1, 1)  # of its own it lacks nothing
    assert len(source.requests) == 1
    of_others = SourceToFill({"own": np.array([0, 1]), "family": np.array([0, -1])}, filled)
    assert not Refits(of_others, family=True).first_filled(1, -1)
    assert of_others.requests == [([1], "other", False)]
    assert not Refits(of_others).first_filled(1, 1)  # its own number, filled, is 0


def test_a_claim_that_falls_or_turns_does_not_withstand():
    for value in (0.0, -1.0):
        assert not Refits(of_own(1, evidence_of([0.0, value]))).first_filled(1, 1)
    assert not Refits(of_own(1, evidence_of([0.0, 1.0]))).first_filled(1, -1)


def test_the_second_question_is_the_same_with_tastes():
    # 1 is two errors of .5 from 0, and with two judges p is doubled by adjustment: .10.
    filled = evidence_of([0.0, 1.0], tastes=0.5)

    assert Refits(of_own(1, filled)).first_filled(1, 1)
    assert not Refits(of_own(1, filled)).second_filled(1, 1)


def test_no_material_preference_holds_whichever_way_they_are_filled_in():
    # Log-odds of 0 with errors of .1 are within log 1.25 = .223 of 0; with errors of .2 they are not.
    narrow, wide = of_own(1, evidence_of([9.0, 0.0])), of_own(1, evidence_of([9.0, 0.0], se=0.2))

    assert Refits(narrow).alike_filled(1)
    assert narrow.requests == [([1], "own", False), ([1], "own", True)]
    assert not Refits(wide).alike_filled(1)


def test_the_same_criteria_are_those_of_the_family_for_relatives():
    source = of_own(0, None)

    assert Refits(source, family=True).on_same_items(1)
    assert not Refits(source).on_same_items(1)


class SameItems:
    """What is left on the same criteria: log-odds by whether both weigh alike, and the p by instances."""

    def __init__(self, left, p=0.01, *, se=1.0, together=1):
        self.left, self.p, self.se, self.together, self.requests = left, p, se, together, []

    def odds_left(self, judge, *, family, balanced):
        self.requests.append(("left", judge, family, balanced))
        return Refitted(self.left[balanced], self.se)

    def odds(self, judge, *, family, balanced):
        self.requests.append(("p", judge, family, balanced))
        return self.left[balanced], self.p

    def cells_together(self, judge, *, family):  # noqa: ARG002
        return self.together


def source_with(same_items, log_odds=1.0, *, number="odds_self", truth="failed", relatives=None):
    near = None if relatives is None else evidence_of([0.0, relatives])
    source = NumberSource(number, SimpleNamespace(judges=np.arange(2)), truth)
    vars(source).update(
        case=SimpleNamespace(evidence=evidence_of([0.0, log_odds], relatives=near)), _same_items=same_items
    )
    return source


@pytest.mark.parametrize(
    ("left", "balanced", "upheld"),
    [
        (0.75, 0.75, True),
        (0.6, 0.75, False),  # two thirds must be left as they stand
        (0.75, 0.5, True),  # and half where both weigh alike
        (0.75, 0.49, False),
        (-0.75, 0.75, False),
        (0.75, -0.75, False),
        (np.nan, 0.5, True),
        (np.nan, 0.49, False),
        (0.75, np.nan, True),
        (np.nan, np.nan, True),
    ],
)
def test_two_thirds_must_be_left_on_the_same_criteria_and_half_if_both_weigh_alike(left, balanced, upheld):
    for sign in (1, -1):
        same = SameItems({False: sign * left, True: sign * balanced})
        assert source_with(same, sign * 1.0).upheld_on_same_items(1) is upheld


def test_two_thirds_exactly_are_enough(monkeypatch):
    monkeypatch.setattr("engine.measures.scorecard.scorecard_inputs.FEWEST_LEFT", 0.75)

    assert source_with(SameItems({False: 0.75, True: 0.75})).upheld_on_same_items(1)


@pytest.mark.parametrize(("p", "upheld"), [(0.049, True), (0.05, False), (np.nan, False)])
def test_what_is_left_must_be_beyond_chance(p, upheld):
    same = SameItems({False: 0.75, True: 0.75}, p)

    assert source_with(same).upheld_on_same_items(1) is upheld
    assert ("p", 1, False, False) in same.requests


def test_more_than_four_of_the_largest_errors_are_sure_without_computing_it():
    # Errors of .1 for independent cells are at most .3 where nine of an instance hang together.
    far, near = (SameItems({False: left, True: left}, 1.0, se=0.1, together=9) for left in (1.21, 1.2))
    against = SameItems({False: -1.21, True: -1.21}, 1.0, se=0.1, together=9)

    assert source_with(far).upheld_on_same_items(1)
    assert source_with(against, -1.0).upheld_on_same_items(1)
    assert not source_with(near).upheld_on_same_items(1)


def test_of_relatives_two_thirds_must_be_left_where_all_weigh_alike():
    same = SameItems({False: 0.0, True: 0.75})
    less = SameItems({False: 1.0, True: 0.6})

    assert source_with(same, relatives=1.0).upheld_on_same_items(1, family=True)
    assert same.requests == [("left", 1, True, True), ("p", 1, True, True)]
    assert not source_with(less, relatives=1.0).upheld_on_same_items(1, family=True)
    assert source_with(less).upheld_on_same_items(1, family=True)  # no number of relatives, nothing to uphold


@pytest.mark.parametrize(("number", "truth"), [("odds_self", "any"), ("hspp_matched", "failed")])
def test_only_odds_on_failed_criteria_must_hold_on_the_same(number, truth):
    source = source_with(SameItems({False: 0.0, True: 0.0}), number=number, truth=truth)

    assert source.upheld_on_same_items(1)
    assert not source.has_same_items


def test_what_is_left_of_some_judges_is_undefined_for_the_others_and_fitted_once():
    same = SameItems({False: 0.25, True: 0.5})
    source = source_with(same)

    for _ in range(2):
        left = source.on_same_items(np.array([1]), family=False, balanced=True)
        np.testing.assert_array_equal(left, [np.nan, 0.5])
    assert same.requests == [("left", 1, False, True)]
    np.testing.assert_array_equal(
        source.on_same_items(np.array([0]), family=False, balanced=False), [0.25, np.nan]
    )


class TippedSource:
    """A source whose claim about judge 0 holds while fewer than so many of its own failures are removed."""

    def __init__(self, cells, credited, tips, *, only_tastes=False):
        layout = SimpleNamespace(instance_of=np.zeros(20), pack=lambda removed: removed)
        self.joint = SimpleNamespace(
            layout=layout,
            own_cells_by_doubt=lambda judge, _places: (np.arange(cells) + judge, credited),
            without_own=lambda judge, removed: (judge, removed),
        )
        self.view = SimpleNamespace(study=SimpleNamespace(index=SimpleNamespace(places_by_id=np.arange(20))))
        self.tips, self.only_tastes, self.seen = tips, only_tastes, []

    def case_of(self, joint):
        judge, removed = joint
        assert judge == 0
        self.seen.append(np.flatnonzero(removed).tolist())
        holds = removed.sum() < self.tips
        if self.only_tastes:
            return SimpleNamespace(evidence=evidence_of([1.0], tastes=0.1 if holds else 0.9))
        return SimpleNamespace(evidence=evidence_of([1.0 if holds else 0.0]))


@pytest.mark.parametrize("credited", [0, 1, 3, 8])
def test_tipping_is_the_fewest_own_failures_whose_removal_undoes_the_claim(credited):
    for tips in range(1, 9):
        source = TippedSource(8, credited, tips)

        number, share = _tipping(source, 0, "favours_itself")

        assert number == tips
        assert share == (None if credited == 0 else number / credited)
        assert all(removed == list(range(len(removed))) for removed in source.seen)


def test_more_than_all_cannot_be_removed():
    assert _tipping(TippedSource(4, 2, 99), 0, "favours_itself") == (4, 2.0)


def test_a_firm_claim_is_undone_where_its_cause_becomes_open_and_an_open_one_is_not():
    assert _tipping(TippedSource(8, 4, 3, only_tastes=True), 0, "favours_itself") == (3, 0.75)
    assert _tipping(TippedSource(8, 4, 3, only_tastes=True), 0, "overrates_itself") == (8, 2.0)
