"""What the printed tables of the three papers on pairs imply, recomputed from the printed values.

Inconsistent cells are listed here and, with the arithmetic, in `docs/papers.md`.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.stats.pairs import archetypes, equal_pairs
from engine.stats.pairs.quality_baseline import relative_change

PRINTED = Path(__file__).resolve().parents[2] / "datasets" / "published"
EQP, EQB, DBG = "equal-quality-pairs", "evaluator-quality-baseline", "dbg-score"


@cache
def printed(paper, table):
    """Row -> column -> value as printed."""
    rows = {}
    with (PRINTED / f"{paper}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["table"] == table:
                rows.setdefault(row["row"], {})[row["column"]] = row["value"]
    return rows


def column(paper, table, name):
    return {row: float(values[name]) for row, values in printed(paper, table).items() if name in values}


def rounding(value):
    """Half a unit of the last printed digit, and a little for the arithmetic."""
    return 0.5 * 10.0 ** -len(value.partition(".")[2]) + 1e-9


# Equal-quality pairs


def test_cumulative_shares_of_differences_follow_from_their_counts():
    rows = printed(EQP, "Table 1")

    total = int(rows["Total"]["Count"])

    assert total == 2000
    assert int(rows["<= 2.0"]["Count"]) + int(rows["> 2.0"]["Count"]) == total
    for name, row in rows.items():
        if name != "> 2.0":
            share = 100 * int(row["Count"]) / total
            assert float(row["Cumulative (%)"]) == pytest.approx(share, abs=rounding(row["Cumulative (%)"]))


OFF_BY_ONE = {
    "DeepSeek-V3.2",
    "Gemma-3-12B",
    "Qwen3-235B-A22B-2507",
    "Grok-4-Fast",
    "Llama-3.2-3B-Instruct",
    "Kimi-K2-Thinking",
    "Llama-3.3-70B-Instruct",
}
"""Judges of Table 3 whose printed SPB is .001 off the difference of the printed shares."""


def test_bias_is_the_difference_of_the_printed_shares_within_rounding():
    rows = printed(EQP, "Table 3")

    off = {
        name: round(abs(float(row["PIR"]) - float(row["Null-PIR"]) - float(row["SPB"])), 4)
        for name, row in rows.items()
    }

    assert len(off) == 20
    assert {name for name, gap in off.items() if gap > 0} == OFF_BY_ONE
    assert max(off.values()) <= 0.001


def table_3():
    """The firm choices and pairs behind Table 3, rounded back from the printed shares."""
    rows = printed(EQP, "Table 3").values()
    n, m = (np.array([int(row[name]) for row in rows]) for name in ("# Equal-Quality Pairs", "# Null Pairs"))
    pir, null = (np.array([float(row[name]) for row in rows]) for name in ("PIR", "Null-PIR"))
    return np.rint(pir * n).astype(int), n, np.rint(null * m).astype(int), m


def printed_yes(name):
    return np.array([row[name] == "Yes" for row in printed(EQP, "Table 3").values()])


def normal_interval():
    """SPB with the interval that its two shares' standard errors give."""
    firm, n, null_firm, m = table_3()
    p, q = firm / n, null_firm / m
    spread = 1.96 * np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return p - q - spread, p - q + spread


def test_each_of_the_three_tests_gives_the_twenty_answers_printed():
    counts = table_3()

    z_p, binomial = (
        equal_pairs.one_sided_p(equal_pairs.two_proportion_z(*counts)),
        equal_pairs.binomial_p(*counts),
    )
    low, high = normal_interval()

    assert list(z_p < 0.05) == list(printed_yes("Z-test"))
    assert list(binomial < 0.05) == list(printed_yes("Binomial"))
    assert list((low > 0) | (high < 0)) == list(printed_yes("Bootstrap"))
    assert list(equal_pairs.significant(z_p, binomial, low, high)) == list(printed_yes("Sig (2/3)"))
    assert printed_yes("Sig (2/3)").sum() == 17


