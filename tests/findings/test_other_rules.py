"""Slices, opponents, rankings, committees, runs and recommendations, from rows written by hand."""

from types import SimpleNamespace

import pytest

from engine.arrays.run_order import runs_in_order
from engine.findings import changes, committees
from engine.findings.answers import answer
from engine.findings.cross_checks import cross_check
from engine.findings.rules import RULES
from engine.findings.standing import MarkKind
from findings.made_up import FakeStudy, interval, judged

RULE = {rule.name: rule for rule in RULES}


def apply(name, study, before=()):
    return RULE[name].outcome(study.context(), before)


def kinds(claim):
    return [mark.kind for mark in claim.marks]


def slice_row(judge, where, difference, low, high, p, matched=1.5):
    return {
        "judge": judge,
        "where": where,
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "p_adjusted": p,
        "hspp_self": 2.0,
        "hspp_rest": 1.0,
        "hspp_matched": matched,
        "n_self": 50,
        "n_matched": 40,
        "small": False,
        "filters": {"polarity": "negative"},
        "by": None,
    }


def test_a_slice_of_surely_greater_self_preference_is_claimed_and_linked():
    rows = [
        slice_row("a", "polarity=negative; axis=accuracy", 2.5, 1.6, 4.0, 0.001),
        slice_row("a", "polarity=negative", 2.2, 1.5, 3.2, 0.002),
        slice_row("b", "polarity=positive", 0.4, 0.2, 0.7, 0.001),
        slice_row("c", "axis=style", 1.9, 1.1, 3.0, 0.05),
    ]

    outcome = apply("slices", FakeStudy(find=rows))

    (claim,) = outcome.claims  # the broader slice that holds the surest
    assert claim.at == {"judge": "a", "where": "polarity=negative"}
    assert claim.view == {"study": ("small",), "polarity": ("negative",)}
    assert claim.command == "spb slices small"
    assert outcome.summary == "the ratio is significantly higher in 2 of 40 slices tried"


def test_a_slice_without_preference_on_matched_rubrics_is_contradicted():
    (claim,) = apply(
        "slices", FakeStudy(find=[slice_row("a", "axis=x", 2.0, 1.4, 3.0, 0.01, matched=0.9)])
    ).claims

    assert kinds(claim) == [MarkKind.CONTRADICTED]


def test_the_p_of_an_opponent_is_adjusted_over_all_judges_and_opponents():
    def row(judge, opponent, value, p):
        ends = interval("ilsp_updated", value, value - 0.1, value + 0.1) | {"ilsp_updated_p": p}
        return {"judge": judge, "opponent": opponent, **ends, "n": 60}

    rows = [
        row("a", None, 0.3, 0.001),
        row("a", "x", 0.4, 0.01),
        row("a", "y", 0.2, 0.03),
        row("b", "x", 0.3, 0.5),
    ]

    (claim,) = apply("opponents", FakeStudy(quality_baseline=rows)).claims

    # Benjamini and Hochberg over the three pairs: 0.01 * 3 / 1 = 0.03; 0.03 * 3 / 2 = 0.045; 0.5.
    assert claim.at == {"judge": "a", "opponent": "x"}
    assert claim.p_adjusted == pytest.approx(0.03)


def flip(by, above, below, sure, itself, p=0.01):
    ends = interval("lead", 0.05, 0.01, 0.09) | {"lead_reference": -0.04, "p_flip_adjusted": p}
    return {"by": by, "above": above, "below": below, **ends, "sure": sure, "itself": itself}


def test_a_flip_that_may_be_chance_among_all_compared_pairs_is_a_doubt():
    outcome = apply("flips", FakeStudy(ranking_flips=[flip("all", "a", "b", 0.99, False, p=0.2)]))

    (claim,) = outcome.claims
    assert kinds(claim) == [MarkKind.NOT_SIGNIFICANT]
    assert "adjusted p = 0.2" in claim.marks[0].why


