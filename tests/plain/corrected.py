"""Scores and a ranking corrected for the judges' errors, by plain loops.

Labelled are the instances on which every generator shown has a score by a judge and one by the reference,
unlabelled those on which every one has a score by a judge and not every one by the reference. `method` is
`rogan_gladen` (1978) or `prediction_powered` (Angelopoulos et al., Science 2023, with the tuning of PPI++,
Angelopoulos, Duchi and Zrnic 2023). The results of the authors' package are in tests/stats/test_corrected.py.

Readings:
 1. Rates are of verdicts on labelled instances, pooled over the cells of the generators of one relation to
    the judge: `own`, `family`, `other`. Where a relation has no failed or no met cell, or where the rate of
    passing what is met lies not above that of passing what is failed by two standard errors (one instance
    deleted at a time), the judge has no corrected share there. `rates = one` takes one pair of rates over all
    cells, as other tools do; the engine does not.
 2. Rogan-Gladen corrects the share of favourable verdicts on the generator's cells without a reference on the
    unlabelled instances, clipped to [0, 1]; the score is the mean of the judges' corrected shares.
 3. Prediction-powered: f(x) is the mean of the judges' scores of the response. theta = mean of lambda f over
    the N unlabelled plus mean of Y - lambda f over the n labelled; se^2 = var(lambda f)/N + var(Y - lambda
    f)/n with n - 1 below; lambda = cov(Y, f) / ((1 + n/N) var f), the covariance over the labelled (n below),
    the variance over all (n + N - 1 below), as the authors' package has them, within [0, 1]. Estimating
    lambda costs the labels one degree of freedom: their variance is multiplied by (n - 1)/(n - 2), and t has
    Satterthwaite's degrees of freedom from n - 2 and N - 1. With fewer than 3 labelled instances there is no
    score; with fewer than 2 unlabelled it is the reference's mean with its own t interval.
 4. Uncorrected: mean f over labelled and unlabelled instances.
 5. Rank 1 is the highest score, equal ones share the mean place.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scipy import stats

from plain.asking import Query, mean, models, named, rubric_of
from plain.opinions import Opinion, scores_of_opinions, scores_of_rows, verdicts
from plain.outside import Frame, frame_of, question
from plain.scores import kept_rubrics, score, true_score
from plain.study import PlainStudy
from plain.truth import reference_verdict

Fields = dict[str, Any]
FEWEST = 3
NAMES = {"self": "own", "family": "family", "other": "other"}


class Rates(NamedTuple):
    """How often a judge passes met cells, and failed ones."""

    passing_met: float | None
    passing_failed: float | None


def rogan_gladen(share: float, rates: Rates) -> float | None:
    """The true share behind an observed one."""
    met, failed = rates.passing_met, rates.passing_failed
    if met is None or failed is None or met <= failed:
        return None
    return min(1.0, max(0.0, (share - failed) / (met - failed)))


def rate_pair(seen: Sequence[tuple[bool, bool]]) -> Rates:
    """The rates of (judged, true) pairs."""
    return Rates(
        mean([float(judged) for judged, true in seen if true]),
        mean([float(judged) for judged, true in seen if not true]),
    )


class Powered(NamedTuple):
    """A prediction-powered mean."""

    value: float | None
    se: float | None = None
    df: float = 0.0
    tuning: float = 0.0

    def interval(self) -> tuple[float, float] | tuple[None, None]:
        """The 95 % interval of Student's t."""
        if self.value is None or self.se is None:
            return None, None
        reach = float(stats.t.ppf(0.975, self.df)) * self.se
        return self.value - reach, self.value + reach


