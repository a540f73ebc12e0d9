"""`which-judge`: advice follows intervals and conclusions (section 20)."""

import itertools
import random

import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of

from engine.conclusions import family_code
from engine.errors import UsageError
from engine.measures.quality.which_judge import advise

SURE = {"accuracy": 0.9, "accuracy_low": 0.85, "accuracy_high": 0.95, "excess_high": 0.05}
PLAIN = {"conclusion": "not_shown", "family_conclusion": None}


def advice_of(numbers=None, card=PLAIN, group=None):
    return advise({**SURE, **(numbers or {})}, card, group or {}, 0.8, 0.1)


def test_accuracy_decides_by_its_whole_interval():
    assert advice_of() == ["fit for use on others' answers"]
    assert advice_of({"accuracy_low": 0.79}) == [
        "add a second judge, or judge more questions, as it is not certain that 80 of 100 verdicts are right"
    ]
    assert advice_of({"accuracy_low": 0.6, "accuracy_high": 0.79}) == [
        "add a second judge, as fewer than 80 of 100 verdicts equal the reference"
    ]
    assert advice_of({"accuracy": None, "accuracy_low": None, "accuracy_high": None}) == [
        "compare it with a reference or people, as it is not known whether it is fit for use"
    ]
    assert advice_of({"accuracy": None, "accuracy_low": None, "accuracy_high": None, "agreement": 0.4}) == [
        "decide by its agreement with people, as no share of right verdicts is known"
    ]
    assert advice_of({"accuracy_low": None, "accuracy_high": None, "agreement": 0.4}) == [
        "compute intervals, or judge more questions, as advice needs an interval of its accuracy"
    ]


IF_ALIKE = "add a second judge, as it is right often enough only where its repeats agree"


def test_a_judge_is_fit_only_if_it_is_by_the_first_of_its_repeats_too():
    assert advice_of({"accuracy_of_first_low": 0.8}) == ["fit for use on others' answers"]
    assert advice_of({"accuracy_of_first_low": 0.79}) == [IF_ALIKE]
    assert advice_of({"accuracy_low": 0.79, "accuracy_of_first_low": 0.79})[0] != IF_ALIKE


def test_verdicts_that_merging_leaves_out_count_against_a_judge(load):
    study = study_of("A:G B:H", instances=90)
    for n in range(
        90
    ):  # 57 right and 3 wrong twice, so 95 % of the merged; 30 wrong at first, so 63 % of all
        refer(study, "B", "1", f"x{n}")
        judge_rubrics(study, "A", "B", "1" if n < 57 else "0", f"x{n}", trial=0)
        judge_rubrics(study, "A", "B", "0" if 57 <= n < 60 else "1", f"x{n}", trial=1)

    opened = load(study)
    merged, first = (
        one(opened.result("which-judge", repeats=repeats).rows, judge="A")
        for repeats in ("majority", "first")
    )

    assert (merged["accuracy"], first["accuracy"]) == (57 / 60, 57 / 90)
    assert merged["advice"] == IF_ALIKE
    assert first["advice"] == "add a second judge, as fewer than 80 of 100 verdicts equal the reference"


@pytest.mark.parametrize("conclusion", ["favours_itself", "overrates_itself"])
def test_a_judge_that_overrates_itself_is_kept_from_its_own_answers(conclusion):
    card = {**PLAIN, "conclusion": conclusion}

    assert advice_of(card=card)[1:] == ["never on its own answers"]


def test_an_excess_that_is_not_ruled_out_needs_a_second_judge_whatever_the_estimate():
    wide = advice_of({"excess": -0.2, "excess_high": 0.1})
    unknown = advice_of({"excess": None, "excess_high": None})

    assert wide[1:] == ["add a second judge on its own answers, as an excess of 10 of 100 is not ruled out"]
    above = advice_of({"excess": 0.3, "excess_low": 0.11, "excess_high": 0.5})
    assert above == wide  # only the scorecard concludes, which shows nothing of this judge
    assert unknown[1:] == ["add a second judge on its own answers, as its excess there is not known"]


