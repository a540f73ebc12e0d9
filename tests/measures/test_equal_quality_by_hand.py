"""Measures on pairs of equal quality, worked out by hand beside each test."""

import math

import pytest
from plain.builders import compare, one, refer, study_of
from plain.judged import DIMENSIONS
from plain.pair_builders import G, O, T, both_orders, equals, rate

from engine.errors import UsageError

FEW = {"resamples": 0, "min_instances": 1}


def test_bias_is_the_firm_share_of_own_responses_less_that_of_null_pairs(load):
    study = load(equals())

    row = one(study.result("equal-quality", **FEW).rows, judge="J")

    # PIR 2 of 2; null pairs (A, B) firm and (B, A) not: 1 of 2. z = 0.5 / sqrt(.75 * .25 * (1/2 + 1/2)).
    assert (row["pir"], row["null_pir"], row["spb"]) == (1.0, 0.5, 0.5)
    assert (row["n_pairs"], row["n_null_pairs"]) == (2, 2)
    assert row["z"] == pytest.approx(0.5 / math.sqrt(0.1875))
    assert row["z_p"] == pytest.approx(0.12410654)
    assert row["mean_quality"] == 6.0


def test_the_binomial_test_is_against_the_near_end_of_the_nulls_interval_or_the_null(load):
    study = load(equals(instances=20))

    near = one(study.result("equal-quality", **FEW).rows, judge="J")
    exact = one(study.result("equal-quality", binomial="known", **FEW).rows, judge="J")

    # 40 of 40 against q = 0.5 of 40: p0 = 0.5 + 1.959963985 sqrt(0.25 / 40).
    assert near["binomial_p"] == pytest.approx((0.5 + 1.959963985 * math.sqrt(0.25 / 40)) ** 40)
    assert exact["binomial_p"] == pytest.approx(0.5**40)


def test_two_of_three_tests_make_it_significant_and_few_instances_give_no_p(load):
    study = load(equals(instances=12))

    sure = one(study.result("equal-quality", resamples=200).rows, judge="J")
    few = one(study.result("equal-quality", resamples=200, min_instances=13).rows, judge="J")

    assert sure["significant"] is True
    assert (few["z_p"], few["binomial_p"], few["significant"]) == (None, None, False)
    assert few["reasons"]["z_p"] == "too_few_instances"
    assert few["spb_low"] < 0.5 < few["spb_high"]  # identical questions do not make it certain


def test_a_tie_counts_in_the_denominator_and_is_not_firm(load):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, T))

    row = one(load(study).result("equal-quality", **FEW).rows, judge="J")

    assert (row["pir"], row["n_pairs"]) == (0.0, 1)
    assert (row["spb"], row["reasons"]["spb"]) == (None, "no_null_pair")


def test_pairs_further_apart_than_epsilon_are_not_equal(load):
    study = study_of("J:F A:G B:H R:Q")
    rate(study, "R", {"J": 6, "A": 6.25, "B": 6.5})
    for model in "AB":
        both_orders(study, "J", "J", model, (G, G))
    study = load(study)

    counts = [
        one(study.result("equal-quality", epsilon=epsilon, **FEW).rows, judge="J")["n_pairs"]
        for epsilon in (0.25, 0.5)
    ]

    assert counts == [1, 2]
    assert study.result("equal-quality", epsilon=0.2, **FEW).rows == []


def test_a_response_that_lacks_a_dimension_is_in_no_pair(load):
    study = equals()
    study.judgments = [
        row for row in study.judgments if (row["generator"], row["rubric_id"]) != ("A", "clarity")
    ]

    result = load(study).result("equal-quality", **FEW)

    # Two pairs with A, two rows each.
    assert one(result.rows, judge="J")["n_pairs"] == 1
    assert result.left_out["no_quality"] == 4


def crowd():
    """Five equal third parties, all compared by J in both orders: 20 ordered null pairs."""
    study = study_of("J:F A:G B:G C:G D:G E:G R:Q")
    rate(study, "R", dict.fromkeys("JABCDE", 5))
    for a, b in ("AB", "AC", "AD", "AE", "BC", "BD", "BE", "CD", "CE", "DE"):
        both_orders(study, "J", a, b, (G, G))
    return study


