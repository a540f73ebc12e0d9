"""The conditional logistic regression against the likelihood with all subsets listed, and by properties."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.stats.conditional.conditional_likelihood import Point
from engine.stats.conditional.conditional_logit import fit_odds, fit_with_model
from engine.stats.conditional.conditional_model import LogOdds
from engine.stats.conditional.strata import Strata, Verdicts
from engine.stats.intervals.shrinkage import shrink


def random_verdicts(seed, *, instances=20, judges=4, own=0.0, missing=0.0):
    """Return verdicts of judges on each other's responses, two rubrics an instance, and the own ones."""
    rng = np.random.default_rng(seed)
    cells = [(i, g) for i in range(instances) for _ in range(2) for g in range(judges)]
    instance, generator = (np.array(part) for part in zip(*cells, strict=True))
    log_odds = rng.normal(0, 1, (len(cells), 1)) + np.linspace(-0.5, 0.5, judges)
    log_odds = log_odds + own * (generator[:, None] == np.arange(judges))
    present = rng.random(log_odds.shape) >= missing
    favourable = (rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))) & present
    return Verdicts(favourable, present, generator, instance), np.eye(judges, dtype=bool)


def terms_of(own, family):
    """Return the masks (terms, judges, generators) of the model, all its log-odds estimable."""
    judges = np.eye(len(own), dtype=bool)[:, :, None]
    base = np.broadcast_to(judges[1:], (len(own) - 1, *own.shape))
    relatives = (judges & family)[family.any(axis=1)]
    return np.concatenate([base, judges & own, relatives]).astype(float)


def likelihood_by_subsets(verdicts, terms):
    """Return minus the conditional log-likelihood, its gradient and Hessian as functions of theta."""
    cells = []
    for favourable, present, g in zip(verdicts.favourable, verdicts.present, verdicts.generator, strict=True):
        judges, number = np.flatnonzero(present), int(favourable.sum())
        if 0 < number < len(judges):
            subsets = np.array(
                [np.isin(np.arange(len(present)), subset) for subset in combinations(judges, number)]
            )
            design = terms[:, :, g].T
            cells.append((favourable @ design, subsets @ design))

    def minus(theta):
        return -sum(y @ theta - np.log(np.exp(x @ theta).sum()) for y, x in cells)

    def information(theta):
        total = np.zeros((len(theta), len(theta)))
        for _, x in cells:
            weight = np.exp(x @ theta) / np.exp(x @ theta).sum()
            mean = weight @ x
            total += (x * weight[:, None]).T @ x - np.outer(mean, mean)
        return total

    def score(theta):
        return sum(y - (np.exp(x @ theta) / np.exp(x @ theta).sum()) @ x for y, x in cells)

    return minus, score, information


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_estimates_maximise_the_likelihood_with_every_subset_listed(missing):
    verdicts, own = random_verdicts(0, own=0.8, missing=missing)
    family = np.zeros_like(own)
    family[2, 3] = family[3, 2] = True
    minus, score, _ = likelihood_by_subsets(verdicts, terms_of(own, family))

    odds = fit_odds(verdicts, own, family)
    best = minimize(minus, np.zeros(9), jac=lambda theta: -score(theta), method="BFGS").x

    assert odds.own.value == pytest.approx(best[3:7], abs=1e-4)
    assert odds.family.value[2:] == pytest.approx(best[7:], abs=1e-4)
    assert odds.family.reason == ("absent", "absent", None, None)


def test_errors_equal_those_of_deleting_each_instance_in_one_newton_step():
    verdicts, own = random_verdicts(1, own=0.5, missing=0.1)
    terms = terms_of(own, np.zeros_like(own))
    minus, score, information = likelihood_by_subsets(verdicts, terms)
    best = minimize(minus, np.zeros(7), jac=lambda theta: -score(theta), method="BFGS").x
    changes = []
    for i in np.unique(verdicts.instance):
        _, g, h = likelihood_by_subsets(verdicts.select(verdicts.instance == i), terms)
        changes.append(np.linalg.solve(information(best) - h(best), g(best) + np.zeros(7)))
    n = len(changes)
    expected = np.sqrt((np.array(changes) ** 2).sum(axis=0) * (n - 1) / n)

    odds = fit_odds(verdicts, own, np.zeros_like(own))

    assert odds.own.se == pytest.approx(expected[3:], rel=1e-3)


