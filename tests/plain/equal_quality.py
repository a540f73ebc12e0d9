"""Equal-quality pairs by plain loops (MEASURES section 9).

Every function takes a PlainStudy, the measure's options, and the slice's as keyword arguments, and returns
the rows by judge. Undefined is None.

Readings:
 1. Q is over all models, judges and runs, of variant `default` and transform `none`; with `reference` it is
    the score of section 3 times 10, for the judge whose committee may leave some out.
 2. Rated are the models with a quality row of that variant, whatever its status.
 3. Stored `null` and `contrast` pairs are those to choose from, in the place of a draw; they still have to be
    of equal quality (or as far apart) at the epsilon (gap) asked for, so that it can be varied.
 4. The draw of null pairs is among those that count; that of contrast pairs among those with a stored row.
 5. SPB_family: target a relative of J, opponent a model outside J's family; less the same Null-PIR.
 6. p-values are None with fewer than `min_instances` instances that have a counted pair of any judge.
"""

import math
from typing import Any, NamedTuple

from plain.asking import Query, RefusedError, ask, first_of_repeats, mean, models, relation
from plain.filters import instance_is_kept
from plain.judged import DIMENSIONS, NULL, Pair, all_pairs, firm_choice, key, outcome_of, preferred_variant
from plain.scores import true_score
from plain.study import PlainStudy

TOLERANCE = 1e-9
Z = 1.959963985
Quality = dict[tuple[str, str, str], float]


class Rules(NamedTuple):
    """The options of section 9."""

    quality: str = "judges"
    quality_judges: tuple[str, ...] = ()
    epsilon: float = 0.25
    gap: float = 2.0
    third_party: str = "all"
    null_pairs: str = "drawn"
    binomial: str = "near_end"
    contrast_pairs: int = 100
    seed: int = 0


DEFAULTS = Rules()


def quality_of(query: Query, rules: Rules) -> Quality:
    """(judge, instance, model) -> Q; the judge matters for references of committees only."""
    everyone = {row["judge"] for row in query.study.judgments}
    if rules.quality == "reference":
        qualities = {}
        for judge in everyone:
            for instance in query.study.instances:
                for model in models(query):
                    score = true_score(query, judge, instance["instance_id"], model)
                    if isinstance(score, float):
                        qualities[judge, instance["instance_id"], model] = 10 * score
        return qualities
    raters = quality_judges(query, rules)
    rated = {}
    for instance in query.study.instances:
        for model in models(query):
            scores = [rating(query, rater, instance["instance_id"], model) for rater in raters]
            if None not in scores:
                for judge in everyone:
                    rated[judge, instance["instance_id"], model] = mean(scores)  # type: ignore[arg-type]
    return rated  # type: ignore[return-value]


def quality_judges(query: Query, rules: Rules) -> list[str]:
    """The quality judges: those named, or those that are not rated themselves."""
    rows = quality_rows(query)
    rated = {row["generator"] for row in rows}
    raters = [model for model in models(query) if any(row["judge"] == model for row in rows)]
    chosen = [rater for rater in raters if rater in rules.quality_judges]
    if rules.quality_judges:
        return chosen
    chosen = [rater for rater in raters if rater not in rated]
    if not chosen:
        raise RefusedError("every judge of quality is itself rated")
    return chosen


def quality_rows(query: Query) -> list[dict[str, Any]]:
    """The rows behind Q."""
    return [
        row
        for row in query.study.judgments
        if row["paradigm"] == "quality" and row["variant"] == "default" and row["transform"] == "none"
    ]


def rating(query: Query, rater: str, instance_id: str, model: str) -> float | None:
    """The mean of a rater's five scores of a response; None if one is missing."""

    def group() -> dict[Any, list[dict[str, Any]]]:
        groups: dict[Any, list[dict[str, Any]]] = {}
        for row in quality_rows(query):
            if row["status"] == "ok":
                place = (row["judge"], row["instance_id"], row["generator"], row["rubric_id"])
                groups.setdefault(place, []).append(row)
        return groups

    by_place = query.remembered("ratings", group)
    scores = []
    for dimension in DIMENSIONS:
        rows = by_place.get((rater, instance_id, model, dimension), [])
        if rows:
            used = [first_of_repeats(rows)] if query.repeats == "first" else rows
            scores.append(mean([row["score"] for row in used]))
    return mean(scores) if len(scores) == len(DIMENSIONS) else None  # type: ignore[arg-type]


class Chosen(NamedTuple):
    """A counted pair seen from its target: +1 or -1 where it or the other was chosen firmly, else 0."""

    pair: Pair
    target: str
    other: str
    firm: int


def chosen_pairs(pairs: list[Pair]) -> list[Chosen]:
    """Every pair that counts, from either response."""
    chosen = []
    for pair in pairs:
        if outcome_of(pair) is not None:
            firm = firm_choice(pair)
            chosen.append(Chosen(pair, pair.one, pair.two, firm))
            chosen.append(Chosen(pair, pair.two, pair.one, -firm))
    return chosen


class Sets(NamedTuple):
    """The pairs behind one judge's figures."""

    own: list[Chosen]
    null: list[Chosen]
    family: list[Chosen]


