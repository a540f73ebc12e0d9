"""`vote-ranking`: all judges' votes together, with and without those on own and family's responses."""

import itertools
from math import log

import pandas as pd
import pytest

import engine
from engine.views.audit import answers

FAMILIES = {"A": "a", "B": "b", "C": "c", "A2": "a"}


def votes(judge: str, better: dict[str, float], questions: int = 6, models=("A", "B", "C")):
    """Return a judge's votes in both orders: for the better answer; of equal ones the first shown."""
    for question, (one, two) in itertools.product(range(questions), itertools.combinations(models, 2)):
        for first in ("generator", "opponent"):
            choice = "generator" if better[one] > better[two] else "opponent"
            if better[one] == better[two]:
                choice = first
            yield {
                "judge": judge,
                "generator": one,
                "opponent": two,
                "instance_id": f"q{question}",
                "first": first,
                "choice": choice,
            }


def study_of(rows) -> engine.Study:
    rows = list(rows)
    models = {row[role] for row in rows for role in ("judge", "generator", "opponent")}
    families = {model: FAMILIES[model] for model in models}
    return engine.from_frame(pd.DataFrame(rows), families=families)


def ranks(study: engine.Study, by: str) -> dict[str, float]:
    rows = study.result("vote-ranking", resamples=0).rows
    return {row["model"]: row["rank"] for row in rows if row["by"] == by}


def test_a_judge_that_votes_for_itself_lifts_its_rank_only_with_its_own_votes():
    # C finds B best, then C, then A. A votes for itself, and for C over B: each wins half of all votes.
    rows = [
        *votes("A", {"A": 9.0, "B": 0.0, "C": 1.0}),
        *votes("C", {"A": 0.0, "B": 2.0, "C": 1.0}),
    ]

    study = study_of(rows)

    assert ranks(study, "all") == {"A": 2, "B": 2, "C": 2}
    # Left: A on B and C (for C), and C on A and B (for B).
    assert ranks(study, "all-without-self") == {"C": 1, "B": 2, "A": 3}


def test_strengths_are_bradley_and_terrys():
    # Of two models: A wins 5 of 6 votes of C. With half a vote each against a model of strength 1:
    # score of A: 5 - 6 s + .5 - e_A = 0 with s = P(A over B), e = P(A over that model); by symmetry the
    # strengths are t and -t, so 5.5 - 6 / (1 + exp(-2t)) - 1 / (1 + exp(-t)) = 0.
    rows = list(votes("C", {"A": 1.0, "B": 0.0}, 5, ("A", "B")))
    rows += [row | {"instance_id": "q9"} for row in votes("C", {"A": 0.0, "B": 1.0}, 1, ("A", "B"))]

    strengths = {
        row["model"]: row["strength"]
        for row in study_of(rows).result("vote-ranking", resamples=0).rows
        if row["by"] == "all"
    }

    t = strengths["A"]
    assert strengths["B"] == pytest.approx(-t)
    share = lambda x: 1 / (1 + pow(2.718281828459045, -x))  # noqa: E731
    assert 5.5 - 6 * share(2 * t) - share(t) == pytest.approx(0, abs=1e-6)
    assert t < log(5)


def test_the_familys_answers_are_left_out_with_the_judges_own():
    every = ("A", "A2", "B", "C")
    others = {"A": 0.0, "A2": 1.0, "B": 2.0, "C": 3.0}
    rows = [
        *votes("A", {"A": 9.0, "A2": 8.0, "B": 1.0, "C": 0.0}, models=every),
        *votes("B", others, models=every),
    ]

    study = study_of(rows)

    counts = {(row["by"], row["model"]): row["n"] for row in study.result("vote-ranking", resamples=0).rows}
    # Judge A's pairs without its family: B and C alone. Judge B's without its own: A-A2, A-C, A2-C.
    assert counts["all-without-family", "A"] == 6 * 2
    assert counts["all-without-family", "C"] == 6 * (1 + 2)
    assert counts["all-without-self", "A2"] == 6 * (2 + 2)


def test_an_audit_ranks_by_votes_and_says_where_none_is_left():
    rows = [row for judge in ("A", "B") for row in votes(judge, {"A": 2.0, "B": 1.0}, models=("A", "B"))]

    section = {each.section.name: each for each in answers(study_of(rows))}["ranking"]

    assert section.is_answered
    text = " ".join(section.sentences)
    assert "Without votes on pairs with the judge's own answer none is left." in text
    assert section.exhibits[0].shown.commands == ("study.vote_ranking()",)
