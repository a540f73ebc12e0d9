"""What the numbers alone conclude on a judge: discernment, tastes, adjustment, equivalence, few cases."""

from dataclasses import replace

import numpy as np
import pytest

from engine.conclusions import FORMER, OF_JUDGE, current_code
from engine.stats.conclusions.cases_needed import cases_needed
from engine.stats.conclusions.conclusion_rules import (
    NO_CHECKS,
    Conclusion,
    Evidence,
    answer,
    conclude,
    lack_of_cells,
    lack_of_instances,
    lack_of_pairs,
)
from engine.stats.intervals.jackknife import Estimates


def one(number, error):
    return Estimates(np.array([number]), np.array([error]), np.array([30]))


def concluded(
    value, discerned=np.nan, *, se=0.1, discerned_se=0.1, taste=0.0, shared=np.nan, scale="odds", lacking=None
):
    """Conclude on one judge with 30 degrees of freedom; a `taste` of NaN is unknown."""
    own, net = one(value, se), one(discerned, discerned_se)
    evidence = Evidence(
        scale,
        own,
        own.with_variance(taste, np.inf),
        net,
        net.with_variance(taste, np.inf),
        one(shared, se).with_variance(taste, np.inf),
        [None],
        [lacking],
        np.array([0.0]),
        np.array([0.5]),
    )
    [conclusion] = conclude(answer(evidence)[0], NO_CHECKS, [0])
    return conclusion.code, conclusion.reason


@pytest.mark.parametrize(
    ("value", "discerned", "conclusion"),
    [
        (1.0, 0.9, ("favours_itself", None)),
        (-1.0, -0.9, ("disfavours_itself", None)),
        (1.0, 0.05, ("not_shown", "discernment")),
        (1.0, -0.9, ("not_shown", "discernment")),
        (0.16, 0.9, ("not_shown", "undecided")),
        (1.0, np.nan, ("favours_itself", None)),
    ],
)
def test_a_claim_must_also_hold_after_subtracting_discernment(value, discerned, conclusion):
    assert concluded(value, discerned) == conclusion


def test_a_difference_that_discernment_may_explain_is_shown_however_large_the_detectable_one():
    # .5 * (2.04 + .85) = 1.45, odds of 4.2, would be found with power .8; 2 / .5 = 4, but .9 / .7 = 1.3
    assert concluded(2.0, 0.9, se=0.5, discerned_se=0.7) == ("not_shown", "discernment")
    assert concluded(0.5, 0.9, se=0.5, discerned_se=0.7) == ("too_few_cases", "not_detectable")


def test_a_claim_that_holds_after_discernment_only_without_tastes_leaves_the_cause_open():
    # errors with tastes: sqrt(.1^2 + .2^2) = .22 and 1.0 / .22 = 4.5; .3 / .1 = 3 without and .3 / .22 = 1.3
    assert concluded(1.0, 0.3, taste=0.04) == ("overrates_itself", "within_tastes")
    assert concluded(1.0, 1.0, taste=0.04) == ("favours_itself", None)


def test_a_claim_within_tastes_leaves_the_cause_open_in_both_directions():
    # sqrt(.1^2 + .6^2) = .61 and 1 / .61 = 1.64
    assert concluded(1.0, 1.0, taste=0.36) == ("overrates_itself", "within_tastes")
    assert concluded(-1.0, -1.0, taste=0.36) == ("underrates_itself", "within_tastes")
    assert concluded(1.0, 1.0, taste=np.nan) == ("overrates_itself", "tastes_unknown")


def test_a_claim_that_a_shared_taste_explains_leaves_the_cause_open():
    # .15 / .1 = 1.5 is left of it
    assert concluded(1.0, 1.0, shared=0.15) == ("overrates_itself", "shared_taste")
    assert concluded(1.0, 1.0, shared=0.9) == ("favours_itself", None)


