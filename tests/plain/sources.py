"""How far two sources of truth agree (MEASURES section 14, `reference-agreement`).

Readings:
 1. A source is `program`, `human`, ... of `references` or `preferences`, `judge:<model>` or `run:<id>`.
    Kinds are reported where both sources have at least one item in common: verdicts (raw `met`), outcomes
    (rows of `preferences` and resolved pairs; scores of references make no outcomes here), scores
    (`references.score`, and the judgments' `score`).
 2. Repeats of a judge are merged as everywhere; the score of a rubric is then the mean over the orderings in
    which it was asked, the quality of a response that over its five dimensions, all of which must be there.
    In a run, an item belongs to its judge; against a source that is no run it is compared once for each
    judge.
 3. `human` is the strict majority of verdicts, the mean of scores, and the outcome that more than half of
    the people have; an item without one is left out. In the balanced F1 every (item, person) pair counts in
    its place; between two `human` every pair of persons' votes would: it is that of the majorities.
    Compared with a person, `human` is without that person; `human:unnamed` is what is stored as `human`.
 4. Win rates: for verdicts the share met; for outcomes the share of the first response, ties one half, in
    the orientation in which source `a` first holds the pair.
 5. kappa is Cohen's; None where the expected agreement is 1. F1 of a class that neither has is undefined,
    and so is the balanced one. `balanced_f1` is None for outcomes.
 6. mean_difference, median_difference and sd_difference (n - 1) are of |difference|; `within` has the keys
    "0", "0.25", "0.5", "1", "1.5", "2" and "more" (1 by definition), compared with a tolerance of 1e-9.
 7. Correlations are None with fewer than 3 items or a constant side; ranks are average ranks.
 8. Filters on rubrics hold for verdicts and scores of rubrics, those on instances and generators for all that
    is told of a response or a pair, those on judges for judgments.
"""

import statistics
from typing import Any

from plain.asking import ask, mean
from plain.source_values import (
    Values,
    orientation,
    oriented_as,
    outcomes,
    persons_votes,
    scores,
    verdicts,
    with_persons,
)
from plain.study import PlainStudy
from plain.truth import strict_majority

Fields = dict[str, Any]
STEPS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)


def reference_agreement(
    study: PlainStudy, a: str, b: str, **options: Any
) -> tuple[list[Fields], dict[str, int]]:
    """One row for each kind of value that both sources hold; RefusedError as for the measures."""
    query = ask(study, **options)
    rows = []
    for kind, read in (("verdict", verdicts), ("outcome", outcomes), ("score", scores)):
        one, two = read(query, a, b), read(query, b, a)
        if kind == "outcome":
            held = orientation(query, a)
            one, two = oriented_as(one, a, held), oriented_as(two, b, held)
        pairs = in_common(a, b, one, two)
        if not pairs:
            continue
        row: Fields = {"a": a, "b": b, "kind": kind, "n": len(pairs)}
        row |= of_scores(pairs) if kind == "score" else of_classes(kind, pairs)
        if kind == "verdict" and (a == "human") != (b == "human"):
            row["balanced_f1"] = balanced_f1(with_persons(query, a, b, one, two))
        rows.append(row)
    return rows, query.left_out


def human_ceiling(study: PlainStudy, **options: Any) -> list[Fields]:
    """Each person's verdicts against the majority of the others'; a is the person, b is `others`."""
    query = ask(study, **options)
    votes = persons_votes(query)
    rows = []
    for person in sorted({name for by_person in votes.values() for name in by_person}):
        pairs = []
        for by_person in votes.values():
            others = strict_majority([met for name, met in by_person.items() if name != person])
            if person in by_person and isinstance(others, bool):
                pairs.append((by_person[person], others))
        if pairs:
            rows.append(
                {
                    "a": person,
                    "b": "others",
                    "kind": "verdict",
                    "n": len(pairs),
                    **of_classes("verdict", pairs),
                }
            )
    return rows


def in_common(a: str, b: str, one: Values, two: Values) -> list[tuple[Any, Any]]:
    """The values of both sources on the same items; a run's item also belongs to a judge."""
    run_a, run_b = a.startswith("run:"), b.startswith("run:")
    if run_a and not run_b:
        return [(value, two[item[1]]) for item, value in one.items() if item[1] in two]
    if run_b and not run_a:
        return [(one[item[1]], value) for item, value in two.items() if item[1] in one]
    return [(value, two[item]) for item, value in one.items() if item in two]


def of_classes(kind: str, pairs: list[tuple[Any, Any]]) -> Fields:
    """Agreement, kappa, win rates, and for verdicts the balanced F1."""
    n = len(pairs)
    agreement = sum(x == y for x, y in pairs) / n
    classes = {x for pair in pairs for x in pair}
    expected = sum((sum(x == c for x, _ in pairs) / n) * (sum(y == c for _, y in pairs) / n) for c in classes)
    wins = {True: 1.0, False: 0.0} if kind == "verdict" else {1: 1.0, 0: 0.5, -1: 0.0}
    return {
        "agreement": agreement,
        "kappa": None if len(classes) == 1 else (agreement - expected) / (1 - expected),
        "balanced_f1": balanced_f1(pairs) if kind == "verdict" else None,
        "win_rate_a": mean([wins[x] for x, _ in pairs]),
        "win_rate_b": mean([wins[y] for _, y in pairs]),
        **dict.fromkeys(
            ("spearman", "pearson", "mean_difference", "median_difference", "sd_difference", "within")
        ),
    }


def balanced_f1(pairs: list[tuple[Any, Any]]) -> float | None:
    """The mean of the F1 of met and of not met."""
    values = []
    for c in (True, False):
        both = sum(x == c and y == c for x, y in pairs)
        either = sum(x == c for x, _ in pairs) + sum(y == c for _, y in pairs)
        if either == 0:
            return None
        values.append(2 * both / either)
    return sum(values) / 2


def of_scores(pairs: list[tuple[float, float]]) -> Fields:
    """Correlations and differences of two sources' scores."""
    differences = [abs(x - y) for x, y in pairs]
    within = {f"{step:g}": sum(d <= step + 1e-9 for d in differences) / len(pairs) for step in STEPS}
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    return {
        "spearman": pearson(ranks(xs), ranks(ys)),
        "pearson": pearson(xs, ys),
        "mean_difference": mean(differences),
        "median_difference": statistics.median(differences),
        "sd_difference": statistics.stdev(differences) if len(differences) > 1 else None,
        "within": {**within, "more": 1.0},
        **dict.fromkeys(("agreement", "kappa", "balanced_f1", "win_rate_a", "win_rate_b")),
    }


def ranks(values: list[float]) -> list[float]:
    """Average ranks, 1 for the lowest."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def pearson(xs: list[float], ys: list[float]) -> float | None:
    """The correlation; None with fewer than 3 items or a constant side."""
    if len(xs) < 3 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    return statistics.correlation(xs, ys)
