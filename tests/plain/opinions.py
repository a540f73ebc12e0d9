"""Judges' verdicts on their own and others' responses, for `outside` (MEASURES section 15).

Readings:
 1. The judges asked for are those shown: outside judges are all judges of the study, and what is left out is
    counted over all of them. Generators shrink everything, the judge's own response included, as in `hspp`.
 2. A verdict is held against the reference of its own judge; both judges of a cell must have one that counts.
    `common` (over all judges) comes before the choice by truth. `truth = any` looks at no reference at all.
 3. A verdict is missing where the judge has a row in the slice, of any status, and no merged verdict; a score
    where it has a row on the response; a pair where it has a row and no outcome. What was never asked is not
    missing. With a truth asked for, only cells that have it.
 4. Scores: of rubric verdicts, complete over the kept rubrics that the judge has rows on the response for; of
    score rubrics, (score - lowest option) / (highest - lowest), the options those of the row's ordering or
    of the rubric (without either from 0 to 1), one less that where points are below 0; the mean over trials,
    then over orderings, then over the instance's kept criteria that anybody was asked for: all must be there.
 5. Pairs are of variant `default`, where no pairwise row is of it `forced`, then `forced_tie`. Own pairs: the
    opponent outside fam(J); `opponents = all`: any. `lost`, `tied`, `won` by section 11's gold vote for the
    target; `equal` by section 9's Q and epsilon.
"""

import json
from typing import Any, NamedTuple

from plain.asking import Query, first_of_repeats, is_shown, mean, rows_asked, rubric_of, rubrics_of
from plain.equal_quality import Rules, quality_of
from plain.filters import instance_is_kept, is_favourable, rubric_is_kept
from plain.gold import gold_win, votes_for
from plain.judged import all_pairs, outcome_of
from plain.scores import TOLERANCE, RubricsByResponse, kept_rubrics, score
from plain.study import Row
from plain.truth import merged_verdict, reference_verdict
from plain.verdicts import only_common, rows_in_slice


class Opinion(NamedTuple):
    """A judge's merged verdict on one cell."""

    judge: str
    instance_id: str
    rubric_id: str
    generator: str
    favourable: bool


class Vote(NamedTuple):
    """A judge's outcome of one pair for its target: 1, 0.5 or 0."""

    judge: str
    instance_id: str
    target: str
    other: str
    value: float


class Verdicts(NamedTuple):
    """The opinions that count, and the cells without one: (judge, instance, rubric, generator)."""

    opinions: list[Opinion]
    missing: list[tuple[str, str, str, str]]


Scores = dict[tuple[str, str, str], float]
"""By judge, instance and generator."""


def verdicts(query: Query, truth: str) -> Verdicts:
    """Every judge's rubric verdicts on cells that the reference calls `failed` or `met`, or on `any`."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows_in_slice(query):
        item = (row["instance_id"], row["generator"], row["rubric_id"])
        if truth != "any" and row["status"] == "ok":
            reference = reference_verdict(query, row["judge"], item)
            if isinstance(reference, str):
                query.left_out[reference] += 1
                continue
        if row["status"] != "ok":
            query.left_out[row["status"]] += 1
        groups.setdefault((row["judge"], row["instance_id"], row["rubric_id"], row["generator"]), []).append(
            row
        )
    opinions, missing = [], []
    for (judge, instance_id, rubric_id, generator), rows in groups.items():
        rubric = rubric_of(query, instance_id, rubric_id)
        ok = [row for row in rows if row["status"] == "ok"]
        met = merged_verdict(query, ok) if ok else None  # type: ignore[arg-type]
        query.left_out["merged"] += len(ok) - (met is not None)
        if met is not None:
            opinions.append(Opinion(judge, instance_id, rubric_id, generator, is_favourable(rubric, met)))
        elif has_truth(query, judge, (instance_id, generator, rubric_id), truth):
            missing.append((judge, instance_id, rubric_id, generator))
    counted = [
        o
        for o in only_common(query, opinions)
        if has_truth(query, o.judge, (o.instance_id, o.generator, o.rubric_id), truth)
    ]
    return Verdicts(counted, missing)


def has_truth(query: Query, judge: str, item: tuple[str, str, str], truth: str) -> bool:
    """Whether the reference agrees with the requested truth of the cell."""
    if truth == "any":
        return True
    reference = reference_verdict(query, judge, item)
    if isinstance(reference, str):
        return False
    return is_favourable(rubric_of(query, item[0], item[2]), reference) == (truth == "met")


def scores_of_opinions(
    query: Query, opinions: list[Opinion], rubrics_by_response: RubricsByResponse | None = None
) -> Scores:
    """The scores of the responses whose kept rubrics all have a verdict."""
    by_item = {(o.judge, o.instance_id, o.generator, o.rubric_id): o.favourable for o in opinions}
    scores = {}
    for (judge, instance_id, generator), rubric_ids in (rubrics_by_response or kept_rubrics(query)).items():
        given = []
        for rubric_id in rubric_ids:
            favourable = by_item.get((judge, instance_id, generator, rubric_id))
            rubric = rubric_of(query, instance_id, rubric_id)
            if favourable is not None:
                given.append(
                    (rubric, is_favourable(rubric, favourable))
                )  # met and favourable are swapped together
        value = score(query.scores, given) if len(given) == len(rubric_ids) else None
        if value is not None:
            scores[judge, instance_id, generator] = value
    return scores


def scores_of_rows(query: Query) -> tuple[Scores, list[tuple[str, str, str]]]:
    """Direct assessments or score rubrics: the scores, and the judged responses without one."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows_asked(query):
        if is_shown(query, row):
            groups.setdefault((row["judge"], row["instance_id"], row["generator"]), []).append(row)
    scores, missing = {}, []
    for key, rows in groups.items():
        ok = []
        for row in rows:
            if row["status"] == "ok":
                ok.append(row)
            else:
                query.left_out[row["status"]] += 1
        if query.paradigm == "direct_assessment":
            if not instance_is_kept(query, key[1]):
                continue
            used = [first_of_repeats(ok)] if ok and query.repeats == "first" else ok
            value = mean([min(1.0, row["score"]) for row in used])
        else:
            value = rubric_score(query, key[1], ok)
        if value is None:
            missing.append(key)
        else:
            scores[key] = value
    return scores, missing


