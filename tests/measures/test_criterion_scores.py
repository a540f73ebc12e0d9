"""Scores by criterion as scores of responses, by hand and against a second implementation (section 20)."""

import json
import random

import pytest
from plain.builders import one, study_of
from plain.outside import outside

from engine.errors import UsageError

FAMILIES = "J:F K:F A:G B:H C:I"
FIVE = json.dumps([{"score": score, "text": ""} for score in range(1, 6)])


def score(study, judge, generator, rubric, value, instance="x0", **rest):
    given = {"status": "unparsed"} if value is None else {"score": value}
    study.add(
        "judgments",
        judge=judge,
        paradigm="score_rubric",
        instance_id=instance,
        generator=generator,
        rubric_id=rubric,
        **given,
        **rest,
    )


def stated(study, **by_rubric):
    for row in study.rubrics:
        row["options"] = by_rubric.get(row["rubric_id"])
    return study


def scores_by(result, judge):
    return {row["model"]: row["score"] for row in result.rows if row["by"] == judge}


def test_a_response_has_the_mean_of_its_criteria_on_their_scales(load):
    study = stated(study_of("J:F A:G", rubrics=(1, 1)), k0=FIVE)
    score(study, "J", "J", "k0", 4)  # (4 - 1) / 4 = .75
    score(study, "J", "J", "k1", 0.25)
    score(study, "J", "A", "k0", 2)
    score(study, "J", "A", "k1", 3, ordering="3-1-2")  # the highest of its own options: 1

    ranking = load(study).result("ranking", resamples=0)

    assert scores_by(ranking, "J") == {"J": pytest.approx(0.5), "A": pytest.approx((0.25 + 1) / 2)}
    assert ranking.filters["paradigm"] == "score_rubric"


def test_orderings_and_trials_are_averaged_each_ordering_once(load):
    study = study_of("J:F A:G")
    for value, ordering, trial in ((1, "1-2-3", 0), (2, "1-2-3", 1), (3, "3-2-1", 0)):
        score(study, "J", "A", "k0", value, ordering=ordering, trial=trial)

    # (0 + .5) / 2 = .25 and 1: .625.
    assert scores_by(load(study).result("ranking", resamples=0), "J") == {"A": pytest.approx(0.625)}


def test_a_criterion_where_lower_is_better_is_turned(load):
    study = stated(study_of("J:F A:G", rubrics=(1, -1)), k0=FIVE, k1=FIVE)
    score(study, "J", "A", "k0", 5)
    score(study, "J", "A", "k1", 2)  # .25 of what is undesirable

    assert scores_by(load(study).result("ranking", resamples=0), "J") == {"A": pytest.approx(0.875)}


def test_a_response_without_one_of_its_criteria_has_no_score(load):
    study = study_of("J:F A:G", rubrics=(1, 1), instances=2)
    for x in ("x0", "x1"):
        score(study, "J", "A", "k0", 0.5, x)
    score(study, "J", "A", "k1", 0.9, "x0")
    score(study, "J", "A", "k1", None, "x1")

    result = load(study).result("ranking", resamples=0)

    assert scores_by(result, "J") == {"A": pytest.approx(0.7)}
    assert one(result.rows, by="J", model="A")["n"] == 1
    assert result.left_out["unparsed"] == 1


def test_one_criterion_is_chosen_by_its_id_and_each_by_grouping(load):
    study = study_of("J:F A:G", rubrics=(1, 1))
    score(study, "J", "A", "k0", 0.2)
    score(study, "J", "A", "k1", 0.8)
    opened = load(study)

    alone = opened.result("ranking", resamples=0, rubric_id="k1")
    grouped = opened.result("ranking", resamples=0, by="rubric_id")

    assert scores_by(alone, "J") == {"A": 0.8}
    assert [(row["slice"], row["score"]) for row in grouped.rows if row["by"] == "J"] == [
        ("k0", 0.2),
        ("k1", 0.8),
    ]
    with pytest.raises(UsageError, match="unknown criterion id 'k9'; choose from: k0, k1"):
        opened.result("ranking", rubric_id="k9")


