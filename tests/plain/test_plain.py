"""Ratios, rates, scores and deltas by hand arithmetic, worked out beside each expected number."""

import pytest

from plain.asking import RefusedError
from plain.builders import judge_rubrics, one, refer, study_of
from plain.measures import accuracy, delta, hspp, overestimation


def test_the_ratio_is_the_own_rate_over_the_mean_of_the_others_rates():
    study = study_of(rubrics=(1, 1, 1, 1))
    for generator, true, judged in (
        ("J", "0000", "1110"),  # O = 3/4
        ("K", "0011", "1011"),  # O = 1/2
        ("A", "0000", "1000"),  # O = 1/4
        ("B", "0111", "1111"),  # O = 1/1
    ):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, left_out = hspp(study)

    row = one(rows, judge="J")
    assert row["o_other"] == pytest.approx(0.625)  # (1/4 + 1) / 2, not 2/5 pooled
    assert row["hspp_self"] == pytest.approx(1.2)  # 0.75 / 0.625
    assert row["hspp_family"] == pytest.approx(0.8)  # 0.5 / 0.625
    assert row["hspp_family_with_self"] == pytest.approx(1.0)  # (0.75 + 0.5) / 2 / 0.625
    assert row["difference_self"] == pytest.approx(0.125)
    assert (row["n_self"], row["n_family"], row["n_other"]) == (4, 2, 5)
    # Failed by J and A: k0..k3, J credited on 3, A on 1; by J and B: k0, credited 1 and 1.
    assert (row["hspp_matched"], row["n_matched"]) == (pytest.approx(4 / 2), 5)
    assert rows[-1] == {
        "judge": None,
        "hspp_self": pytest.approx(1.2),
        "hspp_family": pytest.approx(0.8),
        "hspp_family_with_self": pytest.approx(1.0),
        "judges": 1,
    }
    assert set(left_out.values()) == {0}


def test_a_generator_without_an_unfavourable_reference_is_left_out_of_the_mean():
    study = study_of()
    for generator, true, judged in (("J", "0", "1"), ("A", "0", "1"), ("B", "1", "1")):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = hspp(study)

    row = one(rows, judge="J")
    assert row["hspp_self"] == 1.0  # 1 / 1: B has no rate
    assert row["hspp_family"] is None
    assert row["hspp_family_with_self"] == 1.0


def test_a_ratio_over_nothing_is_undefined():
    study = study_of()
    for generator, judged in (("J", "1"), ("A", "0")):
        refer(study, generator, "0")
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = hspp(study)

    row = one(rows, judge="J")
    assert (row["o_self"], row["o_other"], row["hspp_self"], row["hspp_matched"]) == (1.0, 0.0, None, None)
    assert (rows[-1]["hspp_self"], rows[-1]["judges"]) == (None, 0)


def test_not_met_is_the_favourable_verdict_on_a_negative_rubric():
    study = study_of(rubrics=(-2, 0))
    refer(study, "A", "10")
    judge_rubrics(study, "J", "A", "01")

    rows, _left_out = overestimation(study)

    row = one(rows, judge="J", generator="A")
    assert (row["over"], row["n"], row["rate"]) == (2, 2, 1.0)  # points of 0 count as positive
    assert row["relation"] == "other"
    assert (row["under"], row["under_n"], row["under_rate"]) == (0, 0, None)
    assert overestimation(study, polarity="negative")[0][0]["n"] == 1


def test_rows_without_a_verdict_or_reference_are_only_counted_as_left_out():
    study = study_of(rubrics=(1, 1, 1, 1))
    refer(study, "A", "0?-0")
    judge_rubrics(study, "J", "A", "111u")

    rows, left_out = accuracy(study)

    assert one(rows, judge="J")["mra_total"] == 1
    assert (left_out["unparsed"], left_out["no_reference"], left_out["incomplete"]) == (1, 2, 1)