def sets_of(query: Query, rules: Rules, quality: Quality, judge: str, chosen: list[Chosen]) -> Sets:
    """Sort a judge's counted pairs into those with its own response, null pairs, and its relatives'."""
    own, null, family = [], [], []
    stored = stored_pairs(query, "null", judge)
    for c in chosen:
        if c.pair.judge != judge or not are_equal(rules, quality, c):
            continue
        x = c.pair.instance_id
        mine = quality.get((judge, x, judge))
        if c.target == judge and is_third(query, rules, judge, c.other):
            own.append(c)
        if judge not in (c.target, c.other) and mine is not None:
            both = [quality[judge, x, model] for model in (c.target, c.other)]
            thirds = all(is_third(query, rules, judge, model) for model in (c.target, c.other))
            near = all(abs(q - mine) <= rules.epsilon + TOLERANCE for q in both)
            if thirds and near and (stored is None or (x, c.target, c.other) in stored):
                null.append(c)
        if relation(query, judge, c.target) == "family" and relation(query, judge, c.other) == "other":
            family.append(c)
    if stored is None and rules.null_pairs == "drawn":
        null = drawn_null(query, rules, null)
    return Sets(own, null, family)


def are_equal(rules: Rules, quality: Quality, c: Chosen) -> bool:
    """Whether the two responses are of equal quality."""
    one, two = (quality.get((c.pair.judge, c.pair.instance_id, model)) for model in (c.target, c.other))
    return one is not None and two is not None and abs(one - two) <= rules.epsilon + TOLERANCE


def is_third(query: Query, rules: Rules, judge: str, model: str) -> bool:
    """Whether a model is a third party for a judge."""
    kind = relation(query, judge, model)
    return kind == "other" or (kind == "family" and rules.third_party == "all")


def stored_pairs(query: Query, purpose: str, judge: str) -> set[tuple[str, str, str]] | None:
    """(instance, generator, opponent) of the judge's stored pairs of a purpose; None if it has none."""
    rows = [row for row in query.study.pairs if row["purpose"] == purpose and row["judge"] == judge]
    return {(row["instance_id"], row["generator"], row["opponent"]) for row in rows} if rows else None


def drawn_null(query: Query, rules: Rules, null: list[Chosen]) -> list[Chosen]:
    """Draw at most ten null pairs of each question."""
    by_question: dict[str, list[Chosen]] = {}
    for c in null:
        by_question.setdefault(c.pair.instance_id, []).append(c)
    drawn = []
    for group in by_question.values():
        group.sort(
            key=lambda c: key(query, rules.seed, NULL, c.pair.judge, c.pair.instance_id, c.target, c.other)
        )
        drawn += group[:10]
    return drawn


def share_firm(chosen: list[Chosen]) -> float | None:
    """The share of pairs in which the target was chosen firmly."""
    return mean([float(c.firm == 1) for c in chosen])


def minus(one: float | None, two: float | None) -> float | None:
    """The difference; None if a side is missing."""
    return None if one is None or two is None else one - two


def equal_quality(study: PlainStudy, rules: Rules = DEFAULTS, **options: Any) -> dict[str, dict[str, Any]]:
    """The rows of `equal-quality` by judge."""
    options.setdefault("variant", preferred_variant(study, "forced", "default"))
    min_instances = options.pop("min_instances", 10)
    query = ask(study, **{**options, "paradigm": "pairwise"})
    quality = quality_of(query, rules)
    chosen = chosen_pairs(all_pairs(query))
    sets = {judge: sets_of(query, rules, quality, judge, chosen) for judge in models(query)}
    counted = {c.pair.instance_id for s in sets.values() for c in (*s.own, *s.null)}
    rows = {}
    for judge, s in sets.items():
        if s.own or s.null:
            rows[judge] = equal_quality_row(query, rules, quality, judge, s, len(counted) < min_instances)
    return rows


def equal_quality_row(
    query: Query, rules: Rules, quality: Quality, judge: str, s: Sets, few: bool
) -> dict[str, Any]:
    """One judge's figures."""
    own, null = share_firm(s.own), share_firm(s.null)
    spb, family = minus(own, null), share_firm(s.family)
    counts = (sum(c.firm == 1 for c in s.own), len(s.own), sum(c.firm == 1 for c in s.null), len(s.null))
    z = z_of(*counts)
    tail = None if z is None else normal_tail(abs(z))
    binomial = binomial_p(*counts, rules.binomial)
    mine = [
        q
        for (j, x, model), q in quality.items()
        if j == judge and model == judge and instance_is_kept(query, x)
    ]
    return {
        "mean_quality": mean(mine),
        "pir": own,
        "null_pir": null,
        "spb": spb,
        "n_pairs": len(s.own),
        "n_null_pairs": len(s.null),
        "z": z,
        "z_p": None if few else tail,
        "binomial_p": None if few else binomial,
        "pir_family": family,
        "spb_family": minus(family, null),
        "n_family_pairs": len(s.family),
    }


def z_of(firm: int, n: int, null_firm: int, m: int) -> float | None:
    """Test (a)."""
    if n == 0 or m == 0:
        return None
    p = (firm + null_firm) / (n + m)
    if p in (0.0, 1.0):
        return None
    return (firm / n - null_firm / m) / math.sqrt(p * (1 - p) * (1 / n + 1 / m))


def normal_tail(z: float) -> float:
    """P(Z >= z)."""
    return math.erfc(z / math.sqrt(2)) / 2


def binomial_p(firm: int, n: int, null_firm: int, m: int, kind: str) -> float | None:
    """Test (c)."""
    if n == 0 or m == 0 or null_firm in (0, m) or firm * m == null_firm * n:
        return None
    q = null_firm / m
    up = firm / n > q
    p0 = q if kind == "known" else q + (1 if up else -1) * Z * math.sqrt(q * (1 - q) / m)
    p0 = min(1.0, max(0.0, p0))
    return binomial_tail(firm, n, p0) if up else 1 - binomial_tail(firm + 1, n, p0)


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X >= k), term by term."""
    return math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
