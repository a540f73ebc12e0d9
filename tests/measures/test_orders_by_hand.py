"""Measures of order on studies small enough for hand arithmetic."""

import pytest
from plain.builders import compare, one, refer
from plain.builders import study_of as study_of_models
from plain.study import PlainStudy

from engine.errors import UsageError
from engine.words.orders import flip_words, position_words

THREE = ("1-2-3", "2-3-1", "3-1-2", "3-2-1", "2-1-3", "1-3-2")


def study_of(items=1):
    study = PlainStudy()
    for model in ("J", "G"):
        study.add("models", model=model, family=model)
    for i in range(items):
        study.add("instances", instance_id=f"x{i}")
        study.add("rubrics", instance_id=f"x{i}", rubric_id="k")
    return study


def score(study, ordering, value, item=0, **rest):
    keys = {"judge": "J", "paradigm": "score_rubric", "instance_id": f"x{item}", "generator": "G"}
    study.add("judgments", **keys, rubric_id="k", ordering=ordering, score=value, **rest)


def people(study, *scores):
    for item, value in enumerate(scores):
        if value is not None:
            keys = {"instance_id": f"x{item}", "generator": "G", "rubric_id": "k", "source": "human:a"}
            study.add("references", **keys, score=value)


def test_every_position_has_a_share_which_is_0_if_never_chosen(load):
    study = study_of()
    # Chosen: 1 at the first position, 2 at the first, 3 at the first, then 3 (first), 2 (first), 3 (second).
    for ordering, value in zip(THREE, (1, 2, 3, 3, 2, 3), strict=True):
        score(study, ordering, value)

    rows = load(study).result("position", resamples=0, min_instances=1).rows

    assert [row["share"] for row in rows] == [pytest.approx(5 / 6), pytest.approx(1 / 6), 0.0]
    assert {row["n"] for row in rows} == {6}
    # Expected 2 each: (9 + 1 + 4) / 2 = 7.
    assert rows[0]["chi2"] == pytest.approx(7)
    assert [row["position"] for row in rows] == [1, 2, 3]


def test_what_was_not_tested_is_not_called_chance(load):
    study = study_of()
    for ordering in THREE:
        score(study, ordering, int(ordering[0]))

    words = position_words(load(study).result("position", resamples=20).rows)

    assert words == (
        "Chosen most often (chance: 33.3%): J position 1 (100.0%). "
        "Whether that is chance was not tested: too few questions for a p-value."
    )


def test_grouped_by_score_the_shares_are_of_the_positions_of_that_score(load):
    study = study_of()
    for ordering, value in zip(THREE, (1, 2, 3, 3, 2, 3), strict=True):
        score(study, ordering, value)

    rows = load(study).result("position", by="score", resamples=0).rows

    assert [(row["slice"], row["position"], row["n"]) for row in rows if row["slice"] == 3] == [
        *((3, 1, 3), (3, 2, 3), (3, 3, 3))
    ]
    assert one(rows, slice=3.0, position=1)["share"] == pytest.approx(2 / 3)
    assert one(rows, slice=1.0, position=1)["share"] == 1.0
    assert one(rows, slice=1.0, position=1)["reasons"]["chi2_p"] == "too_few_instances"


def test_rows_of_other_orderings_trials_and_options_are_left_out_and_counted(load):
    study = study_of()
    score(study, "1-2-3", 1)
    score(study, "1-2-3", 2, trial=1)
    score(study, None, 2)
    score(study, "4-1-2-3", 2)  # a rotation of 1-2-3-4
    score(study, "1-3-2-4", 2)
    score(study, "3-2-1", 5)
    score(study, "2-1-3", None, status="refused")

    result = load(study).result("position", resamples=0)

    assert {row["n_options"]: row["n"] for row in result.rows} == {3: 1, 4: 1}
    counted = {code: number for code, number in result.left_out.items() if number}
    assert counted == {"other_trial": 1, "other_ordering": 2, "off_scale": 1, "refused": 1}


