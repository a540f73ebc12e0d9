"""The conclusion on each judge: its rules by hand arithmetic, and whole studies with planted effects."""

import math
import random

import pytest
from scipy import stats

from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.conditional import Estimate
from plain.deciding import Case, ScoreSource, gate_of_cells
from plain.equal_quality import DEFAULTS as RULES
from plain.families import Spread
from plain.outside import Tastes
from plain.scorecard import agreement, answers, conclude, reach_of, scorecard, source_that_decides, unequal

JUDGES = ("J", "A", "B", "C", "D")
LARGE = 10**6


def estimate_of(z, df=LARGE, se=0.3):
    return Estimate(z * se, se, df)


def case_of(each, relatives=None, variance=0.0, scale="odds", gates=None, given=None, discerned=None):
    """A case whose tastes add `variance` to every squared error, None where that is unknown."""
    names = list(each)
    spread = Spread() if variance is None else Spread(variance, 0.0, variance, math.inf)
    return Case(
        scale,
        each,
        relatives or {},
        Tastes([], None, None, False, LARGE, spread),
        {},
        dict.fromkeys(names, (100, 500, 4)),
        {**dict.fromkeys(names), **(gates or {})},
        discerned or {},
        given=dict.fromkeys(names, given),
    )


class Unfilled(ScoreSource):
    """Judgments of which none is missing."""

    def __init__(self):
        """There is nothing to read."""

    def lacking(self, _judge, _whose):
        return {}


def concluded(case):
    """The conclusions on the judges of a case without missing judgments."""
    return {judge: conclude(Unfilled(), case, judge) for judge in case.each}


def test_a_small_adjusted_p_above_the_null_favours_and_below_it_disfavours():
    each = {"J": estimate_of(4), "A": estimate_of(-4), "B": estimate_of(1)}

    conclusions = concluded(case_of(each))

    assert conclusions == {
        "J": ("favours_itself", None),
        "A": ("disfavours_itself", None),
        "B": ("not_shown", "undecided"),
    }


def test_p_is_adjusted_over_judges_and_relatives_together():
    # p = .0214; with one relative's p beside it .0429, and with two .064, where .05 is not reached.
    alone = concluded(case_of({"J": estimate_of(2.3)}))
    one_more = {"J": estimate_of(0.1), "A": Estimate(None)}
    beside = concluded(case_of({"J": estimate_of(2.3)}, relatives=one_more))
    crowd = {str(n): estimate_of(0.1) for n in range(2)}
    among = concluded(case_of({"J": estimate_of(2.3)}, relatives=crowd))

    assert alone["J"].code == beside["J"].code == "favours_itself"
    assert among["J"] == ("not_shown", "adjustment")


def test_an_effect_that_tastes_could_explain_is_overrating_whose_cause_is_open():
    # z = 3; with tastes of variance .27 beside a variance of .09 it is 1.5.
    conclusions = concluded(case_of({"J": estimate_of(3), "A": estimate_of(-3)}, variance=0.27))

    assert conclusions["J"] == ("overrates_itself", "within_tastes")
    assert conclusions["A"] == ("underrates_itself", "within_tastes")


def test_without_estimated_tastes_a_judge_at_most_overrates_itself():
    conclusions = concluded(case_of({"J": estimate_of(6, se=0.1)}, variance=None, scale="votes", given=0.9))

    assert conclusions["J"] == ("overrates_itself", "tastes_unknown")


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (3.0, ("favours_itself", None)),
        (1.0, ("not_shown", "discernment")),  # p = .32
        (-3.0, ("not_shown", "discernment")),
    ],
)
def test_what_discernment_leaves_must_decide_likewise(left, expected):
    conclusions = concluded(case_of({"J": estimate_of(4)}, discerned={"J": estimate_of(left)}))

    assert conclusions["J"] == expected


def test_a_difference_that_discernment_may_explain_is_not_one_for_which_cases_are_too_few():
    each, left = {"J": estimate_of(4, se=0.5)}, {"J": estimate_of(1, se=0.7)}

    assert concluded(case_of(each, discerned=left))["J"] == ("not_shown", "discernment")


