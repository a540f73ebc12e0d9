"""Scores corrected for a judge's errors, and ranks."""

import numpy as np
import pytest
from scipy import stats

from engine.stats.scores.corrected_scores import (
    Labelled,
    corrected_shares,
    labels_to_halve,
    places,
    prediction_powered,
    rogan_gladen,
)


def test_rogan_gladen_reverses_the_effect_of_errors():
    # of 100 responses 40 are good: 36 of them pass (.9), of 60 bad ones 12 (.2): 48 pass
    assert rogan_gladen(np.array(0.48), np.array(0.2), np.array(0.9)) == pytest.approx(0.4)


def test_a_judge_that_distinguishes_nothing_gives_no_score():
    assert np.isnan(rogan_gladen(np.array(0.5), np.array(0.6), np.array(0.6)))
    assert np.isnan(rogan_gladen(np.array(0.5), np.array(0.6), np.array(0.3)))


def evenly(rate, cases, instances):
    """Counts of cases in each instance, of which a share `rate` are hits overall."""
    hits = np.zeros(instances)
    hits[: round(rate * instances)] = cases
    return hits


def test_each_group_has_its_own_rates():
    # the judge (0), a relative (1), two others (2); the judge passes .6 of its own failures, .2 of others'
    group = np.array([0, 1, 2, 2])
    instances = 100
    cases = np.full((4, instances), 2.0)
    over = np.array([evenly(rate, 2, instances) for rate in (0.6, 0.4, 0.1, 0.3)])
    credited = np.array([evenly(0.9, 2, instances) for _ in range(4)])
    favourable = np.array([evenly(rate, 2, instances) for rate in (0.75, 0.65, 0.55, 0.55)])

    result = corrected_shares(favourable, cases, Labelled(over, cases, credited, cases), group)

    # all are .5 in truth: (.75 - .6) / .3, (.65 - .4) / .5, and with others' pooled .2 (.55 - .2) / .7
    assert result.overestimation == pytest.approx([0.6, 0.4, 0.2, 0.2])
    assert result.share == pytest.approx([0.75, 0.65, 0.55, 0.55])
    assert result.value == pytest.approx([0.5] * 4)
    assert (result.low < 0.5).all()
    assert (result.high > 0.5).all()
    assert result.error[0] > result.error[2]


def test_the_error_of_a_corrected_share_combines_those_of_its_three_shares():
    rng = np.random.default_rng(7)
    one = np.ones((1, 400))
    over, credited = rng.random((1, 400)) < 0.2, rng.random((1, 400)) < 0.9
    favourable = rng.random((1, 900)) < 0.5

    result = corrected_shares(
        favourable.astype(float),
        np.ones((1, 900)),
        Labelled(over.astype(float), one, credited.astype(float), one),
        np.array([0]),
    )

    # Rogan and Gladen's own: [q(1-q)/N + (1-p)^2 o(1-o)/n + p^2 s(1-s)/n] / (s-o)^2, and the covariance of o
    # and s, which come from the same instances here
    q, o, s = favourable.mean(), over.mean(), credited.mean()
    p = (q - o) / (s - o)
    both = np.cov(over[0], credited[0], ddof=0)
    spread = (
        q * (1 - q) / 900
        + ((1 - p) ** 2 * both[0, 0] + p**2 * both[1, 1] + 2 * p * (1 - p) * both[0, 1]) / 400
    )
    assert result.value == pytest.approx(p)
    assert result.error == pytest.approx(np.sqrt(spread) / (s - o), rel=0.01)


def test_missing_rates_and_verdicts_give_reasons():
    labelled = Labelled(
        over=np.array([[1.0, 0], [0, 0], [1, 1], [0, 1], [1, 0]]),
        failed=np.array([[2.0, 2], [0, 0], [2, 2], [2, 2], [2, 2]]),
        credited=np.array([[2.0, 2], [2, 2], [1, 1], [2, 2], [0, 0]]),
        passed=np.array([[2.0, 2], [2, 2], [2, 2], [2, 2], [0, 0]]),
    )
    judged = np.array([[4.0, 4], [4, 4], [4, 4], [0, 0], [4, 4]])

    result = corrected_shares(judged / 2, judged, labelled, np.arange(5))

    reasons = ["", "no_rates", "judge_does_not_tell_apart", "no_verdicts", "no_rates"]
    assert result.reason.tolist() == reasons
    assert np.isnan(result.value[1:]).all()


