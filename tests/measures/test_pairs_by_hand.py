"""Measures on pairs whose answers are worked out by hand, the arithmetic beside them."""

import math

import pytest
from plain.builders import compare, one, refer, study_of
from plain.judged import DIMENSIONS

from engine.errors import UsageError

FEW = {"resamples": 0, "min_instances": 1}


def rate(study, rater, scores, instance="x0"):
    """The rater gives each model one score on all five dimensions."""
    for model, score in scores.items():
        for dimension in DIMENSIONS:
            study.add(
                "judgments",
                judge=rater,
                paradigm="quality",
                instance_id=instance,
                generator=model,
                rubric_id=dimension,
                score=score,
            )


def both_orders(study, judge, generator, opponent, choices, instance="x0", **rest):
    """Two rows: what was chosen with the generator shown first, and with the opponent shown first."""
    for first, choice in zip(("generator", "opponent"), choices, strict=True):
        compare(study, judge, generator, opponent, first, choice, instance, **rest)


G, O, T = "generator", "opponent", "tie"  # noqa: E741 - the letters of a pair


def equals(instances=1):
    """J and two third parties of equal quality: J firmly prefers itself, and A to B."""
    study = study_of("J:F A:G B:H R:Q", instances=instances)
    for i in range(instances):
        rate(study, "R", {"J": 6, "A": 6, "B": 6.25}, f"x{i}")
        both_orders(study, "J", "J", "A", (G, G), f"x{i}")
        both_orders(study, "J", "B", "J", (O, O), f"x{i}")
        both_orders(study, "J", "A", "B", (G, G), f"x{i}")
    return study


def test_bias_is_the_firm_share_of_ones_own_less_that_of_targets_in_null_pairs(opened):
    study = opened(equals())

    row = one(study.result("equal-quality", **FEW).rows, judge="J")

    # PIR 2 of 2; null pairs (A, B) firm and (B, A) not: 1 of 2. z = 0.5 / sqrt(.75 * .25 * (1/2 + 1/2)).
    assert (row["pir"], row["null_pir"], row["spb"]) == (1.0, 0.5, 0.5)
    assert (row["n_pairs"], row["n_null_pairs"]) == (2, 2)
    assert row["z"] == pytest.approx(0.5 / math.sqrt(0.1875))
    assert row["z_p"] == pytest.approx(0.12410654)
    assert row["mean_quality"] == 6.0


def test_the_binomial_is_against_the_near_end_of_the_nulls_interval_or_the_null_itself(opened):
    study = opened(equals(instances=20))

    near = one(study.result("equal-quality", **FEW).rows, judge="J")
    known = one(study.result("equal-quality", binomial="known", **FEW).rows, judge="J")

    # 40 of 40 against q = 0.5 of 40: p0 = 0.5 + 1.959963985 sqrt(0.25 / 40).
    assert near["binomial_p"] == pytest.approx((0.5 + 1.959963985 * math.sqrt(0.25 / 40)) ** 40)
    assert known["binomial_p"] == pytest.approx(0.5**40)


def test_two_of_three_tests_make_it_significant_and_few_instances_leave_no_p(opened):
    study = opened(equals(instances=12))

    sure = one(study.result("equal-quality", resamples=200).rows, judge="J")
    few = one(study.result("equal-quality", resamples=200, min_instances=13).rows, judge="J")

    assert sure["significant"] is True
    assert (few["z_p"], few["binomial_p"], few["significant"]) == (None, None, False)
    assert few["reasons"]["z_p"] == "too_few_instances"
    assert (few["spb_low"], few["spb_high"]) == (0.5, 0.5)


def test_a_tie_stays_in_the_denominator_and_is_not_firm(opened):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, T))

    row = one(opened(study).result("equal-quality", **FEW).rows, judge="J")

    assert (row["pir"], row["n_pairs"]) == (0.0, 1)
    assert (row["spb"], row["reasons"]["spb"]) == (None, "no_null_pair")