def test_at_most_ten_null_pairs_are_drawn_for_a_question(load):
    study = load(crowd())

    sample = one(study.result("equal-quality", **FEW).rows, judge="J")
    complete = one(study.result("equal-quality", null_pairs="all", **FEW).rows, judge="J")
    shares = {study.result("equal-quality", seed=seed, **FEW).rows[0]["null_pir"] for seed in range(8)}

    assert sample["n_null_pairs"] == 10
    assert (complete["n_null_pairs"], complete["null_pir"]) == (20, 0.5)
    assert len(shares) > 1


def test_stored_null_pairs_replace_a_draw(load):
    study = crowd()
    for target, other in ("AB", "CB"):
        study.add("pairs", purpose="null", judge="J", instance_id="x0", generator=target, opponent=other)

    row = one(load(study).result("equal-quality", **FEW).rows, judge="J")

    # Of (A, B) the target was chosen, of (C, B) the other.
    assert (row["n_null_pairs"], row["null_pir"]) == (2, 0.5)


def test_relatives_count_as_third_parties_unless_excluded(load):
    study = study_of("J:F K:F A:G R:Q")
    rate(study, "R", {"J": 6, "K": 6, "A": 6})
    both_orders(study, "J", "J", "K", (G, G))
    both_orders(study, "J", "J", "A", (O, O))
    both_orders(study, "J", "K", "A", (G, G))
    study = load(study)

    all_in = one(study.result("equal-quality", **FEW).rows, judge="J")
    out = one(study.result("equal-quality", third_party="out_of_family", **FEW).rows, judge="J")

    assert (all_in["pir"], all_in["n_pairs"], all_in["n_null_pairs"]) == (0.5, 2, 2)
    assert (out["pir"], out["n_pairs"], out["n_null_pairs"]) == (0.0, 1, 0)
    assert (all_in["pir_family"], all_in["spb_family"]) == (1.0, 0.5)


def test_quality_judges_that_are_also_rated_must_be_named(load):
    study = study_of("J:F A:G K:F")
    for rater in ("J", "A"):
        rate(study, rater, {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, G))
    study = load(study)

    with pytest.raises(UsageError, match=r"--quality-judges.*J, A"):
        study.result("equal-quality", **FEW)
    row = study.result("equal-quality", quality_judges=["A"], **FEW).rows[0]

    assert (row["quality_judges"], row["quality_judges_kin"]) == (["A"], ["A"])


def test_a_quality_judge_whose_family_is_evaluated_is_flagged(load):
    study = study_of("J:F A:G R:G S:Q")
    for rater in "RS":
        rate(study, rater, {"J": 6, "A": 6})
    both_orders(study, "J", "J", "A", (G, G))

    row = load(study).result("equal-quality", **FEW).rows[0]

    assert (row["quality_judges"], row["quality_judges_kin"]) == (["R", "S"], ["R"])


def test_quality_may_come_from_the_reference_times_ten(load):
    study = study_of("J:F A:G B:H", rubrics=(1, 1))
    refer(study, "J", "10")
    refer(study, "A", "01")
    refer(study, "B", "11")
    for model in "AB":
        both_orders(study, "J", "J", model, (G, G))

    result = load(study).result("equal-quality", quality="reference", **FEW)

    assert (result.rows[0]["mean_quality"], result.rows[0]["n_pairs"]) == (5.0, 1)
    assert result.filters["reference"] == "program"


def test_the_forced_variant_is_used_if_the_study_has_one(load):
    study = equals()
    both_orders(study, "J", "J", "A", (O, O), variant="forced")
    study = load(study)

    result = study.result("equal-quality", **FEW)
    default = study.result("equal-quality", variant="default", **FEW)

    assert (result.filters["variant"], result.rows[0]["pir"]) == ("forced", 0.0)
    assert (default.filters["variant"], default.rows[0]["pir"]) == ("default", 1.0)


