"""The models' ranking by the votes of all judges together, by plain loops.

Readings:
 1. Votes are those of `votes`: one for each judge and pair with an outcome; the strengths too, with its half
    a vote each way for each model that has a vote.
 2. Without self: the pairs with the judge's own answer leave; without family: those with an answer of its
    family or its own. A model without a vote left has no row.
"""

from typing import Any

from plain.asking import models, named, relation
from plain.corrected import ranks
from plain.outside import question
from plain.study import PlainStudy
from plain.votes import cast_votes, strengths

WITHOUT: dict[str, tuple[str, ...]] = {
    "all": (),
    "all-without-self": ("self",),
    "all-without-family": ("self", "family"),
}


def vote_ranking(study: PlainStudy, **options: Any) -> list[dict[str, Any]]:
    """A row for each set of votes and each model that has one."""
    query = question(study, **{**options, "paradigm": "pairwise"})
    cast = [vote for vote in cast_votes(query) if named(options.get("judges"), vote.judge)]
    rows = []
    for by, left in WITHOUT.items():
        votes = [
            vote
            for vote in cast
            if not any(relation(query, vote.judge, model) in left for model in (vote.target, vote.other))
        ]
        won: dict[tuple[str, str], float] = {}
        for vote in votes:
            pair = vote.target, vote.other
            won[pair] = won.get(pair, 0.0) + vote.value
        voted_on = [model for model in models(query) if any(vote.target == model for vote in votes)]
        strength = strengths(voted_on, won) if voted_on else {}
        places = ranks(strength)
        for model in voted_on:
            n = sum(vote.target == model for vote in votes)
            rows.append(
                {"by": by, "model": model, "rank": places[model], "strength": strength[model], "n": n}
            )
    return rows