def test_pairs_further_apart_than_epsilon_are_no_equals(opened):
    study = study_of("J:F A:G B:H R:Q")
    rate(study, "R", {"J": 6, "A": 6.25, "B": 6.5})
    for model in "AB":
        both_orders(study, "J", "J", model, (G, G))
    study = opened(study)

    counts = [
        one(study.result("equal-quality", epsilon=epsilon, **FEW).rows, judge="J")["n_pairs"]
        for epsilon in (0.25, 0.5)
    ]

    assert counts == [1, 2]
    assert study.result("equal-quality", epsilon=0.2, **FEW).rows == []


def test_a_response_that_lacks_a_dimension_is_in_no_pair(opened):
    study = equals()
    study.judgments = [
        row for row in study.judgments if (row["generator"], row["rubric_id"]) != ("A", "clarity")
    ]

    result = opened(study).result("equal-quality", **FEW)

    # Two pairs with A of two rows each.
    assert one(result.rows, judge="J")["n_pairs"] == 1
    assert result.left_out["no_quality"] == 4


def crowd():
    """Five equal third parties, all compared by J in both orders: 20 ordered null pairs."""
    study = study_of("J:F A:G B:G C:G D:G E:G R:Q")
    rate(study, "R", dict.fromkeys("JABCDE", 5))
    for a, b in ("AB", "AC", "AD", "AE", "BC", "BD", "BE", "CD", "CE", "DE"):
        both_orders(study, "J", a, b, (G, G))
    return study


def test_at_most_ten_null_pairs_are_drawn_for_a_question(opened):
    study = opened(crowd())

    drawn = one(study.result("equal-quality", **FEW).rows, judge="J")
    every = one(study.result("equal-quality", null_pairs="all", **FEW).rows, judge="J")
    shares = {study.result("equal-quality", seed=seed, **FEW).rows[0]["null_pir"] for seed in range(8)}

    assert drawn["n_null_pairs"] == 10
    assert (every["n_null_pairs"], every["null_pir"]) == (20, 0.5)
    assert len(shares) > 1


def test_stored_null_pairs_stand_in_the_place_of_a_draw(opened):
    study = crowd()
    for target, other in ("AB", "CB"):
        study.add("pairs", purpose="null", judge="J", instance_id="x0", generator=target, opponent=other)

    row = one(opened(study).result("equal-quality", **FEW).rows, judge="J")

    # Of (A, B) the target was chosen, of (C, B) the other.
    assert (row["n_null_pairs"], row["null_pir"]) == (2, 0.5)


def test_relatives_are_third_parties_unless_left_out(opened):
    study = study_of("J:F K:F A:G R:Q")
    rate(study, "R", {"J": 6, "K": 6, "A": 6})
    both_orders(study, "J", "J", "K", (G, G))
    both_orders(study, "J", "J", "A", (O, O))
    both_orders(study, "J", "K", "A", (G, G))
    study = opened(study)

    all_in = one(study.result("equal-quality", **FEW).rows, judge="J")
    out = one(study.result("equal-quality", third_party="out_of_family", **FEW).rows, judge="J")

    assert (all_in["pir"], all_in["n_pairs"], all_in["n_null_pairs"]) == (0.5, 2, 2)
    assert (out["pir"], out["n_pairs"], out["n_null_pairs"]) == (0.0, 1, 0)
    assert (all_in["pir_family"], all_in["spb_family"]) == (1.0, 0.5)


def test_judges_of_quality_that_are_rated_themselves_must_be_named(opened):
    study = study_of("J:F A:G K:F")
    for rater in ("J", "A"):
        rate(study, rater, {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, G))
    study = opened(study)

    with pytest.raises(UsageError, match=r"--quality-judges.*J, A"):
        study.result("equal-quality", **FEW)
    row = study.result("equal-quality", quality_judges=["A"], **FEW).rows[0]

    assert (row["quality_judges"], row["quality_judges_kin"]) == (["A"], ["A"])


def test_a_judge_of_quality_whose_family_is_evaluated_is_flagged(opened):
    study = study_of("J:F A:G R:G S:Q")
    for rater in "RS":
        rate(study, rater, {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, G))

    row = opened(study).result("equal-quality", **FEW).rows[0]

    assert (row["quality_judges"], row["quality_judges_kin"]) == (["R", "S"], ["R"])