def test_the_cost_of_an_ordering_sums_the_deviations_at_its_positions(load):
    study = study_of(4)
    # P(1 | low) = 3/4; the high score was never selected and has no term. Low first is off by 1/4, low
    # second (P = 1/4) too: of equal costs the first is recommended.
    for item, ordering in enumerate(("1-2", "1-2", "1-2", "2-1")):
        score(study, ordering, 1, item)

    rows = load(study).result("ordering", resamples=0).rows

    assert [(row["ordering"], row["cost"], row["recommended"]) for row in rows] == [
        *(("1-2", 25.0, True), ("2-1", 25.0, False))
    ]
    assert {row["small"] for row in rows} == {True}


def test_every_balanced_ordering_has_a_row_even_if_unused(load):
    study = study_of(3)
    people(study, 1, 2, 3)
    for item, value in enumerate((1, 3, 2)):
        score(study, "1-2-3", value, item)
        score(study, "3-2-1", item + 1, item)

    rows = load(study).result("ordering", resamples=0).rows

    assert [row["ordering"] for row in rows] == list(THREE)
    assert one(rows, ordering="2-3-1")["n"] == 0
    assert one(rows, ordering="2-3-1")["reasons"]["pearson"] == "fewer_than_3_items_or_a_constant_side"
    assert one(rows, ordering="1-2-3")["pearson"] == pytest.approx(0.5)
    assert one(rows, ordering="3-2-1")["spearman"] == pytest.approx(1.0)
    assert (one(rows, ordering="1-2-3")["rank"], one(rows, ordering="3-2-1")["rank"]) == (2, 1)


def test_a_search_over_all_orderings_may_recommend_an_unbalanced_one(load):
    study = study_of(4)
    scale, positions = "1234", {1: (1, 4), 2: (2, 3), 3: (2, 3), 4: (1, 4)}
    balanced = ["".join(scale[i:] + scale[:i]) for i in range(4)]
    balanced += ["".join(scale[::-1][i:] + scale[::-1][:i]) for i in range(4)]
    # 1 and 4 are chosen only at the ends, 2 and 3 only in the middle, the two places alike: any place is
    # off by 1/4, so every ordering costs 100 and the first stands.
    for item, value in enumerate(positions):
        for ordering in balanced:
            if ordering.index(str(value)) + 1 in positions[value]:
                score(study, "-".join(ordering), value, item)

    rows = load(study).result("ordering", search="all", resamples=0).rows

    assert {row["cost"] for row in rows} == {100.0}
    assert [row["ordering"] for row in rows if row["recommended"]] == ["1-2-3-4"]


def test_both_arms_use_the_items_complete_in_both(load):
    study = study_of(4)
    people(study, 1, 2, 3, 3)
    for item, (once, again) in enumerate(((1, 1), (2, 3), (3, 2), (3, 3))):
        for ordering in THREE:
            score(study, ordering, again if ordering == "1-2-3" else once, item)
        for trial in range(1, 6):
            if (item, trial) != (3, 5):  # the last item lacks a repeat
                score(study, "1-2-3", again, item, trial=trial)

    result = load(study).result("permutation", resamples=0)

    row = result.rows[0]
    assert (row["n_items"], row["n_scored"], result.left_out["incomplete"]) == (3, 3, 1)
    # Means over orderings: 1, (5 * 2 + 3) / 6 = 13/6, (5 * 3 + 2) / 6 = 17/6; repeats: 1, 3, 2.
    assert row["pearson_repeat"] == pytest.approx(0.5)
    assert row["spearman_permutation"] == pytest.approx(1.0)
    assert row["spearman_delta"] == pytest.approx(0.5)
    # In two of three items one of six answers is off by one: squares 25/36 + 5 * 1/36 = 5/6, over 5.
    assert row["sd_permutation"] == pytest.approx(2 / 3 * (1 / 6) ** 0.5)
    assert row["sd_repeat"] == 0.0


