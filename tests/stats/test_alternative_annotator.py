"""The alternative annotator test: against SciPy, plain loops and by hand."""

import numpy as np
import pytest
from scipy import stats

from engine.stats.alternative_annotator import contests, rejected_by_yekutieli, stand_in


def test_the_test_on_one_item_an_instance_is_the_papers_t_test():
    draw = np.random.default_rng(2)
    truth = draw.integers(0, 2, 50)
    judge, *people = (np.where(draw.random(50) < share, truth, 1 - truth) for share in (0.9, 0.8, 0.8, 0.8))
    contest = contests(judge.astype(float), np.array(people, float), np.arange(50), 50)

    ps = []
    for k, person in enumerate(people):
        others = [other for n, other in enumerate(people) if n != k]
        of_judge, of_person = (np.mean([x == o for o in others], axis=0) for x in (judge, person))
        gap = (of_person >= of_judge).astype(float) - (of_judge >= of_person)
        ps.append(stats.ttest_1samp(gap, 0.1, alternative="less").pvalue)
    rejected = stats.false_discovery_control(ps, method="by") < 0.05

    assert stand_in(contest, 0.1).winning_rate[0] == pytest.approx(rejected.mean())
    assert contest.testable.all()


def test_benjamini_and_yekutieli_reject_up_to_the_last_p_below_its_bound():
    # 1 + 1/2 + 1/3 = 11/6: bounds .05 k / 5.5 = .00909, .01818, .02727.
    assert rejected_by_yekutieli(np.array([0.027, 0.01, 0.018])).tolist() == [True, True, True]
    assert rejected_by_yekutieli(np.array([0.028, 0.01, 0.019])).tolist() == [False, False, False]
    assert rejected_by_yekutieli(np.array([0.028, 0.009, 0.019])).tolist() == [False, True, False]
