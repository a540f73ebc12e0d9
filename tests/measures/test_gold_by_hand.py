"""The quality baseline and the DBG score, worked out by hand beside each test."""

import math

import pytest
from plain.builders import compare, one, refer, study_of
from plain.pair_builders import G, O, T, both_orders

from engine.errors import UsageError
from engine.measures.catalogue import MEASURES
from engine.words.written_numbers import FORM_OF, number

FEW = {"resamples": 0, "min_instances": 1}


def votes(study, judge, generator, opponent, p, instance="x0", **rest):
    """Both orders with one probability."""
    for first in ("generator", "opponent"):
        compare(study, judge, generator, opponent, first, G, instance, p_generator=p, **rest)


def baseline(own=(0.6, 0.9, 0.9), proxy=(0.4, 0.5, 0.3)):
    """J loses to R three times and wins once; K loses to R with it."""
    study = study_of("J:F K:G R:H", instances=4)
    for i, (s, other) in enumerate(zip(own, proxy, strict=True)):
        for model, met in (("J", "0"), ("K", "0"), ("R", "1")):
            refer(study, model, met, f"x{i}")
        votes(study, "J", "J", "R", s, f"x{i}")
        votes(study, "J", "K", "R", other, f"x{i}")
    refer(study, "J", "1", "x3")
    refer(study, "R", "0", "x3")
    votes(study, "J", "R", "J", 0.25, "x3")
    return study


def test_the_baseline_is_the_vote_a_judge_gives_to_other_losers(load):
    study = load(baseline())

    row = one(study.result("quality-baseline", **FEW).rows, judge="J", opponent=None)

    # s: .6 .9 .9 where it lost, .75 where it won. Differences .2 .4 .6: mean .4, sd .2, se .2 / sqrt(3).
    assert row["sp"] == pytest.approx(0.7875)
    assert (row["acc"], row["n_examples"], row["n"]) == (0.25, 4, 3)
    assert row["ilsp"] == pytest.approx(0.8)
    assert row["lsp"] == pytest.approx(0.75)
    assert row["bias"] == pytest.approx(0.5375)
    assert row["ilsp_updated"] == pytest.approx(0.4)
    assert row["se"] == pytest.approx(0.2 / math.sqrt(3))
    assert row["t_stat"] == pytest.approx(2 * math.sqrt(3))
    # With two degrees of freedom P(T > t) = 1/2 - t / (2 sqrt(2 + t^2)), t^2 = 12.
    assert row["p"] == pytest.approx(0.5 - math.sqrt(12) / (2 * math.sqrt(14)))
    assert row["relative_change"] == pytest.approx(-50.0)
    assert row["proxy_win_rate"] == 0.0


def test_differences_that_are_all_alike_have_no_interval_and_no_p(load):
    study = load(baseline(own=(0.9, 0.8, 0.7), proxy=(0.5, 0.4, 0.3)))
    some = {"resamples": 200, "min_instances": 1}

    row = one(study.result("quality-baseline", **some).rows, judge="J", opponent=None)
    compared = study.result("quality-baseline", against="variant=default", **some).rows[0]

    # Each difference is .4: nothing tells how far another example could lie from it.
    assert row["ilsp_updated"] == pytest.approx(0.4)
    assert (row["ilsp_updated_low"], row["ilsp_updated_high"], row["ilsp_updated_p"]) == (None, None, None)
    assert row["reasons"]["ilsp_updated_low"] == "all_differences_alike"
    assert (compared["difference"], compared["low"]) == (0.0, None)
    assert compared["reasons"]["low"] == "all_differences_alike"


def test_where_no_resample_is_at_zero_p_is_that_of_leaving_out_one_question_at_a_time(load):
    study = load(baseline())

    row = study.result("quality-baseline", resamples=200, min_instances=1).rows[0]

    # Differences .2 .4 .6, one in each question, all above 0. Without one question their mean is .5, .4 or
    # .3, so that the jackknife's error is that of a mean, .2 / sqrt(3), and t is 2 sqrt(3) as above.
    assert row["ilsp_updated_p"] == pytest.approx(1 - math.sqrt(12 / 14))
    assert row["ilsp_updated_p"] == pytest.approx(row["p_two_sided"])


