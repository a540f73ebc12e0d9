"""How often the judges together agree with what is true, and when that shows that one is read inverted."""

import itertools

import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.measures.scorecard.truth_agreement import TruthAgreement, truth_agreement

MODELS = "JABC"


def judged(load, truth, verdicts, *, with_truth=True):
    """Four judges' equal verdicts on each of four models' answers to a question of eight criteria."""
    study = study_of("J:F A:G B:H C:I", rubrics=(1,) * 8)
    for generator in MODELS if with_truth else ():
        refer(study, generator, truth)
    for judge, generator in itertools.product(MODELS, MODELS):
        judge_rubrics(study, judge, generator, verdicts)
    return load(study)


def agreement(study, **filters):
    reference = "program" if study.has_truth else None
    return truth_agreement(study, {"paradigm": "single_rubric", "reference": reference} | filters)


@pytest.mark.parametrize(
    ("truth", "verdicts", "counts", "is_inverted"),
    [  # of 4 x 4 answers each: counts are 16 times those of an answer's eight criteria
        ("11110000", "00001111", (128, 0, 64, 64, 64, 64), True),
        ("11110000", "10001111", (128, 16, 64, 64, 48, 64), True),
        ("11110000", "11001100", (128, 64, 64, 64, 32, 32), False),  # guesses
        ("11110000", "11100001", (128, 96, 64, 64, 16, 16), False),
        ("10000000", "11111111", (128, 16, 16, 112, 0, 112), False),  # lenient, and all right of what is met
        ("11111111", "10000000", (128, 16, 128, 0, 112, 0), False),  # strict, and nothing shows what fails
    ],
)
def test_verdicts_that_contradict_the_truth_are_told_from_lenient_and_strict_ones(
    load, truth, verdicts, counts, is_inverted
):
    counted = agreement(judged(load, truth, verdicts))

    assert counted == TruthAgreement(*counts)
    assert counted.is_inverted == is_inverted


def test_a_slice_counts_its_own_verdicts(load):
    one = agreement(judged(load, "11110000", "00001111"), generators=("A",))

    assert (one.n, one.correct) == (4 * 8, 0)
    assert not one.is_inverted  # of 32


def test_nothing_is_counted_without_a_truth(load):
    assert agreement(judged(load, "", "00001111", with_truth=False)) == TruthAgreement()


@pytest.mark.parametrize(
    ("n", "correct", "is_inverted"), [(99, 0, False), (100, 39, True), (100, 40, False), (1000, 399, True)]
)
def test_fewer_than_40_of_100_or_more_verdicts_are_needed(n, correct, is_inverted):
    wrong = n - correct

    halves = (n // 2, n - n // 2, wrong // 2, wrong - wrong // 2)
    assert TruthAgreement(n, correct, *halves).is_inverted == is_inverted
