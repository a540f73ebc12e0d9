"""What the printed figures of the rubric-position-bias paper imply."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from engine.stats.orders.option_orders import balanced_orderings, bias_costs, cheapest_of_all, first_cheapest

SHARED = Path(__file__).parents[3] / "shared" / "data"
FILE = Path(__file__).parents[2] / "datasets" / "published" / "rubric-position-bias.csv"


@pytest.fixture(scope="module")
def printed():
    """Return table -> row -> column -> value as printed."""
    tables = defaultdict(lambda: defaultdict(dict))
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tables[row["table"]][row["row"]][row["column"]] = row["value"]
    return tables


def selections(printed, judge):
    """Return P(p | s) of Table 5 as counts of a thousand, shape (scores, positions)."""
    rows = [printed["Table 5"][f"{judge}, score {score}"] for score in range(1, 6)]
    return np.array([[float(row[f"P{place}"]) * 10 for place in range(1, 6)] for row in rows])


def written(ordering):
    return "[" + ",".join(str(score + 1) for score in ordering) + "]"


def test_the_printed_data_set_counts_add_up(printed):
    totals = {name: int(row["Total"]) for name, row in printed["Table 1"].items()}

    assert totals == {
        "MT-Bench": 80 * 4,
        "Vicuna-Bench": 80 * 4,
        "HANNA": 96 * 6,
        "SummEval": 100 * 4 * 4,
        "Total": sum(number for name, number in totals.items() if name != "Total"),
    }


def test_every_recommended_ordering_follows_from_the_printed_shares(printed):
    orderings = balanced_orderings(5)

    cheapest = {
        judge: written(orderings[first_cheapest(bias_costs(selections(printed, judge), orderings))])
        for judge in printed["Table 6"]
    }

    assert cheapest == {judge: row["Min-Bias Order"] for judge, row in printed["Table 6"].items()}
    assert len(cheapest) == 7


def test_every_bias_cost_follows_within_the_rounding_of_the_printed_shares(printed):
    orderings = balanced_orderings(5)

    for judge, row in printed["Table 6"].items():
        costs = bias_costs(selections(printed, judge), orderings)
        # Five terms, each printed to 0.1, and rows that add up to 99.9 or 100.1.
        assert costs[0] == pytest.approx(float(row["Bias Cost Default"]), abs=0.15)
        assert costs.min() == pytest.approx(float(row["Bias Cost Min-Bias"]), abs=0.15)


def test_a_search_over_all_120_orderings_is_cheaper_for_six_of_the_seven_judges(printed):
    cheaper = []
    for judge in printed["Table 6"]:
        counts = selections(printed, judge)
        best = bias_costs(counts, balanced_orderings(5)).min()
        if bias_costs(counts, cheapest_of_all(counts)[None, :])[0] < best - 0.05:
            cheaper.append(judge)

    assert len(cheaper) == 6
    assert "GPT-4.1" not in cheaper


def test_every_gain_from_permuting_is_the_difference_of_its_correlations_within_rounding(printed):
    checked = 0
    for row in printed["Table 2"].values():
        for kind in ("HANNA Pearson", "HANNA Spearman", "SummEval Pearson", "SummEval Spearman"):
            permuted, repeated, gain = (float(row[f"{kind} {part}"]) for part in ("Perm", "Rep", "Delta"))
            assert permuted - repeated == pytest.approx(gain, abs=0.0015 + 1e-9)
            checked += 1

    assert checked == 32


def test_the_printed_averages_are_those_of_the_seven_judges_within_rounding(printed):
    table = printed["Table 2"]

    for column, average in table["Average"].items():
        values = [float(row[column]) for judge, row in table.items() if judge != "Average"]
        assert sum(values) / 7 == pytest.approx(float(average), abs=0.001)


def test_extreme_ranks_of_the_plain_ordering_fit_its_distance_from_the_average(printed):
    for row in printed["Table 4"].values():
        for data in ("HANNA", "SummEval"):
            above = float(row[f"{data} [1..5]"]) - float(row[f"{data} Avg"])
            rank = int(row[f"{data} Rank"].split("/")[0])
            assert above > 0 if rank == 1 else above < 0 if rank == 10 else True


def test_two_of_seven_printed_ranks_are_not_the_mean_of_the_two_data_sets_ranks(printed):
    off = []
    for judge, row in printed["Table 4"].items():
        ranks = [int(row[f"{data} Rank"].split("/")[0]) for data in ("HANNA", "SummEval")]
        rank = int(printed["Table 6"][judge]["Corr Rank Default"].split("/")[0])
        if abs(sum(ranks) / 2 - rank) > 0.5:
            off.append((judge, *ranks, rank))

    assert off == [("Qwen3-8B-Think", 4, 6, 4), ("Qwen3-32B", 5, 4, 6)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the data are not part of the repository")
def test_the_printed_counts_of_two_data_sets_are_those_of_the_data(printed):
    lines = (SHARED / "prometheus" / "mt_bench_eval.jsonl").read_text("utf-8").splitlines()
    models = [json.loads(line)["response_source"] for line in lines]
    scores = pq.read_table(SHARED / "hanna" / "scores_long.parquet")
    people = scores.filter(
        pc.and_(pc.equal(scores["generator"], "Human"), pc.equal(scores["setting"], "human"))
    )
    by_item = people.group_by(["story_id", "criterion"]).aggregate([("rater", "count_distinct")])

    assert printed["Table 1"]["MT-Bench"]["Composition"] == "80 prompts × 4 models"
    assert {models.count(model) for model in models} == {80}
    assert len(set(models)) == 4
    assert len(models) == int(printed["Table 1"]["MT-Bench"]["Total"])
    assert printed["Table 1"]["HANNA"]["Composition"] == "96 stories × 6 criteria"
    assert (len(by_item["story_id"].unique()), len(by_item["criterion"].unique())) == (96, 6)
    assert len(by_item) == int(printed["Table 1"]["HANNA"]["Total"])
    assert set(by_item["rater_count_distinct"].to_pylist()) == {3}  # people
