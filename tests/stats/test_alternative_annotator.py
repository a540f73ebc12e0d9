"""The alternative annotator test: against SciPy, plain loops and by hand."""

import numpy as np
import pytest
from plain.standing_in import standing_in, wins
from scipy import stats

from engine.stats.judges.alternative_annotator import Contests, contests, rejected_by_yekutieli, stand_in


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


def labels(scores, seed=3, instances=34, people=4):
    """Labels of a judge and some people on one to three items of each instance, some of them missing."""
    rng = np.random.default_rng(seed)
    instance = np.repeat(np.arange(instances), rng.integers(1, 4, instances))
    values = rng.integers(0, 5 if scores else 2, (people + 1, len(instance))) / 4.0
    values[rng.random(values.shape) < 0.12] = np.nan
    return values[0], values[1:], instance


def as_dicts(judge, people):
    by_item = lambda row: {n: value for n, value in enumerate(row) if not np.isnan(value)}  # noqa: E731
    return by_item(judge), {f"p{k}": by_item(row) for k, row in enumerate(people)}


@pytest.mark.parametrize("scores", [True, False])
def test_contests_equal_plain_loops(scores):
    judge, people, instance = labels(scores)
    of_judge, of_people = as_dicts(judge, people)

    contest = contests(judge, people, instance, 35, of_scores=scores)

    for k in range(4):
        expected = np.zeros((3, 35))
        for item, (judge_wins, person_wins) in wins(of_judge, of_people, f"p{k}", scores).items():
            expected[:, instance[item]] += (judge_wins, person_wins, 1)
        np.testing.assert_array_equal([contest.judge[k], contest.person[k], contest.number[k]], expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("scores", [True, False])
def test_standing_in_equals_plain_loops(scores, epsilon):
    judge, people, instance = labels(scores)
    expected = standing_in(*as_dicts(judge, people), epsilon, dict(enumerate(instance)), scores)

    result = stand_in(contests(judge, people, instance, 34, of_scores=scores), epsilon)

    assert (result.winning_rate.item(), result.advantage.item()) == pytest.approx(expected[:2])


@pytest.mark.parametrize("seed", range(4))
def test_the_allowance_from_which_a_judge_passes_is_that_of_plain_loops(seed):
    # A judge of coin flips among people who mostly agree; and with each allowance, more of them are passed.
    rng = np.random.default_rng(seed)
    _, people, instance = labels(False, seed)
    people = np.where(rng.random(people.shape) < 0.75, instance % 2, 1 - instance % 2) + 0 * people
    judge = rng.integers(0, 2, len(instance)).astype(float)
    contest, plain = contests(judge, people, instance, 34), as_dicts(judge, people)
    rates = set()

    for epsilon in np.linspace(0.0, 0.7, 71):
        expected = standing_in(*plain, epsilon, dict(enumerate(instance)))
        assert stand_in(contest, epsilon).winning_rate.item() == expected[0], epsilon
        rates.add(expected[0])
    assert {0.0, 1.0} <= rates


def drawn_contests(people, instances, seed=4):
    rng = np.random.default_rng(seed)
    number = rng.integers(1, 4, (people, instances))
    judge, person = (rng.binomial(number, share).astype(float) for share in (0.8, 0.7))
    return Contests(judge, person, number)


@pytest.mark.parametrize(("people", "instances", "testable"), [(3, 30, True), (2, 30, False), (3, 29, False)])
def test_three_people_with_thirty_instances_are_needed(people, instances, testable):
    contest = drawn_contests(people, instances)

    result = stand_in(contest, 0.2)

    assert np.isfinite([result.winning_rate, result.advantage]).all() == testable
    assert contest.testable.all() == (instances == 30)


def test_a_person_with_too_few_instances_takes_no_part():
    three, four = drawn_contests(3, 32), drawn_contests(3, 32)
    number = np.where(np.arange(32) < 29, 1, 0)[None]
    four = Contests(*(np.concatenate([part, number]) for part in (four.judge, four.person, four.number)))

    assert stand_in(four, 0.2).advantage == stand_in(three, 0.2).advantage


@pytest.mark.parametrize("epsilon", [0.05, 0.15, 0.25])
def test_an_instance_of_weight_two_counts_like_two(epsilon):
    contest, weights = drawn_contests(4, 40), np.random.default_rng(1).integers(0, 4, (6, 40))

    together = stand_in(contest, epsilon, weights)

    for draw, times in enumerate(weights):
        parts = (np.repeat(part, times, axis=1) for part in (contest.judge, contest.person, contest.number))
        alone = stand_in(Contests(*parts), epsilon)
        assert together.winning_rate[draw] == alone.winning_rate[0]
        assert together.advantage[draw] == pytest.approx(alone.advantage[0])


@pytest.mark.parametrize(("epsilon", "rate"), [(0.01, 1.0), (0.0, 0.0)])
def test_a_judge_that_always_does_as_well_passes_with_any_allowance(epsilon, rate):
    alike = Contests(np.ones((3, 30)), np.ones((3, 30)), np.ones((3, 30), dtype=int))

    result = stand_in(alike, epsilon)

    assert (result.winning_rate, result.advantage) == (rate, 1.0)


def test_a_p_at_its_bound_is_rejected():
    bounds = 0.05 * np.arange(1, 5) / (4 * (1 + 1 / 2 + 1 / 3 + 1 / 4))

    assert rejected_by_yekutieli(bounds[::-1].copy()).all()
    assert not rejected_by_yekutieli(np.nextafter(bounds, 1)).any()
    assert rejected_by_yekutieli(
        np.array([[bounds[1], 0.9, bounds[1], 0.9], [0.9, 0.9, 0.9, 0.9]])
    ).tolist() == [
        [True, False, True, False],
        [False] * 4,
    ]