def test_a_judges_surest_flip_is_claimed_from_95_percent_of_the_resamples():
    rows = [
        flip("all", "a", "b", 0.95, False),
        flip("all", "c", "b", 0.94, False),
        flip("a", "a", "b", 0.97, True),
        flip("a", "a", "c", 0.99, True),
        flip("d", "a", "b", 1.0, False),
    ]

    outcome = apply("flips", FakeStudy(ranking_flips=rows))

    assert [claim.id for claim in outcome.claims] == ["flips:a:a:c", "flips:all:a:b"]
    assert outcome.summary == "4 of 5 flips sure"


def distance(by, tau, gain, low, high, flips=1):
    ends = interval("tau", tau, tau - 0.1, tau) | {"gain": gain, "gain_low": low, "gain_high": high}
    return {"by": by, **ends, "flips": flips, "n_models": 6, "nearest": False}


def test_each_corrected_ranking_is_compared_with_that_of_all_judges():
    rows = [
        distance("a", 1.0, 0.2, 0.1, 0.3),
        distance("all", 0.8, 0.0, 0.0, 0.0, flips=2),
        distance("all-without-self", 0.9, 0.1, -0.05, 0.2),
        distance("committee:c", 0.95, 0.15, 0.05, 0.3),
    ]

    first, second = apply("corrections", FakeStudy(ranking_distance=rows)).claims

    assert (first.id, first.value, kinds(first)) == ("corrections:committee:c", 0.15, [])
    assert kinds(second) == [MarkKind.NOT_SIGNIFICANT]
    assert (
        "tau-b 0.95 against 0.80 (difference 0.15; 95% CI 0.05 to 0.30). It reverses 1 pair, against 2."
        in first.sentence
    )


def size(number, ratio, low, high):
    row = {"size": number, "level": "rubric", **interval("hspp_self", ratio, low, high), "n_self": 80}
    return row | {"mra": 0.9, "mipa": None, "small": False}


COSTS = {"paradigm": "single_rubric", "variant": "default", "judgments": 300, "verdicts": 290}


def costs(judge, calls, usd, costed):
    recorded = {"prompt_tokens": None, "completion_tokens": None, "cost_usd": usd, "costed": costed}
    return {"judge": judge, **COSTS, "calls": calls, **recorded}


def of_committee(*sizes, total=None, runs=("one",)):
    hspp = [judged(name, (1.5, 1.3, 1.8)) for name in "abc"]
    everyone = total or costs(None, 300, 1.5, 200)
    alone = costs("a", 100, 0.5, 100)
    return FakeStudy(hspp=hspp, runs=runs, committee_size=list(sizes), judge_costs=[alone, everyone])


def favouring(*judges, overrating=()):
    """Return the outcome of the scorecard's rule: these judges favour themselves, others overrate."""
    row = {"conclusion": "favours_itself", "reason": None, "decided_by": "odds_self", "truth": "failed"}
    row |= {"estimate": 3.0, "low": 2.0, "high": 4.0, "p_adjusted": 0.001, "n_own": 90}
    row |= {"ratio_outside": None, "family_conclusion": None}
    rows = [{"judge": judge, **row} for judge in judges]
    row |= {"conclusion": "overrates_itself", "reason": "within_tastes"}
    rows += [{"judge": judge, **row} for judge in overrating]
    return apply("conclusion", FakeStudy(scorecard=rows))


def of_group(code):
    """Return the outcome of the rule on the judges together, of which this is concluded."""
    row = {"judge": None, "conclusion": code, "reason": None, "decided_by": "odds_self", "truth": None}
    row |= {"estimate": 1.7, "low": 1.4, "high": 2.2, "n_own": 900, "family_conclusion": "not_shown"}
    return apply("group", FakeStudy(scorecard=[row]))


def undecided(judge, needed=None, n_own=90):
    """Return a row of the scorecard: nothing is shown of this judge."""
    row = {"judge": judge, "conclusion": "not_shown", "reason": "undecided", "decided_by": "odds_self"}
    row |= {"truth": "failed", "estimate": 1.1, "low": 0.8, "high": 1.5, "p_adjusted": 0.5}
    return row | {"n_own": n_own, "needed": needed, "family_conclusion": None}


def member(judge, own, committee):
    """Return a row of `committee`: a member's ratio against outside judges, alone and as the committee."""
    ratios = interval("ratio_outside_common", *own) | interval("ratio_outside_common_committee", *committee)
    return {"judge": judge, "level": "rubric", **ratios, "n_self": 90, "n_common": 90, "small": False}


