"""How often a judge prefers the longer of two answers, by plain loops.

Readings:
 1. Length is the number of characters of the stored text of the transform asked for; an empty text has length
    0, an answer without a row or without a text has none and is in no pair.
 2. Pairwise: the votes of `votes`, of whoever answered. Other paradigms: the sign of the difference of two of
    the judge's scores of one question; no score, no pair. No score needs a reference.
 3. A judge without any pair of unequal lengths has no row.
"""

from itertools import combinations
from typing import Any

from plain.asking import Query, models, named
from plain.opinions import Scores, scores_of_opinions, scores_of_rows, verdicts
from plain.outside import question
from plain.scores import sign
from plain.study import PlainStudy
from plain.votes import cast_votes

Fields = dict[str, Any]
Preference = tuple[str, str, str, str, float]
"""Judge, instance, one generator, another, and the first's share of the vote."""


def length(study: PlainStudy, **options: Any) -> list[Fields]:
    """A row for each shown judge that has a pair of answers of unequal length."""
    query = question(study, **options)
    characters = lengths(query)
    rows = []
    for judge in models(query):
        shares, of_others = [], []
        for voter, instance_id, one, other, share in preferences(query):
            sizes = [characters.get((instance_id, generator)) for generator in (one, other)]
            if voter != judge or None in sizes or sizes[0] == sizes[1]:
                continue
            longer = share if sizes[0] > sizes[1] else 1 - share  # type: ignore[operator]
            shares.append(longer)
            if judge not in (one, other):
                of_others.append(longer)
        if shares and named(options.get("judges"), judge):
            rows.append(
                {
                    "judge": judge,
                    "longer": sum(shares) / len(shares),
                    "longer_of_others": sum(of_others) / len(of_others) if of_others else None,
                    "n": len(shares),
                    "n_others": len(of_others),
                    "small": len(shares) < 30,
                }
            )
    return rows


def lengths(query: Query) -> dict[tuple[str, str], int]:
    """The number of characters of each answer with a text."""
    return {
        (row["instance_id"], row["generator"]): len(row["text"])
        for row in query.study.responses
        if row["transform"] == query.options["transform"] and row["text"] is not None
    }


def preferences(query: Query) -> list[Preference]:
    """Every pair of answers that a judge orders, once."""
    return query.remembered("preferences of answers", lambda: _preferences(query))  # type: ignore[no-any-return]


def _preferences(query: Query) -> list[Preference]:
    if query.paradigm == "pairwise":
        place = {model: n for n, model in enumerate(models(query))}
        return [
            (vote.judge, vote.instance_id, vote.target, vote.other, vote.value)
            for vote in cast_votes(query)
            if place[vote.target] < place[vote.other]
        ]
    given: Scores
    if query.is_rubric_paradigm:
        given = scores_of_opinions(query, verdicts(query, "any").opinions)
    else:
        given, _missing = scores_of_rows(query)
    by_question: dict[tuple[str, str], dict[str, float]] = {}
    for (judge, instance_id, generator), score in given.items():
        by_question.setdefault((judge, instance_id), {})[generator] = score
    return [
        (judge, instance_id, one, other, (1 + sign(scores[one] - scores[other])) / 2)
        for (judge, instance_id), scores in by_question.items()
        for one, other in combinations(scores, 2)
    ]
