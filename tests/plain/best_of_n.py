"""What judges pick as the best of several answers, by plain loops.

Readings:
 1. A choice of judge J on an instance: every answer that J and the reference scored, J's own and at least one
    other. Of equal best ones (within 1e-9) each is picked with the same probability.
 2. It counts where the reference scores another of them above J's own.
 3. An outside judge b chooses from the same answers without those of its own family, if two remain and it
    scored them all; J chooses from these too. Where the reference scores one of them above J's own,
    own_beside and own_outside are means over these judges, then over instances. Costs are means over them in
    any choice.
 4. Pairs: each pair of J's own with an outcome and a gold vote is a choice of two, whose scores are the gold
    vote and one less it; outside judges are of neither answer's family, and their votes are averaged.
"""

from typing import Any

from plain.asking import mean, models, named, relation
from plain.gold import gold_win, votes_for
from plain.measures import instance_level
from plain.opinions import Scores as OfJudges
from plain.opinions import scores_of_opinions, scores_of_rows, verdicts, votes
from plain.outside import question
from plain.scores import TOLERANCE
from plain.study import PlainStudy
from plain.tastes import delete_one

Fields = dict[str, Any]
Scores = dict[str, float]
"""The scores of the answers to one instance, by generator."""


def best_of_n(study: PlainStudy, **options: Any) -> list[Fields]:
    """A row for each judge shown that has a choice."""
    query = question(study, **{**options, "level": "instance"})
    rows = []
    for judge in models(query):
        if not named(options.get("judges"), judge):
            continue
        choices = of_pairs(query, judge) if query.paradigm == "pairwise" else of_scores(query, judge)
        if choices:
            rows.append({"judge": judge, **summary(choices)})
    return rows


def summary(choices: list[Fields]) -> Fields:
    """The numbers of one judge."""
    better = [choice for choice in choices if choice["better"]]
    beside = [choice for choice in choices if choice["own_outside"] is not None]
    compared = [choice for choice in choices if choice["cost"] is not None]
    excess = [(choice["x"], choice["own_beside"] - choice["own_outside"]) for choice in beside]

    def without(x: str | None) -> float | None:
        return mean([value for instance, value in excess if instance != x])

    instances = {x for x, _value in excess}
    return {
        "own_picked": mean([choice["own"] for choice in better]),
        "picked_beside": mean([choice["own_beside"] for choice in beside]),
        "picked_outside": mean([choice["own_outside"] for choice in beside]),
        "pick_excess": without(None),
        "pick_excess_se": delete_one(without, instances, instances).se,
        "lost_by_picks": mean([choice["lost"] for choice in choices]),
        "lost_to_own": mean([choice["lost_to_own"] for choice in choices]),
        "lost_beyond": mean([choice["cost"] for choice in compared]),
        "n": len(better),
        "n_beside": len(beside),
        "choices": len(choices),
        "answers": mean([choice["answers"] for choice in choices]),
    }


def of_scores(query: Any, judge: str) -> list[Fields]:
    """A judge's choices by its scores."""
    scored, _ = query.remembered("scored", lambda: instance_level(query))
    given: dict[str, dict[str, Scores]] = {}
    for (who, x, generator), value in query.remembered("given", lambda: scores_given(query)).items():
        given.setdefault(x, {}).setdefault(who, {})[generator] = value
    choices = []
    for x, by_judge in given.items():
        truth = {
            one.generator: one.true_score for one in scored if one.instance_id == x and one.judge == judge
        }
        mine = {generator: by_judge[judge][generator] for generator in truth}
        if judge not in mine or len(mine) < 2:
            continue
        choice = {"x": x, "answers": len(mine), **chosen(mine, truth, judge)}
        theirs = [
            pair
            for b in models(query)
            if relation(query, judge, b) == "other"
            for pair in beside(query, b, by_judge.get(b, {}), mine, truth, judge)
        ]
        worse = [(own, other) for own, other in theirs if own["better"]]
        choice["own_beside"] = mean([own["own"] for own, _other in worse])
        choice["own_outside"] = mean([other["own"] for _own, other in worse])
        choice["cost"] = mean([own["lost"] - other["lost"] for own, other in theirs])
        choices.append(choice)
    return choices


def scores_given(query: Any) -> OfJudges:
    """Every judge's scores, whatever the reference."""
    if query.is_rubric_paradigm:
        return scores_of_opinions(query, verdicts(query, "any").opinions)
    return scores_of_rows(query)[0]


def beside(
    query: Any, b: str, scores: Scores, mine: Scores, truth: Scores, judge: str
) -> list[tuple[Fields, Fields]]:
    """What the judge and an outside judge choose from the answers of other families than the latter's."""
    among = [generator for generator in mine if relation(query, b, generator) == "other"]
    if len(among) < 2 or any(generator not in scores for generator in among):
        return []
    true = {generator: truth[generator] for generator in among}
    return [
        (
            chosen({generator: mine[generator] for generator in among}, true, judge),
            chosen({generator: scores[generator] for generator in among}, true, judge),
        )
    ]


def chosen(scores: Scores, truth: Scores, own: str) -> Fields:
    """How likely it is to pick `own`, and what its pick loses."""
    best = max(scores.values())
    picks = [generator for generator, value in scores.items() if value >= best - TOLERANCE]
    highest = max(truth.values())
    share = float(own in picks) / len(picks)
    return {
        "own": share,
        "better": highest > truth[own] + TOLERANCE,
        "lost": highest - sum(truth[generator] for generator in picks) / len(picks),
        "lost_to_own": share * (highest - truth[own]),
    }


def of_pairs(query: Any, judge: str) -> list[Fields]:
    """A judge's choices between its own answer and another."""
    outcomes = query.remembered("outcomes", lambda: votes(query)[0])
    choices = []
    for vote in outcomes:
        if vote.judge != judge or vote.target != judge:
            continue
        gold = gold_win(votes_for(query, judge, vote.instance_id, judge, vote.other))
        if gold is None:
            continue
        theirs = mean(
            [
                other.value
                for other in outcomes
                if (other.instance_id, other.target, other.other) == (vote.instance_id, judge, vote.other)
                and relation(query, judge, other.judge) == relation(query, vote.other, other.judge) == "other"
            ]
        )
        lost = lost_by(vote.value, gold)
        worse = gold < 0.5
        known = worse and theirs is not None
        choices.append(
            {
                "x": vote.instance_id,
                "answers": 2,
                "own": vote.value,
                "better": worse,
                "lost": lost,
                "lost_to_own": lost if worse else 0.0,
                "own_beside": vote.value if known else None,
                "own_outside": theirs if known else None,
                "cost": None if theirs is None else lost - lost_by(theirs, gold),
            }
        )
    return choices


def lost_by(vote: float, gold: float) -> float:
    """What picking the judge's own with this probability loses of the gold vote."""
    return max(gold, 1 - gold) - vote * gold - (1 - vote) * (1 - gold)