def test_where_own_cases_are_few_what_the_interval_rules_out_is_said():
    few = {**PLAIN, "conclusion": "too_few_cases"}

    assert advice_of(card=few)[1:] == [
        (
            "too few own cases for a conclusion, but enough to rule out an excess of 10 of 100 "
            "(plain 95% interval: at most 5.0)"
        )
    ]
    too_few = ["add a second judge on its own answers, as they are too few to conclude anything"]
    assert advice_of({"excess_high": 0.2}, few)[1:] == too_few
    assert advice_of({"excess_low": 0.12, "excess_high": 0.23}, few)[1:] == too_few
    assert advice_of({"excess_high": None}, few, {"conclusion": "judges_favour_themselves"})[1:] == too_few


def test_few_questions_rule_nothing_out_whatever_the_interval():
    few = {**PLAIN, "conclusion": "too_few_cases", "reason": "few_instances"}

    assert advice_of({"few_questions": True}, few) == [
        "judge more questions, as these are too few to say whether it is fit for use",
        "add a second judge on its own answers, as they are too few to conclude anything",
    ]


@pytest.mark.parametrize(
    ("questions", "advice"),
    [(9, "judge more questions, as these are too few to say whether it is fit for use"),
     (10, "fit for use on others' answers")],
)  # fmt: skip
def test_a_judge_is_fit_by_ten_questions_at_least(load, questions, advice):
    study = study_of("A:G B:H", rubrics=(1, 1), instances=questions)
    for n in range(questions):
        for generator in "AB":
            refer(study, generator, "10", f"x{n}")
            judge_rubrics(study, "A", generator, "11" if n + ord(generator) == 66 else "10", f"x{n}")

    row = one(load(study).result("which-judge").rows, judge="A")

    assert row["accuracy_low"] > 0.8
    assert row["advice"].split("; ")[0] == advice


def test_an_excess_is_not_ruled_out_where_verdicts_are_missing_unequally():
    unequal, alike = ({**PLAIN, "cautions": [code]} for code in ("missing_verdicts", "few_families"))

    assert advice_of(card=unequal)[1:] == [
        "add a second judge on its own answers, as verdicts on its own and on others are missing unequally"
    ]
    assert advice_of(card=alike)[1:] == []


def test_what_the_judges_do_together_reaches_a_judge_that_does_not_stand_out():
    group = {"conclusion": "judges_overrate_themselves"}

    assert advice_of(group=group)[1:] == [
        "add a second judge on its own answers, as the judges together pass theirs too often"
    ]


def test_relatives_orders_and_missing_verdicts_have_advice_of_their_own():
    card = {**PLAIN, "family_conclusion": "overrates_family"}
    numbers = {"flip_rate": 0.3, "flip_rate_low": 0.11, "missing": 0.1, "missing_low": 0.03}

    assert advice_of(numbers, card)[1:] == [
        "never on its family's answers",
        "keep asking in both orders",
        "find out why verdicts are missing",
    ]
    assert advice_of({"flip_rate": 0.3, "flip_rate_low": 0.1, "missing": 0.5, "missing_low": 0.02}) == [
        "fit for use on others' answers"
    ]


def test_a_judge_without_own_answers_has_no_advice_on_them():
    assert advice_of(card=None) == ["fit for use on others' answers"]


def drawn():
    draw = random.Random(8)
    names = "J:F A:G B:H C:I D:K R:L"
    study = study_of(names, instances=60)
    models = [pair.split(":")[0] for pair in names.split()]
    for n, generator in itertools.product(range(60), models):
        if generator == "R":
            continue
        truth = draw.random() < 0.3
        refer(study, generator, str(int(truth)), f"x{n}")
        for judge in models:
            right = 0.55 if judge == "B" else 0.85
            met = truth if draw.random() < right else not truth
            met = met or (judge == generator == "J" and draw.random() < 0.8)
            verdict = "u" if judge == "C" and draw.random() < 0.2 else str(int(met))
            judge_rubrics(study, judge, generator, verdict, f"x{n}", cost_usd=0.002 if judge == "A" else None)
    for n in range(60):
        for first in ("generator", "opponent"):
            compare(study, "D", "J", "A", first, first, f"x{n}")
    return study