@pytest.mark.parametrize(
    ("value", "se", "scale", "conclusion"),
    [
        # .02 + 2.042 * .09 = .204 < log 1.25 = .223 < .02 + 2.042 * .1 = .224
        (0.02, 0.09, "odds", ("no_material_preference", None)),
        (0.02, 0.1, "odds", ("not_shown", "undecided")),
        # given .5, expected .5 - .05 = .45 at the far end: odds 1 / (.45 / .55) = 1.22; .5 - .06: 1.27
        (0.0, 0.0244, "votes", ("no_material_preference", None)),
        (0.0, 0.0294, "votes", ("not_shown", "undecided")),
        # 2.042 * .97 = 1.98
        (0.0, 0.97, "points", ("no_material_preference", None)),
        (0.0, 1.0, "points", ("not_shown", "undecided")),
    ],
)
def test_a_plain_interval_within_the_bounds_shows_no_material_preference(value, se, scale, conclusion):
    assert concluded(value, se=se, scale=scale) == conclusion


@pytest.mark.parametrize(
    ("scale", "se", "enough"),
    [
        # (2.042 + .854) se: the smallest difference found with power .8; log 3 = 1.0986 = 2.896 * .3794
        ("odds", 0.37, True),
        ("odds", 0.39, False),
        ("votes", 0.051, True),  # 2.896 * .051 = .148
        ("votes", 0.053, False),
        ("points", 3.4, True),  # 9.85
        ("points", 3.5, False),
    ],
)
def test_cases_are_too_few_where_only_a_large_difference_would_be_found(scale, se, enough):
    code = ("not_shown", "undecided") if enough else ("too_few_cases", "not_detectable")

    assert concluded(0.5 * se, se=se, scale=scale) == code


def test_a_claim_needs_the_evidence():
    assert concluded(2.0, lacking="few_credited") == ("too_few_cases", "few_credited")


def test_two_judges_are_adjusted_together_and_their_intervals_agree():
    # z of 2.2 with 30 degrees of freedom: p = .0356; of 4.0: .0004. Benjamini and Hochberg: .0356 and .0008,
    # both < .05, so R / m = 2 / 2 and the level is 95 %. With the second at 1.0 (p = .325), .0356 becomes
    # .0712: none < .05, so 1 - .05 / 2 = 97.5 %, whose reach of 2.36 includes 0.
    def both(values):
        number = Estimates(np.array(values), np.array([1.0, 1.0]), np.array([30, 30]))
        nothing = Estimates.none(2)
        evidence = Evidence(
            "points", number, number, *[nothing] * 3, [None] * 2, [None] * 2, np.zeros(2), np.zeros(2)
        )
        return answer(evidence)[0]

    of_two, of_one = both([2.2, 4.0]), both([2.2, 1.0])

    assert of_two.first.level == pytest.approx(0.95)
    assert of_one.first.level == pytest.approx(0.975)
    assert of_one.first.adjusted == pytest.approx([0.0712, 0.325], abs=1e-3)
    assert conclude(of_one, NO_CHECKS, [0, 1])[0] == Conclusion("not_shown", "adjustment")
    low, _ = of_one.evidence.own.interval(level=of_one.first.level)
    assert low[0] < 0


def test_the_users_bound_replaces_the_default():
    own = one(0.02, 0.1)
    nothing = Estimates.none(1)
    evidence = Evidence("odds", own, own, *[nothing] * 3, [None], [None], np.zeros(1), np.array([0.5]))

    assert not answer(evidence)[0].alike[0]
    assert answer(replace(evidence, material=1.3))[0].alike[0]  # log 1.3 = .262 > .224


def test_words_of_earlier_versions_have_the_code_that_stands_for_them_and_a_note():
    for code in ("leans_to_itself", "leans_against_itself", "inconclusive", "no_self_preference"):
        current, note = current_code(code)
        assert current in OF_JUDGE
        assert code in note
        assert current.replace("_", " ") in note.replace("_", " ")
    assert current_code("leans_to_family")[0] == "overrates_family"
    assert current_code("favours_itself") == ("favours_itself", None)
    assert not set(FORMER) & set(OF_JUDGE)


