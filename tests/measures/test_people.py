"""`people`: agreement with people and the alternative annotator test, by hand and by plain loops."""

import itertools
import random

import numpy as np
import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.standing_in import standing_in

from engine.errors import UsageError
from engine.words.people import people_sentences

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


def test_where_nothing_is_shared_the_paradigm_that_shares_answers_with_people_is_named(load):
    study = study_of("J:F A:G B:H", rubrics=(1,), instances=3)
    for n, score in itertools.product(range(3), (0, 1)):
        answer = {"instance_id": f"x{n}", "generator": "AB"[score], "rubric_id": "k0"}
        study.add("references", source="human:1", score=float(n + score), **answer)
        study.add("judgments", judge="J", paradigm="score_rubric", score=float(n - score), **answer)
        compare(study, "J", "A", "B", ("generator", "opponent")[score], "tie", f"x{n}")
    study = load(study)

    result = study.result("people", resamples=0)
    [row] = study.result("people", resamples=0, paradigm="score_rubric").rows

    assert result.rows == []
    assert str(result.reason).endswith(
        "other judgments are of what people judged: give --paradigm score_rubric"
    )
    assert (row["judge"], row["kind"], row["n"]) == ("J", "score", 6)
    assert "give" not in str(study.result("people", resamples=0, paradigm="pairwise").reason)


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