@pytest.mark.parametrize(
    ("scale", "half_width", "expected"),
    [
        ("odds", 0.223, ("no_material_preference", None)),  # ln 1.25 = .2231
        ("odds", 0.224, ("not_shown", "undecided")),
        ("points", 1.99, ("no_material_preference", None)),
        ("points", 2.01, ("not_shown", "undecided")),
        # 50 of 100 given: odds 1 over those of .445 are 1.247, over those of .444 1.252; .555 likewise.
        ("votes", 0.055, ("no_material_preference", None)),
        ("votes", 0.056, ("not_shown", "undecided")),
    ],
)
def test_a_plain_interval_within_the_bounds_is_no_material_preference(scale, half_width, expected):
    number = Estimate(0.0, half_width / stats.norm.ppf(0.975), LARGE)

    assert concluded(case_of({"J": number}, scale=scale, given=0.5))["J"] == expected


def test_a_claim_within_the_bounds_remains_a_claim():
    assert concluded(case_of({"J": Estimate(0.05, 0.005, LARGE)}))["J"].code == "favours_itself"


def test_too_little_evidence_allows_no_claim_whatever_the_p():
    conclusions = concluded(case_of({"J": estimate_of(9)}, gates={"J": "few_credited"}))

    assert conclusions["J"] == ("too_few_cases", "few_credited")


def test_cases_that_would_show_odds_of_more_than_three_only_are_too_few():
    # The quantiles of test and power are 1.95996 + .84162 = 2.80159; ln 3 = 1.09861 is that times .39214.
    few, enough = (concluded(case_of({"J": Estimate(0.1, se, LARGE)}))["J"] for se in (0.393, 0.391))

    assert few == ("too_few_cases", "not_detectable")
    assert enough == ("not_shown", "undecided")


@pytest.mark.parametrize(
    ("n_own", "instances", "rate", "expected"),
    [
        (40, 9, 0.5, "few_instances"),
        (49, 10, 0.1, "few_credited"),  # 4.9
        (50, 10, 0.1, None),
        (49, 10, 0.9, "few_uncredited"),
        (40, 10, None, "few_credited"),
    ],
)
def test_evidence_is_expected_counts_at_the_rate_on_others_cells(n_own, instances, rate, expected):
    assert gate_of_cells(n_own, instances, rate) == expected


def test_the_detectable_effect_adds_the_quantiles_of_test_and_power():
    assert reach_of(Estimate(0.0, 0.5, LARGE)) == pytest.approx(1.40079, rel=1e-4)
    assert reach_of(Estimate(0.0, None, 0)) == math.inf


def test_other_numbers_agree_by_direction():
    numbers = {"hspp": 1, "bonus": -1, "dbg": 0, "odds_self": 0.4, "ratio_outside": 0.2}

    assert agreement(numbers, "odds_self", 0.3) == {"agreeing": 2, "disagreeing": 1}
    assert agreement(numbers, "odds_self", None) == {"agreeing": 0, "disagreeing": 0}


def drawn_study(own=0.9, base=0.4, instances=40, seed=3, judges=JUDGES, reference=True):
    """One failed rubric of every generator on every instance; J credits its own at a different rate."""
    draw = random.Random(seed)
    study = study_of(" ".join(f"{judge}:{judge}" for judge in judges), instances=instances)
    for n in range(instances):
        for generator in judges:
            if reference:
                refer(study, generator, "0", f"x{n}")
            for judge in judges:
                rate = own if judge == generator == "J" else base
                judge_rubrics(study, judge, generator, "1" if draw.random() < rate else "0", f"x{n}")
    return study


def source_of(study, decide=None, **options):
    return source_that_decides(study, decide, "instance", "outside", RULES, options)


def card(study, **options):
    """The scorecard without its slow parts."""
    return scorecard(study, doubts=False, **options)


def test_only_the_planted_judge_is_found():
    rows = scorecard(drawn_study())

    assert {row["judge"]: row["conclusion"] for row in rows if "itself" in row["conclusion"]} == {
        "J": "favours_itself"
    }
    row = one(rows, judge="J")
    assert (row["decided_by"], row["n_own"], row["placebo_rank"], row["placebo_of"]) == (
        "odds_self",
        40,
        1,
        5,
    )
    assert row["estimate"] > 4
    assert row["low"] < row["estimate"] < row["high"]
    assert row["bound_low"] == row["bound_high"] == row["estimate"]
    assert row["agreeing"] >= 3
    assert row["cautions"] == ["few_families"]  # five