def test_rates_less_than_two_errors_apart_correct_nothing():
    # One response with a failed and one with a passed criterion in each of 60 instances: the gap of the
    # rates is a mean over instances. 12 failed ones are credited, and 0 to 60 of the passed ones.
    one, over = np.ones((1, 60)), np.repeat([[1.0, 0]], [12, 48], axis=1)
    reasons, expected = [], []

    for hits in range(61):
        credited = np.repeat([[0.0, 1]], [60 - hits, hits], axis=1)
        labelled = Labelled(over, one, credited, one)
        reasons += corrected_shares(one / 2, one, labelled, np.array([0])).reason.tolist()
        gap = credited - over
        clear = gap.mean() > 2 * gap.std(ddof=1) / np.sqrt(60)
        expected.append("" if clear else "judge_does_not_tell_apart")

    assert reasons == expected
    assert len(set(expected)) == 2


# Scores of two generators on 6 labelled and 8 other instances.
REFERENCE = np.array([[0.2, 0.5, 0.9, 0.4, 0.6, 1.0], [0.1, 0.3, 0.5, 0.2, 0.6, 0.4]])
JUDGE = np.array([[0.4, 0.6, 1.0, 0.5, 0.9, 1.0], [0.2, 0.2, 0.6, 0.1, 0.5, 0.6]])
ALONE = np.array([[0.5, 0.7, 0.9, 0.8, 0.3, 0.6, 1.0, 0.7], [0.3, 0.1, 0.4, 0.6, 0.2, 0.5, 0.3, 0.4]])


def test_a_prediction_powered_mean_by_hand():
    estimate = prediction_powered(REFERENCE, JUDGE, ALONE, tuning=np.array(1.0))

    # 5.5 / 8 + (3.6 - 4.4) / 6 = .6875 - .1333; 2.8 / 8 + (2.1 - 2.2) / 6 = .35 - .0167
    assert estimate.value == pytest.approx([0.6875 - 0.8 / 6, 0.35 - 0.1 / 6])


def test_labels_alone_give_the_plain_mean():
    estimate = prediction_powered(REFERENCE, JUDGE, ALONE, tuning=np.array(0.0))

    assert estimate.value == pytest.approx(REFERENCE.mean(axis=1))
    assert estimate.error == pytest.approx(REFERENCE.std(axis=1, ddof=1) / np.sqrt(6))
    assert estimate.freedom == pytest.approx([5, 5])


def test_two_labels_are_too_few_for_a_score():
    estimate = prediction_powered(REFERENCE[:, :2], JUDGE[:, :2], ALONE)

    assert np.isnan([estimate.value, estimate.low, estimate.high, estimate.labels_to_halve]).all()
    assert np.isnan(estimate.covariance).all()


def test_it_agrees_with_the_authors_package():
    fifty = [np.tile(scores, 50) for scores in (REFERENCE, JUDGE, ALONE)]

    tuned, many = prediction_powered(REFERENCE, JUDGE, ALONE), prediction_powered(*fifty)

    # ppi-python 0.2.3: ppi_mean_pointestimate, and ppi_mean_ci with alpha .05 of the scores fifty times over:
    # a normal interval with variances over n, here it is a t's with n - 1
    assert tuned.value == pytest.approx([0.5695983, 0.34192251])
    assert many.value == pytest.approx([0.56730648, 0.3413136])
    assert many.low == pytest.approx([0.54677727, 0.32714135], abs=2e-4)
    assert many.high == pytest.approx([0.58783568, 0.35548584], abs=2e-4)


def test_an_accurate_judge_narrows_the_interval():
    rng = np.random.default_rng(12)
    truth = rng.uniform(size=(2, 500))
    judge = truth.copy()
    judge[1] = rng.uniform(size=500)

    estimate = prediction_powered(truth[:, :50], judge[:, :50], judge[:, 50:])

    assert estimate.error[0] == pytest.approx(truth[0].std() / np.sqrt(500), rel=0.1)
    assert estimate.error[1] == pytest.approx(truth[1].std() / np.sqrt(50), rel=0.25)


def test_the_number_of_labels_that_halve_the_interval():
    # without any correlation the variance is var / n: four times the labels, 30 more than 10
    reference, judge = np.array([[0.0, 0, 1, 1] * 2 + [0, 1]]), np.array([[0.0, 1, 0, 1] * 2 + [0.5, 0.5]])

    assert labels_to_halve(reference, judge, np.zeros((1, 90))) == pytest.approx([30])
    assert np.isnan(labels_to_halve(reference, judge, np.zeros((1, 29)))).all()
    # with a perfect judge only the number of instances matters: labels do not help
    assert np.isnan(labels_to_halve(reference, reference, np.zeros((1, 90)))).all()