def rubric_score(query: Query, instance_id: str, rows: list[Row]) -> float | None:
    """The mean over an instance's kept criteria of the scores as fractions of their scales."""
    values = []
    for rubric in rubrics_of(query, instance_id):
        key = (instance_id, rubric["rubric_id"])
        if rubric_is_kept(query, rubric) and key in criteria_of(query):
            of_it = [row for row in rows if row["rubric_id"] == key[1]]
            values.append(criterion_score(rubric, of_it, first=query.repeats == "first"))
    return None if None in values or not values else mean(values)  # type: ignore[arg-type]


def criteria_of(query: Query) -> set[tuple[str, str]]:
    """The (instance, rubric) that any judge was asked to score."""
    return query.remembered(
        "criteria",
        lambda: {(row["instance_id"], row["rubric_id"]) for row in rows_asked(query)},
    )


def criterion_score(rubric: Row, rows: list[Row], *, first: bool = False) -> float | None:
    """One criterion's fraction: the mean of each ordering's trials (or its first), then of the orderings."""
    by_ordering: dict[Any, list[float]] = {}
    if first:
        orderings = {row["ordering"] for row in rows}
        rows = [first_of_repeats([row for row in rows if row["ordering"] == one]) for one in orderings]
    for row in rows:
        share = fraction(rubric, row["ordering"], row["score"])
        if share is not None:
            by_ordering.setdefault(row["ordering"], []).append(share)
    means = [sum(shares) / len(shares) for shares in by_ordering.values()]
    return mean(means)


def fraction(rubric: Row, ordering: str | None, score: float) -> float | None:
    """A score on its scale: of the ordering, else of the rubric's options, else from 0 to 1; or None."""
    scale = [0.0, 1.0]
    if ordering:
        scale = [float(option) for option in ordering.split("-")]
    elif rubric["options"]:
        scale = [float(option["score"]) for option in json.loads(rubric["options"])]
    share = (score - min(scale)) / (max(scale) - min(scale))
    if not 0 <= share <= 1:
        return None
    return 1 - share if rubric["points"] < 0 else share


def votes(query: Query) -> tuple[list[Vote], list[tuple[str, str, str, str]]]:
    """Every pair's outcome seen from either response; likewise the pairs with a row but no outcome."""
    outcomes, missing = [], []
    for pair in all_pairs(query):
        outcome = outcome_of(pair)
        for target, other in ((pair.one, pair.two), (pair.two, pair.one)):
            if outcome is None:
                missing.append((pair.judge, pair.instance_id, target, other))
            else:
                value = (1 + pair.turned_to(target) * outcome) / 2
                outcomes.append(Vote(pair.judge, pair.instance_id, target, other, value))
    return outcomes, missing


def is_kind(query: Query, kind: str, rules: Rules, judge: str, x: str, target: str, other: str) -> bool:
    """Whether a pair is of the requested kind, seen from its target."""
    if kind == "all":
        return True
    if kind == "equal":
        quality: Any = query.remembered("quality", lambda: quality_of(query, rules))
        mine, theirs = quality.get((judge, x, target)), quality.get((judge, x, other))
        return mine is not None and theirs is not None and abs(mine - theirs) <= rules.epsilon + TOLERANCE
    return gold_win(votes_for(query, judge, x, target, other)) == {"lost": 0.0, "tied": 0.5, "won": 1.0}[kind]
