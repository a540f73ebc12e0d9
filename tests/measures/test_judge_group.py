"""The judges together, and the excess with missing verdicts filled in: on numbers written by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engine.arrays.slicing.resolve import NoDataError
from engine.measures.scorecard import filled_excess
from engine.measures.scorecard.beyond_scale import is_beyond_scale
from engine.measures.scorecard.filled_excess import filled_excess_high
from engine.measures.scorecard.group_row import JudgeGroup
from engine.slices import Slice
from engine.stats.conclusions.group import Assignments, group_estimate
from engine.stats.conditional.given_and_expected import Expectations, Rates
from engine.stats.intervals.jackknife import Estimates
from engine.stats.judges.missing import MissingShares

FAMILIES = np.arange(5)
OWN = np.array([0.5, 0.6, 0.7, 0.8, 0.9])  # mean .7, standard error .0707: t of 4 degrees of freedom is 9.9
SURE = Assignments(0.01, 44)
FEW = ("too_few_families", "too_few_families")


def estimates(value, se=0.1):
    value = np.asarray(value, dtype=float)
    return Estimates(value, np.full(len(value), se), np.full(len(value), 20))


def evidence_of(own=OWN, discerned=None, shared=None, scale="odds", relatives=None):
    own = np.asarray(own, dtype=float)
    parts = {name: estimates(own if each is None else each)
             for name, each in (("discerned", discerned), ("shared", shared))}  # fmt: skip
    return SimpleNamespace(own=estimates(own), scale=scale, relatives=relatives, **parts)


class FakeSource:
    """A source whose families, unequal cells, filled cases and numbers on the same items are written down."""

    def __init__(self, *, unequal=(0,) * 5, filled=None, same=None, families=FAMILIES, **case):
        self.case = SimpleNamespace(families=SimpleNamespace(judge=np.asarray(families)), **case)
        self.unequal = {"own": np.array(unequal), "family": np.array(unequal)}
        self.has_same_items = same is not None
        self.same, self.case_filled, self.requests = same or {}, filled, []

    def filled(self, judges, whose, *, favourable):
        self.requests.append((judges.tolist(), whose, favourable))
        return SimpleNamespace(tastes=SimpleNamespace(variance=0.0), **self.case_filled)

    def on_same_items(self, judges, *, family, balanced):
        self.requests.append((judges.tolist(), family, balanced))
        return np.asarray(self.same[balanced], dtype=float)


def group(source=None, evidence=None, *, assigned=SURE, whose="own", number=5):
    evidence = evidence or evidence_of()
    weight = np.ones(number)
    source = source or FakeSource()
    estimate = group_estimate(evidence.own.value, weight, source.case.families.judge)
    return JudgeGroup(source, evidence, whose, estimate, assigned, weight, evidence.own.defined)


def test_judges_together_favour_or_disfavour_themselves_by_the_side_of_their_mean():
    assert group().conclusion() == ("judges_favour_themselves", None)
    assert group(evidence=evidence_of(-OWN)).conclusion() == ("judges_disfavour_themselves", None)


def test_a_second_question_left_open_makes_it_over_and_underrating():
    shared = evidence_of(shared=0.6 * OWN)  # less than two thirds are left

    assert group(evidence=shared).conclusion() == ("judges_overrate_themselves", "shared_taste")
    against = evidence_of(-OWN, shared=-0.6 * OWN)
    assert group(evidence=against).conclusion() == ("judges_underrate_themselves", "shared_taste")
    assert group(evidence=evidence_of(shared=0.67 * OWN)).conclusion()[1] is None


def test_what_a_shared_taste_leaves_is_given_of_claims_alone():
    judges = group(evidence=evidence_of(shared=0.6 * OWN))

    assert judges.shared_taste_left("judges_overrate_themselves") == pytest.approx(0.6)
    assert judges.shared_taste_left("not_shown") is None


@pytest.mark.parametrize(("number", "concluded"), [(4, ("judges_favour_themselves", None)), (3, FEW)])
def test_four_families_are_tested_and_three_are_not(number, concluded):
    source = FakeSource(families=range(number), unequal=(0,) * number)

    judges = group(source, evidence_of(OWN[:number] + 1), number=number)

    assert judges.estimate.tested == (number == 4)
    assert judges.conclusion() == concluded


@pytest.mark.parametrize(
    ("own", "assigned", "reason"),
    [
        (OWN, Assignments(np.nan, 0), "no_placebos"),
        (OWN - 0.7, SURE, "t_test"),  # a mean of 0
        (OWN - 0.55, SURE, "t_test"),  # .15 / .0707 = 2.12: p = .10
        (OWN, Assignments(0.05, 44), "permutation"),
        (OWN - 0.7, Assignments(0.05, 44), "t_test"),
    ],
)
def test_what_is_not_shown_names_the_first_test_that_fails(own, assigned, reason):
    assert group(evidence=evidence_of(own), assigned=assigned).conclusion()[1] == reason
    assert group(evidence=evidence_of(own), assigned=assigned).conclusion()[0] != "judges_favour_themselves"


def test_two_thirds_must_be_left_after_discernment_and_what_is_undefined_changes_nothing():
    assert group(evidence=evidence_of(discerned=0.66 * OWN)).conclusion()[1] == "discernment"
    assert group(evidence=evidence_of(discerned=0.67 * OWN)).conclusion()[1] is None
    # .1 of .5 is left of the first alone, the others stand in for themselves: (.05 + 3) / 3.5 of the mean.
    some = np.array([0.05, np.nan, np.nan, np.nan, np.nan])
    assert group(evidence=evidence_of(discerned=some)).conclusion()[1] is None


@pytest.mark.parametrize(("balanced", "upheld"), [(0.34, True), (0.33, False)])
def test_a_third_must_be_left_on_the_same_items_both_ways(balanced, upheld):
    for same in ({False: 0.9 * OWN, True: balanced * OWN}, {False: balanced * OWN, True: 0.9 * OWN}):
        source = FakeSource(same=same)
        assert group(source).conclusion()[1] == (None if upheld else "same_items")
    assert source.requests[0] == ([0, 1, 2, 3, 4], False, False)
    assert group(FakeSource(same={False: OWN, True: OWN}), whose="family").conclusion()[1] is None


def test_what_must_be_left_may_be_left_exactly_and_a_p_of_five_percent_is_none(monkeypatch):
    monkeypatch.setattr("engine.measures.scorecard.group_row.MOST_LEFT", 0.5)
    monkeypatch.setattr("engine.measures.scorecard.group_row.LEAST_LEFT", 0.25)
    half, quarter = evidence_of(discerned=0.5 * OWN, shared=0.5 * OWN), {False: 0.25 * OWN, True: 0.25 * OWN}

    assert group(FakeSource(same=quarter), half).conclusion() == ("judges_favour_themselves", None)
    judges = group()
    at_bound = replace(judges, estimate=replace(judges.estimate, p=0.05))
    assert at_bound.conclusion()[1] == "t_test"


def test_the_same_items_are_asked_of_the_family_for_relatives():
    source = FakeSource(same={False: OWN, True: OWN})
    group(source, whose="family").conclusion()

    assert [request[1:] for request in source.requests] == [(True, False), (True, True)]


def test_only_judges_with_a_number_are_looked_at_on_the_same_items():
    own = np.array([0.5, np.nan, 0.7, 0.8, 0.9])
    source = FakeSource(same={False: own, True: own})
    group(source, evidence_of(own)).conclusion()

    assert source.requests[0][0] == [0, 2, 3, 4]


def test_of_very_many_judges_ten_at_even_distances_are_looked_at(monkeypatch):
    own = np.linspace(0.5, 1, 31)
    source = FakeSource(families=range(31), unequal=(0,) * 31, same={False: own, True: own})
    judges = group(source, evidence_of(own), number=31)

    monkeypatch.setattr("engine.measures.scorecard.group_row.MOST_TOGETHER", 31)
    assert judges._spread_out().tolist() == list(range(31))
    monkeypatch.setattr("engine.measures.scorecard.group_row.MOST_TOGETHER", 30)
    # Places 0, 30/9 = 3.3, 6.7, 10, ... , 30, cut to whole numbers.
    assert judges._spread_out().tolist() == [0, 3, 6, 10, 13, 16, 20, 23, 26, 30]
    # The share left is that of these alone, of which none has lost anything, or seven tenths each.
    assert judges.conclusion() == ("judges_favour_themselves", None)
    few = np.full(31, np.nan)
    few[judges._spread_out()] = 0.3 * own[judges._spread_out()]
    source.same = {False: few, True: few}
    assert judges.conclusion()[1] == "same_items"


def filled_case(own, relatives=None):
    evidence = evidence_of(own, relatives=None if relatives is None else evidence_of(relatives))
    return {"evidence": evidence}


def test_missing_verdicts_are_filled_in_against_the_judges_together():
    withstands = FakeSource(unequal=(1, 0, -1, 0, 2), filled=filled_case(OWN - 0.2))
    falls = FakeSource(unequal=(1, 0, 0, 0, 0), filled=filled_case(OWN - 0.6))
    turned = FakeSource(unequal=(1, 0, 0, 0, 0), filled=filled_case(-OWN))

    assert group(withstands).conclusion()[1] is None
    assert withstands.requests == [([True, False, False, False, True], "own", False)]
    assert group(falls).conclusion()[1] == "missing_verdicts"
    assert group(turned).conclusion()[1] == "missing_verdicts"


def test_verdicts_missing_on_others_answers_are_not_filled_in():
    source = FakeSource(unequal=(-1, 0, 0, -1, 0), filled=filled_case(-OWN))

    assert group(source).conclusion()[1] is None
    assert source.requests == []


def test_judges_who_disfavour_themselves_get_favourable_verdicts():
    source = FakeSource(unequal=(0, 1, 0, 0, 0), filled=filled_case(0.2 - OWN))
    fallen = FakeSource(unequal=(0, 1, 0, 0, 0), filled=filled_case(OWN))

    assert group(source, evidence_of(-OWN)).conclusion() == ("judges_disfavour_themselves", None)
    assert source.requests == [([False, True, False, False, False], "own", True)]
    assert group(fallen, evidence_of(-OWN)).conclusion()[1] == "missing_verdicts"


def test_relatives_verdicts_are_those_filled_in_for_relatives():
    marks = (1, 0, 0, 0, 0)
    withstands = FakeSource(unequal=marks, filled=filled_case(-OWN, relatives=OWN))
    nothing = FakeSource(unequal=marks, filled=filled_case(OWN))

    assert group(withstands, whose="family").conclusion()[1] is None
    assert withstands.requests[0][1] == "family"
    assert group(nothing, whose="family").conclusion()[1] == "missing_verdicts"


def test_numbers_are_scaled_only_where_they_are_logarithms():
    for scale, number in (("odds", np.exp(0.5)), ("ratio", np.exp(0.5)), ("points", 0.5), ("votes", 0.5)):
        assert group(evidence=evidence_of(scale=scale)).scaled(0.5) == pytest.approx(number)


def test_given_and_expected_are_means_over_families_of_their_judges():
    own = np.array([10.0, 20.0, 30.0, 40.0, np.nan])
    source = FakeSource(families=(0, 0, 1, 2, 3))
    given = np.array([0.6, 0.8, 0.9, 0.5, 0.4])
    source.expectations = lambda whose: {"own": Expectations(given, "points")}[whose]
    evidence = evidence_of(own, scale="points")
    judges = group(source, evidence)

    values = judges.given_and_expected()

    # Families (10 + 20) / 2, 30 and 40: 85 / 3 points. Given (.7 + .9 + .5) / 3 = .7; expected is less by the
    # points.
    assert judges.estimate.estimate == pytest.approx(85 / 3)
    assert values["own_given"] == pytest.approx(0.7)
    assert values["own_expected"] == pytest.approx(0.7 - 0.85 / 3)
    assert values["excess"] == pytest.approx(0.85 / 3)
    assert np.isnan(values["excess_low"])  # three families have no interval


def test_the_ends_of_the_expected_share_change_places():
    source = FakeSource()
    source.expectations = lambda _: Expectations(np.full(5, 0.8), "votes")
    judges = group(source, evidence_of(scale="votes"))

    values = judges.given_and_expected()

    low, high = judges.estimate.low, judges.estimate.high
    assert low < high
    assert values["own_expected_low"] == pytest.approx(0.8 - high)
    assert values["own_expected_high"] == pytest.approx(0.8 - low)
    assert (values["excess_low"], values["excess_high"]) == (pytest.approx(low), pytest.approx(high))


def test_a_share_is_beyond_the_scale_by_more_than_rounding():
    assert not is_beyond_scale({"own_expected": 1 + 1e-10, "own_expected_low": -1e-10, "excess": 3})
    assert is_beyond_scale({"own_expected": 0.5, "own_expected_high": 1 + 1e-8})
    assert is_beyond_scale({"own_expected_low": -1e-8, "family_expected": None})
    assert is_beyond_scale({"family_expected": 1.5})
    assert not is_beyond_scale({"family_expected": 1.5}, ("own_expected",))
    assert not is_beyond_scale({})


class SourceToFill:
    """Judges a, b, c and d: of its own a lacks verdicts, of others' b, neither c; d has no number."""

    def __init__(self):
        self.view = SimpleNamespace(judges=np.array([3, 0, 2, 1]))
        self.unequal = {"own": np.array([1, -1, 0, 1])}
        self.requests = []
        lacking = {"own": MissingShares(np.array([0.3, 0, 0, 0]), np.array([0.1, 0, 0, 0]))}
        self.missing = SimpleNamespace(shares=lacking.__getitem__)

    def expectations(self):
        return Expectations(np.array([0.6, 0.7, 0.8, 0.9]), "points")

    def filled(self, only, whose, *, favourable):
        self.requests.append((np.flatnonzero(only).tolist(), whose, favourable))
        high = np.array([12.0, 34.0, 56.0, np.nan])
        own = SimpleNamespace(interval=lambda: (high - 100, high))
        return SimpleNamespace(evidence=SimpleNamespace(own=own))