def test_ranks_of_distant_scores_are_certain_and_those_of_close_ones_are_not():
    value = np.array([0.9, 0.5, 0.49, 0.1])
    covariance = np.eye(4) * 0.02**2

    ranking = places(value, covariance, np.random.default_rng(1))

    assert ranking.place.tolist() == [1, 2, 3, 4]
    assert ranking.low.tolist() == [1, 2, 2, 4]
    assert ranking.high.tolist() == [1, 3, 3, 4]


def test_variation_shared_by_all_generators_does_not_blur_ranks():
    # hard and easy instances move both scores alike: their difference has variance .02^2 (2 - 2 x .99)
    value = np.array([0.5, 0.48])
    alike = 0.02**2 * np.array([[1, 0.99], [0.99, 1]])

    blurred = places(value, np.diag(np.diag(alike)), np.random.default_rng(1))
    clear = places(value, alike, np.random.default_rng(1))

    assert blurred.high.tolist() == [2, 2]
    assert clear.high.tolist() == [1, 2]


def test_equal_scores_share_their_rank():
    ranking = places(np.array([0.5, 0.5, 0.2]), np.eye(3) * 1e-6, np.random.default_rng(1))

    assert ranking.place.tolist() == [1.5, 1.5, 3]
    assert ranking.low.tolist() == [1, 1, 3]
    assert ranking.high.tolist() == [2, 2, 3]


@pytest.mark.parametrize(("others", "quantile"), [(1, 1.96), (2, 2.21), (4, 2.44)])
def test_the_bound_on_differences_is_dunnetts(others, quantile):
    # The largest |t| of one generator against k others (Dunnett, Biometrics 20, 1964, two-sided, .05).
    covariance = np.eye(others + 1) / 2  # each difference has variance 1

    def best_place_of_the_others(gap):
        value = np.append(gap, np.zeros(others))
        return places(value, covariance, np.random.default_rng(1)).low[1:].tolist()

    assert best_place_of_the_others(quantile - 0.12) == [1] * others
    assert best_place_of_the_others(quantile + 0.12) == [2] * others


def test_scores_that_vary_as_one_have_certain_places():
    same = np.full((2, 2), 0.1)
    same[0, 1] = same[1, 0] = np.nextafter(0.1, 1)  # the variance of the difference is 0 less a rounding

    ranking = places(np.array([0.5, 0.499]), same, np.random.default_rng(1))

    assert (ranking.low.tolist(), ranking.high.tolist()) == ([1, 2], [1, 2])


def labelled_counts(seed=3, instances=9, alone=7):
    rng = np.random.default_rng(seed)
    failed, passed = rng.integers(0, 4, (3, instances)), rng.integers(1, 4, (3, instances))
    labelled = Labelled(rng.binomial(failed, 0.25), failed, rng.binomial(passed, 0.85), passed)
    judged = rng.integers(1, 5, (3, alone))
    return labelled, rng.binomial(judged, 0.6), judged


def test_the_interval_is_that_of_both_jackknives_with_satterthwaites_freedom():
    labelled, favourable, judged = labelled_counts()
    group = np.array([0, 2, 2])

    result = corrected_shares(favourable, judged, labelled, group)

    def value(g, labels, others):
        members = [m for m in range(3) if group[m] == group[g]]
        sums = [
            getattr(labelled, name)[members][:, labels].sum()
            for name in ("over", "failed", "credited", "passed")
        ]
        share = favourable[g, others].sum() / judged[g, others].sum()
        return (share - sums[0] / sums[1]) / (sums[2] / sums[3] - sums[0] / sums[1])

    for g in range(3):
        all_labels, all_others = np.arange(9), np.arange(7)
        one = np.array([value(g, np.delete(all_labels, i), all_others) for i in range(9)])
        other = np.array([value(g, all_labels, np.delete(all_others, i)) for i in range(7)])
        of_labels, of_others = 8 * one.var(), 6 * other.var()
        error = np.sqrt(of_labels + of_others)
        freedom = error**4 / (of_labels**2 / 8 + of_others**2 / 6)
        reach, middle = stats.t.ppf(0.975, freedom) * error, value(g, all_labels, all_others)
        assert result.reason[g] == ""
        assert result.error[g] == pytest.approx(error)
        assert result.value[g] == pytest.approx(np.clip(middle, 0, 1))
        assert result.low[g] == pytest.approx(np.clip(middle - reach, 0, 1))
        assert result.high[g] == pytest.approx(np.clip(middle + reach, 0, 1))


