"""Who favours itself: when a rule claims, in which order, and what puts a claim in doubt."""

import pytest

from engine.charts.claim_chart import drawing_of
from engine.findings import who_favours_itself
from engine.findings.claims import JudgeClaim, RuleOutcome, Stance
from engine.findings.cross_checks import cross_check
from engine.findings.rules import RULES
from engine.findings.standing import MarkKind
from findings.made_up import FakeStudy, interval, judged

RULE = {rule.name: rule for rule in RULES}


def apply(name, study, before=()):
    return RULE[name].outcome(study.context(), before)


def kinds(claim):
    return [mark.kind for mark in claim.marks]


def test_only_intervals_above_one_are_claimed_the_farthest_above_first():
    wide, firm = judged("wide", (3.0, 1.1, 9.0)), judged("firm", (1.5, 1.3, 1.8))
    rest = [judged("not", (1.3, 0.9, 1.8)), judged("less", (0.6, 0.4, 0.9)), judged("few", (2.0, None, None))]

    outcome = apply("own-failures", FakeStudy(hspp=[wide, *rest, firm]))

    assert [claim.id for claim in outcome.claims] == ["own-failures:firm", "own-failures:wide"]
    assert outcome.summary == "2 of 4 judges with an interval"
    assert outcome.verdicts["less"].stance is Stance.AGAINST


def test_a_claim_holds_its_number_cases_left_out_counts_and_command():
    (claim,) = apply("own-failures", FakeStudy(hspp=[judged("a model", (1.5, 1.3, 1.8), n=31)])).claims

    assert (claim.value, claim.low, claim.high, claim.p_adjusted) == (1.5, 1.3, 1.8, 0.001)
    assert (claim.n, claim.cases, dict(claim.left_out)) == (31, "own failures", {"unparsed": 2})
    assert claim.command == "spb measure hspp small"
    assert (claim.page, dict(claim.view), claim.chart) == ("slice", {"study": ("small",)}, "hspp")
    assert "1.50 times as often as other families' (95% CI 1.30 to 1.80)" in claim.sentence
    assert claim.marks == ()
    assert claim.stands


@pytest.mark.parametrize(
    ("p", "n", "provenance", "expected"),
    [
        (0.049, 30, "api", []),
        (0.05, 30, "api", [MarkKind.NOT_SIGNIFICANT]),
        (None, 30, "api", [MarkKind.NOT_SIGNIFICANT]),
        (0.01, 29, "imported", [MarkKind.SMALL]),
        (0.01, 29, "simulated", [MarkKind.SMALL, MarkKind.SIMULATED]),
        (0.2, 30, "mixed", [MarkKind.NOT_SIGNIFICANT, MarkKind.SIMULATED]),
    ],
)
def test_few_cases_a_large_adjusted_p_and_simulation_are_marked(p, n, provenance, expected):
    study = FakeStudy(provenance, hspp=[judged("a", (1.5, 1.3, 1.8), p=p, n=n)])

    (claim,) = apply("own-failures", study).claims

    assert kinds(claim) == expected
    assert all(mark.why for mark in claim.marks)


@pytest.mark.parametrize(
    ("matched", "expected"),
    [
        ((1.6, 1.2, 2.1), []),  # it holds on matched rubrics
        ((1.6, 0.9, 2.8), [MarkKind.NOT_SIGNIFICANT]),  # log 1.6 / log 2 = 0.68 of it is left
        ((1.3, 0.9, 1.9), [MarkKind.CONTRADICTED]),  # log 1.3 / log 2 = 0.38
        ((0.8, 0.6, 0.95), [MarkKind.CONTRADICTED]),
        ((0.0, 0.0, 0.0), [MarkKind.CONTRADICTED]),
        (None, []),
    ],
)
def test_a_ratio_that_vanishes_on_matched_rubrics_is_contradicted(matched, expected):
    (claim,) = apply("own-failures", FakeStudy(hspp=[judged("a", (2.0, 1.5, 2.6), matched)])).claims

    assert kinds(claim) == expected
    assert claim.stands is (not expected)