def test_errors_are_close_to_those_of_refitting_without_each_instance():
    verdicts, own = random_verdicts(2, own=0.5)
    nobody = np.zeros_like(own)
    odds = fit_odds(verdicts, own, nobody)

    again = np.array(
        [
            fit_odds(verdicts.select(verdicts.instance != i), own, nobody, errors=False).own.value
            for i in range(20)
        ]
    )
    refitted = np.sqrt(((again - odds.own.value) ** 2).sum(axis=0) * 19 / 20)

    assert odds.own.se == pytest.approx(refitted, rel=0.15)


@pytest.mark.parametrize(("rough", "within"), [(False, 1e-6), (True, 0.01)])
def test_a_fit_that_begins_with_that_of_most_instances_or_is_rough_ends_where_one_anew_does(rough, within):
    verdicts, own = random_verdicts(5, judges=7, own=0.8, missing=0.1)
    nobody = np.zeros_like(own)
    most = fit_with_model(verdicts.select(verdicts.instance > 2), own, nobody)

    anew = fit_odds(verdicts, own, nobody)
    other = fit_with_model(verdicts, own, nobody, start=None if rough else most, rough=rough).odds

    assert (np.abs(other.own.value - anew.own.value) < within * anew.own.se).all()
    assert np.allclose(other.own.se, anew.own.se, rtol=within)


def test_a_common_log_odds_also_maximises_the_likelihood():
    verdicts, own = random_verdicts(3, own=1.0)
    terms = terms_of(own, np.zeros_like(own))
    pooled = np.concatenate([terms[:3], terms[3:].sum(axis=0, keepdims=True)])
    minus, score, _ = likelihood_by_subsets(verdicts, pooled)
    best = minimize(minus, np.zeros(4), jac=lambda theta: -score(theta), method="BFGS").x

    odds = fit_odds(verdicts, own, np.zeros_like(own))

    assert odds.common.value[0] == pytest.approx(best[3], abs=1e-4)
    assert odds.common.reason == (None, "absent")


def test_placebos_are_close_to_the_log_odds_of_a_model_that_includes_them():
    verdicts, own = random_verdicts(4, instances=80)
    terms = terms_of(own, np.zeros_like(own))
    further = np.zeros_like(terms[:1])
    further[0, 1, 2] = 1
    minus, score, _ = likelihood_by_subsets(verdicts, np.concatenate([terms, further]))
    best = minimize(minus, np.zeros(8), jac=lambda theta: -score(theta), method="BFGS").x

    odds = fit_odds(verdicts, own, np.zeros_like(own))

    assert odds.placebo[1, 2] == pytest.approx(best[7], abs=0.02)
    assert np.isnan(np.diag(odds.placebo)).all()
    assert (odds.placebo_se[~own] > 0).all()


def test_a_judge_that_fails_all_of_others_has_no_placebo_and_changes_none():
    verdicts, own = random_verdicts(4, instances=80)
    of_others = verdicts.generator != 1
    failing = verdicts.favourable.copy()
    failing[of_others, 1] = False
    absent = verdicts.present.copy()
    absent[of_others, 1] = False
    nobody = np.zeros_like(own)

    odds = fit_odds(replace(verdicts, favourable=failing), own, nobody)
    without = fit_odds(
        replace(verdicts, favourable=verdicts.favourable & absent, present=absent), own, nobody
    )

    assert np.isnan(odds.placebo[1]).all()
    rest = [0, 2, 3]
    assert odds.placebo[rest] == pytest.approx(without.placebo[rest], abs=1e-3, nan_ok=True)


