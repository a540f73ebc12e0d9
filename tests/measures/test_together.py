"""All measures of a judge side by side, and their correlations over judges."""

from pathlib import Path

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, refer, study_of

from engine.errors import UsageError
from engine.measures.scorecard.judge_numbers import BIASES, OTHERS
from engine.measures.scorecard.together import _sentence, _summary_row
from engine.study import Study

DEMO = Path(__file__).parents[2] / "results" / "demo-health"


@pytest.fixture(scope="module")
def demo():
    if not DEMO.is_dir():
        pytest.skip("needs the shipped study results/demo-health")
    return Study.open(DEMO)


def test_every_number_is_a_field_of_a_measure_with_its_n():
    for one in (*BIASES, *OTHERS):
        fields = {field.name for field in one.measure.fields}

        assert {one.field, one.count, "judge"} <= fields


def test_every_row_repeats_the_number_of_its_measure(demo):
    rows = demo.result("together", resamples=100).rows

    by_measure = {(row["judge"], row["measure"]): row for row in rows}
    assert {name for _, name in by_measure} >= {"hspp", "hspp_matched", "bonus", "accuracy", "mipa"}
    for row in demo.result("hspp", resamples=100).rows[:-1]:
        hspp_row = by_measure[row["judge"], "hspp"]
        assert (hspp_row["value"], hspp_row["low"], hspp_row["high"], hspp_row["n"]) == (
            *(row["hspp_self"], row["hspp_self_low"], row["hspp_self_high"], row["n_self"]),
        )
        assert hspp_row["sign"] == np.sign(row["hspp_self"] - 1)
        assert hspp_row["clear"] == (row["hspp_self_low"] > 1 or row["hspp_self_high"] < 1)
        assert by_measure[row["judge"], "hspp_matched"]["value"] == row["hspp_matched"]


def test_a_number_that_does_not_measure_preference_has_no_sign(demo):
    rows = demo.result("together", resamples=0).rows

    row = next(row for row in rows if row["measure"] == "accuracy")
    assert (row["sign"], row["null"], row["reasons"]["sign"]) == (None, None, "tells_of_something_else")
    bias = next(row for row in rows if row["measure"] == "hspp")
    assert (bias["clear"], bias["reasons"]["clear"]) == (None, "no_resamples")


def test_a_sentence_says_where_the_measures_disagree(load):
    # J passes its own failed rubric everywhere and 6 of the 24 that A failed, but has its own responses,
    # the better ones, lose every comparison but one.
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=12)
    for i in range(12):
        refer(study, "J", "10", f"x{i}")
        refer(study, "A", "00", f"x{i}")
        judge_rubrics(study, "J", "J", "11", f"x{i}")
        judge_rubrics(study, "J", "A", "10" if i < 6 else "00", f"x{i}")
        for first, choice in (("generator", "opponent"), ("opponent", "opponent")):
            compare(study, "J", "J", "A", first, choice if i else "generator", f"x{i}")

    rows = load(study).result("together", resamples=200).rows

    by_measure = {row["measure"]: row for row in rows}
    assert (by_measure["hspp"]["sign"], by_measure["dbg"]["sign"]) == (1, -1)
    assert by_measure["dbg"]["value"] == pytest.approx(-11 / 12)
    sentence = by_measure["hspp"]["sentence"]
    assert sentence.startswith("J: the HSPP ratio and the score bonus are clearly above")
    assert "the DBG score and DBG on decided items are clearly below no preference" in sentence
    assert sentence.endswith("the measures disagree.")
    assert {row["sentence"] for row in rows} == {sentence}


def test_correlations_over_judges_equal_those_of_the_measures_rows(demo):
    rows = demo.result("association", resamples=200).rows

    ratios = demo.result("hspp", resamples=0).rows[:-1]
    accuracies = {row["judge"]: row["mra"] for row in demo.result("accuracy", resamples=0).rows}
    pairs = [(row["hspp_self"], accuracies[row["judge"]]) for row in ratios if row["hspp_self"] is not None]
    row = next(row for row in rows if (row["x"], row["y"]) == ("hspp", "accuracy"))
    assert row["n"] == len(pairs)
    assert row["pearson"] == pytest.approx(np.corrcoef(np.transpose(pairs))[0, 1])
    ends = row["low"], row["least_without_a_family"], row["greatest_without_a_family"], row["high"]
    assert all(-1 <= end <= 1 for end in ends)
    assert row["low"] < row["pearson"] < row["high"]
    assert row["least_without_a_family"] <= row["pearson"] <= row["greatest_without_a_family"]