def prediction_powered(
    unlabelled: Sequence[float], labelled: Sequence[float], truths: Sequence[float]
) -> Powered:
    """The mean of predictions without labels, rectified by those with labels."""
    n, more = len(labelled), len(unlabelled)
    if n < FEWEST:
        return Powered(None)
    if more < 2:
        return Powered(sum(truths) / n, math.sqrt(variance(truths) / n), n - 1)
    centre_f, centre_y = sum(labelled) / n, sum(truths) / n
    together = sum((f - centre_f) * (y - centre_y) for f, y in zip(labelled, truths, strict=True)) / n
    spread = variance([*labelled, *unlabelled])
    tuning = together / ((1 + n / more) * spread) if spread > 0 else 0.0
    tuning = min(1.0, max(0.0, tuning))
    rectifier = [y - tuning * f for f, y in zip(labelled, truths, strict=True)]
    value = tuning * sum(unlabelled) / more + sum(rectifier) / n
    one = variance(rectifier) / n * (n - 1) / (n - 2)
    other = tuning**2 * variance(unlabelled) / more
    below = one**2 / (n - 2) + other**2 / (more - 1)
    return Powered(value, math.sqrt(one + other), (one + other) ** 2 / below if below else n - 2, tuning)


def variance(values: Sequence[float]) -> float:
    """The sample's, n - 1 below."""
    centre = sum(values) / len(values)
    return sum((value - centre) ** 2 for value in values) / (len(values) - 1)


def ranks(scores: Mapping[str, float]) -> dict[str, float]:
    """1 the highest; equal ones share the mean."""
    rank_of = {}
    for model, value in scores.items():
        higher = sum(other > value + 1e-9 for other in scores.values())
        equal = sum(abs(other - value) <= 1e-9 for other in scores.values())
        rank_of[model] = higher + (equal + 1) / 2
    return rank_of


def reference_scores(query: Query) -> dict[tuple[str, str, str], float]:
    """The reference's score for each judge's scored responses, over the same rubrics."""
    scores = {}
    for (judge, x, generator), rubric_ids in kept_rubrics(query).items():
        truths = [
            (rubric_of(query, x, k), reference_verdict(query, judge, (x, generator, k))) for k in rubric_ids
        ]
        if truths and not any(isinstance(met, str) for _rubric, met in truths):
            value = score(query.scores, truths)  # type: ignore[arg-type]
            if value is not None:
                scores[judge, x, generator] = value
    return scores


def corrected(
    study: PlainStudy, method: str = "prediction_powered", rates: str = "relation", **options: Any
) -> list[Fields]:
    """A row for each generator scored by a requested judge."""
    query = question(study, **options)
    frame = frame_of(query)
    judges = [model for model in models(query) if named(options.get("judges"), model)]
    predictions, labels = instance_means(query, judges)
    shown = [model for model in models(query) if model in predictions]
    complete = [x for x in predictions[shown[0]] if all(x in predictions[model] for model in shown)]
    known = [x for x in complete if all(x in labels.get(model, {}) for model in shown)]
    bare = [x for x in complete if x not in known]
    rows = {}
    for model in shown:
        f, y = predictions[model], labels.get(model, {})
        if method == "rogan_gladen":
            estimate = Powered(corrected_share(query, frame, judges, model, rates, known, bare))
        else:
            estimate = prediction_powered([f[x] for x in bare], [f[x] for x in known], [y[x] for x in known])
        low, high = estimate.interval()
        rows[model] = {
            "model": model,
            "score": estimate.value,
            "score_low": low,
            "score_high": high,
            "uncorrected": mean([f[x] for x in complete]),
            "n_labelled": len(known),
            "n_unlabelled": len(bare),
        }
    places = ranks({model: row["score"] for model, row in rows.items() if row["score"] is not None})
    for model, row in rows.items():
        row["rank"] = places.get(model)
    return list(rows.values())


ByInstance = dict[str, dict[str, float]]