def test_human_references_need_a_strict_majority_and_a_tie_is_no_reference():
    study = study_of(rubrics=(1, 1))
    refer(study, "A", "00", source="human:a")
    refer(study, "A", "01", source="human:b")
    refer(study, "A", "1?", source="human")
    judge_rubrics(study, "J", "A", "11")

    rows, left_out = overestimation(study)

    assert (rows[0]["over"], rows[0]["n"]) == (1, 1)  # k0: 0, 0, 1; k1: 0, 1
    assert left_out["reference_tie"] == 1


def test_several_references_without_program_or_human_are_refused():
    study = study_of()
    refer(study, "A", "0", source="program:loose")
    refer(study, "A", "0", source="committee:c")
    judge_rubrics(study, "J", "A", "1")

    with pytest.raises(RefusedError, match="program:loose"):
        hspp(study)


def test_repeats_vote_and_a_tied_vote_is_no_verdict():
    study = study_of(rubrics=(1, 1))
    refer(study, "A", "00")
    for trial, mets in enumerate(("10", "11", "0-")):
        judge_rubrics(study, "J", "A", mets, trial=trial)

    rows, left_out = overestimation(study)
    first, _left_out = overestimation(study, repeats="first")

    assert (rows[0]["over"], rows[0]["n"]) == (1, 1)  # k0: 1 1 0; k1: 0 1
    assert left_out["merged"] == 4  # five rows became one verdict
    assert (first[0]["over"], first[0]["n"]) == (1, 2)


def test_instance_overestimation_counts_lost_comparisons_called_a_win_or_a_tie():
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    for generator, true, judged in (("J", "00", "11"), ("A", "10", "11"), ("B", "11", "10")):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = hspp(study, level="instance")
    over, _left_out = overestimation(study, level="instance")

    # True scores J 0, A 1/2, B 1; judged J 1, A 1, B 1/2.
    # J lost to A (called a tie) and to B (called a win): 2 of 2. A lost to B (called a win): 1 of 1.
    row = one(rows, judge="J")
    assert (row["o_self"], row["o_other"], row["hspp_self"]) == (1.0, 1.0, 1.0)
    assert (row["n_self"], row["n_other"]) == (2, 1)
    assert (row["l2w_share_self"], row["l2w_share_other"]) == (0.5, 1.0)
    # B won against J and A, and was called the loser both times.
    assert (one(over, generator="B")["under"], one(over, generator="B")["under_n"]) == (2, 2)
    # All three pairs are ordered wrongly.
    assert accuracy(study)[0][0]["mipa"] == 0.0


def test_an_instance_with_a_missing_verdict_has_no_score():
    study = study_of(models="J:F A:G", rubrics=(1, 1))
    for generator, true, judged in (("J", "00", "11"), ("A", "10", "1u")):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, left_out = accuracy(study)

    assert (rows[0]["mra_total"], rows[0]["mipa_total"], rows[0]["mipa"]) == (3, 0, None)
    assert left_out["incomplete"] == 1


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("fraction", 0.5),  # favourable: k0 and the zero one, not k1, not the negative one: 2 of 4
        ("weighted", 0.0),  # (2 - 5) / 4 = -0.75, clipped
        ("weighted_mean_clipped", 0.0),  # -0.75, clipped as a system score
        ("uniform", 0.0),  # (1 - 1) / 2
    ],
)
def test_the_four_scores_of_one_response(scores, expected):
    study = study_of(models="J:F A:G", rubrics=(2, 2, -5, 0))
    refer(study, "A", "1100")  # fraction 3/4, weighted 4/4, uniform 2/2
    judge_rubrics(study, "J", "A", "1011")

    rows, _left_out = delta(study, scores=scores)

    true = 0.75 if scores == "fraction" else 1.0
    assert one(rows, generator="A")["raw_delta"] == pytest.approx(expected - true)