def test_a_dbg_score_above_0_in_all_resamples_has_the_p_of_leaving_out_one_question_at_a_time(load):
    study = study_of("J:F R:H", instances=3)
    for i, outcome in enumerate((-1, 0, -1)):
        both_orders(study, "J", "J", "R", (G, G), f"x{i}")
        gold = {"instance_id": f"x{i}", "generator": "J", "opponent": "R", "source": "human:a"}
        study.add("preferences", **gold, outcome=outcome)

    row = load(study).result("dbg", resamples=200, min_instances=1).rows[0]

    # Votes less gold: 1, .5, 1. Mean 5/6, standard error sqrt(1 / 36), t 5 with two degrees of freedom.
    assert row["dbg"] == pytest.approx(5 / 6)
    assert row["dbg_p"] == pytest.approx(1 - 5 / math.sqrt(27))


def test_ties_lower_a_share_of_votes_unless_they_are_dropped(load):
    study = study_of("J:F R:H")
    refer(study, "J", "0")
    refer(study, "R", "1")
    for first, p_tie in (("generator", 0.5), ("opponent", 0.25)):
        compare(study, "J", "J", "R", first, T, p_generator=0.8, p_tie=p_tie)
    study = load(study)

    with_ties, dropped = (
        study.result("quality-baseline", ties=ties, **FEW).rows[0]["sp"] for ties in ("keep", "drop")
    )

    # (.8 * .5 + .8 * .75) / 2
    assert with_ties == pytest.approx(0.5)
    assert dropped == pytest.approx(0.8)


def test_an_example_with_a_divided_panel_is_left_out(load):
    study = study_of("J:F R:H", instances=2)
    for i, outcomes in enumerate(((-1, -1, 1), (-1, 1, 0))):
        both_orders(study, "J", "J", "R", (G, G), f"x{i}")
        for name, outcome in zip("abc", outcomes, strict=True):
            study.add(
                "preferences",
                instance_id=f"x{i}",
                generator="J",
                opponent="R",
                source=f"human:{name}",
                outcome=outcome,
            )
    study = load(study)

    result = study.result("quality-baseline", **FEW)

    assert (result.rows[0]["n_examples"], result.rows[0]["ilsp"]) == (1, 1.0)
    assert result.left_out["reference_tie"] == 2
    assert result.filters["reference"] is None


def test_curves_by_number_of_proxies_are_given_on_request(load):
    study = baseline()
    study.add("models", model="L", family="L")
    refer(study, "L", "0", "x0")
    votes(study, "J", "L", "R", 0.2, "x0")
    study = load(study)

    without = study.result("quality-baseline", **FEW).rows[0]
    row = study.result("quality-baseline", curves=True, **FEW).rows[0]

    assert (without["coverage"], without["reasons"]["coverage"]) == (None, "not_asked_for")
    # One of three examples has two proxies, of shares .4 and .2: T = .6 - .3.
    assert row["coverage"] == [1.0, pytest.approx(1 / 3)]
    assert row["t_by_proxies"][1] == pytest.approx(0.3)
    assert row["t_by_proxies_se"][1] == pytest.approx(0.0)
    # With one proxy x0 gives .2 or, in k of 20 draws, .4; the others give .4 and .6.
    k = (row["t_by_proxies"][0] - 0.4) / (0.2 / 3) * 20
    assert k == pytest.approx(round(k))
    assert 0 < round(k) < 20
    assert row["t_by_proxies_se"][0] == pytest.approx(0.2 / 3 * math.sqrt(k * (20 - k) / (20 * 19)) / 20**0.5)