def test_a_binomial_test_against_a_fixed_null_share_misses_three_answers():
    binomial = equal_pairs.binomial_p(*table_3(), exact=True)

    names = np.array(list(printed(EQP, "Table 3")))

    missed = set(names[(binomial < 0.05) != printed_yes("Binomial")])
    assert missed == {"Grok-4-Fast", "DeepSeek-V3-0324", "Kimi-Linear-48B-A3B-Instruct"}


def test_archetypes_follow_from_the_two_thresholds_for_all_twenty():
    rows = printed(EQP, "Table 6")

    d, spb = (np.array([float(row[name]) for row in rows.values()]) for name in ("D", "SPB"))

    expected = [row["Archetype"].removesuffix(" Judge") for row in rows.values()]
    assert len(rows) == 20
    assert archetypes.archetypes(d, spb) == expected


def test_bias_is_the_same_in_the_tables_of_tests_and_archetypes():
    assert column(EQP, "Table 6", "SPB") == column(EQP, "Table 3", "SPB")


def test_the_printed_chance_of_as_many_correct_fits_a_hundred_pairs():
    rows = {name: row for name, row in printed(EQP, "Table 6").items() if "p" in row}

    at_100 = {
        name: float(equal_pairs.at_least(np.array([round(100 * float(row["D"]))]), np.array([100]), 0.5)[0])
        for name, row in rows.items()
    }

    off = {name for name, row in rows.items() if abs(at_100[name] - float(row["p"])) > rounding(row["p"])}
    assert set(rows) - off == {"DeepSeek-R1-0528", "Llama-3.2-3B-Instruct"}
    # 51 of 98 answers give .52 and .381; no count of answers from 90 to 100 gives .51 and .457.
    assert float(equal_pairs.at_least(np.array([51]), np.array([98]), 0.5)[0]) == pytest.approx(
        0.381, abs=5e-4
    )


def test_mean_bias_by_category_is_the_mean_of_the_listed_models():
    for row in printed(EQP, "Table 5").values():
        biases = [float(value) for name, value in row.items() if name.startswith("SPB of ")]

        assert len(biases) == int(row["# Significant Models"])
        assert sum(biases) / len(biases) == pytest.approx(float(row["Mean SPB"]), abs=rounding("0.00"))


def test_the_two_tables_by_category_agree_on_two_values_of_twenty_five():
    table_4 = printed(EQP, "Table 4")

    same = [
        (category, name)
        for category, row in printed(EQP, "Table 5").items()
        for name, value in row.items()
        if name.startswith("SPB of ")
        and abs(float(table_4[name.removeprefix("SPB of ")][category]) - float(value)) <= 0.005 + 1e-9
    ]

    assert same == [("Text Generation", "SPB of Gemma-3-27B"), ("Explanation", "SPB of DeepSeek-V3.2")]


def test_improvement_follows_from_the_biases_except_for_one_last_digit():
    rows = printed(EQP, "Table 7")

    off = set()
    for name, row in rows.items():
        if "eta (%)" in row:
            before = np.array([float(rows[f"{name.split(' / ')[0]} / Baseline"]["SPB"])])
            after = np.array([float(row["SPB"])])
            assert float(equal_pairs.reduction(before, after)[0]) == pytest.approx(float(row["Reduction"]))
            if abs(100 * equal_pairs.improvement(before, after)[0] - float(row["eta (%)"])) > 0.05 + 1e-9:
                off.add(name)

    # 100 * .215 / .307 = 70.03, printed 69.9; 100 * .020 / .226 = 8.85 rounds either way.
    assert off == {"LongCat-Flash-Chat / Ours"}


def test_the_mean_improvement_is_the_mean_of_the_four_models():
    values = [value for name, value in column(EQP, "Table 7", "eta (%)").items() if name.endswith("Ours")]

    # 31.575 is printed as 31.5, cut and not rounded.
    assert sum(values) / 4 == pytest.approx(31.575)


# Evaluator quality baseline


@pytest.mark.parametrize(("table", "rows"), [("Table 1", 54), ("Table 13", 15)])
def test_relative_changes_follow_from_both_shares_within_rounding(table, rows):
    changes = printed(EQB, table)

    assert len(changes) == rows
    for name, row in changes.items():
        orig, upd = row["ILSP orig (%)"], row["ILSP upd (%)"]
        ends = [
            float(relative_change(np.array([float(upd) + up]), np.array([float(orig) + down]))[0])
            for up in (-rounding(upd), rounding(upd))
            for down in (-rounding(orig), rounding(orig))
        ]
        change = float(row["Rel. change (%)"])
        assert min(ends) - 0.05 <= change <= max(ends) + 0.05, name