def bonus(judge, value, low, high):
    return {"judge": judge, "generator": judge, **interval("bonus", value, low, high, 0.01), "n": 90}


def test_a_number_whose_interval_alone_excludes_the_null_is_tagged_as_adjusted():
    (claim,) = apply("own-failures", FakeStudy(hspp=[judged("a", (2.0, 1.2, 3.3), p=0.2)])).claims

    (mark,) = claim.marks
    assert mark.title == "not significant after adjustment"
    assert mark.why == "p is 0.20 after adjusting for everything tested"


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        ((1.5, 1.3, 1.8), []),
        ((1.2, 0.9, 1.6), [MarkKind.NOT_SIGNIFICANT]),  # 0.2 above 1, a quarter of the interval is 0.175
        ((1.1, 0.8, 1.6), [MarkKind.CONTRADICTED]),  # 0.1 above 1, a quarter is 0.2
        ((0.8, 0.7, 0.9), [MarkKind.CONTRADICTED]),  # it says the opposite
    ],
)
def test_points_are_doubted_if_the_ratio_shows_nothing(ratio, expected):
    study = FakeStudy(hspp=[judged("a", ratio)], delta=[bonus("a", 5.0, 2.0, 8.0)])
    outcomes = [apply(name, study) for name in ("own-failures", "own-points")]

    (claim,) = cross_check(outcomes)[1].claims

    assert kinds(claim) == expected


def test_a_win_rate_above_the_truth_is_checked_by_t_or_else_by_the_ratio():
    row = {
        "judge": "a",
        "opponent": None,
        **interval("dbg", 0.1, 0.05, 0.15, 0.01),
        "n": 200,
        "gold_judges": 0,
    }
    gold = apply("beyond-gold", FakeStudy(dbg=[row]))
    nothing = JudgeClaim(Stance.NONE, "T 0.0 points")
    unsure = JudgeClaim(Stance.UNSURE, "ratio 1.2")
    t, ratio = (
        RuleOutcome(rule=name, question="who", verdicts={"a": verdict})
        for name, verdict in (("beyond-quality", nothing), ("own-failures", unsure))
    )

    with_both = cross_check([gold, t, ratio])[0].claims[0]
    with_ratio = cross_check([gold, ratio])[0].claims[0]

    assert kinds(with_both) == [MarkKind.CONTRADICTED]
    assert kinds(with_ratio) == [MarkKind.NOT_SIGNIFICANT]


def test_a_ratio_is_contradicted_by_surely_fair_judging_of_equal_quality_pairs():
    fair = {"judge": "a", **interval("spb", 0.01, -0.02, 0.04, 0.5), "n_pairs": 300}
    unsure = {"judge": "b", **interval("spb", 0.01, -0.2, 0.22, 0.9), "n_pairs": 30}
    rows = [judged("a", (1.5, 1.3, 1.8)), judged("b", (1.5, 1.3, 1.8))]
    study = FakeStudy(hspp=rows, equal_quality=[fair, unsure])

    a, b = cross_check([apply("own-failures", study), apply("equal-pairs", study)])[0].claims

    assert kinds(a) == [MarkKind.CONTRADICTED]
    assert "1.0 points (95% CI -2.0 to 4.0)" in a.marks[0].why
    assert kinds(b) == []


def test_a_measure_unavailable_in_the_study_gives_a_reason_and_no_claim():
    outcome = apply("equal-pairs", FakeStudy())

    assert outcome.claims == ()
    assert outcome.reason == "no equal-quality here"


def test_every_rule_describes_when_it_claims():
    for rule in RULES:
        assert rule.words.startswith(("Claim", "Recommend")), rule.name
        assert len(rule.words) > 80
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert who_favours_itself.NEGLIGIBLE == 0.05  # MEASURES section 9: |SPB| up to 0.05 is Objective