def test_scores_beyond_one_without_a_scale_state_the_remedy(load):
    study = study_of("J:F A:G B:H", instances=3)
    for x in ("x0", "x1", "x2"):
        for judge in "JAB":
            for generator in "JAB":
                score(study, judge, generator, "k0", 3, x)

    result = load(study).result("outside", resamples=0)

    assert result.rows == []
    assert "have no scale; import them with --set scale=5" in result.reason


def test_peoples_scores_by_criterion_rank_as_the_reference(load):
    study = stated(study_of("J:F A:G", rubrics=(1,)), k0=FIVE)
    for generator, own, people in (("J", 5, (2, 3)), ("A", 3, (4, 5))):
        score(study, "J", generator, "k0", own)
        for person, value in enumerate(people):
            study.add(
                "references",
                instance_id="x0",
                generator=generator,
                rubric_id="k0",
                source=f"human:{person}",
                score=value,
            )

    opened = load(study)

    # Means 2.5 and 4.5 of 1 to 5.
    ranking = opened.result("ranking", resamples=0)
    assert scores_by(ranking, "reference") == {"J": pytest.approx(0.375), "A": pytest.approx(0.875)}
    # 1 - .375 and .5 - .875, less their mean .125.
    delta = opened.result("delta", resamples=0)
    assert one(delta.rows, judge="J", generator="J")["delta"] == pytest.approx(50)
    agreement = opened.result("reference-agreement", a="judge:J", b="human", resamples=0)
    assert one(agreement.rows, kind="score")["n"] == 2


def planted(instances=24, seed=1):
    """Return a study in which each of four families' judges scores on two criteria, J its own higher."""
    draw = random.Random(seed)
    study = stated(study_of(FAMILIES, rubrics=(1, -1), instances=instances), k0=FIVE)
    names = [row["model"] for row in study.models]
    for n in range(instances):
        for generator in names:
            for judge in names:
                if draw.random() < 0.03:
                    continue
                first = draw.randint(1, 4) + (judge == generator == "J")
                for ordering in (None, "5-4-3-2-1"):
                    score(study, judge, generator, "k0", first, f"x{n}", ordering=ordering)
                second = None if draw.random() < 0.05 else round(draw.random(), 2)
                score(study, judge, generator, "k1", second, f"x{n}")
    return study


@pytest.mark.parametrize("options", [{}, {"polarity": "positive"}, {"polarity": "negative"}], ids=str)
def test_points_against_outside_judges_equal_their_second_implementation(load, options):
    study = planted()
    expected, left_out = outside(study, paradigm="score_rubric", **options)

    result = load(study).result("outside", resamples=20, min_instances=1, **options)

    rows = [row for row in result.rows if row["judge"] is not None]
    assert [row["judge"] for row in rows] == [row["judge"] for row in expected] == list("JKABC")
    for row, theirs in zip(rows, expected, strict=True):
        for field in ("", "_low", "_high", "_p", "_p_tastes"):
            name = f"bonus_outside{field}"
            assert row[name] == pytest.approx(theirs[name], rel=1e-8), (row["judge"], name)
        for name in ("n_own", "n_other", "n_outside", "placebo_rank", "placebo_of"):
            assert row[name] == theirs[name], (row["judge"], name)
    if not options:
        assert result.left_out["unparsed"] == left_out["unparsed"]


def test_the_scorecard_decides_by_points_of_scores_by_criterion(load):
    row = one(load(planted()).result("scorecard", judges="J", resamples=0).rows, judge="J")

    assert row["decided_by"] == "bonus_outside"
    assert row["estimate"] > 5
    # Of scores, expected is given less the number, both of 1.
    assert row["own_expected"] == pytest.approx(row["own_given"] - row["estimate"] / 100)
    assert row["excess_low"] == pytest.approx(row["low"] / 100)
    assert 0 < row["own_given"] < 1
    assert row["missing_own"] > 0


def test_reasons_are_those_of_scores_and_not_that_nobody_judged(load):
    study = study_of("J:F A:G")
    score(study, "J", "J", "k0", 0.5)
    score(study, "J", "A", "k0", 0.5)

    row = one(load(study).result("outside", resamples=0).rows, judge="J")

    assert row["reasons"]["bonus_outside"] == "no_outside_judge"
