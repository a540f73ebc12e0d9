"""`votes` on pairs shown in only one order, like AlpacaEval's annotations."""

import pytest
from importers.foreign_files import alpaca_board, dump, imported
from plain.builders import compare, study_of
from plain.pair_builders import G, O, T, both_orders

from engine.importers.import_options import ImportOptions
from engine.study import Study

PRINTED = {
    "claude-3-opus-20240229": (220, 583, 2, 27.45341614906832, 1.5714493961428302),
    "gpt4_0314": (120, 680, 5, 15.217391304347828, 1.259117090773072),
    "mistral-large-2402": (132, 672, 1, 16.459627329192546, 1.306288755306555),
    "gpt4_0613": (64, 738, 3, 8.136645962732919, 0.9581691305772524),
    "gpt-3.5-turbo-1106": (48, 753, 4, 6.211180124223603, 0.8420811207823524),
}
"""AlpacaEval's board of claude_3_opus_ranking: wins, losses, draws, discrete win rate, standard error."""


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    rows = alpaca_board("claude_3_opus_ranking", "gpt4_1106_preview", {m: v[:3] for m, v in PRINTED.items()})
    _, study = imported("alpaca-eval", dump(tmp_path_factory.mktemp("alpaca") / "annotations.json", rows))
    return Study(study).result("votes")


def test_the_win_rates_are_those_printed_by_alpaca_eval(board):
    rows = {row["generator"]: row for row in board.rows}

    for model, (*counts, rate, _error) in PRINTED.items():
        assert 100 * rows[model]["win_rate"] == pytest.approx(rate)
        assert rows[model]["n"] == sum(counts) == 805
    # The baseline wins what the others lose: (583 + 680 + 672 + 738 + 753 + 15 / 2) / 4025.
    assert rows["gpt4_1106_preview"]["win_rate"] == pytest.approx(3433.5 / 4025)


def test_the_widths_of_intervals_fit_the_printed_standard_errors(board):
    for row in board.rows:
        if row["generator"] in PRINTED:
            error = PRINTED[row["generator"]][4]
            width = 100 * (row["win_rate_high"] - row["win_rate_low"])
            assert width == pytest.approx(
                2 * 1.96 * error, rel=0.1
            )  # 1,000 resamples give a bound to within 5 %


def test_the_ranks_are_those_of_the_printed_win_rates(board):
    ranks = {row["generator"]: row["rank"] for row in board.rows}

    by_rate = sorted(PRINTED, key=lambda model: -PRINTED[model][3])
    assert sorted(ranks, key=ranks.get) == ["gpt4_1106_preview", *by_rate]
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in board.rows)


def test_judges_whose_pairs_count_in_one_order_are_named(board):
    assert board.filters["single_order"] == ["claude_3_opus_ranking"]
    assert not any(board.left_out.values())


def small():
    """J has a pair in both orders and one in one order, K and L have one order only."""
    study = study_of("J:F K:G L:H A:P B:Q", instances=4)
    both_orders(study, "J", "A", "B", (G, G), "x0")
    compare(study, "J", "A", "B", "generator", O, "x1")
    compare(study, "K", "A", "B", "generator", G, "x0")
    compare(study, "K", "A", "B", "opponent", T, "x1")
    compare(study, "K", "A", "B", "unknown", O, "x2")
    compare(study, "K", "B", "A", "unknown", G, "x3", p_generator=0.25)  # a forced choice follows p: A
    compare(study, "L", "A", "B", "generator", G, "x0")
    compare(study, "L", "A", "B", "unknown", O, "x0")  # overruled by a row of known order
    compare(study, "L", "A", "B", "unknown", O, "x1")
    compare(study, "L", "A", "B", "unknown", O, "x1", trial=1)
    compare(study, "L", "A", "B", "opponent", status="unparsed", instance="x2")
    return study


def test_one_order_counts_for_judges_without_a_pair_in_both(load):
    result = load(small()).result("votes", resamples=0)

    of_a = {row["judge"]: (row["win_rate"], row["n"]) for row in result.rows if row["generator"] == "A"}
    # K: a win, a tie, a loss and a win; L: a win in the known order, and a loss.
    assert of_a == {"J": (1.0, 1), "K": (2.5 / 4, 4), "L": (0.5, 2)}
    assert result.filters["single_order"] == ["K", "L"]