def test_the_surest_preference_for_a_family_comes_first_even_if_its_p_is_0():
    def row(judge, p):
        odds = interval("odds_family", 2.0, 1.5, 2.7, p=p)
        return {
            "judge": judge,
            "family_conclusion": "favours_family",
            "n_family": 90,
            "truth": "failed",
        } | odds

    outcome = apply(
        "relatives", FakeStudy(scorecard=[row("sure", 0.01), row("untested", None), row("surest", 0.0)])
    )

    assert [claim.at["judge"] for claim in outcome.claims] == ["surest", "sure", "untested"]


def test_a_claim_on_a_judge_of_which_nothing_is_shown_says_why():
    row = {"judge": "a", "conclusion": "not_shown", "reason": "discernment", "decided_by": "odds_self"}
    row |= {"truth": "failed", "estimate": 2.4, "low": 1.7, "high": 3.2, "p_adjusted": 0.001, "n_own": 90}
    study = FakeStudy(scorecard=[row], hspp=[judged("a", (1.5, 1.3, 1.8))])

    outcomes = cross_check([apply("conclusion", study), apply("own-failures", study)])

    (claim,) = outcomes[1].claims
    (mark,) = claim.marks
    assert mark.why == (
        "the conclusion on this judge: no difference shown (how clearly a judge tells good answers from bad "
        "could explain the difference)"
    )


def test_a_judge_that_favours_itself_has_the_p_that_decides_it_and_few_labels_that_undo_it_are_marked():
    row = {"judge": "a", "conclusion": "favours_itself", "reason": None, "decided_by": "odds_self"}
    row |= {"truth": "failed", "estimate": 2.4, "low": 1.7, "high": 3.2, "p_adjusted": 0.001, "n_own": 90}
    row |= {"p_tastes_adjusted": 0.02, "shared_taste_p": 0.03, "tipping": 3, "tipping_share": 0.05}
    family = interval("odds_family", 2.0, 1.5, 2.7, p=0.001)
    row |= family | {"family_conclusion": "favours_family", "n_family": 90}
    row |= {"odds_family_p_tastes_adjusted": 0.04, "family_shared_taste_p": None}
    overrates = row | {"conclusion": "overrates_itself", "reason": "shared_taste", "tipping": None}

    def claim(name, of):
        return apply(name, FakeStudy(scorecard=[of])).claims[0]

    favours, of_family, open_ = (
        claim("conclusion", row),
        claim("relatives", row),
        claim("conclusion", overrates),
    )

    beyond = " (more than judges' tastes explain)"
    assert (favours.p_adjusted, favours.p_means) == (0.03, beyond)
    assert (of_family.p_adjusted, of_family.p_means) == (0.04, beyond)
    assert (open_.p_adjusted, open_.p_means, kinds(open_)) == (0.001, "", [MarkKind.CAUSE_OPEN])
    assert [mark.why for mark in favours.marks] == [
        "3 wrong reference labels (5% of its own failures that it passed) would undo this conclusion"
    ]
    assert favours.stands


def test_the_chart_of_a_claim_on_families_draws_their_number_not_that_of_own_answers():
    group = {"judge": None, "conclusion": "judges_favour_themselves", "reason": None, "truth": "failed"}
    group |= {"decided_by": "odds_self", "estimate": 1.7, "low": 1.4, "high": 2.2, "n_own": 900}
    group |= {"own_given": 0.62, "own_expected": 0.57, "own_expected_low": 0.54, "own_expected_high": 0.59}
    group |= dict.fromkeys(("family_given", "family_expected", "family_expected_low", "family_expected_high"))
    group |= {"family_conclusion": "judges_favour_their_families", "family_estimate": 1.5}
    group |= {"family_low": 1.3, "family_high": 1.6, "n_family": 1600}
    own, families = apply("group", FakeStudy(scorecard=[group])).claims

    of_own, of_families = (drawing_of([claim], width=400)[0] for claim in (own, families))

    assert of_own["given"].tolist() == [62.0]
    assert of_families[["value", "low", "high"]].to_numpy().tolist() == [[1.5, 1.3, 1.6]]
    assert (families.low, families.high) == (1.3, 1.6)