def test_a_positive_statistic_has_a_p_below_one_half_and_a_negative_one_above():
    for table in ("Table 1", "Table 13"):
        for name, row in printed(EQB, table).items():
            upd, p = float(row["ILSP upd (%)"]), float(row["p"].removeprefix("<"))
            if abs(upd) > 0.05:
                assert (upd > 0) == (p < 0.5), name


def of_dataset(name):
    return [row for key, row in printed(EQB, "Table 1").items() if key.rsplit(" / ", 1)[0] == name]


def mean_change(rows):
    return sum(float(row["Rel. change (%)"]) for row in rows) / len(rows)


def test_mean_relative_changes_named_in_the_text_are_those_of_the_table():
    both = printed(EQB, "Table 1")
    translation, truth = (
        [row for key, row in both.items() if kind in key] for kind in ("(Trans)", "(Truth)")
    )

    assert mean_change(of_dataset("Alpaca Eval")) == pytest.approx(-79.19, abs=0.006)
    assert mean_change(translation) == pytest.approx(-82.57, abs=0.006)
    assert mean_change(truth) == pytest.approx(-67.57, abs=0.006)
    assert mean_change(of_dataset("MATH500")) == pytest.approx(-98.78, abs=0.006)  # the text has -98.76


def test_counts_in_the_text_are_compared_with_those_in_the_table():
    rows = list(printed(EQB, "Table 1").values())

    significant = sum(float(row["p"].removeprefix("<")) < 0.05 for row in rows)
    unsure = sum(float(row["p"].removeprefix("<")) >= 0.05 for row in of_dataset("MMLU"))
    down = [sum(float(row["ILSP upd (%)"]) <= 0 for row in part) for part in (rows, of_dataset("MATH500"))]

    assert (significant, unsure) == (28, 4)  # 28 of 54 is 52 %, the text has 51; 4 of 11 as in the text
    assert down == [21, 7]  # 21 of 54 is 39 %, the text has 44; 7 of 11, the text has 5
    assert mean_change(rows) == pytest.approx(-93.5, abs=0.05)  # the text has 89.6
    assert sum(int(row["N"]) for row in rows) == 23399  # the text has 37,448


def test_all_pooled_shares_but_one_lie_among_those_by_reference():
    sets = {"Table 9": "MATH500", "Table 10": "MBPP+", "Table 11": "MMLU"}
    outside = set()
    for table, dataset in sets.items():
        for judge, row in printed(EQB, table).items():
            model = judge.replace("gemma-", "G").replace("llama-", "L").replace("qwen-", "Q")
            pooled = printed(EQB, "Table 1")[f"{dataset} / {model}"]
            for kind in ("orig", "upd"):
                by_reference = [float(value) for name, value in row.items() if name.endswith(f"{kind} (%)")]
                value = float(pooled[f"ILSP {kind} (%)"])
                if not min(by_reference) - 0.05 <= value <= max(by_reference) + 0.05:
                    outside.add((dataset, model, kind))

    assert outside == {("MMLU", "Q2.5-3b", "upd")}


def test_out_of_family_differences_follow_within_rounding():
    rows = printed(EQB, "Table 8")

    for name in ("ILSP Mean Diff", "LSP Mean Diff"):
        gap = float(rows["Out-of-family only"][name]) - float(rows["All proxies"][name])
        assert gap == pytest.approx(float(rows["Difference"][name]), abs=1.5e-4)


def test_entropy_counts_add_up_except_for_two_rows_and_the_total():
    rows = printed(EQB, "Table 12")

    off = {
        name
        for name, row in rows.items()
        if int(row["Pos."]) + int(row["Neg."]) != int(row["N"])
        or abs(100 * int(row["Pos."]) / int(row["N"]) - float(row["% Pos."])) > 0.05 + 1e-9
    }
    positive = sum(int(row["Pos."]) for name, row in rows.items() if name not in ("Overall", "cnn", "xsum"))

    assert off == {"cnn", "xsum"}
    assert (positive, rows["Overall"]["Pos."]) == (36, "33")