def test_the_upper_end_of_the_excess_is_that_with_missing_verdicts_filled_in_where_they_count_most(
    monkeypatch,
):
    source, seen = SourceToFill(), []

    def decide(*arguments):
        seen.append(arguments)
        return source

    monkeypatch.setattr(filled_excess, "deciding_source", decide)
    study = SimpleNamespace(index=SimpleNamespace(models=["b", "d", "c", "a"]))

    ends = filled_excess_high(study, ["a", "b", "c", "d"], Slice(run=("r1", "r2")))

    # Points of 100 are the excess in full: the share given less that share and the points.
    assert ends == {"a": pytest.approx(0.12), "b": pytest.approx(0.34)}
    # a's own count as favourable, others' not where b lacks these; c lacks as many of both.
    assert source.requests == [([0], "own", True), ([1], "other", False), ([3], "own", True)]
    [(of, spec, options)] = seen
    assert of is study
    assert spec.run == ("r1", "r2")
    assert options["decide"] is None


def test_what_is_filled_in_counts_in_the_share_given_too(monkeypatch):
    rates = Rates(np.zeros((4, 1)), np.ones((4, 1)))  # each passes a cell at even odds
    given = np.array([0.6, 0.7, 0.8, 0.9])
    source = SourceToFill()
    source.expectations = lambda: Expectations(given, "odds", rates, np.log(given / (1 - given)))
    source.filled = lambda *_, **__: SimpleNamespace(
        evidence=SimpleNamespace(own=SimpleNamespace(interval=lambda: (0, np.log([4.0, 4.0, 4.0, 4.0]))))
    )
    monkeypatch.setattr(filled_excess, "deciding_source", lambda *_: source)

    study = SimpleNamespace(index=SimpleNamespace(models=["b", "d", "c", "a"]))
    ends = filled_excess_high(study, ["a", "b"], Slice())

    # a lacks 4 of 10 own verdicts and passed 6 of 10 of the others: filled in, .76, odds 3.1667; with odds of
    # 4 for its own .79167 to 1 is expected, .44186. b passed .7, odds 2.3333: .58333 to 1, .36842.
    assert ends == {"a": pytest.approx(0.76 - 0.44186, abs=1e-5), "b": pytest.approx(0.7 - 0.36842, abs=1e-5)}


def test_without_a_number_there_is_no_end(monkeypatch):
    def nothing(*_):
        raise NoDataError("no judge has judged its own answers in this slice")

    monkeypatch.setattr(filled_excess, "deciding_source", nothing)

    assert filled_excess_high(SimpleNamespace(), ["a"], Slice()) == {}