def test_the_summary_is_over_the_judges_and_over_their_opponents(load):
    study = load(baseline())

    pooled, single = study.result("quality-baseline", rows="summary", **FEW).rows

    assert (pooled["scope"], single["scope"]) == ("pooled", "opponent")
    assert (pooled["n_rows"], pooled["mean_relative_change"]) == (1, pytest.approx(-50.0))
    assert (pooled["share_not_positive"], pooled["share_significant"]) == (0.0, 1.0)
    assert pooled["reasons"]["rank_correlation"] == "fewer_than_3_rows_or_a_constant_side"


def duel():
    """J and K judge their own four pairs; the two gold judges tie once."""
    study = study_of("J:F K:G P:P Q:Q", instances=4)
    for judge, outcomes in (("J", ((G, G), (G, G), (O, G), (O, O))), ("K", ((O, O), (G, G), (O, O), (T, O)))):
        for i, choices in enumerate(outcomes):
            both_orders(study, judge, "J", "K", choices, f"x{i}")
    for i, (p, q) in enumerate(((1, 1), (-1, -1), (1, -1), (-1, 0))):
        for name, outcome in (("P", p), ("Q", q)):
            study.add(
                "preferences", instance_id=f"x{i}", generator="J", opponent="K", source=name, outcome=outcome
            )
    return study


def test_dbg_is_the_share_won_by_the_judge_less_that_by_gold(load):
    study = load(duel())

    row = one(study.result("dbg", **FEW).rows, judge="J", opponent=None)

    # J: win, win, tie (it flipped), loss = 2.5 of 4. Gold for J: 1, 0, .5, 0 = 1.5 of 4.
    assert (row["win_rate"], row["gold_win_rate"], row["dbg"]) == (0.625, 0.375, 0.25)
    # The first, second and fourth are decided: 2 of 3 against 1 of 3.
    assert row["dbg_decided"] == pytest.approx(1 / 3)
    assert (row["ties"], row["n"], row["n_decided"], row["gold_judges"]) == (1, 4, 3, 2)
    assert row["flip_rate"] == 0.25
    assert row["dbg_soft"] is None
    # P alone: 1 0 1 0, so 2.5/4 - 2/4; Q alone: 1 0 0 .5, so 2.5/4 - 1.5/4.
    assert (row["dbg_least"], row["dbg_greatest"]) == (0.125, 0.25)


def test_the_lowest_and_highest_dbg_of_any_panel_are_printed_as_points_with_their_sign():
    kinds = {field.name: field.kind for field in MEASURES["dbg"].fields}

    # shares of 1: 0.125 is 12.5 of 100
    assert number(0.125, FORM_OF[kinds["dbg_least"]]) == "+12.5"
    assert number(0.125, FORM_OF[kinds["dbg_greatest"]]) == "+12.5"


def test_the_scores_of_two_judges_on_each_other_do_not_depend_on_the_gold(load):
    study = load(duel())

    for gold in ([], ["P"], ["Q"]):
        rows = study.result("dbg", gold=gold, **FEW).rows
        j, k = (one(rows, judge=name, opponent=None) for name in "JK")

        assert j["dbg"] + k["dbg"] == pytest.approx(j["win_rate"] + k["win_rate"] - 1)


def test_a_model_is_no_gold_judge_of_a_response_it_rewrote(load):
    study = study_of("J:F K:G P:P Q:Q")
    both_orders(study, "J", "J", "K", (G, G), transform="humorous")
    for name, outcome in (("P", 1), ("Q", -1)):
        study.add("preferences", instance_id="x0", generator="J", opponent="K", source=name, outcome=outcome)
    study.add(
        "responses", instance_id="x0", generator="K", transform="humorous", transformed_by="P", text="t"
    )

    row = load(study).result("dbg", transform="humorous", **FEW).rows[0]

    assert (row["gold_win_rate"], row["dbg"]) == (0.0, 1.0)


