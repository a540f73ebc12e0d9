"""All measures of a judge side by side, and their correlations over judges."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, refer, study_of

from engine.errors import UsageError
from engine.measures.judge_numbers import BIASES, OTHERS
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
    # the better ones, lose every comparison.
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=12)
    for i in range(12):
        refer(study, "J", "10", f"x{i}")
        refer(study, "A", "00", f"x{i}")
        judge_rubrics(study, "J", "J", "11", f"x{i}")
        judge_rubrics(study, "J", "A", "10" if i < 6 else "00", f"x{i}")
        for first, choice in (("generator", "opponent"), ("opponent", "opponent")):
            compare(study, "J", "J", "A", first, choice, f"x{i}")

    rows = load(study).result("together", resamples=200).rows

    by_measure = {row["measure"]: row for row in rows}
    assert (by_measure["hspp"]["sign"], by_measure["dbg"]["sign"]) == (1, -1)
    assert by_measure["dbg"]["value"] == -1
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
    judges = list(dict.fromkeys(row["judge"] for row in demo.result("together", resamples=0).rows))

    places = [demo.index.models.index(judge) for judge in judges]
    assert all(a < b for a, b in pairwise(places))
