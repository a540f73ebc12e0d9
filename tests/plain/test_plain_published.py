"""What the rubric paper prints adds up."""

import csv

from plain.published import PRINTED, printed


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