@pytest.mark.parametrize(("labels", "alone"), [(9, 1), (1, 7), (1, 1)])
def test_one_instance_of_a_kind_is_too_few_for_an_error(labels, alone):
    _, favourable, judged = labelled_counts()
    ones = np.ones((3, labels))
    labelled = Labelled(0 * ones, ones, ones, ones)

    result = corrected_shares(favourable[:, :alone], judged[:, :alone], labelled, np.zeros(3, dtype=int))

    assert result.reason.tolist() == ["too_few_instances"] * 3
    assert np.isnan([result.value, result.low, result.high, result.error]).all()


@pytest.mark.parametrize("tuning", [None, 0.6])
def test_a_prediction_powered_interval_follows_its_formula(tuning):
    given = None if tuning is None else np.array(tuning)

    estimate = prediction_powered(REFERENCE, JUDGE, ALONE, tuning=given)

    for g in range(2):
        y, f, alone = REFERENCE[g], JUDGE[g], ALONE[g]
        best = np.cov(y, f, ddof=0)[0, 1] / ((1 + 6 / 8) * np.concatenate([f, alone]).var(ddof=1))
        lam, lost = (min(max(best, 0), 1), 1) if tuning is None else (tuning, 0)
        rest = y - lam * f
        of_labels = rest.var(ddof=1) / 6 * 5 / (5 - lost)
        of_others = lam**2 * alone.var(ddof=1) / 8
        error = np.sqrt(of_labels + of_others)
        freedom = error**4 / (of_labels**2 / (5 - lost) + of_others**2 / 7)
        value = lam * alone.mean() + rest.mean()
        reach = stats.t.ppf(0.975, freedom) * error
        assert (estimate.value[g], estimate.error[g]) == (pytest.approx(value), pytest.approx(error))
        assert estimate.freedom[g] == pytest.approx(freedom)
        assert (estimate.low[g], estimate.high[g]) == (
            pytest.approx(value - reach),
            pytest.approx(value + reach),
        )


@pytest.mark.parametrize(("labels", "others", "enough"), [(3, 2, True), (2, 8, False), (6, 1, False)])
def test_three_labels_and_two_others_are_enough(labels, others, enough):
    estimate = prediction_powered(REFERENCE[:, :labels], JUDGE[:, :labels], ALONE[:, :others])

    assert np.isfinite(estimate.value).all() == enough


@pytest.mark.parametrize("r", [-0.5, 0.0, 0.3, 0.6, 0.8, 0.82, 0.95])
@pytest.mark.parametrize(("n", "others"), [(12, 60), (7, 21), (49, 147), (10, 29)])
def test_labels_to_halve_are_the_fewest_with_which_the_error_is_half(r, n, others):
    rng = np.random.default_rng(5)
    one, other = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))[0][:, 1:].T
    reference, judge = one[None], r * one[None] + np.sqrt(1 - r**2) * other[None]  # whose correlation is r

    labels = labels_to_halve(reference, judge, np.zeros((1, others)))

    helpful = max(r, 0) ** 2  # a judge against the reference has tuning 0, as if it said nothing

    def squared(labelled):
        return (1 - helpful) / labelled + helpful / (n + others)

    enough = [k for k in range(n, n + others + 1) if squared(k) <= squared(n) / 4 + 1e-12]
    assert labels == pytest.approx([enough[0] - n] if enough else [np.nan], nan_ok=True)


def test_a_judge_that_always_gives_the_same_score_saves_no_labels():
    # The variance is var / n: 3 n more make 4 n of them.
    assert labels_to_halve(REFERENCE, np.ones((2, 6)), np.ones((2, 94))).tolist() == [18, 18]


@pytest.mark.parametrize(("factor", "tuning"), [(-1.0, 0.0), (0.2, 1.0)])
def test_the_best_tuning_ends_at_0_and_at_1(factor, tuning):
    # A judge against the reference is ignored; one on a fifth of the scale counts once, not 5 times.
    judge, alone = factor * JUDGE, factor * ALONE

    best, given = (prediction_powered(REFERENCE, judge, alone, tuning=t) for t in (None, np.array(tuning)))

    assert best.value == pytest.approx(given.value)


def test_scores_without_any_spread_have_the_freedom_of_the_smaller_set():
    constant = np.full((2, 6), 0.5)

    estimate = prediction_powered(constant, constant, np.full((2, 8), 0.5))

    assert estimate.freedom.tolist() == [4, 4]  # 6 labels less 1 for the tuning, less 1
    assert (estimate.value.tolist(), estimate.error.tolist()) == ([0.5, 0.5], [0, 0])