def far_apart(answers, **rest):
    """Questions on which A is much better than B, one order each, and what J chose."""
    study = study_of("J:F A:G B:H R:Q", instances=len(answers))
    for i, choice in enumerate(answers):
        rate(study, "R", {"J": 7, "A": 8, "B": 6}, f"x{i}")
        compare(study, "J", "A", "B", "unknown", choice, f"x{i}", **rest)
    return study


def test_discriminability_counts_a_tie_as_wrong(load):
    study = load(far_apart((G, G, G, T)))

    row = study.result("discriminability", **FEW).rows[0]

    # P(X >= 3 | 4, 1/2) = (4 + 1) / 16
    assert (row["d"], row["correct"], row["n"]) == (0.75, 3, 4)
    assert row["p"] == pytest.approx(5 / 16)
    assert study.result("discriminability", gap=2.1, **FEW).rows == []


def test_contrast_pairs_are_drawn_up_to_the_given_number(load):
    study = load(far_apart((G, O, G, O, G, O)))

    rows = [
        study.result("discriminability", contrast_pairs=2, seed=seed, **FEW).rows[0] for seed in range(12)
    ]

    assert {row["n"] for row in rows} == {2}
    assert len({row["correct"] for row in rows}) > 1
    assert {(row["d_all"], row["n_apart"]) for row in rows} == {(0.5, 6)}  # G is right, 3 of 6


@pytest.mark.parametrize(
    ("answers", "own", "expected"),
    [
        ((G, G, G, G), (G, G), "Machiavellian"),
        ((G, G, G, G), (O, O), "Blindly Biased"),
        ((G, G, G, O), (G, G), "Incompetent Randomizer"),
    ],
)
def test_an_archetype_depends_on_discriminability_first_and_then_bias(load, answers, own, expected):
    study = far_apart(answers)
    for row in ({"model": "C", "family": "L"}, {"model": "E", "family": "M"}):
        study.add("models", **row)
    rate(study, "R", {"C": 7, "E": 7})
    both_orders(study, "J", "J", "C", own)
    both_orders(study, "J", "J", "E", own)
    both_orders(study, "J", "C", "E", (G, G))

    row = load(study).result("archetypes", **FEW).rows[0]

    assert row["archetype"] == expected


def test_an_interval_that_crosses_a_border_is_flagged(load):
    study = far_apart((G,) * 9 + (O,))

    row = load(study).result("archetypes", resamples=400).rows[0]

    # Nine of ten, with an interval from about 0.7 to 1.
    assert row["d"] == 0.9
    assert row["crosses"] == ["d 0.8"]
    assert row["possible"] == ["Incompetent Randomizer"]
    assert (row["archetype"], row["reasons"]["archetype"]) == (None, "no_equal_quality_pair")


def test_a_number_without_an_interval_leaves_every_archetype_open(load):
    study = study_of("J:F A:G B:H R:Q", instances=8)
    for n in range(8):
        rate(study, "R", {"J": 7, "A": 7, "B": 7 if n else 4}, f"x{n}")
        both_orders(study, "J", "J", "A", (G, G) if n % 2 else (G, O), f"x{n}")
    compare(study, "J", "A", "B", "unknown", O, "x0")
    for n in range(1, 8):
        both_orders(study, "J", "A", "B", (G, G) if n % 2 else (G, O), f"x{n}")

    row = load(study).result("archetypes", resamples=400).rows[0]

    # One answer is behind D; two of five resamples are without its question.
    assert (row["d"], row["n_contrast"], row["archetype"]) == (0.0, 1, "Incompetent Randomizer")
    assert row["d_low"] is None
    assert "Incompetent Randomizer" in row["possible"]
    assert len(row["possible"]) > 1


def structured(study, answers, first="generator"):
    """J's choice on each dimension between its own response and A's."""
    for dimension, choice in zip(DIMENSIONS, answers, strict=True):
        if choice is not None:
            compare(study, "J", "J", "A", first, choice, variant="structured", rubric_id=dimension)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((G, G, G, O, O), 1.0), ((G, G, O, O, T), 0.0), ((O, O, O, G, G), 0.0), ((G, G, G, G, None), None)],
)
def test_at_least_three_dimensions_decide_and_a_missing_one_voids_the_order(load, answers, expected):
    study = study_of("J:F A:G R:Q")
    rate(study, "R", {"J": 6, "A": 6})
    structured(study, answers)
    structured(study, (G, G, G, G, G), first="opponent")

    result = load(study).result("equal-quality", variant="structured", **FEW)

    shares = [row["pir"] for row in result.rows]
    assert shares == ([] if expected is None else [expected])
    # Four dimensions in one order, and five in the other, which then has no counterpart.
    assert result.left_out["order_missing"] == (9 if expected is None else 0)


