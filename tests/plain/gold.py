"""Which of two responses is truly better: preferences, else reference scores (MEASURES sections 10 and 11).

Readings:
 1. A study with any preference has preferences: pairs that they say nothing of have no truth. A reference
    asked for by name stands in their place.
 2. A model that rewrote either response is not among the sources of that pair.
"""

from plain.asking import Query
from plain.scores import sign, true_score


def votes_for(query: Query, judge: str, instance_id: str, one: str, two: str) -> dict[str, float]:
    """Source -> 1, 0.5 or 0 for `one`; the reference is a source of its own."""
    if query.study.preferences and query.reference is None:
        return preferences_for(query, instance_id, one, two)
    scores = [true_score(query, judge, instance_id, model) for model in (one, two)]
    if any(isinstance(score, str) for score in scores):
        return {}
    return {"reference": (1 + sign(scores[0] - scores[1])) / 2}  # type: ignore[operator]


def preferences_for(query: Query, instance_id: str, one: str, two: str) -> dict[str, float]:
    """The votes of the gold judges and people."""

    def group() -> dict[tuple[str, str, str], dict[str, float]]:
        votes: dict[tuple[str, str, str], dict[str, float]] = {}
        for row in query.study.preferences:
            x, g, o = row["instance_id"], row["generator"], row["opponent"]
            votes.setdefault((x, g, o), {})[row["source"]] = (1 + row["outcome"]) / 2
            votes.setdefault((x, o, g), {})[row["source"]] = (1 - row["outcome"]) / 2
        return votes

    votes = query.remembered("preferences", group).get((instance_id, one, two), {})
    rewriters = {
        row["transformed_by"]
        for row in query.study.responses
        if query.transform != "none"
        and row["transform"] == query.transform
        and row["instance_id"] == instance_id
        and row["generator"] in (one, two)
    }
    return {source: vote for source, vote in votes.items() if source not in rewriters}


def oracle(votes: dict[str, float]) -> int | None:
    """G: 1 or 0 if more than half of all votes say so, else None."""
    if 2 * sum(vote == 1 for vote in votes.values()) > len(votes):
        return 1
    if 2 * sum(vote == 0 for vote in votes.values()) > len(votes):
        return 0
    return None


def gold_win(votes: dict[str, float]) -> float | None:
    """1, 0.5 or 0 by the mean vote; None without any."""
    if not votes:
        return None
    return (1 + sign(sum(votes.values()) / len(votes) - 0.5)) / 2


def agreed_win(votes: dict[str, float]) -> float | None:
    """1 or 0 if two gold judges or more name the winner, and more than name the other; else None."""
    ayes, noes = (sum(vote == side for vote in votes.values()) for side in (1, 0))
    if max(ayes, noes) < 2 or ayes == noes:
        return None
    return float(ayes > noes)