def test_a_judge_without_repeats_has_only_the_other_arm(load):
    study = study_of(3)
    people(study, 1, 2, 3)
    for item in range(3):
        for ordering in THREE:
            score(study, ordering, item + 1, item)

    row = load(study).result("permutation", resamples=0).rows[0]

    assert row["pearson_permutation"] == pytest.approx(1.0)
    assert (row["pearson_repeat"], row["pearson_delta"], row["pearson_corrected"]) == (None, None, None)
    assert row["reasons"]["pearson_delta"] == "no_repeat_arm"


def test_repeats_are_corrected_by_the_rarity_of_a_score_at_its_position(load):
    study = study_of(3)
    people(study, 1, 1, 2)
    # With 1-2 the judge says 1, 1, 2; turned round 1, 2, 2. Low is chosen first twice, second once; high
    # second once, first twice. With half a selection more at each place: P = 2.5/4 and 1.5/4, so that in
    # 1-2 a low score weighs 1 / (2 * 2.5/4) = 0.8 and a high one 1 / (2 * 1.5/4) = 4/3.
    for item, (forward, backward) in enumerate(((1, 1), (1, 2), (2, 2))):
        score(study, "1-2", forward, item)
        score(study, "2-1", backward, item)
    for item, again in enumerate((2, 1, 2)):
        score(study, "1-2", again, item, trial=1)

    row = load(study).result("permutation", resamples=0).rows[0]

    # Items: (1 * .8 + 2 * 4/3) / (.8 + 4/3) = 1.625 instead of 1.5; 1; 2. Against 1, 1, 2 of people.
    scores, human = (1.625, 1.0, 2.0), (1, 1, 2)
    middle, centre = sum(scores) / 3, sum(human) / 3
    top = sum((a - middle) * (b - centre) for a, b in zip(scores, human, strict=True))
    bottom = sum((a - middle) ** 2 for a in scores) * sum((b - centre) ** 2 for b in human)
    assert row["pearson_corrected"] == pytest.approx(top / bottom**0.5)


def test_a_position_filter_and_an_unsupported_group_are_refused(load):
    study = study_of()
    score(study, "1-2-3", 1)
    study = load(study)

    with pytest.raises(UsageError, match="leave out --position"):
        study.result("position", position=[1])
    with pytest.raises(UsageError, match="rubric, axis"):
        study.result("position", by="polarity")


def test_a_study_without_score_rubrics_gives_the_reason_and_no_rows(load):
    study = study_of()
    study.add(
        "judgments",
        judge="J",
        paradigm="single_rubric",
        instance_id="x0",
        generator="G",
        rubric_id="k",
        met=True,
    )

    result = load(study).result("ordering")

    assert result.rows == []
    assert "score_rubric" in result.reason


def test_a_share_has_an_interval_and_the_shuffle_a_p_value(load):
    study = study_of(12)
    for item in range(12):
        for place, ordering in enumerate(THREE):
            score(study, ordering, int(ordering[0]) if place else 1 + item % 3, item)

    row = load(study).result("position", resamples=200).rows[0]

    assert row["share_low"] < row["share"] < row["share_high"]
    assert row["chi2_shuffle_p"] == pytest.approx(1 / 201)
    assert row["chi2_p"] < 0.001


def test_the_two_orders_of_pairs_are_compared_by_their_choices(load):
    study = study_of_models("J:F A:G B:H", instances=5)
    # Both orders choose A; each the one shown first; each the one shown second; A then a tie; one order only.
    for item, (one_first, two_first) in enumerate(
        (
            ("generator", "generator"),
            ("generator", "opponent"),
            ("opponent", "generator"),
            ("generator", "tie"),
        )
    ):
        compare(study, "J", "A", "B", "generator", one_first, f"x{item}")
        compare(study, "J", "A", "B", "opponent", two_first, f"x{item}")
    compare(study, "J", "A", "B", "generator", "tie", "x4")

    result = load(study).result("order-effect", resamples=0)

    row = result.rows[0]
    assert (row["n_pairs"], row["n_decided"]) == (4, 3)
    assert "of the 3 pairs with a winner in both, of 4 judged in both" in flip_words(result.rows)
    # Answers for the first shown: pair 0 once, pair 1 twice, pair 2 never, pair 3 once; one tie; of 8.
    assert (row["first_share"], row["tie_share"]) == (4 / 8, 1 / 8)
    # Of the three pairs with two winners two flip, one of them to the first; one of four is firm.
    assert (row["flip_rate"], row["flip_to_first"]) == (pytest.approx(2 / 3), 1 / 2)
    assert row["firm_share"] == 1 / 4
    assert row["reasons"]["probability_shift"] == "no_probabilities"
    assert result.left_out["order_missing"] == 1


