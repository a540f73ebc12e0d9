"""The conditional model by hand arithmetic and by counting every pattern of verdicts."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize

from plain.conditional import Estimate, Stratum, cr3, estimates, fit, moments, placebos, shrunken, symmetric

JUDGES = ("J", "K", "A", "B")


def relations_of(families="J:F K:F A:G B:H C:I"):
    pairs = dict(text.split(":") for text in families.split())
    return {
        (one, two): "self" if one == two else "family" if pairs[one] == pairs[two] else "other"
        for one, two in product(pairs, pairs)
    }


def stratum(cluster, generator, **verdicts):
    return Stratum(cluster, generator, tuple((judge, bool(v)) for judge, v in verdicts.items()))


def of_two(own=(4, 1), others=(2, 3)):
    """J against A only: how often only J and only A is favourable, on J's own cells and on C's."""
    strata = []
    for generator, counts in (("J", own), ("C", others)):
        for favourable, count in zip((1, 0), counts, strict=True):
            for _ in range(count):
                strata.append(stratum(f"x{len(strata)}", generator, J=favourable, A=1 - favourable))
    return strata


def random_strata(seed=1, count=60):
    """Four judges; A lacks every seventh cell; J favours itself."""
    draw = np.random.default_rng(seed)
    strata = []
    for n in range(count):
        generator = JUDGES[n % 4]
        verdicts = {}
        for place, judge in enumerate(JUDGES):
            if (n + place) % 7 or judge != "A":
                chance = 0.3 + 0.1 * place + (0.3 if judge == generator == "J" else 0)
                verdicts[judge] = draw.random() < chance
        strata.append(stratum(f"x{n // 3}", generator, **verdicts))
    return strata


def test_symmetric_polynomials_are_sums_of_products():
    assert symmetric([1, 2, 3]) == [1, 6, 11, 6]  # 1+2+3, 1*2+1*3+2*3, 1*2*3


@pytest.mark.parametrize("total", [1, 2, 3])
def test_moments_equal_those_over_all_patterns_with_as_many_favourable_verdicts(total):
    weights = [0.5, 2.0, 3.0, 0.25]

    normaliser, expected, covariance = moments(weights, total)

    patterns = [set(chosen) for chosen in combinations(range(4), total)]
    shares = np.array([math.prod(weights[i] for i in chosen) for chosen in patterns])
    assert normaliser == pytest.approx(shares.sum())
    table = np.array([[i in chosen for i in range(4)] for chosen in patterns], float)
    chances = shares / shares.sum()
    centre = chances @ table
    assert expected == pytest.approx(centre)
    assert covariance == pytest.approx((table - centre).T @ np.diag(chances) @ (table - centre))


def test_the_odds_of_two_judges_are_a_ratio_of_discordant_counts():
    model = fit(of_two(), ("J", "A"), relations_of())

    estimate = estimates(model)["self", "J"]

    # Own cells 4 to 1, others' 2 to 3: (4/1) / (2/3) = 6.
    assert math.exp(estimate.value) == pytest.approx(6.0)
    assert estimate.df == 4  # five own cells in as many instances


def test_cr3_deletes_one_instance_at_a_time():
    model = fit(of_two(), ("J", "A"), relations_of())

    se = estimates(model)["self", "J"].se

    # A cell with residual r moves its logit, of n cells with p q each, by r / ((n - 1) p q), and the sum of
    # the
    # r^2 is n p q. Own: n = 5, p q = .16: 5 / (16 * .16) = 1.953125; others': n = 5, p q = .24: 1.302083.
    # Both depend on s (the others' through B). Ten instances: 9/10 of the sum.
    assert se == pytest.approx(math.sqrt(0.9 * (1.953125 + 1.3020833333)))


def test_a_cell_on_which_all_agree_is_uninformative():
    extra = [stratum("y", "J", J=1, A=1), stratum("z", "C", J=0, A=0)]

    assert estimates(fit(of_two() + extra, ("J", "A"), relations_of())) == estimates(
        fit(of_two(), ("J", "A"), relations_of())
    )


@pytest.mark.parametrize(
    "own", [(0, 0), (3, 0), (0, 4)], ids=["no cell", "all favourable", "none favourable"]
)
def test_identical_own_verdicts_are_separated(own):
    estimate = estimates(fit(of_two(own=own), ("J", "A"), relations_of()))["self", "J"]

    assert (estimate.value, estimate.reason) == (None, "separated")


def test_one_own_instance_gives_odds_without_an_error():
    strata = [s._replace(cluster="x") if s.generator == "J" else s for s in of_two()]

    estimate = estimates(fit(strata, ("J", "A"), relations_of()))["self", "J"]

    assert math.exp(estimate.value) == pytest.approx(6.0)
    assert (estimate.se, estimate.p(), estimate.reason) == (None, None, "few_clusters")


def test_a_generator_that_judges_only_itself_has_no_odds():
    estimate = estimates(fit(of_two(others=(0, 0)), ("J", "A"), relations_of()))["self", "J"]

    assert (estimate.value, estimate.reason) == (None, "no_common_cells")


def log_likelihood(strata, parameters, values, relations):
    """Over all patterns of verdicts with as many favourable ones."""
    place = {parameter: n for n, parameter in enumerate(parameters)}
    total = 0.0
    for s in strata:
        etas = []
        for judge, _favourable in s.verdicts:
            names = [("others", judge)]
            kind = relations[judge, s.generator]
            names += [] if kind == "other" else [(kind, judge)]
            etas.append(sum(values[place[name]] for name in names if name in place))
        chosen = [n for n, (_judge, favourable) in enumerate(s.verdicts) if favourable]
        every = [sum(etas[n] for n in some) for some in combinations(range(len(etas)), len(chosen))]
        total += sum(etas[n] for n in chosen) - math.log(sum(map(math.exp, every)))
    return total


def test_newtons_method_agrees_with_a_general_optimiser():
    strata, relations = random_strata(), relations_of()

    model = fit(strata, JUDGES, relations)

    best = minimize(
        lambda values: -log_likelihood(strata, model.parameters, values, relations),
        np.zeros(len(model.parameters)),
        method="BFGS",
        tol=1e-8,
    )
    assert model.parameters[:3] == [("others", "K"), ("others", "A"), ("others", "B")]
    assert model.values == pytest.approx(best.x, abs=1e-4)


def test_the_information_is_the_curvature_of_the_likelihood():
    strata, relations = random_strata(), relations_of()
    model = fit(strata, JUDGES, relations)
    step, n = 1e-4, len(model.parameters)

    def at(*shifts):
        values = model.values.copy()
        for place, shift in shifts:
            values[place] += shift
        return log_likelihood(strata, model.parameters, values, relations)

    for i, j in ((0, 0), (0, n - 1), (2, 3)):
        numeric = (
            at((i, step), (j, step))
            - at((i, step), (j, -step))
            - at((i, -step), (j, step))
            + at((i, -step), (j, -step))
        ) / (4 * step**2)
        assert -numeric == pytest.approx(model.total()[i, j], abs=1e-3)


def test_cr3_is_close_to_refitting_without_each_instance():
    strata, relations = random_strata(count=120), relations_of()
    model = fit(strata, JUDGES, relations)
    clusters = sorted(model.scores)

    again = [
        fit([s for s in strata if s.cluster != gone], JUDGES, relations).values - model.values
        for gone in clusters
    ]

    exact = sum(np.outer(one, one) for one in again) * (len(clusters) - 1) / len(clusters)
    assert np.sqrt(np.diag(cr3(model))) == pytest.approx(np.sqrt(np.diag(exact)), rel=0.1)


def test_a_common_s_pools_the_self_preference_of_all_judges():
    strata = of_two() + [s._replace(generator="A") for s in of_two(own=(1, 4)) if s.generator == "J"]

    estimate = estimates(fit(strata, ("J", "A"), relations_of(), common=True))["self", None]

    # On A's own cells A alone is favourable 4 times of 5: with B of J against A, logits B + s and -B + s.
    # By symmetry of the two 4 : 1 and with others' 2 : 3: maximise over B and s by hand is no closed form, so
    # the equations are checked: the residuals of s and of B vanish.
    model = fit(strata, ("J", "A"), relations_of(), common=True)
    s, b = estimate.value, -model.values[0]  # the parameter is A's B, J's being 0

    def sigma(z):
        return 1 / (1 + math.exp(-z))

    assert 5 * sigma(b + s) + 5 * sigma(-b + s) == pytest.approx(8)
    assert 5 * sigma(b + s) - 5 * sigma(-b + s) + 5 * sigma(b) == pytest.approx(4 - 4 + 2)


def test_a_placebo_is_its_efficient_score_in_the_fitted_model():
    strata = of_two(others=(1, 3))
    strata += [
        stratum(f"y{n}", "B", J=favourable, A=1 - favourable) for n, favourable in enumerate((1, 1, 1, 0))
    ]
    model = fit(strata, ("J", "A"), relations_of())

    by_pair = {(p.judge, p.generator): p for p in placebos(model, [("J", "B"), ("J", "C"), ("J", "K")])}

    # Others' cells: 4 of 8 favourable, p q = 1/4. On B's 4 cells U = 3 - 2 = 1; V = 4/4 - (4/4)^2 / (8/4) =
    # 1/2.
    assert by_pair["J", "B"].theta == pytest.approx(2.0)
    assert by_pair["J", "C"].theta == pytest.approx(-2.0)
    # u_g = residual (+-1/2) times 1 - 1/2 on B's cells, times -1/2 on C's: eight times 1/16, over V.
    assert by_pair["J", "B"].se == pytest.approx(math.sqrt(8 / 16) / 0.5)
    assert ("J", "K") not in by_pair


def test_shrinkage_to_the_mean_depends_on_the_spread_beyond_chance():
    drawn = shrunken({"J": Estimate(0.0, 0.5, 9), "A": Estimate(2.0, 0.5, 9), "B": Estimate(None)})

    # Weights 4 and 4: mean 1, Q = 8, spread = (8 - 1) / (8 - 32/8) = 1.75; 1.75 / (1.75 + .25) = .875.
    assert drawn == {"J": pytest.approx(1 - 0.875), "A": pytest.approx(1 + 0.875)}


def test_without_spread_beyond_chance_all_shrink_to_the_mean():
    drawn = shrunken({"J": Estimate(0.0, 1.0, 9), "A": Estimate(1.0, 0.5, 9)})

    assert drawn == {"J": pytest.approx(0.8), "A": pytest.approx(0.8)}  # (1 * 0 + 4 * 1) / 5