def test_quality_may_come_from_the_reference_times_ten(opened):
    study = study_of("J:F A:G B:H", rubrics=(1, 1))
    refer(study, "J", "10")
    refer(study, "A", "01")
    refer(study, "B", "11")
    for model in "AB":
        both_orders(study, "J", "J", model, (G, G))

    result = opened(study).result("equal-quality", quality="reference", **FEW)

    assert (result.rows[0]["mean_quality"], result.rows[0]["n_pairs"]) == (5.0, 1)
    assert result.filters["reference"] == "program"


def test_the_forced_variant_is_taken_where_the_study_has_one(opened):
    study = equals()
    both_orders(study, "J", "J", "A", (O, O), variant="forced")
    study = opened(study)

    result = study.result("equal-quality", **FEW)
    asked = study.result("equal-quality", variant="default", **FEW)

    assert (result.filters["variant"], result.rows[0]["pir"]) == ("forced", 0.0)
    assert (asked.filters["variant"], asked.rows[0]["pir"]) == ("default", 1.0)


def far_apart(answers, **rest):
    """Questions on which A is much better than B, one order each, and what J chose."""
    study = study_of("J:F A:G B:H R:Q", instances=len(answers))
    for i, choice in enumerate(answers):
        rate(study, "R", {"J": 7, "A": 8, "B": 6}, f"x{i}")
        compare(study, "J", "A", "B", "unknown", choice, f"x{i}", **rest)
    return study


def test_discriminability_counts_a_tie_as_an_answer_that_is_wrong(opened):
    study = opened(far_apart((G, G, G, T)))

    row = study.result("discriminability", **FEW).rows[0]

    # P(X >= 3 | 4, 1/2) = (4 + 1) / 16
    assert (row["d"], row["correct"], row["n"]) == (0.75, 3, 4)
    assert row["p"] == pytest.approx(5 / 16)
    assert study.result("discriminability", gap=2.1, **FEW).rows == []


def test_contrast_pairs_are_drawn_up_to_the_number_asked_for(opened):
    study = opened(far_apart((G, O, G, O, G, O)))

    rows = [
        study.result("discriminability", contrast_pairs=2, seed=seed, **FEW).rows[0] for seed in range(12)
    ]

    assert {row["n"] for row in rows} == {2}
    assert len({row["correct"] for row in rows}) > 1


@pytest.mark.parametrize(
    ("answers", "own", "expected"),
    [
        ((G, G, G, G), (G, G), "Machiavellian"),
        ((G, G, G, G), (O, O), "Blindly Biased"),
        ((G, G, G, O), (G, G), "Incompetent Randomizer"),
    ],
)
def test_an_archetype_needs_discriminability_first_and_bias_then(opened, answers, own, expected):
    study = far_apart(answers)
    for row in ({"model": "C", "family": "L"}, {"model": "E", "family": "M"}):
        study.add("models", **row)
    rate(study, "R", {"C": 7, "E": 7})
    both_orders(study, "J", "J", "C", own)
    both_orders(study, "J", "J", "E", own)
    both_orders(study, "J", "C", "E", (G, G))

    row = opened(study).result("archetypes", **FEW).rows[0]

    assert row["archetype"] == expected


def test_an_interval_that_crosses_a_border_is_said_so(opened):
    study = far_apart((G,) * 9 + (O,))

    row = opened(study).result("archetypes", resamples=400).rows[0]

    # Nine of ten, with an interval from about 0.7 to 1.
    assert row["d"] == 0.9
    assert row["crosses"] == ["d 0.8"]
    assert row["possible"] == ["Incompetent Randomizer"]
    assert (row["archetype"], row["reasons"]["archetype"]) == (None, "no_equal_quality_pair")


def structured(study, answers, first="generator"):
    """J's choice on each dimension between its own response and A's."""
    for dimension, choice in zip(DIMENSIONS, answers, strict=True):
        if choice is not None:
            compare(study, "J", "J", "A", first, choice, variant="structured", rubric_id=dimension)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((G, G, G, O, O), 1.0), ((G, G, O, O, T), 0.0), ((O, O, O, G, G), 0.0), ((G, G, G, G, None), None)],
)
def test_at_least_three_dimensions_decide_and_a_missing_one_spoils_the_order(opened, answers, expected):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    structured(study, answers)
    structured(study, (G, G, G, G, G), first="opponent")

    result = opened(study).result("equal-quality", variant="structured", **FEW)

    shares = [row["pir"] for row in result.rows]
    assert shares == ([] if expected is None else [expected])
    # Four dimensions of the one order, and the five of the other, which is alone then.
    assert result.left_out["order_missing"] == (9 if expected is None else 0)