def test_the_shift_is_the_distance_of_probabilities_for_either_target(load):
    study = study_of_models("J:F A:G B:H", instances=2)
    # A: 0.9 shown first, 0.4 shown second; then B as the target: 0.3 shown first, so A 0.7, and A 0.6.
    compare(study, "J", "A", "B", "generator", None, "x0", p_generator=0.9, variant="forced")
    compare(study, "J", "A", "B", "opponent", None, "x0", p_generator=0.4, variant="forced")
    compare(study, "J", "B", "A", "generator", None, "x1", p_generator=0.3, variant="forced")
    compare(study, "J", "A", "B", "generator", None, "x1", p_generator=0.6, variant="forced")

    row = load(study).result("order-effect", resamples=0).rows[0]

    assert row["variant"] == "forced"
    assert row["probability_shift"] == pytest.approx((0.5 + 0.1) / 2)
    # Without a choice the likelier one counts: A then B (a flip to the first), A and A (firm).
    assert (row["flip_rate"], row["flip_to_first"], row["firm_share"]) == (0.5, 1.0, 0.5)


def test_lists_of_rubrics_are_reported_by_ordering_and_by_position(load):
    study = study_of_models("J:F A:G", rubrics=(1, 1))
    refer(study, "A", "00")
    for ordering, places in (("original", (1, 2)), ("reversed", (2, 1))):
        for rubric, place in enumerate(places):
            keys = {"judge": "J", "paradigm": "all_rubrics", "instance_id": "x0", "generator": "A"}
            study.add(  # the first criterion is always judged met
                "judgments",
                **keys,
                rubric_id=f"k{rubric}",
                ordering=ordering,
                position=place,
                met=place == 1,
            )

    rows = load(study).result("order-effect", resamples=0).rows

    cells = [(row["ordering"], row["position"], row["verdict_rate"], row["overestimation"]) for row in rows]
    assert cells == [
        *(("original", None, 0.5, 0.5), ("original", 1, 1.0, 1.0), ("original", 2, 0.0, 0.0)),
        *(("reversed", None, 0.5, 0.5), ("reversed", 1, 1.0, 1.0), ("reversed", 2, 0.0, 0.0)),
    ]
    assert {row["n_pairs"] for row in rows} == {0}


def test_pairs_are_grouped_by_their_difference_in_quality(load):
    study = study_of_models("J:F A:G B:H Q:Z", instances=3)
    # Q rates A 7, 7, 7 and B 7, 6, nothing: differences 0, 1 and none.
    for item, (a, b) in enumerate(((7, 7), (7, 6), (7, None))):
        for model, rating in (("A", a), ("B", b)):
            for dimension in ("relevance", "accuracy", "depth", "logic", "clarity") if rating else ():
                keys = {"judge": "Q", "paradigm": "quality", "instance_id": f"x{item}", "generator": model}
                study.add("judgments", **keys, rubric_id=dimension, score=rating)
        compare(study, "J", "A", "B", "generator", "generator", f"x{item}")
        compare(study, "J", "A", "B", "opponent", "generator" if item else "opponent", f"x{item}")

    result = load(study).result("order-effect", by="quality_difference", resamples=0)

    cells = [(row["slice"], row["n_pairs"], row["flip_rate"]) for row in result.rows]
    assert cells == [("0-0.25", 1, 1.0), ("0.5-1", 1, 0.0), (None, 1, 0.0)]
