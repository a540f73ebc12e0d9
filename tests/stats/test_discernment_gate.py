"""No conclusion stands if a judge's discernment explains it."""

import numpy as np
import pytest

from engine.stats.conclusion_rules import Evidence, conclude
from engine.stats.few_events import Estimates


def concluded(value, discerned, *, se=0.1, discerned_se=0.1, taste=0.0, judge_taste=None):
    """Conclude on one judge with 30 degrees of freedom and no ratio."""
    nothing = np.array([np.nan])

    def one(number, error):
        return Estimates(np.array([number]), np.array([error]), np.array([30]))

    evidence = Evidence(
        "odds",
        one(value, se),
        [None],
        [None],
        taste,
        np.array([taste if judge_taste is None else judge_taste]),
        nothing,
        nothing,
        one(discerned, discerned_se),
    )
    conclusions = conclude(evidence)
    return conclusions.conclusion[0], conclusions.reason[0]


@pytest.mark.parametrize(
    ("value", "discerned", "conclusion"),
    [
        (1.0, 0.9, ("favours_itself", None)),
        (-1.0, -0.9, ("disfavours_itself", None)),
        (1.0, 0.05, ("inconclusive", "discernment")),
        (1.0, -0.9, ("inconclusive", "discernment")),
        (0.01, 0.9, ("inconclusive", "undecided")),
        (1.0, np.nan, ("favours_itself", None)),
    ],
)
def test_a_conclusion_must_also_hold_after_subtracting_discernment(value, discerned, conclusion):
    assert concluded(value, discerned) == conclusion


def test_a_claim_that_holds_after_discernment_only_without_tastes_is_leaning():
    # errors with tastes: sqrt(.1^2 + .2^2) = .22 and 1.0 / .22 = 4.5; .3 / .1 = 3 without and .3 / .22 = 1.3
    assert concluded(1.0, 0.3, taste=0.04) == ("leans_to_itself", None)
    assert concluded(1.0, 1.0, taste=0.04) == ("favours_itself", None)


def test_a_claim_that_the_judges_own_tastes_could_explain_is_leaning():
    # errors: sqrt(.1^2 + .1^2) = .14 with everybody's tastes, 1.0 / .14 = 7; with its own .51, 1 / .51 = 1.96
    assert concluded(1.0, 1.0, taste=0.01, judge_taste=0.25) == ("leans_to_itself", None)
    assert concluded(-1.0, -1.0, taste=0.01, judge_taste=0.25) == ("leans_against_itself", None)
    assert concluded(1.0, 1.0, taste=0.01) == ("favours_itself", None)
