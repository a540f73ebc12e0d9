"""The published figures of the rubric paper, by plain loops."""

import csv

import pytest

from plain.measures import accuracy_of, hspp, instance_level
from plain.published import (
    PRINTED,
    as_printed,
    needs_published_study,
    printed,
    published_question,
    published_ratios,
    published_study,
)
from plain.ratios import instance_cells, ratio_rows


def shown(rows, field, like, scale=1):
    """Model -> the field as the paper would print it."""
    return {row["judge"]: as_printed(scale * row[field], like) for row in rows if row["judge"] is not None}


@needs_published_study
@pytest.mark.parametrize(
    ("column", "field"),
    [("IFEval HSPP-Rub. (Self)", "hspp_self"), ("IFEval HSPP-Rub. (Fam.)", "hspp_family_with_self")],
)
def test_table_1_prints_the_ratios_of_all_twelve_judges(column, field):
    expected = printed("Table 1", column)

    rows = published_ratios()

    assert len(expected) == 12
    assert shown(rows, field, "0.00") == expected


@needs_published_study
def test_table_1_prints_the_accuracy_of_all_twelve_judges():
    expected = printed("Table 1", "IFEval MRA")

    rows, left_out = accuracy_of(published_question())

    assert len(expected) == 12
    assert shown(rows, "mra", "0.00") == expected
    assert set(left_out.values()) == {0}


@needs_published_study
def test_table_2_prints_both_kinds_of_overestimation_of_all_twelve_judges():
    rows = ratio_rows(published_question(), instance_cells(*instance_level(published_question())))

    for who, field in (("Self", "l2w_share_self"), ("Other", "l2w_share_other")):
        expected = printed("Table 2", f"{who} l2w (%)")
        assert len(expected) == 12
        assert shown(rows, field, "0.0", scale=100) == expected


@needs_published_study
def test_matched_ratios_are_those_quoted_in_the_definitions():
    rows = published_ratios()

    matched = {row["judge"]: row["hspp_matched"] for row in rows[:-1]}
    assert as_printed(matched["gpt_5"], "1.03") == "1.03"
    assert as_printed(matched["claude_4_5_sonnet"], "0.81") == "0.81"
    # The definitions quote 1.37; the study's verdicts give 217 / 159 = 1.3648.
    assert matched["qwen3_235b_instruct"] == pytest.approx(1.37, abs=0.006)


@needs_published_study
def test_family_ratios_without_self_are_below_one_for_the_three_named_judges():
    rows = published_ratios()

    below = {row["judge"]: row["hspp_family"] for row in rows[:-1] if row["hspp_family"] < 1}
    assert as_printed(below.pop("gpt_5"), "0.85") == "0.85"
    assert as_printed(below.pop("claude_4_5_haiku"), "0.98") == "0.98"
    assert as_printed(below.pop("gemma_3_27b_it"), "0.997") == "0.997"
    assert below == {}


@needs_published_study
@pytest.mark.parametrize(("agreement_of", "expected"), [("rubric", "1.12"), ("verdict", "1.01")])
def test_an_agreement_threshold_changes_the_mean_ratio_as_quoted(agreement_of, expected):
    rows, _left_out = hspp(published_study(), min_agreement=0.9, agreement_of=agreement_of)

    assert as_printed(rows[-1]["hspp_self"], expected) == expected


def test_the_rows_of_figure_5_sum_to_zero_within_rounding():
    with (PRINTED / "rubric-self-preference.csv").open(encoding="utf-8", newline="") as file:
        cells = [row for row in csv.DictReader(file) if row["table"] == "Figure 5"]

    judges = {row["row"] for row in cells}
    sums = {judge: sum(float(row["value"]) for row in cells if row["row"] == judge) for judge in judges}
    assert len(cells) == 144
    assert all(abs(total) <= 12 * 0.005 + 1e-9 for total in sums.values()), sums


def test_the_two_kinds_of_overestimation_in_table_2_sum_to_a_hundred():
    for who in ("Self", "Other"):
        wins, ties = printed("Table 2", f"{who} l2w (%)"), printed("Table 2", f"{who} l2t (%)")

        assert {model: round(float(wins[model]) + float(ties[model]), 1) for model in wins} == dict.fromkeys(
            wins, 100.0
        )