def test_the_soft_score_compares_probabilities_with_the_mean_vote(load):
    study = duel()
    for row in study.judgments:
        row["p_generator"] = 0.9 if row["judge"] == "J" else 0.5

    rows = load(study).result("dbg", **FEW).rows

    # J wins all four with .9; mean votes for J 1, 0, .5, .25.
    soft = one(rows, judge="J", opponent="K")
    assert soft["dbg_soft"] == pytest.approx(0.9 - 1.75 / 4)
    assert (soft["win_rate"], soft["n_soft"]) == (1.0, 4)
    assert one(rows, judge="K", opponent="J")["ties"] == 4


def offered_ties():
    """J judges two own pairs where a tie was offered and chosen; gold gives it the second."""
    study = study_of("J:F R:H P:P", instances=2)
    # x0: .9 and .4 of the two, x1: .3 and .6; choices are ties in one order.
    for i, (one_order, other) in enumerate(((0.9, 0.4), (0.3, 0.6))):
        for first, choice, p in (("generator", T, one_order), ("opponent", O, other)):
            about = {"p_generator": p, "p_tie": 0.5}
            compare(study, "J", "J", "R", first, choice, f"x{i}", **about)
    for i, outcome in enumerate((-1, 1)):
        study.add(
            "preferences", instance_id=f"x{i}", generator="J", opponent="R", source="P", outcome=outcome
        )
    return study


def test_the_likelier_response_wins_where_offered_ties_are_dropped(load):
    study = load(offered_ties())

    with_ties = one(study.result("dbg", **FEW).rows, judge="J", opponent=None)
    dropped = one(study.result("dbg", ties="drop", **FEW).rows, judge="J", opponent=None)

    # A tie and a loss are a loss: 0 of 2; gold gives one of two.
    assert (with_ties["win_rate"], with_ties["dbg"]) == (0.0, -0.5)
    # Without the tie: (.9 + .4) / 2 = .65 wins, (.3 + .6) / 2 = .45 loses.
    assert (dropped["win_rate"], dropped["dbg"]) == (0.5, 0.0)
    # Each order names the likelier: x0 J then R, x1 R then J.
    assert dropped["flip_rate"] == 1.0


def test_the_soft_score_exists_where_a_tie_was_offered(load):
    study = load(offered_ties())

    for ties in ("keep", "drop"):
        row = one(study.result("dbg", ties=ties, **FEW).rows, judge="J", opponent=None)

        # (.65 - 0 + .45 - 1) / 2
        assert row["dbg_soft"] == pytest.approx(0.05)
        assert row["n_soft"] == 2


def test_pairs_of_similar_length_can_be_selected(load):
    study = duel()
    for i, (mine, theirs) in enumerate((("a b c", "a b c"), ("a", "a b"), ("a b", "a b"), ("", "a"))):
        for model, text in (("J", mine), ("K", theirs)):
            study.add("responses", instance_id=f"x{i}", generator=model, text=text)

    row = one(load(study).result("dbg", length_ratio=0.1, **FEW).rows, judge="J", opponent=None)

    assert row["n"] == 2


def test_every_panel_of_the_gold_judges_can_be_requested(load):
    study = load(duel())

    row = one(study.result("dbg", panels=True, **FEW).rows, judge="J", opponent=None)
    without = one(study.result("dbg", **FEW).rows, judge="J", opponent=None)

    # As above: P alone gives .125, Q alone .25, both .25.
    assert row["panels"] == ["P", "Q", "P + Q"]
    assert row["dbg_by_panel"] == [0.125, 0.25, 0.25]
    assert (without["panels"], without["reasons"]["panels"]) == (None, "not_asked_for")


def test_judges_can_be_grouped_by_stage_and_by_size(load):
    study = duel()
    for model, stage, size in (("J", "reasoning", 70), ("K", "base", 8)):
        row = next(row for row in study.models if row["model"] == model)
        row["stage"], row["size_b"] = stage, size
    study = load(study)

    alone = {row["judge"]: row["dbg"] for row in study.result("dbg", **FEW).rows}
    staged = study.result("dbg", by="stage", **FEW).rows
    sized = study.result("dbg", by="size", **FEW).rows

    assert {(row["slice"], row["judge"]) for row in staged} == {("base", "K"), ("reasoning", "J")}
    assert {(row["slice"], row["judge"]) for row in sized} == {("8-8", "K"), ("70-70", "J")}
    assert {row["judge"]: row["dbg"] for row in staged if row["opponent"]} == alone


