"""Conditional logistic regression, one stratum for each cell, by plain recursion (MEASURES section 15).

Readings:
 1. A stratum holds the counted verdicts of all judges of the study on one cell, of every generator; the model
    needs counted verdicts of three judges and of two families.
 2. A kind of verdict (a judge's on its own responses, on its relatives', on others') that is all alike on the
    cells on which verdicts differ has its parameter at infinity: what is left of the likelihood then is that
    of the other verdicts, so these are taken out, again and again until nothing changes. `separated` where
    they were all alike (or differ nowhere), or where a direction in which the likelihood never falls moves
    the parameter (found by linear programming). A judge whose verdicts on others' are out has no s_J and no
    f_J.
    With a common s and f a judge's own verdicts tell of its B too: out only where all its verdicts are alike.
 3. Delete-one: d_g = (H - H_g)^-1 s_g, with H_g and s_g instance g's information and score at the estimate;
    CR3 = (m - 1)/m times the sum of d_g d_g' over the m instances with a cell on which verdicts differ. Where
    the other instances do not tell a parameter, its step is 0 (pseudo-inverse).
 4. Degrees of freedom of f_J: instances with a relative's cell on which J's verdict is among ones that
    differ, less 1. Of the common s: instances with anybody's own such cell, less 1; of the common f likewise.
    With fewer than 1 there is neither interval nor p.
 5. A placebo's efficient score: U, the sum of J's residuals on G's cells, less what the other parameters tell
    of it, instance by instance (u_g); V its information. theta = U / V; se^2 = the sum of u_g^2, over V^2. A
    placebo without information is none.
 6. A cell's instance is the cluster; with `clusters` (instance -> theme, say) that stands in its place.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import linprog

Parameter = tuple[str, str | None]
"""`others`, `self` or `family`, and the judge; the judge None where one is common to all."""
Relations = Mapping[tuple[str, str], str]
Moments = tuple[float, list[float], np.ndarray]
SMALLEST = 1e-9


class Stratum(NamedTuple):
    """One cell: whose response on which instance, the favourable verdicts by judge, how often it counts."""

    cluster: str
    generator: str
    verdicts: tuple[tuple[str, bool], ...]
    weight: float = 1.0

    def differs(self) -> bool:
        """Whether its verdicts are informative: they are not all alike."""
        return len({favourable for _judge, favourable in self.verdicts}) == 2


class Estimate(NamedTuple):
    """A log-odds with its standard error, degrees of freedom, and the reason if it is missing."""

    value: float | None
    se: float | None = None
    df: int = 0
    reason: str | None = None

    def p(self, extra_variance: float = 0.0) -> float | None:
        """Two-sided p of the null 0, with an extra variance."""
        if self.value is None or self.se is None:
            return None
        se = math.sqrt(self.se**2 + extra_variance)
        return float(2 * stats.t.sf(abs(self.value) / se, self.df)) if se > 0 else None

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the log-odds; of an error of 0 there is none (section 17)."""
        if self.value is None or not self.se:
            return None
        reach = float(stats.t.ppf(0.975, self.df)) * self.se
        return self.value - reach, self.value + reach


class Placebo(NamedTuple):
    """A generator in place of the judge's own."""

    judge: str
    generator: str
    theta: float
    se: float


class Model(NamedTuple):
    """The fitted model: parameters, their values, and scores and information by cluster."""

    strata: list[Stratum]
    parameters: list[Parameter]
    values: np.ndarray
    scores: dict[str, np.ndarray]
    information: dict[str, np.ndarray]
    relations: Relations
    common: bool
    reasons: dict[Parameter, str]

    def total(self) -> np.ndarray:
        """The information of all clusters."""
        return np.sum(list(self.information.values()), axis=0)


def symmetric(weights: Sequence[float]) -> list[float]:
    """The elementary symmetric polynomials e_0 to e_n, by the recursion that adds one weight at a time."""
    e = [1.0]
    for w in weights:
        e = [1.0, *[after + w * before for before, after in pairwise([*e, 0.0])]]
    return e


def parameters_of(judge: str, generator: str, relations: Relations, common: bool) -> list[Parameter]:
    """The parameters whose sum is the verdict's linear predictor."""
    kind = relations[judge, generator]
    base: list[Parameter] = [("others", judge)]
    return base if kind == "other" else [*base, (kind, None if common else judge)]