def test_every_judge_has_a_row_with_what_is_known_of_it(load):
    rows = load(drawn()).result("which-judge", resamples=200, enough=0.7).rows

    assert [row["judge"] for row in rows] == ["J", "A", "B", "C", "D", "R"]
    assert "never on its own answers" in one(rows, judge="J")["advice"]
    assert one(rows, judge="A")["advice"].startswith("fit for use on others' answers")
    assert "add a second judge" in one(rows, judge="B")["advice"]
    assert "find out why verdicts are missing" in one(rows, judge="C")["advice"]
    assert one(rows, judge="C")["missing"] == pytest.approx(0.2, abs=0.07)
    always_first = one(rows, judge="D")
    assert (always_first["flip_rate"], "keep asking in both orders" in always_first["advice"]) == (1.0, True)
    assert one(rows, judge="A")["cost_per_1000"] == pytest.approx(2.0)
    assert one(rows, judge="J")["cost_per_1000"] is None
    outsider = one(rows, judge="R")
    assert (outsider["excess"], outsider["conclusion"]) == (None, None)
    assert outsider["advice"] == "fit for use on others' answers"
    for row in rows:
        assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]


def test_bounds_that_are_no_shares_are_refused(load):
    with pytest.raises(UsageError, match=r"enough 80\.0 is not between 0 and 1"):
        load(drawn()).result("which-judge", enough=80)


def test_a_study_without_a_reference_says_what_is_lacking(load):
    study = study_of("J:F A:G")
    judge_rubrics(study, "J", "A", "1")

    row = one(load(study).result("which-judge", resamples=20).rows, judge="J")

    assert row["reasons"]["accuracy"] == "no_reference"
    assert (
        row["advice"] == "compare it with a reference or people, as it is not known whether it is fit for use"
    )


def test_a_slice_in_which_nothing_counts_has_no_rows_but_a_reason(load):
    study = study_of("J:F A:G B:H", instances=12)
    for n, generator in itertools.product(range(12), "JAB"):
        refer(study, generator, str(n % 2), f"x{n}")
        for judge in "JAB":
            judge_rubrics(study, judge, generator, "1", f"x{n}")
    opened = load(study)

    nothing = opened.result("which-judge", polarity="negative", resamples=0)

    assert nothing.rows == []
    assert nothing.reason == (
        "the study has no negative criteria: none has points below 0, which an import reads from a column "
        "'points'"
    )
    assert len(opened.result("which-judge", resamples=0).rows) == 3


def advice_at(group="not_shown", card=None, enough=0.5, bound=0.25, **numbers):
    usual = {"accuracy_low": 0.75, "accuracy_high": 0.875, "excess_low": -0.5, "excess_high": 0.125}
    own = {"conclusion": "not_shown", "family_conclusion": None} | (card or {})
    return advise(usual | numbers, own, {"conclusion": group}, enough, bound)


FIT = "fit for use on others' answers"
SECOND = "add a second judge on its own answers"


@pytest.mark.parametrize(
    ("numbers", "advice"),
    [
        ({}, [FIT]),
        ({"accuracy_low": 0.5}, [FIT]),
        (
            {"accuracy_low": 0.4375, "accuracy_high": 0.5},
            [
                (
                    "add a second judge, or judge more questions, as it is not certain that 50 of 100 "
                    "verdicts are right"
                )
            ],
        ),
        (
            {"accuracy_low": 0.25, "accuracy_high": 0.4375},
            ["add a second judge, as fewer than 50 of 100 verdicts equal the reference"],
        ),
        ({"excess_high": 0.25}, [FIT, f"{SECOND}, as an excess of 25 of 100 is not ruled out"]),
        (
            {"excess_low": 0.25, "excess_high": 0.5},
            [FIT, f"{SECOND}, as an excess of 25 of 100 is not ruled out"],
        ),
        (
            {"excess_low": 0.3125, "excess_high": 0.5},
            [FIT, f"{SECOND}, as an excess of 25 of 100 is not ruled out"],
        ),
        ({"excess_low": None, "excess_high": 0.125}, [FIT]),
        ({"excess_high": None}, [FIT, f"{SECOND}, as its excess there is not known"]),
        ({"flip_rate_low": 0.1, "missing_low": 0.02}, [FIT]),
        ({"flip_rate_low": 0.125}, [FIT, "keep asking in both orders"]),
        ({"missing_low": 0.0625}, [FIT, "find out why verdicts are missing"]),
        ({"flip_rate_low": None, "missing_low": None}, [FIT]),
    ],
)
def test_advice_changes_where_an_end_of_an_interval_passes_its_bound(numbers, advice):
    assert advice_at(**numbers) == advice


