"""The measures on studies small enough for hand arithmetic."""

import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of

from engine.errors import UsageError


@pytest.fixture
def study(load):
    """Judge J (family F, relative K) on rubrics with points 1, 1, -1, over two instances."""
    plain = study_of(models="J:F K:F A:G B:H", rubrics=(1, 1, -1), instances=2)
    # In the reference, J fails k0 and k2 (met, negative) of x0: 2 failures in all; A fails k0, k1 of x0 and
    # k0 of x1: 3; B fails k0 of x0: 1; K fails k1 of x1: 1.
    refer(plain, "J", "011", "x0")
    refer(plain, "J", "110", "x1")
    refer(plain, "A", "000", "x0")
    refer(plain, "A", "010", "x1")
    refer(plain, "B", "010", "x0")
    refer(plain, "B", "110", "x1")
    refer(plain, "K", "110", "x0")
    refer(plain, "K", "100", "x1")
    # J credits both of its own failures, of A's three failures one, B's none, K's one.
    judge_rubrics(plain, "J", "J", "110", "x0")
    judge_rubrics(plain, "J", "J", "110", "x1")
    judge_rubrics(plain, "J", "A", "100", "x0")
    judge_rubrics(plain, "J", "A", "010", "x1")
    judge_rubrics(plain, "J", "B", "010", "x0")
    judge_rubrics(plain, "J", "B", "110", "x1")
    judge_rubrics(plain, "J", "K", "11u", "x0")
    judge_rubrics(plain, "J", "K", "110", "x1")
    return load(plain)


def test_the_ratio_divides_the_own_rate_by_the_mean_of_the_others_rates(study):
    rows = study.result("hspp", resamples=0).rows

    row = one(rows, judge="J")
    assert row["o_self"] == 2 / 2
    assert row["o_family"] == 1 / 1
    # mean of A's 1/3 and B's 0/1
    assert row["o_other"] == pytest.approx(1 / 6)
    assert row["hspp_self"] == pytest.approx(6)
    assert row["hspp_family"] == pytest.approx(6)
    assert (row["n_self"], row["n_family"], row["n_other"]) == (2, 1, 4)
    assert row["difference_self"] == pytest.approx(5 / 6)


def test_the_matched_ratio_compares_rubrics_that_both_failed(study):
    # J and A both failed k0 of x0 (J credited both), and so did J and B (J credited only itself).
    row = one(study.result("hspp", resamples=0).rows, judge="J")

    assert row["n_matched"] == 2
    assert row["hspp_matched"] == 2 / 1


def test_a_negative_polarity_slice_counts_only_faults(study):
    # The only negative failure: J's own k2 of x0, which J did not see. Nobody else committed the fault.
    row = one(study.result("hspp", resamples=0, polarity="negative").rows, judge="J")

    assert (row["n_self"], row["o_self"], row["o_other"]) == (1, 1.0, None)
    assert row["hspp_self"] is None
    assert row["reasons"]["hspp_self"] == "no_failures_of_others"


def test_a_missing_verdict_is_counted_and_not_used(study):
    result = study.result("overestimation", resamples=0)

    assert result.left_out["unparsed"] == 1
    row = one(result.rows, judge="J", generator="K")
    assert row["n"] + row["under_n"] == 5


def test_the_last_row_has_the_means_over_judges(study):
    last = study.result("hspp", resamples=0).rows[-1]

    assert last["judge"] is None
    assert (last["judges"], last["hspp_self"]) == (1, pytest.approx(6))


def test_grouping_repeats_the_measure_for_each_value_null_last(study):
    frame = study.measure("overestimation", resamples=0, by="polarity")

    assert list(dict.fromkeys(frame["slice"])) == ["positive", "negative"]
    ungrouped = study.measure("overestimation", resamples=0)
    assert frame["n"].sum() == ungrouped["n"].sum()


def test_accuracy_counts_matching_verdicts_and_orders(study):
    row = one(study.result("accuracy", resamples=0).rows, judge="J")

    # 24 verdicts asked, one unparsed; wrong: J's k0 and k2 of x0, A's k0 of x0, K's k1 of x1.
    assert (row["mra_correct"], row["mra_total"]) == (23 - 4, 23)


def test_a_pair_judged_in_both_orders_counts_once(load):
    plain = study_of(models="J:F A:G", rubrics=(1,))
    refer(plain, "J", "0")
    refer(plain, "A", "1")
    compare(plain, "J", "J", "A", "generator", "generator")
    compare(plain, "J", "J", "A", "opponent", "tie")

    result = load(plain).result("hspp", paradigm="pairwise", resamples=0)

    # A winner in one order and a tie in the other: the winner stands, J lifts its loss to a win.
    row = one(result.rows, judge="J")
    assert (row["o_self"], row["n_self"], row["l2w_share_self"]) == (1.0, 1, 1.0)


def test_a_pair_with_only_one_order_is_counted_as_left_out(load):
    plain = study_of(models="J:F A:G", rubrics=(1,))
    refer(plain, "J", "0")
    refer(plain, "A", "1")
    compare(plain, "J", "J", "A", "generator", "generator")

    result = load(plain).result("hspp", paradigm="pairwise", resamples=0)

    assert result.rows == []
    assert result.left_out["order_missing"] == 1


def test_centered_deltas_sum_to_zero_and_bonus_is_own_minus_others(study):
    rows = study.result("delta", resamples=0).rows

    assert sum(row["delta"] for row in rows) == pytest.approx(0)
    own, others = one(rows, generator="J"), [row for row in rows if row["generator"] in ("A", "B")]
    assert own["bonus"] == pytest.approx(own["delta"] - sum(row["delta"] for row in others) / 2)


def test_a_rubric_filter_is_refused_for_whole_responses(load):
    plain = study_of(models="J:F A:G", rubrics=(1, -1))
    for generator in ("J", "A"):
        refer(plain, generator, "10")
        plain.add(
            "judgments",
            judge="J",
            paradigm="direct_assessment",
            instance_id="x0",
            generator=generator,
            score=0.5,
        )

    with pytest.raises(UsageError, match="whole answers"):
        load(plain).result("hspp", polarity="negative")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judges": ["nobody"]}, "nobody"),
        ({"axis": ["nowhere"]}, "nowhere"),
        ({"variant": "unheard"}, "unheard"),
        ({"reference": "oracle"}, "oracle"),
        ({"by": "colour"}, "colour"),
        ({"colour": "red"}, "colour"),
        ({"min_agreement": "much"}, "much"),
        ({"length": "9:1"}, "9:1"),
    ],
)
def test_an_unknown_name_is_refused_with_the_choices(study, options, message):
    with pytest.raises(UsageError, match=message):
        study.result("hspp", **options)


def test_a_study_without_such_judgments_says_so(study):
    result = study.result("hspp", paradigm="pairwise")

    assert result.rows == []
    assert "pairwise" in result.reason


def test_ranks_of_a_judge_shown_alone_have_intervals_where_resamples_are_drawn(ranked):
    resampled, without = (
        one(ranked.result("delta", judges="J", resamples=number).rows, generator="J") for number in (20, 0)
    )

    # J puts itself first and the reference last; of three pairs it orders none as the reference does.
    for row in (resampled, without):
        assert (row["rank_shift"], row["pair_order"]) == (-2, 0)
    assert (resampled["rank_shift_low"], resampled["pair_order_high"]) == (-2, 0)
    assert without["reasons"]["rank_shift_low"] == without["reasons"]["pair_order_high"] == "no_resamples"