def test_pairs_are_filtered_and_grouped_by_the_length_of_both_responses(load):
    study = duel()
    for i, (mine, theirs) in enumerate((("aa", "bb"), ("aa", "bbbbbb"), ("aaaaaa", "bbbbbb"), ("aa", "bb"))):
        for model, text in (("J", mine), ("K", theirs)):
            study.add("responses", instance_id=f"x{i}", generator=model, text=text)
    study = load(study)

    short = one(study.result("dbg", response_length=(1, 2), **FEW).rows, judge="J", opponent=None)
    rows = [row for row in study.result("dbg", by="response_length", **FEW).rows if row["judge"] == "J"]

    # x0 and x3 are short on both sides: J wins one of them, gold 1 and 1/2 of ((1), (-1, 0)).
    assert (short["n"], short["win_rate"], short["gold_win_rate"]) == (2, 0.5, 0.5)
    assert [(row["slice"], row["n"]) for row in rows if row["opponent"] is None] == [("2-2", 2), ("6-6", 1)]


def test_where_no_example_has_a_proxy_the_curves_are_empty(load):
    study = study_of("J:F R:H", instances=2)
    for i in range(2):
        refer(study, "J", "0", f"x{i}")
        refer(study, "R", "1", f"x{i}")
        votes(study, "J", "J", "R", 0.6, f"x{i}")

    row = load(study).result("quality-baseline", curves=True, **FEW).rows[0]

    assert (row["n_examples"], row["n"], row["n_proxies"]) == (2, 0, 0)
    assert [row[name] for name in ("coverage", "t_by_proxies", "t_by_proxies_se")] == [[], [], []]
    assert row["reasons"]["ilsp_updated"] == "no_example_with_a_proxy"


def test_an_unknown_proxy_and_an_option_out_of_range_are_refused(load):
    study = load(baseline())

    with pytest.raises(UsageError, match="proxy model 'nobody'"):
        study.result("quality-baseline", proxy_models=["nobody"])
    for name, bad, good in (("max_proxies", 0, 1), ("like_accuracy", -0.5, 0.0), ("length_ratio", -0.5, 0.0)):
        measure = "dbg" if name == "length_ratio" else "quality-baseline"
        with pytest.raises(UsageError, match=f"{name} {bad!r} is below"):
            study.result(measure, **{name: bad})
        assert study.result(measure, **{name: good}, **FEW).filters[name] == good


def test_the_summary_over_opponents_is_a_mean_of_their_rows_and_the_pooled_one_is_of_the_judges(load):
    study = baseline()  # against R: .8 of votes for its own, T .4
    study.add("models", model="S", family="S")
    for i, (own, proxy) in enumerate(((0.1, 0.3), (0.2, 0.5), (0.3, 0.4))):  # against S: .2, and T -.2
        refer(study, "S", "1", f"x{i}")
        votes(study, "J", "J", "S", own, f"x{i}")
        votes(study, "J", "K", "S", proxy, f"x{i}")

    pooled, single = load(study).result("quality-baseline", rows="summary", **FEW).rows

    # Relative changes: (.4 - .8) / .8 = -50 % and (-.2 - .2) / .2 = -200 %; of all, T .1 of .5: -80 %.
    assert (pooled["n_rows"], single["n_rows"]) == (1, 2)
    assert single["mean_relative_change"] == pytest.approx(-125)
    assert pooled["mean_relative_change"] == pytest.approx(-80)
    assert (pooled["share_not_positive"], single["share_not_positive"]) == (0, 0.5)
    # Against R p = .037; against S, and pooled, T is not above 0 beyond chance.
    assert (pooled["share_significant"], single["share_significant"]) == (0, 0.5)
