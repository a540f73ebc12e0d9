"""Scores of a response on an instance, and comparisons of two (MEASURES sections 2 and 3)."""

from collections.abc import Iterator
from typing import NamedTuple

from plain.agreement import is_agreed
from plain.asking import Query, first_of_repeats, is_shown, mean, models, rows_asked, rubric_of, rubrics_of
from plain.filters import instance_is_kept, is_favourable, rubric_is_kept
from plain.study import Row
from plain.truth import NO_REFERENCE, REFERENCE_TIE, reference_verdict
from plain.verdicts import Verdict, only_common, rows_in_slice

TOLERANCE = 1e-9


class Scored(NamedTuple):
    """The judge's score of one response on one instance, and the reference's."""

    judge: str
    instance_id: str
    generator: str
    score: float
    true_score: float


class Comparison(NamedTuple):
    """How a judge and the reference order two responses: +1 the first is better, 0 equal, -1 the second."""

    judge: str
    instance_id: str
    first: str
    second: str
    judged: int
    true: int


def score(kind: str, verdicts: list[tuple[Row, bool]]) -> float | None:
    """The score of (rubric, met) pairs; None without any, or without a positive one if needed."""
    if not verdicts:
        return None
    if kind == "fraction":
        return sum(is_favourable(rubric, met) for rubric, met in verdicts) / len(verdicts)
    positive = [rubric["points"] for rubric, _met in verdicts if rubric["points"] > 0]
    if not positive:
        return None
    if kind == "uniform":
        gained = sum(met for rubric, met in verdicts if rubric["points"] > 0)
        lost = sum(met for rubric, met in verdicts if rubric["points"] < 0)
        return clipped((gained - lost) / len(positive))
    share = sum(rubric["points"] for rubric, met in verdicts if met) / sum(positive)
    return clipped(share) if kind == "weighted" else share


def clipped(value: float) -> float:
    """The value within [0, 1]."""
    return min(1.0, max(0.0, value))


def sign(difference: float) -> int:
    """+1, 0 or -1; differences below 1e-9 are ties."""
    if abs(difference) < TOLERANCE:
        return 0
    return 1 if difference > 0 else -1


def scores_from_verdicts(
    query: Query, verdicts: list[Verdict], rubrics_by_response: "RubricsByResponse"
) -> list[Scored]:
    """The scores of complete responses, and the count of those that are not.

    `rubrics_by_response`: for each response that the judge judged at all, the rubrics its score is over.
    """
    by_response: dict[tuple[str, str, str], dict[str, Verdict]] = {}
    for v in verdicts:
        by_response.setdefault((v.judge, v.instance_id, v.generator), {})[v.rubric_id] = v
    scored = []
    for (judge, instance_id, generator), rubric_ids in rubrics_by_response.items():
        by_rubric = by_response.get((judge, instance_id, generator), {})
        if any(rubric_id not in by_rubric for rubric_id in rubric_ids):
            query.left_out["incomplete"] += 1
            continue
        rubrics = [rubric_of(query, instance_id, rubric_id) for rubric_id in rubric_ids]
        judged = score(query.scores, [(r, by_rubric[r["rubric_id"]].met) for r in rubrics])
        true = score(query.scores, [(r, by_rubric[r["rubric_id"]].truly_met) for r in rubrics])
        if judged is not None and true is not None:
            scored.append(Scored(judge, instance_id, generator, judged, true))
    return scored


RubricsByResponse = dict[tuple[str, str, str], list[str]]


def kept_rubrics(query: Query) -> RubricsByResponse:
    """For each response with a row in the slice, of any status: the rubrics that its score is taken over."""
    rows = rows_in_slice(query)
    at_position: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        key = (row["judge"], row["instance_id"], row["generator"])
        at_position.setdefault(key, set()).add(row["rubric_id"])
    shared = query.memory.get("common cells")
    rubrics_by_response: RubricsByResponse = {}
    for (judge, instance_id, generator), with_rows in at_position.items():
        if shared is not None and (instance_id, generator) not in shared:
            continue
        rubrics_by_response[judge, instance_id, generator] = [
            rubric["rubric_id"]
            for rubric in rubrics_of(query, instance_id)
            if rubric_is_kept(query, rubric)
            and is_agreed(query, judge, (instance_id, generator, rubric["rubric_id"]))
            and (query.position is None or rubric["rubric_id"] in with_rows)
        ]
    return rubrics_by_response


def true_score(query: Query, judge: str, instance_id: str, generator: str) -> float | str:
    """The reference's score of a response over all rubrics of the instance, or why there is none."""
    rubrics = rubrics_of(query, instance_id)
    truths = [reference_verdict(query, judge, (instance_id, generator, r["rubric_id"])) for r in rubrics]
    if not rubrics or NO_REFERENCE in truths:
        return NO_REFERENCE
    if REFERENCE_TIE in truths:
        return REFERENCE_TIE
    result = score(query.scores, [(r, t is True) for r, t in zip(rubrics, truths, strict=True)])
    return NO_REFERENCE if result is None else result


def scores_from_assessments(query: Query) -> list[Scored]:
    """Direct assessment: the fraction that the judge gave, capped at 1, repeats averaged."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows_asked(query):
        if not is_shown(query, row) or not instance_is_kept(query, row["instance_id"]):
            continue
        if row["status"] != "ok":
            query.left_out[row["status"]] += 1
            continue
        truth = true_score(query, row["judge"], row["instance_id"], row["generator"])
        if isinstance(truth, str):
            query.left_out[truth] += 1
            continue
        groups.setdefault((row["judge"], row["instance_id"], row["generator"]), []).append(row)
    scored = []
    for (judge, instance_id, generator), rows in groups.items():
        query.left_out["merged"] += len(rows) - 1
        used = [first_of_repeats(rows)] if query.repeats == "first" else rows
        judged = mean([min(1.0, row["score"]) for row in used])
        truth = true_score(query, judge, instance_id, generator)
        assert judged is not None
        assert isinstance(truth, float)
        scored.append(Scored(judge, instance_id, generator, judged, truth))
    return only_common(query, scored)


def comparisons_of_scores(query: Query, scored: list[Scored]) -> Iterator[Comparison]:
    """Every unordered pair of responses that one judge scored on one instance."""
    order = {model: place for place, model in enumerate(models(query))}
    by_instance: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        by_instance.setdefault((one.judge, one.instance_id), []).append(one)
    for (judge, instance_id), responses in by_instance.items():
        responses.sort(key=lambda one: order[one.generator])
        for i, one in enumerate(responses):
            for two in responses[i + 1 :]:
                judged, true = sign(one.score - two.score), sign(one.true_score - two.true_score)
                yield Comparison(judge, instance_id, one.generator, two.generator, judged, true)