def test_mitigation_is_the_fall_of_the_bias_on_the_pairs_of_both(opened):
    study = equals(instances=2)
    for i in range(2):
        both_orders(study, "J", "J", "A", (G, G), f"x{i}", variant="cot", cost_usd=0.3)
        both_orders(study, "J", "B", "J", (G, O), f"x{i}", variant="cot", cost_usd=0.3)
        both_orders(study, "J", "A", "B", (O, G), f"x{i}", variant="cot", cost_usd=0.3)
    for row in study.judgments:
        if row["paradigm"] == "pairwise" and row["variant"] == "default":
            row["cost_usd"] = 0.1

    row = one(opened(study).result("mitigation", **FEW).rows, judge="J", variant="cot")

    # Baseline: PIR 1, Null-PIR .5. With cot: PIR .5, no null pair firm, so that SPB is .5 again.
    assert (row["baseline"], row["spb_baseline"], row["spb"]) == ("default", 0.5, 0.5)
    assert (row["reduction"], row["eta"]) == (0.0, 0.0)
    # Two of the firm self-choices are lost, none gained: p = min(1, 2 * 1/4).
    assert (row["firm_lost"], row["firm_gained"], row["mcnemar_p"]) == (2, 0, 0.5)
    assert row["cost_ratio"] == pytest.approx(3.0)


def test_pointwise_scores_of_the_judge_itself_decide_its_pairs(opened):
    study = equals()
    rate(study, "J", {"J": 9, "A": 5, "B": 5})

    row = one(opened(study).result("mitigation", **FEW).rows, judge="J", variant="pointwise")

    # Its own wins twice; A and B are equal, a tie: PIR 1, Null-PIR 0.
    assert (row["spb_baseline"], row["spb"], row["eta"]) == (0.5, 1.0, -1.0)


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


def test_the_baseline_is_what_a_judge_gives_to_other_losers(opened):
    study = opened(baseline())

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


def test_a_share_of_votes_is_less_the_ties_unless_they_are_dropped(opened):
    study = study_of("J:F R:H")
    refer(study, "J", "0")
    refer(study, "R", "1")
    for first, p_tie in (("generator", 0.5), ("opponent", 0.25)):
        compare(study, "J", "J", "R", first, T, p_generator=0.8, p_tie=p_tie)
    study = opened(study)

    kept, dropped = (
        study.result("quality-baseline", ties=ties, **FEW).rows[0]["sp"] for ties in ("keep", "drop")
    )

    # (.8 * .5 + .8 * .75) / 2
    assert kept == pytest.approx(0.5)
    assert dropped == pytest.approx(0.8)


def test_a_divided_panel_leaves_an_example_out(opened):
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
    study = opened(study)

    result = study.result("quality-baseline", **FEW)

    assert (result.rows[0]["n_examples"], result.rows[0]["ilsp"]) == (1, 1.0)
    assert result.left_out["reference_tie"] == 2
    assert result.filters["reference"] is None


def test_curves_by_number_of_proxies_are_there_when_asked_for(opened):
    study = baseline()
    study.add("models", model="L", family="L")
    refer(study, "L", "0", "x0")
    votes(study, "J", "L", "R", 0.2, "x0")
    study = opened(study)

    without = study.result("quality-baseline", **FEW).rows[0]
    row = study.result("quality-baseline", curves=True, **FEW).rows[0]

    assert (without["coverage"], without["reasons"]["coverage"]) == (None, "not_asked_for")
    # One of three examples has two proxies, of shares .4 and .2: T = .6 - .3.
    assert row["coverage"] == [1.0, pytest.approx(1 / 3)]
    assert row["t_by_proxies"][1] == pytest.approx(0.3)
    assert row["t_by_proxies_se"][1] == pytest.approx(0.0)
    # With one proxy x0 gives .2 or .4, the others .4 and .6.
    assert 0.4 < row["t_by_proxies"][0] < 0.4 + 0.2 / 3