def test_an_order_without_all_dimensions_is_left_out_of_the_effects_of_order_too(load):
    study = study_of("J:F A:G")
    structured(study, (G, G, G, G, None))
    structured(study, (G, G, G, G, G), first="opponent")

    result = load(study).result("order-effect", variant="structured", **FEW)

    # Four dimensions in one order, and five in the other, which then has no counterpart.
    assert result.left_out["order_missing"] == 9
    # The one that is left has no other to change with, and is no pair.
    assert [(row["n_pairs"], row["n_answers"], row["flip_rate"]) for row in result.rows] == [(0, 1, None)]


def test_a_pair_without_a_reference_leaves_out_the_rows_of_all_its_dimensions(load):
    study = study_of("J:F A:G")
    refer(study, "J", "1")  # none for A
    for first in ("generator", "opponent"):
        structured(study, (G, G, G, O, O), first=first)

    left_out = load(study).result("hspp", paradigm="pairwise", variant="structured", **FEW).left_out

    assert left_out["no_reference"] == 10  # five dimensions in each of two orders


def test_mitigation_is_the_fall_in_bias_on_the_common_pairs(load):
    study = equals(instances=2)
    for i in range(2):
        both_orders(study, "J", "J", "A", (G, G), f"x{i}", variant="cot", cost_usd=0.3)
        both_orders(study, "J", "B", "J", (G, O), f"x{i}", variant="cot", cost_usd=0.3)
        both_orders(study, "J", "A", "B", (O, G), f"x{i}", variant="cot", cost_usd=0.3)
    for row in study.judgments:
        if row["paradigm"] == "pairwise" and row["variant"] == "default":
            row["cost_usd"] = 0.1

    row = one(load(study).result("mitigation", **FEW).rows, judge="J", variant="cot")

    # Baseline: PIR 1, Null-PIR .5. With cot: PIR .5, no null pair firm, so that SPB is .5 again.
    assert (row["baseline"], row["spb_baseline"], row["spb"]) == ("default", 0.5, 0.5)
    assert (row["reduction"], row["eta"]) == (0.0, 0.0)
    # Two of the firm self-choices are lost, none gained: p = min(1, 2 * 1/4).
    assert (row["firm_lost"], row["firm_gained"], row["mcnemar_p"]) == (2, 0, 0.5)
    assert row["cost_ratio"] == pytest.approx(3.0)


def test_pointwise_scores_decide_a_judges_own_pairs(load):
    study = equals()
    rate(study, "J", {"J": 9, "A": 5, "B": 5})

    row = one(load(study).result("mitigation", **FEW).rows, judge="J", variant="pointwise")

    # Its own wins twice; A and B are equal, a tie: PIR 1, Null-PIR 0.
    assert (row["spb_baseline"], row["spb"], row["eta"]) == (0.5, 1.0, -1.0)


def test_common_keeps_only_responses_that_all_judges_compared(load):
    study = equals(instances=2)
    both_orders(study, "B", "B", "J", (G, G), "x0")
    study = load(study)

    result = study.result("equal-quality", common=True, **FEW)

    # B's only pair is of itself and J on x0: J's pairs with A, and all on x1, drop out.
    assert [(row["judge"], row["n_pairs"], row["n_null_pairs"]) for row in result.rows] == [
        ("J", 1, 0),
        ("B", 1, 0),
    ]
    assert result.left_out["not_common"] == 4