def test_placebo_errors_are_those_of_efficient_scores_summed_by_instance():
    verdicts, own = random_verdicts(5, missing=0.1)
    terms = terms_of(own, np.zeros_like(own))
    further = np.zeros_like(terms[:1])
    further[0, 0, 3] = 1
    wider = np.concatenate([terms, further])
    minus, score, _ = likelihood_by_subsets(verdicts, terms)
    best = np.append(minimize(minus, np.zeros(7), jac=lambda theta: -score(theta), method="BFGS").x, 0.0)
    _, _, information = likelihood_by_subsets(verdicts, wider)
    h = information(best)
    known = np.linalg.solve(h[:7, :7], h[:7, 7])
    efficient = []
    for i in np.unique(verdicts.instance):
        g = likelihood_by_subsets(verdicts.select(verdicts.instance == i), wider)[1](best) + np.zeros(8)
        efficient.append(g[7] - g[:7] @ known)
    size = h[7, 7] - h[7, :7] @ known

    odds = fit_odds(verdicts, own, np.zeros_like(own))

    assert odds.placebo[0, 3] == pytest.approx(np.sum(efficient) / size, abs=1e-3)
    assert odds.placebo_se[0, 3] == pytest.approx(np.sqrt(np.square(efficient).sum()) / size, rel=1e-3)


def test_cells_on_which_all_agree_are_uninformative():
    verdicts, own = random_verdicts(6)
    agreed = Verdicts(
        np.repeat([[True], [False]], 50, axis=0) & np.ones((100, 4), dtype=bool),
        np.ones((100, 4), dtype=bool),
        np.arange(100) % 4,
        np.arange(100) % 20,
    )
    both = Verdicts.concatenate([verdicts, agreed])

    alone, together = (fit_odds(each, own, np.zeros_like(own)) for each in (verdicts, both))

    assert together.own.value == pytest.approx(alone.own.value)
    assert together.own.se == pytest.approx(alone.own.se)
    assert together.cells == alone.cells


def test_a_cell_of_weight_two_counts_like_two_cells():
    verdicts, own = random_verdicts(6)
    twice = np.arange(len(verdicts.instance)) % 3 == 0

    weighted = replace(verdicts, weight=np.where(twice, 2.0, 1.0))
    repeated = Verdicts.concatenate([verdicts, verdicts.select(twice)])

    one, other = (fit_odds(each, own, np.zeros_like(own)) for each in (weighted, repeated))
    assert one.own.value == pytest.approx(other.own.value, abs=1e-6)
    assert one.own.se == pytest.approx(other.own.se, rel=1e-5)
    assert one.own.value != pytest.approx(fit_odds(verdicts, own, np.zeros_like(own)).own.value, abs=1e-3)


def test_the_quality_of_a_response_is_conditioned_out():
    verdicts, own = random_verdicts(7, instances=400)
    generous = verdicts.select(verdicts.generator != 0)
    rng = np.random.default_rng(0)
    own_cells = verdicts.select(verdicts.generator == 0)
    convincing = own_cells.favourable | (rng.random((len(own_cells.generator), 1)) < 0.7)
    pleased = Verdicts(convincing, own_cells.present, own_cells.generator, own_cells.instance)
    both = Verdicts.concatenate([generous, pleased])

    odds = fit_odds(both, own, np.zeros_like(own)).own

    low, high = odds.interval()
    assert low[0] < 0 < high[0]


def test_swapping_judges_swaps_their_odds():
    verdicts, own = random_verdicts(8, own=0.7, missing=0.1)
    order = np.array([2, 0, 3, 1])
    reordered = Verdicts(
        verdicts.favourable[:, order],
        verdicts.present[:, order],
        np.argsort(order)[verdicts.generator],
        verdicts.instance,
    )

    plain, swapped = (fit_odds(each, own, np.zeros_like(own)) for each in (verdicts, reordered))

    assert swapped.own.value == pytest.approx(plain.own.value[order], abs=1e-6)
    assert swapped.own.se == pytest.approx(plain.own.se[order], rel=1e-4)


