"""Rankings of the generators by plain loops (MEASURES sections 3 and 14).

Readings:
 1. A system score is the mean over the source's complete instances: those in which it has a score for every
    generator of which it has any.
 2. `all` is the mean over judges of their system scores; without self (or family) that of the judges that are
    not the model (not of its family). A judge without a score for a model takes no part in its mean.
 3. A committee's and a reference's scores come from their verdicts, over the rubrics kept. Rank 1 is the
    highest; scores within 1e-9 share the mean of their ranks. A model without a score has no row.
 4. No judge's score needs a reference.
 5. The reference and the committees are ranked over instances that are complete for some judge shown.
 6. A ranking and the reference's are compared over the instances complete for both; of several judges the
    reference's is the mean of what stands beside each.
"""

from typing import Any

from plain.asking import (
    Query,
    RefusedError,
    ask,
    first_of_repeats,
    is_shown,
    mean,
    models,
    named,
    relation,
    rows_asked,
    rubrics_of,
)
from plain.filters import instance_is_kept, rubric_is_kept
from plain.scores import clipped, score
from plain.study import PlainStudy, Row
from plain.truth import committee_of_judge, reference_verdict, verdicts_by_item

Scores = dict[tuple[str, str], float]
"""By instance and generator."""


def ranking(study: PlainStudy, **options: Any) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """A row for each source and model."""
    query = ask(study, **{**options, "level": "instance"})
    by_judge, others = sources(query)
    tables = combined(query, {judge: system_scores(query, scores) for judge, scores in by_judge.items()})
    tables |= {name: system_scores(query, scores) for name, scores in others.items()}
    rows = []
    for by, scores in tables.items():
        for model in models(query):
            if model in scores:
                higher = sum(other > scores[model] + 1e-9 for other in scores.values())
                equal = sum(abs(other - scores[model]) <= 1e-9 for other in scores.values())
                rank = higher + (equal + 1) / 2
                rows.append({"by": by, "model": model, "rank": rank, "score": scores[model]})
    return rows, {}


def beside_reference(study: PlainStudy, **options: Any) -> dict[str, tuple[dict[str, float], ...]]:
    """For each source but the reference its scores of the models, and the reference's beside them."""
    query = ask(study, **{**options, "level": "instance"})
    by_judge, others = sources(query)
    truth = others.pop("reference")
    own, true = {}, {}
    for name, scores in {**by_judge, **others}.items():
        both = complete(scores) & complete(truth)
        own[name], true[name] = (
            system_scores(query, {at: value for at, value in of.items() if at[0] in both})
            for of in (scores, truth)
        )
        true[name] = {model: value for model, value in true[name].items() if model in own[name]}
    sides = []
    for scores in (own, true):
        of_judges = {judge: scores[judge] for judge in by_judge}
        sides.append(combined(query, of_judges) | {name: scores[name] for name in others})
    return {name: (sides[0][name], sides[1][name]) for name in sides[0]}


def sources(query: Query) -> tuple[dict[str, Scores], dict[str, Scores]]:
    """The scores by each judge, and by each committee and the reference where some judge is complete."""
    if query.paradigm == "pairwise":
        raise RefusedError("pairs have no scores")
    by_judge = judges_scores(query)
    judged = {instance for scores in by_judge.values() for instance in complete(scores)}
    verdicts = {
        f"committee:{name}": lambda item, name=name: committee_of_judge(query, name, "", item)
        for name in query.study.committees
    } | {"reference": lambda item: reference_verdict(query, "", item)}
    others = {name: scores_of(query, verdict) for name, verdict in verdicts.items()}
    return by_judge, {
        name: {at: value for at, value in scores.items() if at[0] in judged}
        for name, scores in others.items()
    }


def combined(query: Query, by_judge: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The scores of the models by each judge that has some, and by all of them together in three ways."""
    judges = {judge: by_judge[judge] for judge in models(query) if by_judge.get(judge)}
    tables = dict(judges)
    for name, out in (
        ("all", ()),
        ("all-without-self", ("self",)),
        ("all-without-family", ("self", "family")),
    ):
        tables[name] = {}
        for model in models(query):
            values = [
                scores[model]
                for judge, scores in judges.items()
                if model in scores and relation(query, judge, model) not in out
            ]
            if values:
                tables[name][model] = sum(values) / len(values)
    return tables


def judges_scores(query: Query) -> dict[str, Scores]:
    """Every shown judge's scores of single responses."""
    by_judge: dict[str, Scores] = {}
    if query.paradigm == "direct_assessment":
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in rows_asked(query):
            if row["status"] == "ok" and is_shown(query, row) and instance_is_kept(query, row["instance_id"]):
                groups.setdefault((row["judge"], row["instance_id"], row["generator"]), []).append(row)
        for (judge, instance_id, generator), rows in groups.items():
            used = [first_of_repeats(rows)] if query.repeats == "first" else rows
            given = mean([min(1.0, row["score"]) for row in used])
            assert given is not None
            by_judge.setdefault(judge, {})[instance_id, generator] = given
        return by_judge
    by_item = verdicts_by_item(query)
    for judge in {judge for verdicts in by_item.values() for judge in verdicts}:
        if named(query.judges, judge):
            by_judge[judge] = scores_of(query, lambda item, judge=judge: by_item.get(item, {}).get(judge))
    return by_judge


def scores_of(query: Query, verdict: Any) -> Scores:
    """The scores of the responses with a verdict on all kept rubrics."""
    scores: Scores = {}
    for instance in query.study.instances:
        instance_id = instance["instance_id"]
        rubrics = [rubric for rubric in rubrics_of(query, instance_id) if rubric_is_kept(query, rubric)]
        for generator in generators_judged(query):
            verdicts = [verdict((instance_id, generator, rubric["rubric_id"])) for rubric in rubrics]
            if all(isinstance(met, bool) for met in verdicts):
                value = score(query.scores, list(zip(rubrics, verdicts, strict=True)))
                if value is not None:
                    scores[instance_id, generator] = value
    return scores


def generators_judged(query: Query) -> list[str]:
    """The shown generators with a judgment of any status."""
    present = {row["generator"] for row in rows_asked(query)}
    return [model for model in models(query) if model in present and named(query.generators, model)]


def complete(scores: Scores) -> set[str]:
    """The instances with a score of every generator that has any."""
    generators = {generator for _instance, generator in scores}
    instances = {instance for instance, _generator in scores}
    return {each for each in instances if all((each, generator) in scores for generator in generators)}


def system_scores(query: Query, scores: Scores) -> dict[str, float]:
    """The mean score of each generator over the complete instances."""
    instances = complete(scores)
    if not instances:
        return {}
    means = {
        generator: sum(scores[instance, generator] for instance in instances) / len(instances)
        for generator in {generator for _instance, generator in scores}
    }
    if query.scores == "weighted_mean_clipped":
        return {generator: clipped(value) for generator, value in means.items()}
    return means