# DBG score


def dbg_of_both(pair, table):
    """DBG of model A and of model B on each other, and their own win rates, in percent."""
    row = {name: float(value) for name, value in printed(DBG, table)[pair].items()}
    own_a, own_b = row["A wins by Model A (%)"], row["B wins by Model B (%)"]
    return own_a - row["A wins by Gold (%)"], own_b - row["B wins by Gold (%)"], own_a, own_b


@pytest.mark.parametrize("table", ["Table 2", "Figure 3"])
def test_win_rates_of_a_pair_add_up_and_gold_cancels_in_the_sum(table):
    for pair, row in printed(DBG, table).items():
        for judge in ("Model A", "Gold", "Model B"):
            assert float(row[f"A wins by {judge} (%)"]) + float(
                row[f"B wins by {judge} (%)"]
            ) == pytest.approx(100)
        dbg_a, dbg_b, own_a, own_b = dbg_of_both(pair, table)

        assert dbg_a + dbg_b == pytest.approx(own_a + own_b - 100)


def test_scores_in_the_text_follow_from_the_printed_win_rates():
    pair = "Llama-3.1-70B, Llama-3.1-8B"
    text = column(DBG, "Section 3.2", "DBG in Figure 3 (%)")

    dbg_a, dbg_b, *_ = dbg_of_both(pair, "Figure 3")

    assert dbg_a == pytest.approx(text["Llama-3.1-70B"])
    assert dbg_b == pytest.approx(text["Llama-3.1-8B"])
    distilled = dbg_of_both("Llama-3.1-70B-Instruct, DS-R1-Distill-Qwen-32B", "Table 2")[1]
    assert distilled == pytest.approx(column(DBG, "Section 4.1", "DBG (%)")["DS-R1-Distill-Qwen-32B"])


@pytest.mark.parametrize(
    ("pair", "models"),
    [
        ("Llama-3.1-70B, Llama-3.1-8B", ("Llama-3.1-70B", "Llama-3.1-8B")),
        ("Qwen2.5-72B-Instruct, Qwen2.5-7B-Instruct", ("Qwen2.5-72B-Instruct", "Qwen2.5-7B-Instruct")),
    ],
)
def test_the_sum_over_a_pair_is_unchanged_when_a_gold_judge_is_left_out(pair, models):
    without = column(DBG, "Section 4.2", "DBG, two gold judges (%)")

    dbg_a, dbg_b, *_ = dbg_of_both(pair, "Figure 3")

    assert dbg_a + dbg_b == pytest.approx(sum(without[model] for model in models))


def test_counting_ties_as_half_makes_a_positive_score_of_decided_pairs_negative():
    values = {
        name: float(value)
        for name, value in printed(DBG, "Appendix A.1")["Claude-3.5-Haiku, Llama-3.1-70B-Instruct"].items()
    }
    won, lost = values["A wins by Model A (%)"], values["B wins by Model A (%)"]

    decided, halves = 100 * won / (won + lost), won + (100 - won - lost) / 2

    assert decided == pytest.approx(values["A wins by Model A, decided (%)"], abs=0.05)
    assert decided - values["A wins by Gold (%)"] == pytest.approx(8.6, abs=0.05)
    assert halves - values["A wins by Gold (%)"] == pytest.approx(-13.0)


def test_the_score_in_the_text_for_the_72b_model_is_that_of_the_32b_one():
    section_4_1 = column(DBG, "Section 4.1", "DBG (%)")["Qwen2.5-72B-Instruct"]
    text = printed(DBG, "Section 3.2")["Qwen2.5-72B-Instruct, Llama-3.1-70B-Instruct"]

    of_32b = dbg_of_both("Llama-3.1-70B-Instruct, Qwen2.5-32B-Instruct", "Table 2")[1]
    of_72b = float(text["A wins by Model A (%)"]) - float(text["A wins by Gold (%)"])

    assert of_32b == pytest.approx(section_4_1)
    assert of_72b == pytest.approx(-2.2)