def test_the_summary_is_over_the_judges_and_over_their_opponents(opened):
    study = opened(baseline())

    pooled, single = study.result("quality-baseline-summary", **FEW).rows

    assert (pooled["scope"], single["scope"]) == ("pooled", "opponent")
    assert (pooled["n_rows"], pooled["mean_relative_change"]) == (1, pytest.approx(-50.0))
    assert (pooled["share_not_positive"], pooled["share_significant"]) == (0.0, 1.0)
    assert pooled["reasons"]["rank_correlation"] == "fewer_than_3_rows_or_a_constant_side"


def duel():
    """J and K judge their own four pairs; two gold judges and a tie between them."""
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


def test_dbg_is_the_share_won_by_the_judge_less_that_by_the_gold_judges(opened):
    study = opened(duel())

    row = one(study.result("dbg", **FEW).rows, judge="J", opponent=None)

    # J: win, win, tie (it flipped), loss = 2.5 of 4. Gold for J: 1, 0, .5, 0 = 1.5 of 4.
    assert (row["win_rate"], row["gold_win_rate"], row["dbg"]) == (0.625, 0.375, 0.25)
    # Decided are the first, second and fourth: 2 of 3 against 1 of 3.
    assert row["dbg_decided"] == pytest.approx(1 / 3)
    assert (row["ties"], row["n"], row["n_decided"], row["gold_judges"]) == (1, 4, 3, 2)
    assert row["flip_rate"] == 0.25
    assert row["dbg_soft"] is None
    # P alone: 1 0 1 0, so 2.5/4 - 2/4; Q alone: 1 0 0 .5, so 2.5/4 - 1.5/4.
    assert (row["dbg_least"], row["dbg_greatest"]) == (0.125, 0.25)


def test_the_scores_of_two_judges_on_each_other_do_not_depend_on_the_gold(opened):
    study = opened(duel())

    for gold in ([], ["P"], ["Q"]):
        rows = study.result("dbg", gold=gold, **FEW).rows
        j, k = (one(rows, judge=name, opponent=None) for name in "JK")

        assert j["dbg"] + k["dbg"] == pytest.approx(j["win_rate"] + k["win_rate"] - 1)


def test_a_model_that_rewrote_a_response_is_no_gold_judge_of_it(opened):
    study = study_of("J:F K:G P:P Q:Q")
    both_orders(study, "J", "J", "K", (G, G), transform="humorous")
    for name, outcome in (("P", 1), ("Q", -1)):
        study.add("preferences", instance_id="x0", generator="J", opponent="K", source=name, outcome=outcome)
    study.add(
        "responses", instance_id="x0", generator="K", transform="humorous", transformed_by="P", text="t"
    )

    row = opened(study).result("dbg", transform="humorous", **FEW).rows[0]

    assert (row["gold_win_rate"], row["dbg"]) == (0.0, 1.0)


def test_the_soft_score_takes_probabilities_against_the_mean_vote(opened):
    study = duel()
    for row in study.judgments:
        row["p_generator"] = 0.9 if row["judge"] == "J" else 0.5

    rows = opened(study).result("dbg", **FEW).rows

    # J wins all four with .9; mean votes for J 1, 0, .5, .25.
    soft = one(rows, judge="J", opponent="K")
    assert soft["dbg_soft"] == pytest.approx(0.9 - 1.75 / 4)
    assert (soft["win_rate"], soft["n_soft"]) == (1.0, 4)
    assert one(rows, judge="K", opponent="J")["ties"] == 4


def test_pairs_of_like_length_can_be_taken_alone(opened):
    study = duel()
    for i, (mine, theirs) in enumerate((("a b c", "a b c"), ("a", "a b"), ("a b", "a b"), ("", "a"))):
        for model, text in (("J", mine), ("K", theirs)):
            study.add("responses", instance_id=f"x{i}", generator=model, text=text)

    row = one(opened(study).result("dbg", length_ratio=0.1, **FEW).rows, judge="J", opponent=None)

    assert row["n"] == 2


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("equal-quality", {"epsilon": -1}),
        ("discriminability", {"gap": -1}),
        ("equal-quality", {"quality_judges": ["nobody"]}),
        ("quality-baseline", {"max_proxies": 0}),
        ("quality-baseline", {"like_accuracy": -0.1}),
        ("quality-baseline", {"proxy_models": ["nobody"]}),
        ("quality-baseline", {"gold": ["nobody"]}),
        ("dbg", {"length_ratio": -0.1}),
        ("mitigation", {"variants": ["nothing"]}),
    ],
)
def test_an_option_out_of_range_is_refused_by_name(opened, measure, options):
    study = opened(equals())
    name, value = next(iter(options.items()))

    with pytest.raises(UsageError) as refusal:
        study.result(measure, **FEW, **options)

    assert repr(value[0] if isinstance(value, list) else value) in str(refusal.value) or name in str(
        refusal.value
    )