def test_groups_and_comparisons_of_slices_also_work_for_pairs(load):
    study = equals(instances=2)
    study.instances[0]["category"], study.instances[1]["category"] = "open", "closed"
    study.judgments = [
        row | {"choice": "tie"} if row["instance_id"] == "x1" and row["paradigm"] == "pairwise" else row
        for row in study.judgments
    ]
    study = load(study)

    groups = study.result("equal-quality", by="category", **FEW).rows
    against = study.result("equal-quality", category=["open"], against="category=closed", **FEW).rows

    assert [(row["slice"], row["pir"], row["spb"]) for row in groups] == [
        ("closed", 0.0, 0.0),
        ("open", 1.0, 0.5),
    ]
    assert [(row["a"], row["b"], row["difference"]) for row in against] == [(0.5, 0.0, 0.5)]


def test_spb_is_computed_at_each_requested_epsilon(load):
    study = study_of("J:F A:G B:H R:Q", instances=2)
    for instance, others in (("x0", 6), ("x1", 7)):
        rate(study, "R", {"J": 6, "A": others, "B": others}, instance)
        both_orders(study, "J", "J", "A", (G, G) if instance == "x0" else (O, O), instance=instance)
        both_orders(study, "J", "A", "B", (G, G), instance=instance)

    row = one(load(study).result("equal-quality", epsilons=["0.25", "1"], **FEW).rows, judge="J")

    # Within 0.25: PIR 1 of 1, null pairs (A, B) firm and (B, A) not: 1/2. Within 1: 1 of 2, and 2 of 4.
    assert (row["epsilons"], row["n_pairs_by_epsilon"]) == ([0.25, 1.0], [1, 2])
    assert row["spb_by_epsilon"] == [0.5, 0.0]
    assert row["spb"] == row["spb_by_epsilon"][0]


@pytest.mark.parametrize("epsilon", ["-1", "near"])
def test_an_invalid_epsilon_is_refused(load, epsilon):
    with pytest.raises(UsageError, match="not a quality difference"):
        load(equals()).result("equal-quality", epsilons=[epsilon], **FEW)


def test_equality_may_come_from_human_labels(load):
    study = study_of("J:F A:G B:H")
    both_orders(study, "J", "J", "A", (G, G))
    both_orders(study, "J", "J", "B", (G, G))
    both_orders(study, "J", "A", "B", (O, O))
    says = {("J", "A"): ("equal", "equal", "generator"), ("A", "B"): ("generator", "opponent", "equal")}
    says[("B", "J")] = ("equal", "generator")
    for (generator, opponent), values in says.items():
        for person, value in zip("pqr", values, strict=False):
            study.add(
                "annotations",
                annotator=person,
                task="t",
                item=f"{generator}{opponent}",
                round=1,
                kind="equal_pair",
                instance_id="x0",
                generator=generator,
                opponent=opponent,
                value=value,
            )

    result = load(study).result("equal-quality", quality="human", **FEW)

    # Two of three people call J and A equal; A and B are not, and people are divided on B and J.
    row = one(result.rows, judge="J")
    assert (row["n_pairs"], row["pir"], row["n_null_pairs"]) == (1, 1.0, 0)
    assert row["mean_quality"] is None
    assert result.left_out["no_quality"] == 2


def test_without_labels_there_are_no_equal_pairs(load):
    result = load(equals()).result("equal-quality", quality="human", **FEW)

    assert (result.rows, "no labels say" in result.reason) == ([], True)


def test_no_contrast_pairs_are_refused_as_no_number_of_them_can_be_drawn(load):
    with pytest.raises(UsageError, match="contrast_pairs 0 is below 1"):
        load(equals()).result("discriminability", contrast_pairs=0, **FEW)


def test_without_a_quality_it_is_said_what_counts_and_how_to_give_it(load):
    study = study_of("J:F A:G", instances=1)
    both_orders(study, "J", "J", "A", (G, O))
    study.add(
        "judgments", judge="J", paradigm="direct_assessment", instance_id="x0", generator="A", score=0.5
    )

    reason = load(study).result("equal-quality", **FEW).reason

    assert reason == (
        "the study has no quality judgments, which are scores by judges on relevance, accuracy, depth, logic "
        "and clarity; other scores by judges are none; import true scores of the answers, as "
        "`reference_score` beside a criterion (`rubric_id`), and give --quality reference"
    )
