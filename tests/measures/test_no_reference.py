"""What a study without a reference is advised is something that helps with its kind of judgment."""

import pytest
from plain.builders import compare, judge_rubrics, study_of

from engine.measures.no_reference import COMMITTEE_VOTES, PAIRS_ALONE, voters

JUDGES = ("J", "K", "A")


@pytest.mark.parametrize("measure", ["hspp", "accuracy", "overestimation"])
def test_pairs_alone_are_advised_no_reference_that_would_not_help(load, measure):
    study = study_of()
    for judge in JUDGES:
        for first in "JA":
            compare(study, judge, "J", "A", "generator" if first == "J" else "opponent", "generator")
    study.add("preferences", instance_id="x0", generator="J", opponent="A", source="human", outcome=1)

    result = load(study).result(measure, resamples=0)

    assert (result.rows, result.reason) == ([], PAIRS_ALONE)
    assert COMMITTEE_VOTES not in PAIRS_ALONE


@pytest.mark.parametrize("judges", [JUDGES[:2], JUDGES])
def test_a_vote_is_advised_only_where_enough_judges_have_verdicts_on_criteria(load, judges):
    plain = study_of()
    for judge in judges:
        judge_rubrics(plain, judge, "J", "1")
    compare(plain, "B", "J", "A", "generator", "generator")  # a judge of pairs alone
    study = load(plain)

    reason = str(study.result("accuracy", resamples=0).reason)

    enough = len(judges) == 3
    assert sorted(voters(study)) == (sorted(judges) if enough else [])
    assert (COMMITTEE_VOTES in reason) is enough
