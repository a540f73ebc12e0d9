"""Agreement, committees, common cells and relatives, by hand arithmetic."""

import pytest

from plain.builders import judge_rubrics, one, refer, study_of
from plain.committees import committee
from plain.measures import accuracy, agreement_curve, hspp, overestimation


def agreeing_study():
    """Four judges; on k0 they say 1111, on k1 1110 (for A) and on both 1111 for B."""
    study = study_of(models="J:F K:F A:G B:H", rubrics=(1, 1))
    for generator in ("A", "B"):
        refer(study, generator, "00")
    for judge in ("J", "K", "A", "B"):
        judge_rubrics(study, judge, "A", "10" if judge == "K" else "11")
        judge_rubrics(study, judge, "B", "11")
    return study


def test_agreement_is_the_mean_over_generators_of_the_share_of_equal_pairs():
    study = agreeing_study()

    # k1: for A 3 of 6 pairs agree, for B all: a = 0.75.
    for threshold, count in ((0.75, 2), (0.8, 1)):
        rows, _left_out = overestimation(study, min_agreement=threshold)
        assert one(rows, judge="J", generator="B")["n"] == count
    rows, _left_out = overestimation(study, min_agreement=0.8, agreement_of="verdict")
    assert one(rows, judge="J", generator="A")["n"] == 1
    assert one(rows, judge="J", generator="B")["n"] == 2
    # Without J and K, judges A and B always agree.
    rows, _left_out = overestimation(study, min_agreement=1, agreement_without_family=True)
    assert one(rows, judge="J", generator="A")["n"] == 2


def test_the_agreement_curve_gives_the_share_of_rubrics_each_threshold_keeps():
    rows, _left_out = agreement_curve(agreeing_study(), level="rubric")

    assert [row["threshold"] for row in rows][:2] == [0.5, 0.55]
    assert len(rows) == 11
    assert [row["rubrics_kept"] for row in rows] == [1.0] * 6 + [0.5] * 5  # k1 has 0.75
    # A and B judge their own failures as leniently as the others'; J and K have no response.
    assert {(row["hspp_self_mean"], row["judges"]) for row in rows} == {(1.0, 2)}


def test_a_committee_votes_and_its_tie_is_no_reference():
    study = study_of(models="J:F K:F A:G B:H", rubrics=(1, 1))
    for judge, mets in (("J", "11"), ("K", "11"), ("A", "10"), ("B", "00")):
        judge_rubrics(study, judge, "A", mets)
    study.committees["c"] = {
        "members": ["J", "K", "A", "B"],
        "paradigm": "single_rubric",
        "variant": "default",
    }

    everyone, left_out = accuracy(study, reference="committee:c", judges="J")
    without, left_out_without = accuracy(study, reference="committee:c", judges="J", leave_self_out=True)
    no_kin, left_out_kin = accuracy(study, reference="committee:c", judges="J", exclude_family=True)

    # k0: 1 1 1 0 is met; k1: 1 1 0 0 is tied.
    assert (everyone[0]["mra_correct"], everyone[0]["mra_total"], left_out["reference_tie"]) == (1, 1, 1)
    # Without J, k0: 1 1 0 is met; k1: 1 0 0 is not.
    assert (without[0]["mra_correct"], without[0]["mra_total"]) == (1, 2)
    assert left_out_without["reference_tie"] == 0
    # Without J and K only two members are present.
    assert (no_kin, left_out_kin["no_reference"]) == ([], 2)


def test_a_committee_replaces_its_members_as_judge():
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    verdicts = {"J": {"J": "11", "A": "10", "B": "10"}, "A": {"J": "00", "A": "11", "B": "10"}}
    verdicts["B"] = {"J": "10", "A": "01", "B": "11"}
    for generator in ("J", "A", "B"):
        refer(study, generator, "00")
        for judge in ("J", "A", "B"):
            judge_rubrics(study, judge, generator, verdicts[judge][generator])

    rows, _left_out = committee(study, members=["J", "A", "B"])

    row = one(rows, judge="J", level="rubric")
    assert row["hspp_self"] == pytest.approx(2.0)  # J: 2/2 for itself, 1/2 and 1/2 for A and B
    # The committee: J 10, A 11, B 10: 1/2 against (1 + 1/2) / 2.
    assert row["hspp_self_committee"] == pytest.approx(2 / 3)
    assert row["mra"] == pytest.approx(2 / 6)
    assert row["mra_committee"] == pytest.approx(2 / 6)
    # True scores are all equal. J's are 1, 1/2, 1/2: one of three pairs tied; the committee's 1/2, 1, 1/2.
    row = one(rows, judge="J", level="instance")
    assert (row["mipa"], row["mipa_committee"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_common_keeps_the_responses_that_every_judge_has_a_verdict_on():
    study = study_of(models="J:F A:G B:H")
    for generator in ("J", "A", "B"):
        refer(study, generator, "0")
    for judge, generators in (("J", "JAB"), ("A", "AB")):
        for generator in generators:
            judge_rubrics(study, judge, generator, "1")

    rows, left_out = overestimation(study, common=True)

    assert [(row["judge"], row["generator"]) for row in rows] == [
        ("J", "A"),
        ("J", "B"),
        ("A", "A"),
        ("A", "B"),
    ]
    assert left_out["not_common"] == 1


def test_relatives_may_be_the_models_of_one_provider():
    study = study_of(models="J:F K:F A:G B:H")
    for row, provider in zip(study.models, ("p", "q", "p", None), strict=True):
        row["provider"] = provider
    for generator, judged in (("J", "1"), ("K", "1"), ("A", "0"), ("B", "1")):
        refer(study, generator, "0")
        judge_rubrics(study, "J", generator, judged)

    rows, _left_out = hspp(study, relatives="provider")

    row = one(rows, judge="J")
    assert (row["hspp_self"], row["hspp_family"]) == (1.0, 0.0)  # others K and B, relative A
    assert row["family"] == "F"