def test_reversing_the_verdicts_negates_the_log_odds():
    verdicts, own = random_verdicts(9, own=0.7, missing=0.1)
    reversed_verdicts = Verdicts(
        ~verdicts.favourable & verdicts.present, verdicts.present, verdicts.generator, verdicts.instance
    )

    plain, opposite = (fit_odds(each, own, np.zeros_like(own)) for each in (verdicts, reversed_verdicts))

    assert opposite.own.value == pytest.approx(-plain.own.value, abs=1e-6)
    assert opposite.own.se == pytest.approx(plain.own.se, rel=1e-4)


@pytest.mark.parametrize(
    ("passes", "code"), [(True, "verdicts_all_favourable"), (False, "verdicts_all_unfavourable")]
)
def test_a_judge_that_always_or_never_passes_itself_if_others_differ_has_no_odds(passes, code):
    verdicts, own = random_verdicts(10)
    favourable = verdicts.favourable.copy()
    favourable[verdicts.generator == 0, 0] = passes
    always = Verdicts(favourable, verdicts.present, verdicts.generator, verdicts.instance)

    odds = fit_odds(always, own, np.zeros_like(own)).own

    assert odds.reason == (code, None, None, None)
    assert np.isnan(odds.value[0])
    assert np.isfinite(odds.value[1:]).all()


def test_unanimous_verdicts_on_its_response_leave_an_author_without_odds():
    verdicts, own = random_verdicts(11)
    favourable = np.where((verdicts.generator == 1)[:, None], True, verdicts.favourable)
    agreed = Verdicts(favourable, verdicts.present, verdicts.generator, verdicts.instance)

    odds = fit_odds(agreed, own, np.zeros_like(own)).own

    assert odds.reason[1] == "verdicts_agree"


def test_differences_on_only_one_instance_have_no_error():
    verdicts, own = random_verdicts(12, instances=30)
    favourable = verdicts.favourable.copy()
    own_cells = np.flatnonzero(verdicts.generator == 0)
    favourable[own_cells] = True
    on_instance = own_cells[verdicts.instance[own_cells] == 3]
    favourable[on_instance] = [[True, False, True, False], [False, True, True, False]]
    single = Verdicts(favourable, verdicts.present, verdicts.generator, verdicts.instance)

    odds = fit_odds(single, own, np.zeros_like(own)).own

    assert odds.reason[0] == "single_instance"
    assert np.isnan(odds.p()[0])


def test_a_fit_with_nothing_to_estimate_prints_nothing(capfd):
    verdicts, own = random_verdicts(7, judges=1)

    odds = fit_odds(verdicts, own, np.zeros_like(own))

    assert np.isnan(odds.own.value).all()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_identical_verdicts_are_uninformative_about_all_judges(share):
    verdicts, own = random_verdicts(13)
    alike = Verdicts(
        np.full_like(verdicts.favourable, bool(share)),
        verdicts.present,
        verdicts.generator,
        verdicts.instance,
    )

    odds = fit_odds(alike, own, np.zeros_like(own))

    assert np.isnan(odds.own.value).all()
    assert odds.cells == 0
    assert set(odds.own.reason) == {"verdicts_agree"}


def test_tastes_widen_the_interval_and_raise_p():
    odds = LogOdds(np.array([1.0]), np.array([0.4]), np.array([20]), (None,))

    narrow, wide = odds.interval(), odds.interval(taste=0.09)

    assert wide[0] < narrow[0]
    assert wide[1] > narrow[1]
    assert odds.p(taste=0.09) > odds.p()
    # sqrt(.16 + .09) = .5
    assert odds.p(taste=0.09) == pytest.approx(
        LogOdds(odds.value, np.array([0.5]), odds.freedom, (None,)).p()
    )