def kind_of(judge: str, generator: str, relations: Relations) -> str:
    """Which of a judge's verdicts this is."""
    kind = relations[judge, generator]
    return "others" if kind == "other" else kind


def settle(
    strata: Iterable[Stratum], relations: Relations, common: bool
) -> tuple[list[Stratum], dict[Parameter, str]]:
    """The strata on which verdicts differ, without the kinds of verdicts that are all alike; and why."""
    left, reasons = list(strata), {}
    while True:
        left = [stratum for stratum in left if stratum.differs()]
        seen: dict[Parameter, set[bool]] = {}
        for stratum in left:
            for judge, favourable in stratum.verdicts:
                kind = kind_of(judge, stratum.generator, relations)
                owner = None if common and kind != "others" else judge
                seen.setdefault((kind, owner), set()).add(favourable)
                if common:  # then a judge's own verdicts also inform its B
                    seen.setdefault(("others", judge), set()).add(favourable)
        alike = {parameter for parameter, values in seen.items() if len(values) == 1}
        if not alike:
            return left, reasons
        reasons |= dict.fromkeys(alike, "separated")
        left = [without(stratum, alike, relations, common) for stratum in left]


def without(stratum: Stratum, alike: set[Parameter], relations: Relations, common: bool) -> Stratum:
    """The stratum without the verdicts of these kinds."""
    verdicts = []
    for judge, favourable in stratum.verdicts:
        kind = kind_of(judge, stratum.generator, relations)
        owner = None if common and kind != "others" else judge
        gone = (kind, owner) in alike or (common and ("others", judge) in alike)
        if not gone:
            verdicts.append((judge, favourable))
    return stratum._replace(verdicts=tuple(verdicts))


def free_parameters(
    left: list[Stratum],
    judges: Sequence[str],
    relations: Relations,
    common: bool,
    reasons: dict[Parameter, str],
) -> list[Parameter]:
    """The parameters that the strata inform; the reasons of the others go to `reasons`."""
    present: set[Parameter] = set()
    for stratum in left:
        for judge, _favourable in stratum.verdicts:
            present.update(parameters_of(judge, stratum.generator, relations, common))
    based = {
        judge
        for stratum in left
        for judge, _favourable in stratum.verdicts
        if common or kind_of(judge, stratum.generator, relations) == "others"
    }
    first = next((judge for judge in judges if judge in based), None)
    present -= {("others", judge) for judge in judges if judge not in based} | {("others", first)}
    order = {"others": 0, "self": 1, "family": 2}
    for kind in ("self", "family"):
        for owner in (None,) if common else judges:
            if (kind, owner) not in present:
                reasons.setdefault((kind, owner), "separated")
            elif owner is not None and owner not in based:
                reasons[kind, owner] = reasons.get(("others", owner), "no_common_cells")
    return sorted(present, key=lambda p: (order[p[0]], -1 if p[1] is None else judges.index(p[1])))


def fit(
    strata: Iterable[Stratum], judges: Sequence[str], relations: Relations, common: bool = False
) -> Model:
    """Newton's method on the conditional likelihood; `judges` in their order, the first one's B being 0."""
    left, reasons = settle(strata, relations, common)
    parameters = free_parameters(left, judges, relations, common, reasons)
    values = np.zeros(len(parameters))
    pieces = derivatives(left, parameters, values, relations, common)
    for _step in range(100):
        likelihood, scores, information = pieces
        gradient = np.sum(list(scores.values()), axis=0) if scores else np.zeros(0)
        if not len(parameters) or np.abs(gradient).max() < SMALLEST:
            break
        step = (
            np.linalg.pinv(np.sum(list(information.values()), axis=0), rcond=1e-11, hermitian=True) @ gradient
        )
        for _halving in range(40):
            pieces = derivatives(left, parameters, values + step, relations, common)
            if pieces[0] >= likelihood - 1e-9:
                break
            step = step / 2
        values = values + step
    _likelihood, scores, information = pieces
    model = Model(left, parameters, values, scores, information, relations, common, reasons)
    model.reasons.update(dict.fromkeys(at_infinity(model), "separated"))
    return model