def test_weighted_scores_without_a_positive_rubric_are_undefined():
    study = study_of(models="J:F A:G", rubrics=(-5, 0))
    refer(study, "A", "00")
    judge_rubrics(study, "J", "A", "01")

    assert delta(study, scores="weighted")[0] == []
    assert delta(study, scores="fraction")[0] != []


def test_an_unclipped_mean_keeps_what_clipping_by_instance_loses():
    study = study_of(models="J:F A:G", rubrics=(2, -3), instances=2)
    for instance, judged in (("x0", "10"), ("x1", "01")):
        refer(study, "A", "00", instance)
        judge_rubrics(study, "J", "A", judged, instance)

    clipped_each, _ = delta(study, scores="weighted")
    clipped_once, _ = delta(study, scores="weighted_mean_clipped")

    assert clipped_each[0]["raw_delta"] == pytest.approx(0.5)  # (1 + max(0, -1.5)) / 2
    assert clipped_once[0]["raw_delta"] == pytest.approx(0.0)  # max(0, (1 - 1.5) / 2)


def test_deltas_are_centred_and_the_bonus_is_against_unrelated_generators():
    study = study_of(rubrics=(1, 1, 1, 1))
    for generator, true, judged in (
        ("J", "1000", "1111"),  # raw +0.75
        ("K", "1000", "1100"),  # raw +0.25
        ("A", "1100", "1100"),  # raw 0
        ("B", "1110", "1100"),  # raw -0.25
    ):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = delta(study)

    own = one(rows, generator="J")
    assert own["leniency"] == pytest.approx(0.1875)  # 0.75 / 4
    assert own["leniency_outside"] == pytest.approx(-0.125)  # (0 - 0.25) / 2
    assert own["delta"] == pytest.approx(56.25)  # 75 - 18.75
    assert sum(row["delta"] for row in rows) == pytest.approx(0)
    assert own["bonus"] == pytest.approx(87.5)  # 75 - (0 - 25) / 2
    assert own["family_bonus"] == pytest.approx(37.5)  # 25 + 12.5
    # J is first of four by itself; by the reference it shares places 3 and 4 with K.
    assert own["rank_shift"] == pytest.approx(1 - 3.5)
    # True: B > A > J = K; judged: J > K = A = B. No pair of the six is ordered alike.
    assert own["pair_order"] == 0.0
    assert "bonus" not in one(rows, generator="A")


def test_a_judge_without_responses_has_its_leniency_in_a_row_without_generator():
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    for generator, true, judged in (("A", "00", "10"), ("B", "10", "11")):
        refer(study, generator, true)
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = delta(study)

    assert [row["generator"] for row in rows] == ["A", "B", None]
    assert rows[-1]["leniency"] == pytest.approx(0.5)
    assert rows[-1]["pair_order"] == 1.0
    assert (rows[-1]["bonus"], rows[-1]["rank_shift"]) == (None, None)


def test_direct_assessments_are_compared_with_the_references_share():
    study = study_of(models="J:F A:G B:H", rubrics=(1, -1))
    for generator, true, scores in (("A", "11", (1.0, 0.5)), ("B", "10", (0.75,))):
        refer(study, generator, true)
        for trial, score in enumerate(scores):
            study.add(
                "judgments",
                judge="J",
                paradigm="direct_assessment",
                instance_id="x0",
                generator=generator,
                score=score,
                trial=trial,
            )

    rows, left_out = overestimation(study)

    # True: A 1/2, B 1. Judged: A (1 + 0.5) / 2, B 0.75: a tie where A lost.
    assert (one(rows, generator="A")["over"], one(rows, generator="A")["n"]) == (1, 1)
    assert (one(rows, generator="B")["under"], one(rows, generator="B")["under_n"]) == (1, 1)
    assert left_out["merged"] == 1
    with pytest.raises(RefusedError):
        overestimation(study, level="rubric")
    with pytest.raises(RefusedError):
        overestimation(study, polarity="positive")