def test_tipping_removes_credited_failures_until_the_conclusion_changes():
    study = drawn_study(own=0.75)
    row = one(scorecard(study, judges="J"), judge="J")
    source = source_of(study)
    own = [o for o in source.verdicts.opinions if o.judge == o.generator == "J" and o.favourable]

    assert row["conclusion"] == "favours_itself"
    assert 0 < row["tipping"] < len(own)
    assert row["tipping_share"] == row["tipping"] / len(own)
    others = {
        o.instance_id: sum(
            p.favourable for p in source.verdicts.opinions if p[1:4] == o[1:4] and p.judge != "J"
        )
        for o in own
    }
    order = sorted(own, key=lambda o: others[o.instance_id])  # instances are in their order
    for taken, same in ((row["tipping"] - 1, True), (row["tipping"], False)):
        gone = frozenset((o.instance_id, o.rubric_id, "J") for o in order[:taken])
        left = answers(source.case(dropped=gone))["J"]
        assert (left.side == 1 and left.discerned and left.open is None) == same


def test_own_verdicts_missing_more_often_are_filled_in_as_unfavourable():
    study = drawn_study(own=0.9, instances=60)
    lost = 0
    for row in study.judgments:
        if (row["judge"] == row["generator"] == "J" and not row["met"]) or (
            row["judge"] == row["generator"] == "J" and row["met"] and lost < 40
        ):
            row |= {"status": "refused", "met": None}
            lost += 1

    row = one(card(study), judge="J")

    assert (row["conclusion"], row["reason"]) == ("too_few_cases", "separated")
    some = drawn_study(own=0.8, instances=60)
    hidden = [r for r in some.judgments if r["judge"] == r["generator"] == "J" and not r["met"]][:-2]
    for r in hidden:
        r |= {"status": "refused", "met": None}
    gated = one(card(some), judge="J")
    assert gated["conclusion"] == "favours_itself"
    # Filled in as unfavourable these are what they were: the lower bound is the estimate of the whole study.
    whole = one(card(drawn_study(own=0.8, instances=60)), judge="J")
    assert gated["bound_low"] == pytest.approx(whole["estimate"])
    assert gated["bound_high"] > gated["estimate"] > gated["bound_low"]
    assert "missing_verdicts" in gated["cautions"]


def test_a_conclusion_that_depends_on_missing_verdicts_is_withdrawn():
    study = drawn_study(own=0.5, base=0.4)
    refused = [r for r in study.judgments if r["judge"] == r["generator"] == "J" and not r["met"]][:-3]
    for row in refused:
        row |= {"status": "refused", "met": None}

    row = one(card(study), judge="J")

    assert (row["conclusion"], row["reason"]) == ("not_shown", "missing_verdicts")


def test_verdicts_without_a_row_are_missing_like_those_without_a_reading():
    study = drawn_study(own=0.5, base=0.4)
    own = [r for r in study.judgments if r["judge"] == r["generator"] == "J" and not r["met"]][:-3]
    study.judgments = [row for row in study.judgments if row not in own]

    row = one(card(study), judge="J")

    assert (row["conclusion"], row["reason"]) == ("not_shown", "missing_verdicts")