def instance_means(query: Query, judges: Sequence[str]) -> tuple[ByInstance, ByInstance]:
    """Generator -> instance -> the mean of the judges' scores; and the reference's, if any."""
    if query.is_rubric_paradigm:
        opinions = verdicts(query.with_options(), "any").opinions
        scores, truths = scores_of_opinions(query, opinions), reference_scores(query)
    else:
        scores, _lost = scores_of_rows(query)
        truths = {}
        for judge, x, generator in scores:
            true = true_score(query, judge, x, generator)
            if isinstance(true, float):
                truths[judge, x, generator] = true
    given: dict[str, dict[str, list[float]]] = {}
    for (judge, x, generator), value in scores.items():
        if judge in judges:
            given.setdefault(generator, {}).setdefault(x, []).append(value)
    predictions = {g: {x: sum(v) / len(v) for x, v in by_x.items()} for g, by_x in given.items()}
    known: dict[str, dict[str, list[float]]] = {}
    for (judge, x, generator), value in truths.items():
        if judge in judges and x in predictions.get(generator, {}):
            known.setdefault(generator, {}).setdefault(x, []).append(value)
    return predictions, {g: {x: sum(v) / len(v) for x, v in by_x.items()} for g, by_x in known.items()}


Marked = list[tuple[str, bool, bool]]
"""Instance, judged, true."""


def seen_of(query: Query, truth: str) -> list[Opinion]:
    """The opinions of all judges on the cells of a truth, computed once."""
    opinions: list[Opinion] = query.remembered(
        ("opinions", truth), lambda: verdicts(query.with_options(), truth).opinions
    )
    return opinions


def judge_rates(
    query: Query, frame: Frame, judge: str, rates: str = "relation", known: Sequence[str] | None = None
) -> dict[str, tuple[Rates, bool]]:
    """The judge's rates by relation, and whether they surely distinguish met from failed."""
    seen: dict[str, Marked] = {"own": [], "family": [], "other": []}
    for truth in ("met", "failed"):
        for o in seen_of(query, truth):
            if o.judge == judge and (known is None or o.instance_id in known):
                name = NAMES[frame.relations[judge, o.generator]]
                seen[name].append((o.instance_id, o.favourable, truth == "met"))
    if rates == "one":
        together = [mark for marks in seen.values() for mark in marks]
        seen = dict.fromkeys(seen, together)
    every = sorted({x for marks in seen.values() for x, _judged, _true in marks} if known is None else known)
    return {name: (rate_pair([mark[1:] for mark in m]), tells_apart(m, every)) for name, m in seen.items()}


def tells_apart(marks: Marked, instances: Sequence[str]) -> bool:
    """Whether the two rates are two standard errors apart."""

    def gap(without: str | None) -> float | None:
        rates = rate_pair([(judged, true) for x, judged, true in marks if x != without])
        if rates.passing_met is None or rates.passing_failed is None:
            return None
        return rates.passing_met - rates.passing_failed

    left = [gap(x) for x in instances]
    value = gap(None)
    if value is None or len(left) < 2 or None in left:
        return False
    centre = sum(left) / len(left)  # type: ignore[arg-type]
    squares = sum((one - centre) ** 2 for one in left)  # type: ignore[operator]
    return value > 2 * math.sqrt(squares * (len(left) - 1) / len(left))


def corrected_share(
    query: Query,
    frame: Frame,
    judges: Sequence[str],
    model: str,
    rates: str,
    known: Sequence[str],
    bare: Sequence[str],
) -> float | None:
    """Rogan-Gladen's score of one generator."""
    shares = []
    for judge in judges:
        marks = []
        for o in seen_of(query, "any"):
            if (o.judge, o.generator) == (judge, model) and o.instance_id in bare:
                truth = reference_verdict(query, judge, (o.instance_id, model, o.rubric_id))
                if not isinstance(truth, bool):
                    marks.append(o.favourable)
        passing, apart = judge_rates(query, frame, judge, rates, known)[NAMES[frame.relations[judge, model]]]
        if marks and apart:
            share = rogan_gladen(sum(marks) / len(marks), passing)
            shares += [] if share is None else [share]
    return mean(shares)