def test_a_committee_is_in_doubt_if_its_interval_overlaps_that_of_one_judge():
    before = [favouring("a")]
    apart = apply("sizes", of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2)), before).claims[0]
    overlap = apply("sizes", of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.2, 1.0, 1.4)), before).claims[0]

    assert kinds(apart) == []
    assert kinds(overlap) == [MarkKind.NOT_SIGNIFICANT]
    assert apart.command == (
        "spb measure committee-size small --members a,b,c --sizes 1,3 --most-committees 60"
    )


def test_the_accuracy_of_a_committee_of_even_size_is_said_to_leave_out_ties():
    study = of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.2, 1.1, 1.25), size(4, 1.1, 1.0, 1.2))
    study.rows["hspp"] = [judged(name, (1.5, 1.3, 1.8)) for name in "abcd"]

    four, three = apply("sizes", study, [favouring("a")]).claims

    assert "Its accuracy is 90.0%, not counting tied votes, which fall on hard cases" in four.sentence
    assert "Its accuracy is 90.0%; a single judge's" in three.sentence


def test_a_committee_is_no_remedy_if_no_member_favours_itself():
    study = of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2))

    (claim,) = apply("sizes", study, [favouring("somebody else")]).claims

    assert [mark.why for mark in claim.marks] == [committees.NOTHING_TO_MEND]


def test_members_that_favour_themselves_are_each_compared_with_outside_judges():
    rows = [
        member("a", (1.5, 1.3, 1.8), (1.0, 0.9, 1.2)),
        member("b", (1.5, 1.3, 1.8), (1.2, 1.0, 1.6)),
        member("c", (1.5, 1.3, 1.8), (1.0, 0.9, 1.1)),
    ]
    hspp = [judged(name, (1.5, 1.3, 1.8)) for name in "abc"]

    sure, unsure = apply("members", FakeStudy(hspp=hspp, committee=rows), [favouring("a", "b")]).claims

    assert (sure.at["judge"], kinds(sure)) == ("a", [])
    assert (unsure.at["judge"], kinds(unsure)) == ("b", [MarkKind.NOT_SIGNIFICANT])
    assert sure.sentence == (
        "The pass ratio of a to judges of other families (not its HSPP ratio) is "
        "1.00 (95% CI 0.90 to 1.20) with the verdicts of a committee of a, b and c and "
        "1.50 (95% CI 1.30 to 1.80) with its own."
    )


def test_a_committee_that_passes_fewer_than_a_member_does_beyond_expected_favours_it_less():
    own, none = (5.3, 3.1, 9.1), (0.0, None, None)

    def claim_with(high, least, reference="program", n_self=90):
        shares = interval("o_self_common", 0.5, 0.4, 0.6)
        shares |= interval("o_self_common_committee", 0.0, 0.0, high) | {"n_self": n_self}
        rows = [member("a", own, none) | shares]
        card = {"judge": "a", "truth": "failed", "excess_low": least}
        study = FakeStudy(hspp=[judged(name, own) for name in "abc"], committee=rows, scorecard=[card])
        study.reference = reference
        return apply("members", study, [favouring("a")]).claims[0]

    sure, unsure, circular = (
        claim_with(0.06, 0.28),
        claim_with(0.06, 0.03),
        claim_with(0.06, 0.28, "committee:x"),
    )
    split, half_split = claim_with(0.06, 0.28, n_self=100), claim_with(0.06, 0.28, n_self=180)

    assert (sure.stands, unsure.stands, circular.stands) == (True, False, False)
    assert sure.sentence == (
        "Of the 90 criteria that a's own answers failed and the committee decides, a passes 50.0% (95% CI "
        "40.0% to 60.0%), and a committee of a, b and c 0.0% (95% CI 0.0% to 6.0%)."
    )
    # At most (.06 * 90 + 10) / 100 = .154 could be passed, and (.06 * 90 + 90) / 180 = .53.
    assert (split.stands, half_split.stands) == (True, False)
    assert split.sentence.endswith(
        "6.0%). Left out: 10 more of its failures, where the committee is split or has fewer than 3 verdicts."
    )