def test_shrinkage_by_hand():
    # w = 4 each: mean 1, Q = 4 (1 + 0 + 1) = 8, spread = (8 - 2) / (12 - 48 / 12) = .75, trust .75 / 1.
    shrunken = shrink(np.array([0.0, 1.0, 2.0, np.nan]), np.array([0.5, 0.5, 0.5, np.nan]))

    assert shrunken[:3] == pytest.approx([0.25, 1.0, 1.75])
    assert np.isnan(shrunken[3])


def test_estimates_no_further_apart_than_chance_shrink_to_their_mean():
    assert shrink(np.array([0.9, 1.1]), np.array([0.5, 0.5])) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("spread", [0, 1, 9, 36])
def test_cell_probabilities_equal_those_over_all_subsets_at_any_spread(spread):
    rng = np.random.default_rng(spread)
    favourable, present = rng.random((2, 40, 7)) < [[[0.4]], [[0.8]]]
    cells = Verdicts(favourable & present, present, rng.integers(3, size=40), np.arange(40)).without(
        np.zeros((7, 3), dtype=bool)
    )
    eta = np.tile(rng.uniform(-spread, spread, 7), (3, 1))
    eta[1, 2] += 1

    point = Point(Strata.of(cells, 3), eta)

    rows = point.strata
    for row, (generator, there, number) in enumerate(
        zip(rows.generator, rows.present, rows.credited, strict=True)
    ):
        weights = {
            judges: np.exp(eta[generator, list(judges)].sum())
            for judges in combinations(np.flatnonzero(there), number)
        }
        chances = [sum(w for judges, w in weights.items() if j in judges) for j in range(7)]
        assert point.chances[row] == pytest.approx(np.array(chances) / sum(weights.values()), abs=1e-13)


@pytest.mark.parametrize("credited", [1, 40, 75, 148])
def test_chances_among_150_judges_equal_those_of_adding_one_judge_at_a_time(credited):
    rng = np.random.default_rng(credited)
    eta = np.tile(rng.uniform(-3, 3, 150), (2, 1))
    eta[1, :2] += 1
    present = np.ones((2, 150), dtype=bool)
    present[1, 149] = False
    favourable = present & (rng.permutation(150) < credited)
    favourable[1, 149], favourable[1, 0] = False, favourable[1, 149] or favourable[1, 0]
    cells = Verdicts(favourable, present, np.arange(2), np.arange(2))

    point = Point(Strata.of(cells, 2), eta)

    def chance(q, number):  # of this number of favourable verdicts, from each judge's chance
        numbers = np.ones(1)
        for each in q:
            numbers = np.convolve(numbers, [1 - each, each])
        return numbers[number]

    for row in range(2):
        number = int(favourable[row].sum())
        q = 1 / (1 + np.exp(-eta[row, present[row]]))
        expected = [
            q[j] * chance(np.delete(q, j), number - 1) / chance(q, number) for j in (0, 1, 2, 50, 148)
        ]
        assert point.chances[row, [0, 1, 2, 50, 148]] == pytest.approx(expected, rel=1e-10)


def refits(family=False, seed=5):
    """A fit of six judges, its cells in order, and weights of them."""
    verdicts, own = random_verdicts(seed, judges=6, instances=30, own=0.8, missing=0.1)
    relatives = np.zeros_like(own)
    if family:
        relatives[0, 1] = relatives[1, 0] = True
    fitted = fit_with_model(verdicts, own, relatives)
    cells = fitted.model.point.strata.cells
    weight = np.random.default_rng(seed).integers(0, 3, len(cells.generator)).astype(float)
    return fitted, cells, weight, own, relatives