def test_the_cases_needed_are_enough_for_the_rule_that_finds_them_too_few():
    # By power alone 13 cases with log-odds 3.4 and error 1.2 need 13 * 7.8489 * 1.44 / 11.56 = 12.7. At 7.6 %
    # expected, 5 passes take 5 / .076 = 65.8 cases; the rule itself, at the judge's 25 % on others, 5 / .25 =
    # 20. Uncredited: 5 / .05 = 100 and 5 / .1 = 50. With 10 of 20 questions: 20 of 20. Detectable at 1.2 with
    # 20 degrees of freedom: (2.0860 + .8600) * 1.2 = 3.535; 50 * (3.535 / log 3)^2 = 517.7.
    n_own, instances = np.array([13, 13, 30, 10, 50]), np.array([13, 13, 20, 5, 40])
    lack = lack_of_cells(n_own, instances, np.array([0.25, 0.25, 0.9, 0.5, 0.5]))
    own, nothing = Estimates(np.full(5, 3.4), np.full(5, 1.2), np.full(5, 20)), Estimates.none(5)
    evidence = Evidence("odds", own, *[nothing] * 4, [None] * 5, lack.codes, lack.enough, np.full(5, 0.5))
    reasons = [code or "not_detectable" for code in lack.codes]
    conclusions = [Conclusion("too_few_cases", reason) for reason in reasons]

    needed = cases_needed(evidence, conclusions, n_own, np.array([0.076, 0.6, 0.95, 0.5, 0.5]))

    assert reasons == ["few_credited", "few_credited", "few_uncredited", "few_instances", "not_detectable"]
    assert needed == [66, 20, 100, 20, 518]


def evidence_of(value, se, *, undefined=None, relatives=None, scale="odds", given=0.5):
    """Evidence on judges without discernment, tastes or a shared taste."""
    judges = len(value)
    own = Estimates(np.array(value), np.array(se), np.full(judges, 30))
    nothing = Estimates.none(judges)
    return Evidence(
        scale, own, own, *[nothing] * 3, undefined or [None] * judges, [None] * judges,
        np.zeros(judges), np.full(judges, given), relatives=relatives,
    )  # fmt: skip


class ChecksOf:
    """Checks that fail by name, and note their calls."""

    def __init__(self, *failing):
        self.failing, self.calls = failing, []

    def _check(self, name, *of):
        self.calls.append((name, *of))
        return name not in self.failing

    def first_filled(self, judge, side):
        return self._check("first", judge, side)

    def second_filled(self, judge, side):
        return self._check("second", judge, side)

    def alike_filled(self, judge):
        return self._check("alike", judge)

    def on_same_items(self, judge):
        return self._check("items", judge)


@pytest.mark.parametrize(
    ("failing", "conclusion", "checked"),
    [
        ((), Conclusion("favours_itself", None), ["first", "items", "second"]),
        (("first",), Conclusion("not_shown", "missing_verdicts"), ["first"]),
        (("items", "second"), Conclusion("overrates_itself", "same_items"), ["first", "items"]),
        (("second",), Conclusion("overrates_itself", "missing_verdicts"), ["first", "items", "second"]),
    ],
)
def test_a_claim_must_withstand_its_checks_in_turn(failing, conclusion, checked):
    checks = ChecksOf(*failing)

    assert conclude(answer(evidence_of([1.0], [0.1]))[0], checks, [0]) == [conclusion]
    assert [name for name, *_ in checks.calls] == checked
    assert {of[1:] for of in checks.calls if of[0] != "items"} == {(0, 1)}


def test_only_the_judges_named_are_checked_further():
    checks = ChecksOf("first")

    conclusions = conclude(answer(evidence_of([1.0, -1.0], [0.1, 0.1]))[0], checks, np.array([1]))

    assert [one.code for one in conclusions] == ["favours_itself", "not_shown"]
    assert checks.calls == [("first", 1, -1)]


def test_no_material_preference_must_hold_with_missing_verdicts_too():
    answers = answer(evidence_of([0.02], [0.05]))[0]

    assert conclude(answers, ChecksOf(), [0]) == [Conclusion("no_material_preference", None)]
    assert conclude(answers, ChecksOf("alike"), [0]) == [Conclusion("not_shown", "missing_verdicts")]


def test_a_small_difference_that_discernment_may_explain_is_no_material_preference():
    assert concluded(0.1, 0.01, se=0.02, discerned_se=0.02) == ("no_material_preference", None)


@pytest.mark.parametrize(
    ("undefined", "code"),
    [
        ("no_own_responses", None),
        ("no_own_cells", None),
        ("no_relatives", None),
        ("no_cells_of_relatives", None),
        ("verdicts_agree", "too_few_cases"),
    ],
)
def test_there_is_nothing_to_conclude_on_without_own_cases(undefined, code):
    answers = answer(evidence_of([1.0], [0.1], undefined=[undefined]))[0]

    assert conclude(answers, NO_CHECKS, [0]) == [Conclusion(code, undefined)]


