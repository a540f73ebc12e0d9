"""True scores of answers: by verdicts on all of their criteria, or by scores where there is no verdict."""

import itertools
import json

import pytest
from plain.builders import compare, judge_rubrics, refer, study_of

MODELS = "J:F A:G B:H"
TRUTH = {"J": "1100", "A": "0110", "B": "1000"}
QUESTIONS = [f"x{i}" for i in range(12)]
OUT_OF_FOUR = json.dumps([{"score": score, "text": ""} for score in range(5)])


def verdicts(truth=TRUTH):
    """Return verdicts of all on four criteria, each judge lenient with itself, with their truth."""
    study = study_of(MODELS, rubrics=(1,) * 4, instances=len(QUESTIONS))
    for question, generator in itertools.product(QUESTIONS, TRUTH):
        for judge in TRUTH:
            judge_rubrics(
                study, judge, generator, "1111" if judge == generator else TRUTH[generator], question
            )
        refer(study, generator, truth[generator], question)
    return study


def with_scores(study, *, judged=True):
    """Add a criterion `whole` on which the true score is the number met, and judges' scores of 3 of 4."""
    for question in QUESTIONS:
        of_whole = {"instance_id": question, "rubric_id": "whole"}
        study.add("rubrics", **of_whole, points=1, options=OUT_OF_FOUR)
        for generator, truth in TRUTH.items():
            study.add("references", **of_whole, generator=generator, source="program", score=truth.count("1"))
            for judge in TRUTH if judged else ():
                answer = {"judge": judge, "generator": generator, "score": 3}
                study.add("judgments", **of_whole, **answer, paradigm="score_rubric")
    return study


def with_pairs(study):
    """Add pairs in both orders, of which every judge takes the one that comes first in TRUTH."""
    for question, (one, two) in itertools.product(QUESTIONS, itertools.combinations(TRUTH, 2)):
        for judge, first in itertools.product(TRUTH, ("generator", "opponent")):
            compare(study, judge, one, two, first, "generator", question)
    return study


def no_verdicts():
    return study_of(MODELS, rubrics=(), instances=len(QUESTIONS))


PARTIAL = {generator: f"{truth[:3]}-" for generator, truth in TRUTH.items()}
WHY = "no answer has a truth on all of its criteria, as its true score needs; 36 have one on some"


@pytest.mark.parametrize("measure", ["delta", "ranking-distance", "corrected", "best-of-n"])
def test_truths_on_some_criteria_only_are_why_no_answer_has_a_true_score(load, measure):
    assert load(verdicts(PARTIAL)).result(measure, resamples=0).reason == WHY


@pytest.mark.parametrize("measure", ["ranking", "delta", "ranking-distance", "overestimation"])
def test_verdicts_on_some_criteria_only_are_why_no_answer_has_a_score(load, measure):
    study = study_of(MODELS, rubrics=(1, 1), instances=1)
    for generator, (judge, mets) in itertools.product(TRUTH, (("J", "1-"), ("A", "-1"))):
        judge_rubrics(study, judge, generator, mets)

    assert load(study).result(measure, level="instance", resamples=0).reason == (
        "no answer has verdicts by one judge on all of its criteria, as its score needs; 3 have them on some"
    )


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("equal-quality", {"quality": "reference"}),
        ("discriminability", {"quality": "reference"}),
        ("accuracy", {"paradigm": "pairwise"}),
        ("dbg", {}),
        ("expected", {"paradigm": "pairwise", "pairs": "equal", "quality": "reference"}),
    ],
)
def test_pairs_of_answers_with_truths_on_some_criteria_only_say_so(load, measure, options):
    assert load(with_pairs(verdicts(PARTIAL))).result(measure, resamples=0, **options).reason == WHY


def test_true_scores_on_some_criteria_only_are_said_too(load):
    study = with_scores(no_verdicts())
    for question, generator, judge in itertools.product(QUESTIONS, TRUTH, TRUTH):
        answer = {"instance_id": question, "judge": judge, "generator": generator, "score": 1}
        study.add("judgments", **answer, rubric_id="clear", paradigm="score_rubric")
    for question in QUESTIONS:
        study.add("rubrics", instance_id=question, rubric_id="clear", points=1)

    assert load(study).result("delta", resamples=0).reason == WHY


def test_a_ranking_says_why_it_lacks_the_references(load):
    with pytest.warns(UserWarning, match="The reference's ranking is not among these: no answer has a truth"):
        ranking = load(verdicts(PARTIAL)).ranking(resamples=0)

    assert "reference" not in set(ranking["by"])


@pytest.mark.parametrize("measure", ["ranking", "delta", "corrected", "ranking-distance", "best-of-n"])
def test_scores_on_one_more_criterion_change_no_number_of_verdicts(load, measure):
    before = load(verdicts()).result(measure, resamples=0)
    after = load(with_scores(verdicts()), "more").result(measure, resamples=0)

    assert before.rows
    assert (after.rows, after.left_out) == (before.rows, before.left_out)


@pytest.mark.parametrize(
    "study",
    [
        verdicts(),
        with_scores(verdicts()),
        with_scores(no_verdicts()),
        with_scores(no_verdicts(), judged=False),
    ],
    ids=["verdicts", "both", "scores", "scores without judges"],
)
def test_true_scores_of_pairs_are_by_verdicts_or_by_scores(load, study):
    opened = load(with_pairs(study))

    equal = opened.result("equal-quality", quality="reference", resamples=0).rows
    right = opened.result("accuracy", paradigm="pairwise", resamples=0).rows

    # J and A have 2 of 4, B has 1: of the three pairs of a question J with A is equal, and everybody takes J;
    # of the others the one taken is the better.
    assert {row["judge"]: (row["pir"], row["n_pairs"]) for row in equal} == {"J": (1.0, 12), "A": (0.0, 12)}
    assert {(row["mipa_correct"], row["mipa_total"]) for row in right} == {(24, 36)}


def test_a_judge_without_an_equal_pair_of_its_own_is_told_so(load):
    study = load(with_pairs(with_scores(no_verdicts())))

    rows = study.result("expected", paradigm="pairwise", pairs="equal", quality="reference").rows

    assert {row["judge"]: row["reasons"].get("excess") for row in rows} == {
        "J": None,
        "A": None,
        "B": "no_pair_that_counts",
    }
    with pytest.warns(UserWarning, match="expected of small has no excess: none of its own pairs is of the"):
        study.expected(paradigm="pairwise", pairs="equal", quality="reference", judges=["B"])


def test_quality_on_other_criteria_than_the_five_is_named(load):
    study = with_pairs(no_verdicts())
    study.add("models", model="Z", family="I")
    for question, generator in itertools.product(QUESTIONS, TRUTH):
        answer = {"instance_id": question, "judge": "Z", "generator": generator, "score": 3}
        study.add("judgments", **answer, rubric_id="whole", paradigm="quality")

    reason = load(study).result("equal-quality", resamples=0).reason

    assert (
        "on each of relevance, accuracy, depth, logic and clarity; the judgments of quality are on whole"
        in reason
    )