def test_advice_on_own_answers_is_that_of_the_conclusion_then_of_the_judges_together():
    assert advice_at(card={"conclusion": None}) == [FIT]
    assert advice_at(card={"conclusion": "too_few_cases"})[1:] == [
        (
            "too few own cases for a conclusion, but enough to rule out an excess of 25 of 100 "
            "(plain 95% interval: at most 12.5)"
        )
    ]
    assert advice_at("judges_favour_themselves")[1:] == [
        "add a second judge on its own answers, as the judges together pass theirs too often"
    ]
    family = family_code("favours_itself")
    assert advice_at(card={"family_conclusion": family})[1:] == ["never on its family's answers"]


@pytest.mark.parametrize("name", ["enough", "bound"])
def test_bounds_of_0_and_1_are_no_shares(load, name):
    study = study_of("J:F A:G")
    judge_rubrics(study, "J", "A", "1")
    loaded = load(study)

    for value in (0, 1):
        with pytest.raises(UsageError, match=f"{name} {float(value)!r} is not between 0 and 1"):
            loaded.result("which-judge", **{name: value})


def test_only_the_judges_shown_and_of_the_runs_named_have_rows_and_agreement_is_with_people(load):
    plain = study_of("J:F A:G B:H", rubrics=(1, 1, 1, 1), instances=2)
    for n, run in ((0, "r1"), (1, "r2")):
        for judge, mets in (("J", "1100"), ("A", "1uu0")):
            judge_rubrics(plain, judge, "B", mets, f"x{n}", run_id=run)
        refer(plain, "B", "1010", f"x{n}", source="human:a")
    judge_rubrics(plain, "B", "A", "1111", "x1", run_id="r2")
    study = load(plain)

    rows = study.result("which-judge", resamples=20).rows
    first = study.result("which-judge", resamples=20, run="r1").rows
    shown = study.result("which-judge", resamples=20, judges="A").rows

    assert [row["judge"] for row in first] == ["J", "A"]
    assert [row["judge"] for row in shown] == ["A"]
    j, a = one(rows, judge="J"), one(rows, judge="A")
    # 1100 and 1010 are alike on half, as by chance; A's 1 and 0 are both right.
    assert (j["agreement"], j["agreement_of"]) == (pytest.approx(0.0), "people's verdicts")
    assert (a["agreement"], a["agreement_of"]) == (pytest.approx(1.0), "people's verdicts")
    # Half of A's verdicts are missing, 4 of 8 (of 4 in the first run): Wilson's intervals.
    assert (j["missing"], a["missing"]) == (0.0, 0.5)
    z, n = 1.959964, 8
    reach = z * (0.25 / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
    assert (a["missing_low"], a["missing_high"]) == (
        pytest.approx(0.5 - reach, abs=1e-5),
        pytest.approx(0.5 + reach, abs=1e-5),
    )
    assert one(first, judge="A")["missing_low"] < a["missing_low"]
    assert j["accuracy_of"] == "verdicts on criteria"
    assert j["accuracy"] == 0.5


def test_a_judge_that_no_measure_counts_in_a_slice_has_no_row_beside_one_that_is(load):
    study = study_of("J:F A:G B:H", rubrics=(1, -1), instances=2)
    for n in range(2):
        refer(study, "B", "10", f"x{n}")
        judge_rubrics(study, "J", "B", "11", f"x{n}")
        judge_rubrics(study, "A", "B", "1-", f"x{n}")  # nothing on the criterion that is undesirable
    loaded = load(study)

    assert [row["judge"] for row in loaded.result("which-judge", resamples=0).rows] == ["J", "A"]
    faults = loaded.result("which-judge", polarity="negative", resamples=0).rows
    assert [row["judge"] for row in faults] == ["J"]


def test_the_share_of_missing_verdicts_is_that_of_the_slice(load):
    study = study_of("J:F A:G B:H", rubrics=(1, 1), instances=2)
    for n, category in enumerate(("easy", "hard")):
        study.instances[n]["category"] = category
        refer(study, "B", "10", f"x{n}")
        judge_rubrics(study, "J", "B", "1u" if category == "hard" else "10", f"x{n}")
    loaded = load(study)

    missing = {
        name: loaded.result("which-judge", category=name, resamples=0).rows[0]["missing"]
        for name in ("easy", "hard")
    }

    assert missing == {"easy": 0.0, "hard": 0.5}