@pytest.mark.parametrize(("family", "kind"), [(False, 2), (True, 0), (True, 6 + 1)])
def test_other_weights_give_the_log_odds_of_a_fit_with_those_weights(family, kind):
    fitted, cells, weight, own, relatives = refits(family)
    used = replace(cells, weight=weight).select(weight > 0)
    anew = fit_with_model(used, own, relatives)

    again = fitted.weighted(weight, kind)
    rows = Strata.of_rows(
        used.generator, used.present, used.favourable.sum(axis=1), used.weight,
        Strata.of(used, 6).favourable,
    )  # fmt: skip
    of_rows = fitted.with_rows(rows, kind)

    odds = anew.odds.family if kind >= 6 else anew.odds.own
    repeated = cells.select(np.repeat(np.arange(len(weight)), weight.astype(int)))
    _, _, information = likelihood_by_subsets(repeated, terms_of(own, relatives))
    place = anew.model.place[kind]
    error = np.sqrt(np.linalg.inv(information(anew.model.theta))[place, place])
    for refit in (again, of_rows):
        assert refit.value == pytest.approx(odds.value[kind % 6], abs=0.02 * error)
        assert refit.naive_se == pytest.approx(error, rel=0.03)
    assert of_rows.value == pytest.approx(odds.value[kind % 6], abs=1e-4)


def test_weights_on_one_instance_alone_leave_no_log_odds_and_on_two_they_do():
    fitted, cells, _, _, _ = refits()
    of_kind = cells.present[:, 2] & (cells.generator == 2)
    instances = np.unique(cells.instance[of_kind])

    one = np.where(of_kind & (cells.instance != instances[0]), 0.0, 1.0)
    two = np.where(of_kind & ~np.isin(cells.instance, instances[:8]), 0.0, 1.0)

    assert np.isnan([fitted.weighted(one, 2).value, fitted.weighted(one, 2).naive_se]).all()
    assert np.isfinite(fitted.weighted(two, 2).value)


def test_weights_with_which_a_term_would_fit_exactly_are_left_to_a_new_fit():
    fitted, cells, _, _, _ = refits()
    fails = (cells.generator == 3) & cells.present[:, 3] & ~cells.favourable[:, 3]
    of_judge = cells.present[:, 4] & cells.favourable[:, 4]

    assert (
        fitted.weighted(np.where(fails, 0.0, 1.0), 2) is None
    )  # judge 3 passes all of its own that are left
    assert fitted.weighted(np.where(of_judge, 0.0, 1.0), 2) is None  # judge 4 passes nothing


def test_strictness_is_that_of_the_judges_and_0_for_the_first():
    fitted, *_ = refits()

    assert fitted.strictness[0] == 0
    assert fitted.strictness[1:].tolist() == fitted.model.theta[:5].tolist()


@pytest.mark.parametrize("everywhere", [True, False])
def test_weights_that_leave_out_a_judge_or_its_own_cells_leave_out_their_terms(everywhere):
    verdicts, own = random_verdicts(6, judges=6, instances=60, own=0.8)
    verdicts.present[::2, 5] = verdicts.favourable[::2, 5] = False  # the last judge has half of the verdicts
    fitted = fit_with_model(verdicts, own, np.zeros_like(own))
    cells = fitted.model.point.strata.cells
    outside = cells.present[:, 5] & (everywhere | (cells.generator == 5))

    again = fitted.weighted(np.where(outside, 0.0, 1.0), 2)
    nothing = fitted.weighted(np.where(outside, 0.0, 1.0), 5)

    anew = fit_odds(cells.select(~outside), own, np.zeros_like(own))
    assert again.value == pytest.approx(anew.own.value[2], abs=0.02 * again.naive_se)
    assert np.isnan([nothing.value, nothing.naive_se]).all()


def test_rows_of_a_generator_without_verdicts_of_the_kind_have_no_log_odds():
    fitted, cells, _, _, _ = refits()
    rest = cells.select(cells.generator != 2)
    counts = rest.generator, rest.present, rest.favourable.sum(axis=1), np.ones(len(rest.generator))

    refit = fitted.with_rows(Strata.of_rows(*counts, Strata.of(rest, 6).favourable), 2)

    assert np.isnan([refit.value, refit.naive_se]).all()
