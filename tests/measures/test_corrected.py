"""`corrected`: scores corrected by hand arithmetic, when some instances have a reference."""

import pytest
from plain.builders import judge_rubrics, one, refer, study_of


def partly_labelled(verdicts_of_f, truths_of_f):
    """Return a study in which G and H judge F and G alike; the first instances have a reference."""
    plain = study_of(models="F:1 G:2 H:3", rubrics=(1,), instances=len(verdicts_of_f))
    for i, verdict in enumerate(verdicts_of_f):
        for generator, mets in (("F", verdict), ("G", "1")):
            if i < len(truths_of_f):
                refer(plain, generator, truths_of_f[i] if generator == "F" else "1", f"x{i}")
            judge_rubrics(plain, "H", generator, mets, f"x{i}")
    return plain


def test_a_judge_that_credits_everything_is_ignored(load):
    study = load(partly_labelled("1" * 10, "1010"))

    rows = study.result("corrected").rows

    # H never varies, so that only the references count: 2 of 4 of F's, 4 of 4 of G's.
    assert one(rows, model="F")["score"] == pytest.approx(0.5)
    assert one(rows, model="F")["uncorrected"] == 1.0
    assert (one(rows, model="F")["n_labelled"], one(rows, model="F")["n_unlabelled"]) == (4, 6)
    assert [one(rows, model=model)["rank"] for model in "FG"] == [2, 1]


def test_with_a_complete_reference_the_score_is_its_mean(load):
    row = one(load(partly_labelled("1111", "1000")).result("corrected").rows, model="F")

    assert row["score"] == pytest.approx(0.25)
    assert row["n_unlabelled"] == 0
    assert row["score_low"] < 0.25 < row["score_high"]


def test_error_rates_correct_the_share_to_that_of_the_reference(load):
    # Of 10 that fail F H credits 2, of 10 that are met 8; of the 10 without a reference it credits 5.
    # G, of another family than H too, is met and credited in 20 more: 28 of 30 met ones are credited.
    verdicts = "1" * 2 + "0" * 8 + "1" * 8 + "0" * 2 + "1" * 5 + "0" * 5
    study = load(partly_labelled(verdicts, "0" * 10 + "1" * 10))

    row = one(study.result("corrected", method="rogan_gladen").rows, model="F")

    assert row["score"] == pytest.approx((5 / 10 - 2 / 10) / (28 / 30 - 2 / 10))
    assert row["score_low"] < row["score"] < row["score_high"]


def test_an_interval_does_not_leave_the_scale_of_the_score(load):
    # F's truth is met in 3 of 4 instances: t's interval of .75 with 3 degrees of freedom is -.05 to 1.55.
    row = one(load(partly_labelled("1111", "1110")).result("corrected").rows, model="F")

    assert (row["score"], row["score_low"], row["score_high"]) == (0.75, 0.0, 1.0)


def test_too_few_references_correct_nothing(load):
    row = one(load(partly_labelled("1" * 10, "10")).result("corrected").rows, model="F")

    assert row["score"] is None
    assert row["reasons"]["score"] == "too_few_labels"
    assert row["uncorrected"] == 1.0


def test_rates_that_have_nothing_to_correct_are_said_to_in_python(load):
    study = load(partly_labelled("1" * 10, "1" * 5 + "0" * 5))

    with pytest.warns(UserWarning, match="corrected of small has no score: every question has a reference"):
        frame = study.corrected(method="rogan_gladen")

    assert frame["score"].isna().all()


def test_one_judge_that_does_not_tell_responses_apart_is_given_as_the_reason(load):
    study = load(partly_labelled("1" * 16, "10" * 5))

    row = one(study.result("corrected", method="rogan_gladen", judges=["H"]).rows, model="F")

    assert row["score"] is None
    assert row["reasons"]["score"] == "judge_does_not_tell_apart"
