"""`people`: agreement with people and the alternative annotator test, by hand and by plain loops."""

import itertools
import random

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.standing_in import standing_in

PEOPLE = ("human:1", "human:2", "human:3")


def labelled(instances=40, seed=1, good=0.9, careless=0.6):
    """Return a study in which three people and judge J repeat the truth often, judge B less often."""
    draw = random.Random(seed)
    study = study_of("J:F B:G A:H", rubrics=(1, 1), instances=instances)
    labels = {name: {} for name in (*PEOPLE, "J", "B")}
    for n, k in itertools.product(range(instances), range(2)):
        truth = draw.random() < 0.5
        for name in labels:
            share = careless if name == "B" else good
            met = truth if draw.random() < share else not truth
            labels[name][f"x{n}/k{k}"] = float(met)
            row = {"instance_id": f"x{n}", "generator": "A", "rubric_id": f"k{k}", "met": met}
            if name in PEOPLE:
                study.add("references", source=name, **row)
            else:
                study.add("judgments", judge=name, paradigm="single_rubric", **row)
    return study, labels


def test_people_who_differ_on_every_item_leave_nothing_to_compare_with(load):
    study = study_of("J:F A:G", rubrics=(1, 1))
    judge_rubrics(study, "J", "A", "10")
    refer(study, "A", "10", source="human:1")
    refer(study, "A", "01", source="human:2")

    result = load(study).result("people", resamples=0)

    assert (result.rows, result.reason) == (
        [],
        "no judge has judged what people judged too; pairs count only if judged in both orders",
    )


def test_kappa_and_balanced_f1_are_those_of_the_joint_counts(load):
    study = study_of("J:F A:G", rubrics=(1,) * 10)
    judge_rubrics(study, "J", "A", "1111100000")
    refer(study, "A", "1111000001", source="human:1")

    row = one(load(study).result("people", resamples=0).rows, judge="J")

    # Both met 4, both not 4, 1 and 1 apart: agreement .8, by chance .5.
    assert (row["kind"], row["n"]) == ("verdict", 10)
    assert row["kappa"] == pytest.approx(0.6)
    assert row["balanced_f1"] == pytest.approx(0.8)
    assert (row["ceiling"], row["winning_rate"]) == (None, None)
    assert row["reasons"]["winning_rate"] == "fewer_than_three_people_with_30_instances"


def test_two_people_are_each_others_ceiling(load):
    study = study_of("J:F A:G", rubrics=(1,) * 10)
    judge_rubrics(study, "J", "A", "1111100000")
    refer(study, "A", "1111100000", source="human:1")
    refer(study, "A", "1111000001", source="human:2")

    assert one(load(study).result("people", resamples=0).rows, judge="J")["ceiling"] == pytest.approx(0.6)


def test_scores_are_correlated_with_the_mean_of_people(load):
    study = study_of("J:F A:G", instances=4)
    people_of = ((0.2, 0.4), (0.5, 0.5), (0.4, 0.8), (1, 1))
    for n, (own, people) in enumerate(zip((0.1, 0.5, 0.6, 0.9), people_of, strict=True)):
        row = {"instance_id": f"x{n}", "generator": "A", "rubric_id": "k0"}
        study.add("judgments", judge="J", paradigm="score_rubric", score=own, **row)
        for person, value in enumerate(people):
            study.add("references", source=f"human:{person}", score=value, **row)

    row = one(load(study).result("people", resamples=0).rows, judge="J")

    expected = np.corrcoef([0.1, 0.5, 0.6, 0.9], [0.3, 0.5, 0.6, 1.0])[0, 1]
    assert (row["kind"], row["kappa"]) == ("score", None)
    assert row["correlation"] == pytest.approx(expected)


def test_outcomes_of_pairs_are_compared_from_the_same_side(load):
    study = study_of("J:F A:G B:H", instances=3)
    for n, (choice, outcome) in enumerate((("generator", 1), ("opponent", -1), ("tie", 0))):
        compare(study, "J", "B", "A", None, choice, f"x{n}")
        study.add(
            "preferences", instance_id=f"x{n}", generator="B", opponent="A", source="human:1", outcome=outcome
        )

    row = one(load(study).result("people", resamples=0).rows, judge="J")

    assert (row["kind"], row["kappa"], row["n"]) == ("outcome", 1.0, 3)


@pytest.mark.parametrize("epsilon", [0.0, 0.15, 0.3])
def test_the_measure_equals_its_plain_second_implementation(load, epsilon):
    study, labels = labelled()
    people = {name: labels[name] for name in PEOPLE}
    instance = {item: item.split("/")[0] for item in labels["J"]}

    rows = load(study).result("people", resamples=50, epsilon=epsilon).rows

    assert [row["judge"] for row in rows] == ["J", "B"]
    for row in rows:
        rate, advantage, _ = standing_in(labels[row["judge"]], people, epsilon, instance)
        assert row["winning_rate"] == pytest.approx(rate)
        assert row["advantage_probability"] == pytest.approx(advantage)
        assert row["advantage_probability_low"] < advantage < row["advantage_probability_high"]
        assert row["may_stand_in"] == (rate >= 0.5)
        assert row["n_people"] == 3


def test_a_good_judge_may_stand_in_and_a_careless_one_may_not(load):
    rows = load(labelled(instances=80)[0]).result("people", resamples=20).rows

    assert one(rows, judge="J")["may_stand_in"] is True
    assert one(rows, judge="B")["may_stand_in"] is False
    assert one(rows, judge="J")["kappa"] > one(rows, judge="B")["kappa"]
    assert one(rows, judge="J")["ceiling"] == one(rows, judge="B")["ceiling"] > 0.5


def test_fewer_than_thirty_instances_are_not_tested(load):
    row = one(load(labelled(instances=29)[0]).result("people", resamples=0).rows, judge="J")

    assert (row["winning_rate"], row["n_people"]) == (None, 0)