def test_a_judge_that_favours_itself_does_not_vote_in_a_committee_that_is_recommended():
    own, near_one = (1.5, 1.3, 1.8), (1.0, 0.9, 1.2)
    study = FakeStudy(
        hspp=[judged(name, own) for name in "abcd"],
        committee=[member(judge, own, near_one) for judge in "abcd"],
    )
    claims = favouring("a")

    compared = apply("members", study, [claims])
    (advice,) = apply("use-committee", study, [compared, claims]).claims

    (claim,) = compared.claims
    assert (claim.at["judge"], claim.options["members"]) == ("a", ("b", "c", "d", "a"))
    assert claim.options["leave_self_out"] is True
    assert "with the verdicts of a committee of b, c and d and" in claim.sentence
    assert advice.sentence == (
        "Judge by the majority of a committee of b, c and d: it credits answers of a less than it does "
        "itself. Leave a out of it: it rates its own answers too high."
    )


@pytest.mark.parametrize(
    ("favouring_it", "overrating", "voters"),
    [("a", "b", "cde"), ("a", "bc", "bcde"), ("abc", "", "abcde"), ("", "", "abcde")],
)
def test_who_votes_in_a_committee_is_whoever_is_not_shown_to_be_biased_if_three_are_left(
    favouring_it, overrating, voters
):
    study = FakeStudy(hspp=[judged(name, (1.5, 1.3, 1.8)) for name in "abcde"])
    context = study.context().after([favouring(*favouring_it, overrating=overrating)])

    assert committees.voters_of(context) == tuple(voters)


def test_no_p_of_another_question_stands_beside_a_committee_or_a_recommendation():
    own, near_one = (1.5, 1.3, 1.8), (1.0, 0.9, 1.2)
    rows = [member(judge, own, near_one) | {"ratio_outside_committee_p_adjusted": 0.93} for judge in "abc"]
    study = FakeStudy(hspp=[judged(name, own) for name in "abc"], committee=rows)
    claims = favouring("a")

    compared = apply("members", study, [claims])
    advised = (
        apply("use-committee", study, [compared]).claims + apply("leave-self-out", study, [claims]).claims
    )

    assert claims.claims[0].p_adjusted == 0.001
    assert [claim.stands for claim in (*compared.claims, *advised)] == [True] * 3
    assert [claim.p_adjusted for claim in (*compared.claims, *advised)] == [None] * 3


def place(model, rank, low, high, uncorrected):
    ends = {"rank": rank, "rank_low": low, "rank_high": high}
    return {"model": model, **ends, "uncorrected": uncorrected, "n_labelled": 60}


def test_corrected_scores_are_recommended_if_a_place_lies_outside_its_interval():
    rows = [place("a", 3, 2, 3, 0.9), place("b", 1, 1, 2, 0.8), place("c", 2, 1, 3, 0.7)]

    outcome = apply("places", FakeStudy(corrected=rows))

    (claim,) = outcome.claims
    assert claim.sentence == (
        "By the judges' scores, a ranks number 1; corrected with the reference, it ranks number 3 "
        "(95% CI 2 to 3)."
    )
    (rank,) = apply("rank-by", FakeStudy(), [outcome]).claims
    assert "corrected with the reference" in rank.sentence
    within = apply("places", FakeStudy(corrected=[place("a", 2, 1, 2, 0.9), place("b", 1, 1, 2, 0.8)]))
    assert apply("rank-by", FakeStudy(), [within, favouring("a")]).claims == ()


def test_the_cost_of_a_committee_is_given_in_calls_and_in_known_dollars():
    sizes = size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2)

    study, before = of_committee(*sizes), [favouring("a")]
    before.append(apply("sizes", study, before))

    (claim,) = apply("cost", study, before).claims

    assert claim.value == 300
    assert "300 calls" in claim.sentence
    assert "$1.50 for the 200 calls whose cost is known" in claim.sentence
    assert "does not record tokens" in claim.sentence
    assert (
        apply("cost", study).reason
        == "the study has no committee, and no committee of its judges is shown to help"
    )