def test_left_out_rows_of_single_orders_are_counted(load):
    left_out = load(small()).result("votes", resamples=0).left_out

    # J's pair without its other order; L's unknown order beside a known one, and a repeat.
    assert left_out == {"unparsed": 1, "refused": 0, "error": 0, "merged": 2, "order_missing": 1}


def test_a_filter_does_not_make_single_orders_count_for_a_judge_with_both(load):
    plain = small()
    for row in plain.instances:
        row["category"] = "later" if row["instance_id"] == "x1" else "sooner"

    result = load(plain).result("votes", resamples=0, category=["later"])

    assert {row["judge"] for row in result.rows} == {"K", "L"}
    assert result.left_out["order_missing"] == 1


def test_two_orders_without_an_outcome_stay_left_out(load):
    study = study_of("K:G A:P B:Q", instances=2)
    compare(study, "K", "A", "B", "generator", None, "x0", p_generator=0.75)  # a probability alone
    compare(study, "K", "A", "B", "opponent", G, "x0")
    compare(study, "K", "A", "B", "generator", G, "x1")

    result = load(study).result("votes", resamples=0)

    assert [(row["generator"], row["n"]) for row in result.rows] == [("A", 1), ("B", 1)]
    assert result.left_out["order_missing"] == 2


def test_other_measures_of_pairs_still_need_both_orders(load):
    study = load(small())

    flips = study.result("order-effect", resamples=0)

    assert [(row["judge"], row["n_pairs"]) for row in flips.rows] == [("J", 1)]


def test_win_rates_keep_intervals_for_more_models_than_are_re_ranked(tmp_path):
    counts = {f"model-{number:02}": (4 + number % 3, 3, 2) for number in range(61)}
    rows = alpaca_board("a-judge", "a-baseline", counts)
    _, files = imported("alpaca-eval", dump(tmp_path / "annotations.json", rows))

    result = Study(files).result("votes", resamples=50)

    assert len(result.rows) == 62
    for row in result.rows:
        assert row["win_rate_low"] <= row["win_rate"] <= row["win_rate_high"]
        assert row["rank"] is not None
        assert row["rank_low"] is None
    of_first = next(row for row in result.rows if row["generator"] == "model-00")
    assert of_first["win_rate"] == pytest.approx(5 / 9)


def test_two_annotators_of_one_board_have_separate_rows(tmp_path):
    counts = {"llama-2-70b-chat-hf": (6, 2, 0), "claude-2": (3, 5, 0)}
    rows = [row for judge in ("one", "two") for row in alpaca_board(judge, "text_davinci_003", counts)]
    _, files = imported("alpaca-eval", dump(tmp_path / "annotations.json", rows), ImportOptions())

    result = Study(files).result("votes", resamples=0)

    assert {(row["judge"], row["generator"]) for row in result.rows} == {
        (judge, model) for judge in ("one", "two") for model in ("text_davinci_003", *counts)
    }
    assert result.filters["single_order"] == ["one", "two"]


def test_the_share_for_the_answer_shown_first_is_that_of_single_orders(load):
    study = study_of("J:F A:G B:H", instances=4)
    for number, (first, choice) in enumerate([(G, G), (O, G), (O, O), (G, T)]):
        compare(study, "J", "A", "B", first, choice, f"x{number}")

    result = load(study).result("order-effect", resamples=0)

    # The answer shown first was chosen on x0 and x2, the other on x1, neither on x3.
    (row,) = result.rows
    assert (row["n_pairs"], row["n_answers"], row["first_share"], row["tie_share"]) == (0, 4, 0.5, 0.25)
    assert row["reasons"]["flip_rate"] == "no_pair_with_two_winners"
    assert result.left_out["order_missing"] == 4


def test_where_a_pair_has_both_orders_single_ones_are_left_out(load):
    study = study_of("J:F A:G B:H", instances=2)
    both_orders(study, "J", "A", "B", (G, O), "x0")
    compare(study, "J", "A", "B", G, G, "x1")

    result = load(study).result("order-effect", resamples=0)

    (row,) = result.rows
    assert (row["n_pairs"], row["n_answers"], row["first_share"]) == (1, 2, 1.0)
    assert result.left_out["order_missing"] == 1