@pytest.mark.parametrize("met", [True, False])
def test_verdicts_missing_on_others_responses_by_what_they_would_be_withdraw_a_conclusion(met):
    study = drawn_study(own=0.5, base=0.5, instances=150)
    others = [r for r in study.judgments if r["judge"] == "J" != r["generator"] and r["met"] == met]
    for row in others[: len(others) * 3 // 4]:
        row |= {"status": "refused", "met": None}
    source = source_of(study)

    row = one(card(study), judge="J")

    assert answers(source.case())["J"].side == (1 if met else -1)
    assert (row["conclusion"], row["reason"]) == ("not_shown", "missing_verdicts")
    assert unequal(source, "J") == -1
    assert "missing_verdicts" in row["cautions"]


def test_without_a_reference_points_decide_with_odds_on_all_cells_as_a_caution():
    study = drawn_study(reference=False)

    row = one(card(study), judge="J")

    assert (row["decided_by"], row["conclusion"]) == ("bonus_outside", "favours_itself")
    named = one(card(study, decide="odds_self"), judge="J")
    assert (named["conclusion"], named["cautions"]) == ("favours_itself", ["strictness", "few_families"])
    assert (named["tipping"], row["tipping"]) == (None, None)


def test_judges_of_one_family_are_concluded_on_by_matched_rubrics():
    study = study_of("J:F A:G", instances=40)
    for n in range(40):
        for generator, met in (("J", n % 10 < 8), ("A", n % 10 > 5)):  # 8 and 4 of 10
            refer(study, generator, "0", f"x{n}")
            judge_rubrics(study, "J", generator, str(int(met)), f"x{n}")

    row = one(card(study), judge="J")

    assert (row["decided_by"], row["estimate"]) == ("hspp_matched", pytest.approx(2.0))
    assert row["p_tastes"] is None
    assert (row["conclusion"], row["cautions"]) == ("overrates_itself", ["no_outside_judges"])


def test_the_rows_of_three_judges_state_assumed_tastes():
    rows = card(drawn_study(judges=JUDGES[:3]))

    assert rows[0]["cautions"] == ["tastes_assumed", "discernment_untold"]


def test_family_members_in_the_committee_are_a_caution():
    study = drawn_study()
    study.committees = {"c": {"members": ["J", "A", "B", "C"], "paradigm": "single_rubric", "variant": None}}
    for row in study.references:
        row["source"] = "committee:c"

    rows = card(study)

    assert one(rows, judge="J")["family_in_reference"] == pytest.approx(0.25)
    assert one(rows, judge="D")["family_in_reference"] == 0
    assert "family_in_reference" in one(rows, judge="J")["cautions"]


def pairs_study(instances=24):
    """J votes for its own response against A's, which gold mostly prefers; B ties and C varies."""
    study = study_of("J:F A:G B:H C:I D:K", instances=instances)
    for n in range(instances):
        for judge, choice in (("J", "generator"), ("B", "tie"), ("C", "opponent" if n % 3 else "generator")):
            compare(study, judge, "J", "A", None, choice, f"x{n}")
        study.add(
            "preferences",
            instance_id=f"x{n}",
            generator="J",
            opponent="A",
            source="B",
            outcome=-1 if n % 4 else 0,
        )
    return study


def test_all_pairs_count_whatever_their_gold_vote():
    study = pairs_study()

    row = one(card(study), judge="J")

    # 24 pairs, of which 8 have C for J: 1 - (.5 + 1)/2 = .25, the other 16 have .75.
    assert (row["decided_by"], row["n_own"]) == ("vote_outside", 24)
    assert row["estimate"] == pytest.approx((8 * 0.25 + 16 * 0.75) / 24)
    assert (row["conclusion"], row["reason"]) == ("overrates_itself", "tastes_unknown")
    assert row["tie_share"] == pytest.approx(0.25)
    assert row["family_in_reference"] == 0
    without_gold = study
    without_gold.preferences.clear()
    row = one(card(without_gold), judge="J")
    assert (row["n_own"], row["conclusion"], row["tie_share"]) == (24, "overrates_itself", None)
    assert row["p_tastes"] is None


def test_a_pair_without_an_outcome_is_missing():
    study = pairs_study()
    for row in [r for r in study.judgments if r["judge"] == "J"][1:4]:
        row |= {"status": "refused", "choice": None}

    row = one(card(study), judge="J")

    # x1 to x3: 3 of 24. As lost for J: 0 less .25 (n = 1, 2) and less .75 (3).
    before = 7 * 0.25 + 14 * 0.75
    assert row["estimate"] == pytest.approx(before / 21)
    assert row["bound_low"] == pytest.approx((before - 0.25 - 0.25 - 0.75) / 24)
    assert row["bound_high"] == pytest.approx((before + 0.75 + 0.75 + 0.25) / 24)


def test_a_study_without_a_number_has_no_rows():
    assert scorecard(study_of()) == []