@pytest.mark.parametrize(
    ("judges_of_last", "where", "filters"),
    [
        ("abc", "In run tue alone, asking all", {"run": ("tue",)}),
        ("a", "In run mon alone, asking all", {"run": ("mon",)}),
    ],
)
def test_of_several_runs_a_committee_costs_what_it_did_in_the_newest_whole_one(
    judges_of_last, where, filters
):
    study = of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2), runs=("mon", "tue"))
    judges = {"mon": [*"abc"], "tue": [*judges_of_last]}
    study.study.inventory.values = lambda _, run_id=None, **__: judges[run_id] if run_id else [*judges]
    before = [favouring("a")]
    before.append(apply("sizes", study, before))

    (claim,) = apply("cost", study, before).claims

    assert claim.sentence.startswith(where)
    assert (
        next(options for measure, options in study.calls if measure == "judge-costs").items()
        >= filters.items()
    )


def test_two_judges_make_no_committee():
    study = FakeStudy(hspp=[judged(name, (1.5, 1.3, 1.8)) for name in "ab"])

    assert "needs 3 judges" in apply("sizes", study).reason
    assert "needs 3 judges" in apply("cost", study).reason


def test_with_one_run_no_change_is_reported():
    assert "the study has only one run, one" in apply("since-last-run", FakeStudy(hspp=[])).reason


def test_the_last_run_is_compared_with_the_previous_one_by_start_time(monkeypatch):
    monkeypatch.setattr(changes, "changed_between", lambda *_: "")
    monkeypatch.setattr(changes, "without_shared_question", lambda *_: None)

    def change(judge, value, low, high, p):
        ends = {"difference": value, "low": low, "high": high, "p_adjusted": p, "a": 1.8, "b": 1.2}
        return {"judge": judge, **ends}

    rows = [
        change("a", 1.5, 1.2, 1.9, 0.01),
        change("b", 1.1, 0.8, 1.4, 0.6),
        change(None, 1.3, 1.1, 1.5, None),
    ]
    study = FakeStudy(runs=("early", "late", "middle"), hspp=rows)
    study.began = {"early": "2026-01-01", "middle": "2026-02-01", "late": "2026-03-01"}

    (claim,) = apply("since-last-run", study).claims

    assert runs_in_order(study.context().study) == ["early", "middle", "late"]
    assert study.calls == [("hspp", {"run": ("late",), "against": {"run": "middle"}})]
    assert (
        claim.sentence == "From run middle to run late the ratio of a rose from 1.20 to 1.80 "
        "(1.50 times; 95% CI 1.20 to 1.90)."
    )
    assert claim.command == "spb measure hspp small --run late --against run=middle"
    assert claim.chart is None


def test_runs_without_a_common_question_are_not_compared(monkeypatch):
    monkeypatch.setattr(changes, "without_shared_question", lambda *_: "the runs share no question")
    study = FakeStudy(runs=("early", "late"), hspp=[])

    outcome = apply("since-last-run", study)

    assert outcome.claims == ()
    assert outcome.reason == "late and early are not compared: the runs share no question"


def test_judges_whose_change_cannot_be_tested_are_named_with_both_numbers_and_the_reason(monkeypatch):
    monkeypatch.setattr(changes, "changed_between", lambda *_: "")
    monkeypatch.setattr(changes, "without_shared_question", lambda *_: None)
    alike = {"difference": 1.0, "low": 0.8, "high": 1.3, "a": 1.0, "b": 1.0, "p_adjusted": 0.9, "reasons": {}}
    untested = {"low": None, "high": None, "p_adjusted": None, "reasons": {"p_adjusted": "few_cases"}}
    rows = [
        {"judge": "a", **alike},
        {"judge": "b", **untested, "difference": 0.5, "a": 1.0, "b": 2.0},
        {"judge": "c", **untested, "difference": 0.1, "a": 0.6, "b": 6.0},
        {"judge": "d", **alike},
    ]

    outcome = apply("since-last-run", FakeStudy(runs=("early", "late"), hspp=rows))

    assert outcome.summary.startswith("of 4 judges only 2 can be tested: neither changed in self-preference")
    first = "Not tested: c (from 6.00 to 0.60) and b (from 2.00 to 1.00): "  # 6.0 / 0.6 is farther than 2
    assert outcome.untested == f"{first}on one side fewer than 5 cases passed, or fewer than 5 failed."
    assert answer("changed", [outcome]).sentences == (
        "No change in self-preference is shown.",
        outcome.untested,
    )