@pytest.mark.parametrize(("shared", "has_interval"), [(9, False), (10, True)])
def test_people_who_share_few_items_have_a_ceiling_without_an_interval(load, shared, has_interval):
    study = study_of("J:F A:G", instances=20)
    for n in range(20):
        judge_rubrics(study, "J", "A", str(n % 2), f"x{n}")
        refer(study, "A", str(n // 2 % 2), f"x{n}", source="human:1")
        refer(study, "A", str(n // 3 % 2) if n < shared else "-", f"x{n}", source="human:2")

    row = one(load(study).result("people", resamples=200).rows, judge="J")

    assert row["n_ceiling"] == shared
    assert (row["ceiling_low"] is not None, row["ceiling_high"] is not None) == (has_interval, has_interval)
    sentences = " ".join(people_sentences([row]))
    assert ("too few items have verdicts of two of them (9); 10 are needed" in sentences) is not has_interval
    assert ("The ceiling" in sentences) is has_interval


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


def of_three_people(kind, values, judge=None, instances=None):
    """Return a study in which three people, and J, give A's answers these values, one for each instance."""
    study = study_of("J:F A:G", instances=instances or len(values["a"]))
    field = "met" if kind == "verdict" else "score"
    paradigm = {"verdict": "single_rubric", "score": "score_rubric"}[kind]
    for person, of_person in values.items():
        for n, value in enumerate(of_person):
            row = {"instance_id": f"x{n}", "generator": "A", "rubric_id": "k0", field: value}
            if value is not None:
                study.add("references", source=f"human:{person}", **row)
    for n, value in enumerate(judge or values["a"]):
        if value is not None:
            row = {"instance_id": f"x{n}", "generator": "A", "rubric_id": "k0", field: value}
            study.add("judgments", judge="J", paradigm=paradigm, **row)
    return study


def test_each_of_three_people_is_compared_with_the_majority_of_the_others(load):
    a, b, c = "111100001", "111010011", "110100011"
    values = {person: [each == "1" for each in mets] for person, mets in zip("abc", (a, b, c), strict=True)}

    row = one(load(of_three_people("verdict", values)).result("people", resamples=0).rows, judge="J")

    # Each is compared where the two others are alike.
    kappas = []
    for own, first, second in ((a, b, c), (b, a, c), (c, a, b)):
        alike = [(x, y) for x, y, z in zip(own, first, second, strict=True) if y == z]
        n = len(alike)
        met = [sum(pair[side] == "1" for pair in alike) / n for side in (0, 1)]
        chance = met[0] * met[1] + (1 - met[0]) * (1 - met[1])
        kappas.append((sum(x == y for x, y in alike) / n - chance) / (1 - chance))
    assert row["ceiling"] == pytest.approx(np.mean(kappas))
    assert len(set(kappas)) > 1


def test_the_ceiling_of_scores_is_the_mean_correlation_of_each_person_with_the_others(load):
    values = {"a": [0.1, 0.4, 0.5, 0.9], "b": [0.3, 0.2, 0.6, 0.7], "c": [0.2, 0.6, 0.4, 1.0]}

    values = {person: 3 * each for person, each in values.items()}  # an interval takes ten items or more
    study = load(of_three_people("score", values, judge=3 * [0.2, 0.1, 0.5, 0.8]))
    plain, drawn = (one(study.result("people", resamples=n).rows, judge="J") for n in (0, 200))

    a, b, c = (np.array(each) for each in values.values())
    each = [np.corrcoef(own, (x + y) / 2)[0, 1] for own, x, y in ((a, b, c), (b, a, c), (c, a, b))]
    assert plain["ceiling"] == pytest.approx(np.mean(each))
    assert drawn["ceiling_low"] < drawn["ceiling"] < drawn["ceiling_high"]
    assert drawn["kappa_low"] is drawn["kappa"] is None
    assert drawn["reasons"]["kappa"] == "of_another_kind"


@pytest.mark.parametrize(("persons", "counts"), [("ab", False), ("abc", True)])
def test_the_ceiling_says_whether_verdicts_without_a_name_count_as_a_persons(load, persons, counts):
    study = study_of("J:F A:G", rubrics=(1,) * 10)
    judge_rubrics(study, "J", "A", "1111100000")
    for person in persons:
        refer(study, "A", "1111100001", source=f"human:{person}")
    refer(study, "A", "1110000000", source="human")

    row = one(load(study).result("people", resamples=0).rows, judge="J")

    assert row["ceiling_unnamed"] is counts
    sentences = " ".join(people_sentences([row]))
    assert ("What has no person's name in the study counts as one of them." in sentences) is counts


def test_the_ceiling_of_outcomes_counts_ties_as_a_third_class(load):
    study = study_of("J:F A:G B:H", instances=4)
    for n, (first, second) in enumerate(((1, 1), (-1, -1), (0, 0), (1, 0))):
        compare(study, "J", "B", "A", None, "tie", f"x{n}")
        for person, outcome in (("a", first), ("b", second)):
            row = {"instance_id": f"x{n}", "generator": "B", "opponent": "A", "outcome": outcome}
            study.add("preferences", source=f"human:{person}", **row)

    row = one(load(study).result("people", resamples=0).rows, judge="J")

    # Alike on 3 of 4; a has shares 2/4, 1/4, 1/4 of wins, losses and ties, b 1/4, 1/4, 2/4: 5/16 by chance.
    assert row["ceiling"] == pytest.approx((3 / 4 - 5 / 16) / (11 / 16))


def test_people_who_share_no_item_have_no_ceiling_and_a_reason_of_their_kind(load):
    apart = {"a": [True, False, None, None], "b": [None, None, True, False]}
    scores = {"a": [0.5, 0.25, None, None], "b": [None, None, 0.75, 0.5]}

    verdicts = load(of_three_people("verdict", apart, judge=[True] * 4), "verdicts")
    of_scores = load(of_three_people("score", scores, judge=[0.5, 0.25, 0.75, 0.5]), "scores")
    rows = [one(study.result("people", resamples=0).rows, judge="J") for study in (verdicts, of_scores)]

    assert [row["ceiling"] for row in rows] == [None, None]
    assert rows[0]["reasons"]["ceiling"] == "no_two_people_share_items"
    assert rows[1]["reasons"]["ceiling"] != "no_two_people_share_items"


def test_one_person_has_no_ceiling(load):
    row = one(load(of_three_people("verdict", {"a": [True, False]})).result("people", resamples=0).rows)

    assert (row["ceiling"], row["kappa"]) == (None, 1.0)


@pytest.mark.parametrize(("items", "small"), [(29, True), (30, False)])
def test_fewer_than_thirty_items_are_few(load, items, small):
    values = {"a": [n % 2 == 0 for n in range(items)]}

    row = one(load(of_three_people("verdict", values)).result("people", resamples=0).rows)

    assert (row["n"], row["small"]) == (items, small)


def test_people_without_names_are_no_persons_whom_a_judge_may_stand_in_for(load):
    study = study_of("J:F A:G", rubrics=(1, 1))
    judge_rubrics(study, "J", "A", "10")
    refer(study, "A", "10", source="human")

    row = one(load(study).result("people", resamples=0).rows)

    assert (row["n_people"], row["winning_rate"], row["kappa"]) == (0, None, 1.0)


def test_people_and_a_judge_who_give_values_of_different_kinds_share_nothing(load):
    study = study_of("J:F A:G", rubrics=(1, 1))
    judge_rubrics(study, "J", "A", "10")
    study.add("references", instance_id="x0", generator="A", rubric_id="k0", source="human:a", score=0.5)

    result = load(study).result("people", resamples=0)

    assert result.rows == []
    assert result.reason.startswith("no judge has judged what people judged too")


@pytest.mark.parametrize("epsilon", [-0.01, 1.01])
def test_an_epsilon_that_is_no_share_is_refused(load, epsilon):
    study = load(of_three_people("verdict", {"a": [True, False]}))

    with pytest.raises(UsageError, match=f"epsilon {epsilon} is not from 0 to 1; give one such as 0.15"):
        study.result("people", epsilon=epsilon)
    assert [len(study.result("people", epsilon=end, resamples=0).rows) for end in (0, 1)] == [1, 1]


@pytest.mark.parametrize(
    ("people", "rate"),
    [((1, 1, 1, -1, -1, 0), 0.5), ((1, 1, 1, 1, -1, 0), 1 / 3), ((1, 1, -1, -1), 0), ((1, -1, 0), 1)],
)
def test_half_of_the_people_are_enough_to_stand_in(load, people, rate):
    study = study_of("J:F A:G B:H", instances=31)
    for n in range(31):
        compare(study, "J", "B", "A", None, "tie", f"x{n}")
        for person, outcome in enumerate(people if n < 30 else people[:1]):
            row = {"instance_id": f"x{n}", "generator": "B", "opponent": "A", "outcome": outcome}
            study.add("preferences", source=f"human:{person}", **row)

    row = one(load(study).result("people", resamples=0).rows)

    # On x30 one person alone makes a majority, but no contest; the other instances are all alike. Of c people
    # who say the same, each has c - 1 others with it; the judge has those who say 0. Of 3 + 2 + 1 the three
    # win more often than the judge (2 to 1), of 4 + 1 + 1 the four, of 2 + 2 all (1 to 0), of 1 + 1 + 1 none.
    assert row["winning_rate"] == pytest.approx(rate)
    assert row["may_stand_in"] == (rate >= 0.5)
    assert row["n_people"] == len(people)


def test_items_that_the_judge_left_out_are_no_contests(load):
    mets = [n % 2 == 0 for n in range(31)]
    values = dict.fromkeys("abc", mets)

    study = load(of_three_people("verdict", values, judge=[None, *mets[1:30], None]))
    row = one(study.result("people", resamples=0).rows)

    # 29 instances of the judge's 31: too few by one, though people judged 31, the last after the judge's.
    assert (row["n"], row["n_people"], row["winning_rate"]) == (29, 0, None)


def test_a_judge_with_few_instances_is_left_untested_beside_one_with_enough(load):
    study, _ = labelled(instances=40)
    study.judgments = [
        row for row in study.judgments if row["judge"] != "J" or row["instance_id"] in ("x0", "x1")
    ]

    for resamples in (0, 10):
        rows = load(study, f"s{resamples}").result("people", resamples=resamples).rows
        few, enough = one(rows, judge="J"), one(rows, judge="B")
        assert (few["winning_rate"], few["n_people"], few["advantage_probability"]) == (None, 0, None)
        assert enough["n_people"] == 3
        assert 0 <= enough["winning_rate"] <= 1


def test_fewer_than_thirty_instances_are_not_tested(load):
    row = one(load(labelled(instances=29)[0]).result("people", resamples=0).rows, judge="J")

    assert (row["winning_rate"], row["n_people"]) == (None, 0)


def test_a_study_without_people_says_so(load):
    plain = study_of(models="J:F A:G", rubrics=(1,), instances=2)
    for place in ("x0", "x1"):
        judge_rubrics(plain, "J", "A", "1", place)

    result = load(plain).result("people", resamples=0)

    assert result.reason.startswith("the study has no verdicts of people; create a task with `spb label new`")