def derivatives(
    strata: list[Stratum],
    parameters: list[Parameter],
    values: np.ndarray,
    relations: Relations,
    common: bool,
) -> tuple[float, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The log likelihood, and by cluster its first derivatives and minus its second ones."""
    memory: dict[tuple[str, tuple[str, ...], int], tuple[np.ndarray, np.ndarray, Moments, np.ndarray]] = {}
    likelihood = 0.0
    scores: dict[str, np.ndarray] = {}
    information: dict[str, np.ndarray] = {}
    for stratum in strata:
        judges = tuple(judge for judge, _favourable in stratum.verdicts)
        chosen = np.array([float(favourable) for _judge, favourable in stratum.verdicts])
        key = (stratum.generator, judges, int(chosen.sum()))
        if key not in memory:
            design = design_of(judges, stratum.generator, parameters, relations, common)
            predictor = design @ values
            of_all = moments([math.exp(eta) for eta in predictor], key[2])
            memory[key] = design, predictor, of_all, design.T @ of_all[2] @ design
        design, predictor, (normaliser, expected, _covariance), curvature = memory[key]
        weight = stratum.weight
        likelihood += weight * (float(predictor @ chosen) - math.log(normaliser))
        score = weight * design.T @ (chosen - np.array(expected))
        scores[stratum.cluster] = scores.get(stratum.cluster, 0.0) + score
        information[stratum.cluster] = information.get(stratum.cluster, 0.0) + weight * curvature
    return likelihood, scores, information


def design_of(
    judges: Sequence[str], generator: str, parameters: list[Parameter], relations: Relations, common: bool
) -> np.ndarray:
    """A row for each verdict of a stratum, a column for each parameter: 1 where the verdict has it."""
    of = [parameters_of(judge, generator, relations, common) for judge in judges]
    return np.array([[float(parameter in names) for parameter in parameters] for names in of])


def moments(weights: list[float], total: int) -> Moments:
    """e_t, and mean and covariance of the verdicts, given that `total` of them are favourable."""
    n = len(weights)
    normaliser = symmetric(weights)[total]
    expected = [
        weights[i] * symmetric(weights[:i] + weights[i + 1 :])[total - 1] / normaliser for i in range(n)
    ]
    covariance = np.zeros((n, n))
    for i in range(n):
        covariance[i, i] = expected[i] * (1 - expected[i])
        for j in range(i):
            both = 0.0
            if total >= 2:
                rest = weights[:j] + weights[j + 1 : i] + weights[i + 1 :]
                both = weights[i] * weights[j] * symmetric(rest)[total - 2] / normaliser
            covariance[i, j] = covariance[j, i] = both - expected[i] * expected[j]
    return normaliser, expected, covariance


def at_infinity(model: Model) -> list[Parameter]:
    """The parameters moved by a direction in which the likelihood never falls."""
    rows = set()
    for stratum in model.strata:
        of = {
            judge: set(parameters_of(judge, stratum.generator, model.relations, model.common))
            for judge, _favourable in stratum.verdicts
        }
        for one, favourable in stratum.verdicts:
            for two, unfavourable in stratum.verdicts:
                if favourable and not unfavourable:
                    rows.add(tuple((p in of[one]) - (p in of[two]) for p in model.parameters))
    if not model.parameters:
        return []
    table = np.array(sorted(rows), float)
    nowhere = np.zeros(len(rows))
    upwards = linprog(-table.sum(axis=0), A_ub=-table, b_ub=nowhere, bounds=(-1, 1))
    if np.linalg.matrix_rank(table) == len(model.parameters) and -upwards.fun < 1e-6:
        return []  # every direction lowers the likelihood somewhere
    parameters = []
    for place, parameter in enumerate(model.parameters):
        if parameter[0] == "others":
            continue
        for side in (1.0, -1.0):
            aim = np.zeros(len(model.parameters))
            aim[place] = -side
            best = linprog(aim, A_ub=-table, b_ub=nowhere, bounds=(-1, 1))
            if -best.fun > 1e-6:
                parameters.append(parameter)
                break
    return parameters


def cr3(model: Model) -> np.ndarray:
    """The covariance of the estimates from deleting one cluster at a time."""
    total, m = model.total(), len(model.scores)
    covariance = np.zeros_like(total)
    for cluster, score in model.scores.items():
        step = np.linalg.pinv(total - model.information[cluster], rcond=1e-9, hermitian=True) @ score
        covariance += np.outer(step, step)
    return covariance * (m - 1) / m


def estimates(model: Model) -> dict[Parameter, Estimate]:
    """Every s and f with its standard error, or the reason for its absence."""
    covariance = cr3(model) if model.parameters else np.zeros((0, 0))
    by_parameter = {parameter: Estimate(None, reason=reason) for parameter, reason in model.reasons.items()}
    for place, parameter in enumerate(model.parameters):
        if parameter[0] == "others" or parameter in model.reasons:
            continue
        df = len(clusters_with(model, parameter)) - 1
        se = math.sqrt(covariance[place, place]) if df >= 1 else None
        by_parameter[parameter] = Estimate(
            float(model.values[place]), se, df, None if se is not None else "few_clusters"
        )
    return by_parameter


def clusters_with(model: Model, parameter: Parameter) -> set[str]:
    """The clusters with a cell on which verdicts differ that involves the parameter."""
    return {
        stratum.cluster
        for stratum in model.strata
        for judge, _favourable in stratum.verdicts
        if parameter in parameters_of(judge, stratum.generator, model.relations, model.common)
    }


def placebos(model: Model, pairs: Iterable[tuple[str, str]]) -> list[Placebo]:
    """For each judge and generator outside its family: its efficient score in the fitted model."""
    inverse = (
        np.linalg.pinv(model.total(), rcond=1e-11, hermitian=True) if model.parameters else np.zeros((0, 0))
    )
    place = {parameter: n for n, parameter in enumerate(model.parameters)}
    memory: dict[tuple[str, tuple[str, ...], int], tuple[float, list[float], np.ndarray]] = {}
    results = []
    for judge, generator in pairs:
        mixed, own = np.zeros(len(place)), 0.0
        residuals: dict[str, float] = {}
        for stratum in model.strata:
            judges = tuple(name for name, _favourable in stratum.verdicts)
            if stratum.generator != generator or judge not in judges:
                continue
            row, total = judges.index(judge), sum(favourable for _name, favourable in stratum.verdicts)
            of = [parameters_of(name, generator, model.relations, model.common) for name in judges]
            if (generator, judges, total) not in memory:
                eta = [sum(model.values[place[p]] for p in names if p in place) for names in of]
                memory[generator, judges, total] = moments([math.exp(e) for e in eta], total)
            _normaliser, expected, covariance = memory[generator, judges, total]
            residual = stratum.verdicts[row][1] - expected[row]
            residuals[stratum.cluster] = residuals.get(stratum.cluster, 0.0) + residual
            own += covariance[row, row]
            for column, names in enumerate(of):
                for parameter in names:
                    if parameter in place:
                        mixed[place[parameter]] += covariance[row, column]
        explained = inverse @ mixed
        information = own - float(mixed @ explained)
        if information > SMALLEST:
            parts = [
                residuals.get(cluster, 0.0) - float(score @ explained)
                for cluster, score in model.scores.items()
            ]
            se = math.sqrt(sum(part**2 for part in parts)) / information
            if se > SMALLEST:
                results.append(Placebo(judge, generator, sum(parts) / information, se))
    return results


def shrunken(by_judge: Mapping[str, Estimate]) -> dict[str, float]:
    """DerSimonian-Laird: each judge's s shrunk to their mean by the spread beyond chance."""
    known = {judge: e for judge, e in by_judge.items() if e.value is not None and e.se}
    if not known:
        return {}
    weight = {judge: 1 / e.se**2 for judge, e in known.items()}  # type: ignore[operator]
    total = sum(weight.values())
    centre = sum(weight[judge] * e.value for judge, e in known.items()) / total  # type: ignore[operator]
    q = sum(weight[judge] * (e.value - centre) ** 2 for judge, e in known.items())  # type: ignore[operator]
    room = total - sum(w**2 for w in weight.values()) / total
    spread = max(0.0, (q - (len(known) - 1)) / room) if len(known) > 1 else 0.0
    weight = {judge: 1 / (e.se**2 + spread) for judge, e in known.items()}  # type: ignore[operator]
    centre = sum(weight[judge] * e.value for judge, e in known.items()) / sum(weight.values())  # type: ignore[operator]
    return {
        judge: centre + (e.value - centre) * spread / (spread + e.se**2)  # type: ignore[operator]
        for judge, e in known.items()
    }