def test_where_no_change_can_be_tested_none_is_counted(monkeypatch):
    monkeypatch.setattr(changes, "changed_between", lambda *_: "")
    monkeypatch.setattr(changes, "without_shared_question", lambda *_: None)
    few = {"p_adjusted": None, "reasons": {"p_adjusted": "too_few_instances"}}
    rows = [{"judge": "a", "difference": 2.0, "low": 1.5, "high": 2.6, "a": 2.0, "b": 1.0, **few}]

    outcome = apply("since-last-run", FakeStudy(runs=("early", "late"), hspp=rows))

    assert outcome.summary.startswith("no judge can be tested for a change in self-preference from run early")
    assert outcome.untested == "Not tested: a (from 1.00 to 2.00): too few questions for a p-value."


def test_a_run_without_a_start_stands_where_it_was_added_and_others_change_places_by_their_start():
    study = FakeStudy(runs=("imported", "second", "imported later", "first", "imported last"))
    study.began = {"first": "2026-01-01", "second": "2026-02-01"}

    ordered = runs_in_order(study.context().study)

    assert ordered == ["imported", "first", "imported later", "second", "imported last"]


def test_recommendations_rest_on_standing_claims_and_name_them():
    rows = [judged("a", (1.5, 1.3, 1.8)), judged("b", (2.0, 1.5, 2.6), (1.0, 0.8, 1.2))]
    before = [apply("own-failures", FakeStudy(hspp=rows))]

    (leave_out,) = apply("leave-self-out", FakeStudy(), before).claims
    (doubt,) = apply("doubt-ratios", FakeStudy(), before).claims

    assert leave_out.because == ("own-failures:a",)
    assert (leave_out.value, leave_out.low) == (1.5, 1.3)
    assert doubt.because == ("own-failures:b",)
    assert apply("leave-family-out", FakeStudy(), before).claims == ()


def test_a_committee_is_recommended_only_if_it_surely_favours_a_member_less():
    def advice_with(committee):
        hspp = [judged(name, (1.5, 1.3, 1.8)) for name in "abc"]
        rows = [member("a", (1.5, 1.3, 1.8), committee)]
        study = FakeStudy(
            hspp=hspp, committee=rows, judge_costs=[costs("a", 100, 0.5, 100), costs(None, 300, 1, 200)]
        )
        before = [favouring("a")]
        before.append(apply("members", study, before))
        before.append(apply("cost", study, before))
        return apply("use-committee", study, before).claims[0]

    yes, no = advice_with((1.0, 0.9, 1.1)), advice_with((1.4, 1.2, 1.6))

    assert yes.sentence == (
        "Judge by the majority of a committee of a, b and c: it credits answers of a less than it does "
        "itself."
    )
    assert yes.because == ("members:a", "cost:all")
    assert no.sentence.startswith("Do not use a committee only to reduce self-preference: it is not clearly")


def test_a_committee_is_no_remedy_only_if_neither_a_member_nor_the_group_rates_its_own_too_high():
    study = of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2))
    before = [apply("sizes", study)]

    without = apply("use-committee", study, before)
    study.study.info.committees["all"] = SimpleNamespace(members=["a", "b", "c"])
    advice = apply("use-committee", study, before).claims[0]

    assert (without.claims, without.summary) == ((), committees.NOTHING_TO_MEND)
    assert advice.sentence == (
        "Do not use a committee only to reduce self-preference: neither a member nor the judges as a group "
        "are shown to rate their own too high."
    )


@pytest.mark.parametrize("code", ["judges_favour_themselves", "judges_overrate_themselves"])
def test_if_the_group_rates_its_own_too_high_advice_follows_though_no_judge_stands_out(code):
    study = of_committee(size(1, 1.5, 1.3, 1.7), size(3, 1.1, 1.0, 1.2))
    study.rows["committee"] = [member(name, (1.5, 1.3, 1.8), (1.4, 1.2, 1.6)) for name in "abc"]
    before = [of_group(code), apply("conclusion", FakeStudy(scorecard=[undecided("a")]))]
    before += [apply("members", study, before), apply("sizes", study, before)]

    leave_out = apply("leave-self-out", study, before).claims[0]
    committee = apply("use-committee", study, before).claims[0]

    assert [claim.at["judge"] for claim in before[2].claims] == ["a", "b", "c"]
    assert leave_out.because == ("group:all",)
    assert leave_out.sentence == (
        "Leave every judge's verdicts on its own answers out of every average, or have other judges give "
        "them: as a group, the judges rate their own higher than other judges do."
    )
    assert committee.because == ("sizes:3",)
    assert committee.sentence == (
        "Judge by a committee's majority: over its members, the mean HSPP ratio falls from 1.50 to 1.10."
    )