@pytest.mark.parametrize("measure", ["equal-quality", "discriminability", "archetypes", "mitigation"])
def test_a_study_without_quality_is_answered_with_the_reason(opened, measure):
    study = study_of("J:F A:G")
    both_orders(study, "J", "J", "A", (G, G))

    result = opened(study).result(measure, **FEW)

    assert result.rows == []
    assert "quality" in result.reason


def test_common_keeps_the_responses_that_all_judges_compared(opened):
    study = equals(instances=2)
    both_orders(study, "B", "B", "J", (G, G), "x0")
    study = opened(study)

    result = study.result("equal-quality", common=True, **FEW)

    # B's only pair is of itself and J on x0: J's pairs with A, and all on x1, drop out.
    assert [(row["judge"], row["n_pairs"], row["n_null_pairs"]) for row in result.rows] == [
        ("J", 1, 0),
        ("B", 1, 0),
    ]
    assert result.left_out["not_common"] == 4


def test_groups_and_comparisons_of_slices_are_taken_of_pairs_too(opened):
    study = equals(instances=2)
    study.instances[0]["category"], study.instances[1]["category"] = "open", "closed"
    study.judgments = [
        row | {"choice": "tie"} if row["instance_id"] == "x1" and row["paradigm"] == "pairwise" else row
        for row in study.judgments
    ]
    study = opened(study)

    groups = study.result("equal-quality", by="category", **FEW).rows
    against = study.result("equal-quality", category=["open"], against="category=closed", **FEW).rows

    assert [(row["slice"], row["pir"], row["spb"]) for row in groups] == [
        ("closed", 0.0, 0.0),
        ("open", 1.0, 0.5),
    ]
    assert [(row["a"], row["b"], row["difference"]) for row in against] == [(0.5, 0.0, 0.5)]


@pytest.mark.parametrize("measure", ["equal-quality", "discriminability", "mitigation"])
def test_without_a_pair_to_count_the_reason_names_what_is_missing(opened, measure):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    compare(study, "J", "J", "A", "generator", G)
    compare(study, "J", "J", "A", "generator", G, variant="cot")

    result = opened(study).result(measure, **FEW)

    assert result.rows == []
    assert "reference" not in result.reason


CONTRACT = {
    "equal-quality": "judge mean_quality pir null_pir spb n_pairs n_null_pairs z z_p binomial_p spb_low "
    "spb_high significant",
    "discriminability": "judge d correct n p",
    "archetypes": "judge d spb archetype",
    "mitigation": "judge variant spb reduction reduction_low reduction_high eta d cost_ratio",
    "quality-baseline": "judge opponent sp acc bias ilsp lsp n_examples n ilsp_matched ilsp_updated se t_stat "
    "p relative_change entropy_self entropy_proxy entropy_gap proxy_win_rate",
    "dbg": "judge opponent win_rate gold_win_rate dbg win_rate_decided gold_win_rate_decided dbg_decided "
    "dbg_soft flip_rate ties n",
}


@pytest.mark.parametrize("measure", CONTRACT)
def test_every_field_of_the_contract_is_in_a_row_or_has_its_reason(opened, measure):
    study = equals()
    rate(study, "J", {"J": 9, "A": 5, "B": 1})
    refer(study, "J", "1")
    refer(study, "A", "0")
    for model, score in (("C", 6), ("D", 9)):
        study.add("models", model=model, family=model)
        rate(study, "R", {model: score})
    both_orders(study, "J", "C", "D", (O, O))

    row = opened(study).result(measure, **FEW).rows[0]

    for name in CONTRACT[measure].split():
        assert name in row
        assert row[name] is not None or row["reasons"][name]
