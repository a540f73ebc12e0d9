import numpy as np
import pytest

from engine.simulation.design import Bias, BiasedRubrics, ModelTraits
from engine.simulation.rubric_items import Items
from engine.simulation.rubric_truth import Truth, chances, expected

RELATIVE = ModelTraits("a-2", "a")
STRANGER = ModelTraits("b-1", "b")
OTHER = ModelTraits("c-1", "c")


def study_of(judge):
    """Two instances with two rubrics each; the second rubric of each is negative."""
    items = Items(
        instance_ids=["x", "y"],
        themes=["sea", "land"],
        instance=np.array([0, 0, 1, 1], dtype=np.int32),
        rubric_ids=["r1", "r2"] * 2,
        points=np.array([1.0, -1.0, 1.0, -1.0]),
        length=np.array([10, 20, 30, 40]),
        axis=["accuracy"] * 4,
    )
    favourable = np.array(
        [
            [False, False, True, True],  # the judge's own
            [False, True, True, False],  # its relative
            [False, True, False, True],  # the stranger
            [True, True, True, False],  # the other
        ]
    )
    return Truth(items, (judge, RELATIVE, STRANGER, OTHER), favourable)


def test_own_and_relatives_have_the_base_rate_times_their_ratio():
    judge = ModelTraits("a-1", "a", overestimation=0.2, underestimation=0.1, bias=Bias(1.5, 1.2))

    probabilities = chances(judge, study_of(judge), np.array([1.0, 0.5]))

    assert probabilities.over[0] == pytest.approx([0.3, 0.3, 0.15, 0.15])
    assert probabilities.over[1] == pytest.approx([0.24, 0.24, 0.12, 0.12])
    assert probabilities.over[2] == pytest.approx([0.2, 0.2, 0.1, 0.1])
    assert probabilities.under == pytest.approx([0.1, 0.1, 0.05, 0.05])
    assert probabilities.over_pair[0] == pytest.approx([0.3, 0.15])


def test_outside_its_slice_a_bias_has_only_the_given_share():
    bias = Bias(self_ratio=2.0, on=BiasedRubrics("polarity", "negative"), elsewhere=0.25)
    judge = ModelTraits("a-1", "a", overestimation=0.2, bias=bias)

    probabilities = chances(judge, study_of(judge), np.ones(2))

    # 0.2 * 2 on negative rubrics, 0.2 * (1 + 0.25 * (2 - 1)) on the others
    assert probabilities.over[0] == pytest.approx([0.25, 0.4, 0.25, 0.4])
    assert probabilities.over[2] == pytest.approx([0.2] * 4)


def test_hard_items_are_equally_hard_for_every_response():
    judge = ModelTraits("a-1", "a", overestimation=0.2, bias=Bias(hard_items=3.0))

    probabilities = chances(judge, study_of(judge), np.ones(2))

    # the judge's own response fails the first two rubrics
    assert probabilities.over == pytest.approx(np.tile([0.6, 0.6, 0.2, 0.2], (4, 1)))


def test_hard_items_have_an_expected_plain_ratio_above_one_and_matched_ratio_of_one():
    judge = ModelTraits("a-1", "a", overestimation=0.2, bias=Bias(hard_items=3.0))
    truth = study_of(judge)

    numbers = expected(judge, truth, chances(judge, truth, np.ones(2)))

    # own failures: rubrics 1, 2 -> 0.6; stranger: rubrics 1, 3 -> 0.4; other: rubric 4 -> 0.2; mean 0.3
    assert numbers["o_self"] == pytest.approx(0.6)
    assert numbers["o_other"] == pytest.approx(0.3)
    assert numbers["hspp_self"] == pytest.approx(2.0)
    # kin fails rubrics 1 and 4: (0.6 + 0.2) / 2 = 0.4
    assert numbers["hspp_family"] == pytest.approx(0.4 / 0.3)
    # only rubric 1 is failed by both the judge and a stranger
    assert numbers["hspp_matched"] == pytest.approx(1.0)


def test_the_expected_ratio_is_the_planted_one_without_slices_and_hard_items():
    judge = ModelTraits("a-1", "a", overestimation=0.2, bias=Bias(1.5, 1.2))
    truth = study_of(judge)

    numbers = expected(judge, truth, chances(judge, truth, np.ones(2)))

    assert numbers["hspp_self"] == pytest.approx(1.5)
    assert numbers["hspp_family"] == pytest.approx(1.2)
    assert numbers["hspp_self_pairwise"] == pytest.approx(1.5)


def test_a_judge_without_relatives_or_responses_has_no_expected_ratio():
    judge = ModelTraits("d-1", "d", overestimation=0.2)
    truth = study_of(ModelTraits("a-1", "a"))

    numbers = expected(judge, truth, chances(judge, truth, np.ones(2)))

    assert (numbers["o_self"], numbers["hspp_self"], numbers["hspp_family"], numbers["hspp_matched"]) == (
        None,
    ) * 4
    assert numbers["o_other"] == pytest.approx(0.2)