def test_a_judge_that_overrates_its_own_answers_is_not_to_judge_them_whatever_the_cause():
    rows = [undecided("a") | {"conclusion": "overrates_itself", "reason": "within_tastes"}]
    before = [apply("conclusion", FakeStudy(scorecard=rows))]

    (leave_out,) = apply("leave-self-out", FakeStudy(), before).claims

    assert kinds(before[0].claims[0]) == [MarkKind.CAUSE_OPEN]
    assert leave_out.sentence.startswith("Leave the verdicts of a on its own answers out of every average")
    assert leave_out.because == ("conclusion:a",)


def test_a_recommendation_on_several_judges_has_the_cases_of_none_of_them():
    one, two = (apply("leave-self-out", FakeStudy(), [favouring(*names)]).claims for names in ("a", "ab"))

    assert [claim.n for claim in (*one, *two)] == [90, None]


def test_undecided_judges_are_named_with_the_cases_that_would_settle_them():
    rows = [undecided("a", 300, 90), undecided("b", 2_000, 100), undecided("c", None, 100)]

    (more,) = apply("judge-more", FakeStudy(scorecard=rows)).claims

    assert more.sentence == (
        "Do not call a, b and c fair or biased: if what is seen is the true difference, about 300 to 2,000 "
        "own cases of each judge would settle it for a and b."
    )
    assert more.page == "power"
    assert (more.n, more.cases, more.p_adjusted) == (290, "own cases", None)


def test_a_slice_that_is_proven_stands_whatever_is_concluded_on_the_judge():
    before = [
        apply("conclusion", FakeStudy(scorecard=[undecided("a")])),
        apply("slices", FakeStudy(find=[slice_row("a", "axis=x", 2.0, 1.4, 3.0, 0.01)])),
    ]

    (claim,) = cross_check(before)[1].claims
    where_answer = answer("where", cross_check(before))

    assert claim.stands
    assert where_answer.sentences == (claim.sentence,)


def test_what_is_not_shown_is_no_answer():
    flips = apply("flips", FakeStudy(ranking_flips=[flip("all", "a", "b", 0.99, False, p=0.2)]))

    assert answer("ranking", [flips]).sentences == ("No finding: nothing stands out clearly.",)


def own_places(code, reason):
    """Return the outcomes of a judge that ranks itself surely 3 places up, and of which this is concluded."""
    row = {"judge": "a", "conclusion": code, "reason": reason, "decided_by": "odds_self", "truth": "failed"}
    row |= {"estimate": 2.4, "low": 1.7, "high": 3.2, "p_adjusted": 0.001, "n_own": 90}
    shift = {"rank_shift": -3.0, "rank_shift_low": -3.0, "rank_shift_high": -1.0}
    delta = {"judge": "a", "generator": "a", "n": 90, "n_ranked": 62, **shift}
    study = FakeStudy(scorecard=[row | {"ratio_outside": None, "family_conclusion": None}], delta=[delta])
    return cross_check([apply("conclusion", study), apply("own-places", study)])


def test_a_judge_that_raises_its_rank_for_an_open_cause_is_tagged_so_and_named():
    outcomes = own_places("overrates_itself", "tastes")

    (claim,) = outcomes[1].claims
    assert not claim.stands
    assert [mark.title for mark in claim.marks] == ["cause open"]
    assert answer("ranking", outcomes).sentences == (
        "a ranks itself higher than the reference does; whether because the answers are its own is open.",
    )


def test_a_rank_is_of_the_questions_on_which_judge_and_reference_score_every_model():
    (claim,) = own_places("not_shown", "undecided")[1].claims

    assert (claim.n, claim.cases) == (62, "questions")
    assert claim.sentence.endswith(", on the 62 questions on which both score the answers of all models.")


