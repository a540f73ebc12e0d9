"""Filters that keep nothing: the reason is what the study lacks, the same for the board and its measures."""

import itertools

import pandas as pd
import pytest
from plain.builders import judge_rubrics, refer, study_of

import engine
from engine.errors import UsageError
from engine.slices import FLAGS

MEASURES = ("scorecard", "hspp", "expected", "which-judge")

LACKING = {
    "polarity": ("negative", "no criteria, and so no points, which an import reads from a column 'points'"),
    "length": (
        "1:10",
        "no criteria, and so no texts of them, which an import reads from a column 'criterion'",
    ),
    "response_length": (
        "1:10",
        "the study has no texts of answers, which an import reads from a column 'response'",
    ),
    "position": (1, "position"),
    "min_agreement": (0.01, "criteria"),
    "axis": ("tone", "the study has no values of axis, which an import reads from a column 'axis'"),
    "theme": ("code", "the study has no values of theme, which an import reads from a column 'theme'"),
    "category": (
        "code",
        "the study has no values of category, which an import reads from a column 'category'",
    ),
    "language": ("en", "the study has no values of language, which an import reads from a column 'language'"),
    "segment": (
        "web",
        "the study has no values of segment, which an import reads from a column 'segment'",
    ),
    "checker": ("exact", "values of checker, which would be in the column 'checker' of the table rubrics"),
    "ordering": (
        "reversed",
        "values of ordering, which would be in the column 'ordering' of the table judgments",
    ),
    "transform": (
        "paraphrased",
        "values of transform, which would be in the column 'transform' of the table",
    ),
}
"""Filters of what pairs without texts lack, each with a value and what is said."""

COUNTS_OR_NAMES = {
    *("run", "paradigm", "variant", "level", "scores", "reference", "judges", "generators", "length_unit"),
    *("rubric_id", "agreement_of", "agreement_without_family", "relatives", "exclude_family"),
    *("leave_self_out", "repeats", "min_instances"),
}
"""Filters that say how is counted, or name what every study has and lists."""


@pytest.fixture(scope="module")
def bare():
    """Pairs by their models alone, in both orders: without texts, criteria, places or kinds of questions."""
    rows = [
        {
            "instance_id": f"q{number}",
            "judge": judge,
            "generator": "ada",
            "opponent": other,
            "first": first,
            "choice": ("generator", "opponent")[(number + len(judge)) % 2],
        }
        for number in range(6)
        for judge in ("ada", "bert")
        for other in ("bert", "carol")
        for first in ("generator", "opponent")
    ]
    return engine.from_frame(pd.DataFrame(rows), families={"ada": "a", "bert": "b", "carol": "c"})


def answer(study, measure, **filters):
    """Return the error, or the reason of a result without rows."""
    try:
        result = study.result(measure, resamples=0, **filters)
    except UsageError as error:
        return str(error)
    return "rows" if result.rows else str(result.reason)


def test_every_filter_is_either_of_what_a_study_may_lack_or_not():
    assert {*LACKING, *COUNTS_OR_NAMES} == {flag.name for flag in FLAGS}
    assert not COUNTS_OR_NAMES & {*LACKING}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", LACKING)
def test_what_the_study_lacks_is_the_reason(bare, measure, name):
    value, words = LACKING[name]

    reason = answer(bare, measure, **{name: value})

    assert words in reason
    assert "has judged its own answers" not in reason


@pytest.mark.parametrize("measure", MEASURES)
def test_two_filters_that_exclude_each_other_are_refused_by_every_measure(measure):
    study = engine.open_study("results/demo-health")

    for least in (0.01, 0.8):
        refused = answer(
            study, measure, min_agreement=least, agreement_of="verdict", agreement_without_family=True
        )
        assert refused == (
            "--agreement-of verdict and --agreement-without-family cannot be combined; leave one out"
        )


def test_places_are_those_of_the_paradigm_that_shows_several_criteria():
    study = engine.open_study("results/demo-verifiable")

    assert answer(study, "scorecard", position=1).startswith("single_rubric judgments have no places of crit")
    assert answer(study, "hspp", position=1) == answer(study, "scorecard", position=1)
    places = answer(study, "hspp", position=99, paradigm="all_rubrics")
    assert places == "no criterion was shown in such a place; the study's places are from 1 to 3"


def test_lengths_that_no_answer_has_are_answered_with_those_that_there_are():
    reason = answer(engine.open_study("results/demo-pairs"), "scorecard", response_length="1:2")

    assert reason.startswith("no answer has a length within the bounds; the study's are from ")


def test_an_agreement_that_no_criterion_reaches_is_answered_with_the_highest():
    """Three judges, of which one always differs: 1 of 3 pairs agree on every criterion."""
    verdicts = {"ada": True, "bert": True, "carol": False}
    rows = [
        {"instance_id": f"q{n}", "judge": judge, "generator": writer, "criterion": "right", "met": met,
         "reference_met": n % 2 == 0}
        for n in range(4)
        for judge, met in verdicts.items()
        for writer in verdicts
    ]  # fmt: skip
    study = engine.from_frame(
        pd.DataFrame(rows), set={"reference_source": "human"}, families={name: name for name in verdicts}
    )

    assert answer(study, "hspp", min_agreement=0.8) == (
        "there are no criteria on which at least 80% of the pairs of judges agree; "
        "the highest share is 33.33%"
    )
    assert answer(study, "scorecard", min_agreement=0.8) == answer(study, "hspp", min_agreement=0.8)


def judged_by(load, own, others):
    """Return a study of A, B and Z, which has no answers: `u` for judgments without a verdict."""
    study = study_of("Z:H A:F B:G", instances=4)
    for question, writer in itertools.product(("x0", "x1", "x2", "x3"), "AB"):
        for judge in "ZAB":
            judge_rubrics(study, judge, writer, own if judge == writer else others, question)
        refer(study, writer, "0", question)
    return load(study)


@pytest.mark.parametrize("measure", ["scorecard", "hspp", "expected", "delta"])
def test_judgments_without_any_verdict_are_counted_as_the_reason(load, measure):
    reason = "none of 24 judgments has a verdict: 24 unparsed"

    assert answer(judged_by(load, "u", "u"), measure) == reason


@pytest.mark.parametrize("measure", ["scorecard", "expected"])
def test_own_answers_judged_without_a_verdict_are_not_said_to_be_unjudged(load, measure):
    reason = "none of 8 judgments by judges of their own answers has a verdict"

    assert answer(judged_by(load, "u", "1"), measure) == reason