def test_two_judges_are_too_few_for_a_correlation(load):
    study = study_of(models="J:F A:G B:H", rubrics=(1,), instances=3)
    for i in range(3):
        for model in "JAB":
            refer(study, model, "0" if model != "B" else "1", f"x{i}")
            for judge in "JA":
                judge_rubrics(study, judge, model, "1", f"x{i}")

    result = load(study).result("association", resamples=0)

    assert result.rows == []
    assert "at least 3 judges" in result.reason


def test_an_unknown_judge_is_refused_and_not_ignored(demo):
    with pytest.raises(UsageError, match="unknown judge 'nobody'"):
        demo.result("together", judges=["nobody"])


def test_rows_come_in_the_order_of_the_models(demo):
    places = [demo.index.models.index(row["judge"]) for row in demo.result("together", resamples=0).rows]

    assert places == sorted(places)
    assert len(set(places)) > 2


def test_a_study_without_any_of_the_measures_says_so(load):
    study = study_of(models="J:F A:G", rubrics=(1,))
    judge_rubrics(study, "J", "A", "1")

    result = load(study).result("together")

    assert result.rows == []
    assert result.reason == "this study allows none of the measures of judges"


@pytest.mark.parametrize(
    ("signs", "sentence"),
    [
        ("", "No measure of self-preference is defined for J."),
        ("hspp +", "J: the HSPP ratio is clearly above no preference."),
        ("hspp -", "J: the HSPP ratio is clearly below no preference."),
        ("hspp + open", "J: the HSPP ratio is not clearly different from no preference."),
        ("hspp - open", "J: the HSPP ratio is not clearly different from no preference."),
        ("hspp - bare", "J: the HSPP ratio is not clearly different from no preference."),
        (
            "hspp +, dbg -",
            ("J: the HSPP ratio is clearly above no preference; the DBG score is clearly below no preference"
             "; the measures disagree."),
        ),
        (
            "dbg +, t + open",
            ("J: the DBG score is clearly above no preference; T of the quality baseline is not clearly "
             "different from no preference; what remains after the quality baseline is not certain."),
        ),
        (
            "dbg +, hspp - open",
            ("J: the DBG score is clearly above no preference; the HSPP ratio is not clearly different from "
             "no preference."),
        ),
        ("t + open", "J: T of the quality baseline is not clearly different from no preference."),
    ],
)  # fmt: skip
def test_a_sentence_says_on_which_side_each_measure_is_and_what_stays_open(signs, sentence):
    rows = []
    for words in filter(None, signs.split(", ")):
        name, sign, clear = (*words.split(), "clear")[:3]
        of_word = {"clear": True, "open": False, "bare": None}  # bare: there is no interval
        rows.append({"name": name, "sign": 1 if sign == "+" else -1, "clear": of_word[clear]})

    assert _sentence("J", rows) == sentence


@pytest.mark.parametrize(
    ("low", "value", "high", "sign", "clear"),
    [
        (1.1, 1.2, 1.3, 1, True),
        (0.7, 0.8, 0.9, -1, True),
        (0.9, 1.2, 1.3, 1, False),
        (0.9, 1.0 + 1e-12, 1.3, 0, False),
        (1.0, 1.2, 1.3, 1, False),
        (0.7, 0.8, 1.0, -1, False),
        (1.1, 1.2, None, 1, None),  # an end that is undefined
        (None, 0.8, 0.9, -1, None),
    ],
)
def test_a_value_is_clear_where_its_interval_excludes_the_value_of_no_preference(
    low, value, high, sign, clear
):
    [hspp] = [number for number in BIASES if number.name == "hspp"]
    ends = {"hspp_self": value, "hspp_self_low": low, "hspp_self_high": high}

    row = _summary_row(hspp, {"judge": "J", "n_self": 9, "reasons": {}, **ends})

    assert (row["sign"], row["clear"]) == (sign, clear)