def test_a_judge_that_raises_its_rank_and_of_which_nothing_is_shown_is_tagged_so():
    outcomes = own_places("not_shown", "undecided")

    (claim,) = outcomes[1].claims
    assert [mark.title for mark in claim.marks] == ["not concluded"]
    assert answer("ranking", outcomes).sentences == ("No finding: nothing stands out clearly.",)


def test_the_cost_of_a_committee_without_a_ratio_recommends_nothing():
    study = of_committee()
    study.study.info.committees["all"] = SimpleNamespace(members=["a", "b", "c"])
    before = [apply("sizes", study), apply("cost", study)]

    outcome = apply("use-committee", study, before)

    assert len(before[1].claims) == 1
    assert (outcome.claims, outcome.summary) == ((), "no committee could be tried")


def flipping(judge, rate, to_first, variant="default"):
    """Return a row of `order-effect`: the flip rate and where flips go, each as (value, low, high)."""
    flips, first = (
        {f"{name}{end}": value for end, value in zip(("", "_low", "_high"), values, strict=True)}
        for name, values in (("flip_rate", rate), ("flip_to_first", to_first))
    )
    keys = {"judge": judge, "variant": variant, "ordering": None, "position": None}
    return keys | {"n_pairs": 400, "small": False} | flips | first


def test_a_judge_whose_winner_mostly_changes_with_the_order_is_a_finding():
    rows = [
        flipping("a", (0.67, 0.63, 0.71), (1.0, 1.0, 1.0)),
        flipping("b", (0.04, 0.03, 0.06), (0.5, 0.4, 0.6)),
        flipping("c", (0.30, 0.22, 0.38), (0.5, 0.4, 0.6)),
        flipping("b", (0.90, 0.85, 0.95), (0.5, 0.4, 0.6), variant="cot"),
    ]

    outcome = apply("flips-with-order", FakeStudy(order_effect=rows))

    (claim,) = outcome.claims
    assert claim.stands
    assert claim.question == "order"
    assert claim.sentence == (
        "a changes its vote with the order in 67.0% of pairs with a winner in both (95% CI 63.0% to 71.0%), "
        "mostly to the answer shown first; that draws its votes for its own answers towards one half."
    )
    assert outcome.summary == "1 of 3 judges in more than a quarter of pairs"


def test_fewer_changes_that_go_to_one_side_are_a_finding_too():
    rows = [
        flipping("a", (0.22, 0.19, 0.26), (0.8, 0.7, 0.9)),
        flipping("b", (0.10, 0.08, 0.13), (0.7, 0.6, 0.8)),
        flipping("c", (0.24, 0.20, 0.28), (0.5, 0.4, 0.6)),
    ]

    (claim,) = apply("flips-with-order", FakeStudy(order_effect=rows)).claims

    assert claim.stands
    assert (claim.at["judge"], claim.value) == ("a", 0.8)
    assert claim.sentence == (
        "2 of 3 judges (a and b) clearly flip to the answer shown first, none to the one shown second; a "
        "most often, in 22.0% of pairs with a winner in both (95% CI 19.0% to 26.0%)."
    )
    assert not apply("flips-with-order", FakeStudy(order_effect=rows[2:])).claims


def test_judges_that_flip_are_one_finding_and_flips_that_chance_gives_too_are_counted():
    rows = [flipping(judge, (rate, 0.35, 0.5), (0.7, 0.6, 0.8)) for judge, rate in (("a", 0.4), ("b", 0.44))]
    rows.append(flipping("c", (0.42, 0.35, 0.5), (0.5, 0.4, 0.6)))

    (claim,) = apply("flips-with-order", FakeStudy(order_effect=rows)).claims

    assert (claim.at["judge"], claim.n, claim.cases) == ("b", 400, "pairs judged in both orders")
    assert "So do 2 other judges, in 40.0% to 42.0%." in claim.sentence
    # .44 x .7 = .308 of the pairs went to the first, the other .132 to the second.
    assert "Of 100 such pairs of b, 31 change to the answer shown first and 13 to the one" in claim.sentence
    assert claim.sentence.endswith("only the difference of the two is due to the order for certain.")