def test_a_number_without_an_error_has_too_few_cases():
    answers = answer(evidence_of([1.0, 1.0], [0.0, np.nan]))[0]

    reasons = [one.reason for one in conclude(answers, NO_CHECKS, [])]
    assert reasons == ["all_differences_alike", "hangs_on_one_instance"]


def test_relatives_are_tested_together_with_judges():
    # p of 2.2 with 30 degrees of freedom is .0356, of .1 .92: of two tests .0712 remains, of one .0356.
    relatives = evidence_of([0.1], [1.0], scale="points")

    own, near = answer(evidence_of([2.2], [1.0], scale="points", relatives=relatives))
    alone, nobody = answer(evidence_of([2.2], [1.0], scale="points"))

    assert nobody is None
    assert alone.first.adjusted == pytest.approx([0.0356], abs=1e-4)
    assert own.first.adjusted == pytest.approx([0.0712], abs=2e-4)
    assert near.first.adjusted == pytest.approx([0.921], abs=1e-3)
    assert (alone.side.tolist(), own.side.tolist()) == ([1], [0])
    assert (alone.first.level, own.first.level) == (pytest.approx(0.95), pytest.approx(0.975))


def test_a_judge_is_on_the_side_that_also_holds_after_discernment():
    net = Estimates(np.array([0.9, 0.05, np.nan]), np.full(3, 0.1), np.full(3, 30))
    evidence = replace(evidence_of([1.0, 1.0, -1.0], [0.1] * 3), discerned=net, discerned_tastes=net)

    answers = answer(evidence)[0]

    assert (answers.side.tolist(), answers.overrates.tolist()) == ([1, 1, -1], [1, 0, -1])
    assert [answers.same_side(judge, 1) for judge in range(3)] == [True, False, False]
    assert answers.same_side(2, -1)


@pytest.mark.parametrize(
    ("value", "given", "alike"),
    [
        (0.0, 0.5, True),
        (0.0, 0.0, False),
        (0.0, 1.0, False),
        (0.0, 0.04, False),  # .04 - .041 is no share
        (0.0, 0.96, False),
        (0.012, 0.5, True),  # .5 against .447 at the far end: odds 1.24
        (0.018, 0.5, False),  # .441: 1.27
        (-0.018, 0.5, False),
    ],
)
def test_shares_are_alike_by_their_odds(value, given, alike):
    answers = answer(evidence_of([value], [0.02], scale="votes", given=given))[0]

    assert answers.alike.tolist() == [alike]


def test_enough_instances_credited_and_uncredited_cases_are_needed():
    n_own, instances = np.array([20, 20, 20, 20, 20]), np.array([10, 9, 10, 10, 10])
    rate = np.array([0.25, 0.25, 0.24, 0.76, np.nan])

    lack = lack_of_cells(n_own, instances, rate)

    assert lack.codes == [None, "few_instances", "few_credited", "few_uncredited", "few_credited"]
    # 5 / .25 = 20 and 20 * 10 / 10; 20 * 10 / 9; 5 / .24; 5 / .24; never with nothing credited.
    assert lack.enough == pytest.approx([20, 200 / 9, 5 / 0.24, 5 / 0.24, np.inf])


def test_enough_pairs_and_instances_are_needed():
    pairs = lack_of_pairs(np.array([20, 19, 20, 0]), np.array([10, 10, 9, 0]))
    scores = lack_of_instances(np.array([30, 30]), np.array([10, 9]))

    assert pairs.codes == [None, "few_pairs", "few_instances", "few_pairs"]
    assert pairs.enough == pytest.approx([20, 20, 200 / 9, np.inf])
    assert (scores.codes, scores.enough.tolist()) == ([None, "few_instances"], pytest.approx([30, 300 / 9]))


def test_an_interval_that_ends_at_the_bounds_is_within_them():
    evidence = evidence_of([0.0], [0.5], scale="points")
    low, high = evidence.own.interval()

    assert low == -high
    assert answer(replace(evidence, material=high.item()))[0].alike[0]
    assert not answer(replace(evidence, material=np.nextafter(high.item(), 0)))[0].alike[0]
