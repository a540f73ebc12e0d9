"""Ranks in lists and robustness: by hand, and against plain loops."""

import json
import random

import pytest
from plain import mechanism as plain
from plain.builders import compare, judge_rubrics, one, study_of
from scipy import stats

from engine.errors import BadInputError

FEW = {"resamples": 0}


def rank(study, judge, models, ranks, instance="x0", **rest):
    """One list, its models as shown, with the rank of each (`?`: no rank)."""
    for place, (model, value) in enumerate(zip(models, ranks, strict=True), 1):
        study.add(
            "judgments",
            judge=judge,
            paradigm="listwise",
            instance_id=instance,
            generator=model,
            ordering=json.dumps(list(models)),
            position=place,
            **({"status": "unparsed"} if value == "?" else {"score": float(value)}),
            **rest,
        )


def ranked(instances=4):
    """J ranks itself first in either order, A ranks J second, B third; K is of J's family."""
    study = study_of("J:F K:F A:G B:H", instances=instances)
    for i in range(instances):
        rank(study, "J", "JAB", "123", f"x{i}")
        rank(study, "J", "BAJ", "231", f"x{i}")
        rank(study, "A", "JAB", "213", f"x{i}")
        rank(study, "B", "JAB", "321", f"x{i}")
        rank(study, "K", "JAB", "123", f"x{i}")
    return study


def test_a_judges_own_rank_is_compared_with_the_mean_of_outside_judges(load):
    result = load(ranked()).result("list-ranks", **FEW)

    row = one(result.rows, judge="J")
    # J's own: 1 and 1. Outside judges: A says 2, B says 3, mean 2.5; K is J's family and does not count.
    assert (row["rank_own"], row["rank_outside"], row["rank_gap"]) == (1.0, 2.5, -1.5)
    assert (row["pick_own"], row["pick_outside"], row["pick_gap"]) == (1.0, 0.0, 1.0)
    assert (row["n"], row["n_outside"], row["n_orders"], row["mean_length"]) == (4, 2, 8, 3.0)
    # J was shown first in one of its two orders, and only then ranked the first shown first.
    assert (row["first_picked"], row["first_expected"]) == (0.5, pytest.approx(1 / 3))
    assert one(result.rows, judge="K")["reasons"]["rank_gap"] == "no_own_responses"
    assert row["reasons"]["pick_gap_low"] == "no_resamples"


def test_the_interval_is_students_t_by_deleting_one_instance_at_a_time(load):
    study = study_of("J:F A:G", instances=12)
    for i in range(12):
        rank(study, "J", "JA", "12" if i < 9 else "21", f"x{i}")
        rank(study, "A", "JA", "21" if i % 2 else "12", f"x{i}")

    row = one(load(study).result("list-ranks", resamples=50).rows, judge="J")

    # Of a mean over instances with one case each, deleting one at a time gives the usual standard error.
    gaps = [(1 if i < 9 else 2) - (2 if i % 2 else 1) for i in range(12)]
    low, high = stats.t.interval(0.95, 11, sum(gaps) / 12, stats.sem(gaps))
    assert (row["rank_gap_low"], row["rank_gap_high"]) == (pytest.approx(low), pytest.approx(high))
    assert row["rank_gap_p"] == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)


def test_a_list_that_lacks_a_rank_is_left_out(load):
    study = ranked(3)
    rank(study, "J", "AJB", "2?1", "x0")

    result = load(study).result("list-ranks", **FEW)

    assert one(result.rows, judge="J")["rank_own"] == 1.0
    assert (result.left_out["unparsed"], result.left_out["incomplete"]) == (1, 2)


def test_the_same_responses_among_others_form_another_list(load):
    study = study_of("J:F A:G B:H")
    rank(study, "J", "JA", "12")
    rank(study, "A", "JAB", "312")

    row = one(load(study).result("list-ranks", **FEW).rows, judge="J")

    assert (row["n"], row["reasons"]["rank_gap"]) == (0, "no_outside_rank")


@pytest.mark.parametrize("seed", range(4))
def test_ranks_equal_plain_loops(load, seed):
    draw = random.Random(seed)
    models = ["J", "K", "A", "B", "C"]
    study = study_of("J:F K:F A:G B:H C:I", instances=6)
    for i in range(6):
        for judge in models:
            for trial in range(draw.randint(0, 2)):
                members = draw.sample(models, draw.choice((3, 4, 4)))
                order = draw.sample(range(1, len(members) + 1), len(members))
                ranks = [str(each) if draw.random() > 0.03 else "?" for each in order]
                rank(study, judge, members, ranks, f"x{i}", trial=trial)

    rows = load(study).result("list-ranks", **FEW).rows

    for row in rows:
        expected = plain.list_ranks(study, row["judge"])
        for name, value in expected.items():
            assert row[name] == (value if value is None else pytest.approx(value)), (row["judge"], name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ordering": None}, "ordering is None, which is not a JSON list"),
        (
            {"ordering": '["A", "B"]'},
            "which is not a JSON list of the ranked models with `generator` among them",
        ),
        ({"position": 2}, "position is 2, which is not the position of `generator`"),
        ({"score": 4.0}, "score is 4.0, which is not a rank in the list"),
        ({"score": None}, "score is None, but the row's status is 'ok'"),
    ],
)
def test_a_row_that_does_not_fit_its_list_is_refused(load, change, message):
    study = ranked(1)
    study.judgments[0].update(change)

    with pytest.raises(BadInputError, match=message.replace("[", r"\[")):
        load(study)


@pytest.mark.parametrize(
    ("measure", "plain_study", "labels"),
    [
        ("list-ranks", lambda: ranked(12), {"J", "A", "B"}),
        ("robustness", lambda: changed(), {"J, padded"}),
    ],
)
def test_the_chart_shows_each_judge_with_a_number(load, measure, plain_study, labels):
    spec = load(plain_study()).chart(measure, resamples=20).to_dict()

    points = [point for rows in spec["datasets"].values() for point in rows]
    assert {point["label"] for point in points} == labels


# ------------------------------------------------------------------------------
# Robustness to changes.


def changed(instances=10):
    """J's verdicts rise under `padded`: 4 of 10 own responses, 1 of A's, 2 of B's."""
    study = study_of("J:F A:G B:H", rubrics=(1,), instances=instances)
    rises = {"J": 4, "A": 1, "B": 2}
    for i in range(instances):
        for model, number in rises.items():
            judge_rubrics(study, "J", model, "0", f"x{i}")
            judge_rubrics(study, "J", model, "1" if i < number else "0", f"x{i}", transform="padded")
            study.add(
                "responses",
                instance_id=f"x{i}",
                generator=model,
                transform="padded",
                text="t",
                beside="plain",
            )
    return study


def test_robustness_is_the_share_of_unchanged_verdicts_on_own_and_others_responses(load):
    row = one(load(changed()).result("robustness", resamples=200).rows, judge="J")

    # Own: 6 of 10 are unchanged; others: 9 and 8 of 10 each. The changed ones rose, 4 of 10 and 3 of 20.
    assert (row["robustness_own"], row["robustness_other"]) == (0.6, 0.85)
    assert row["difference"] == pytest.approx(-0.25)
    assert (row["lift_own"], row["lift_other"]) == (pytest.approx(0.4), pytest.approx(0.15))
    assert (row["n_own"], row["n_other"], row["small"]) == (10, 20, True)
    # The difference is a mean over instances here: (same own) - (mean same of the two others).
    gaps = [(i >= 4) - ((i >= 1) + (i >= 2)) / 2 for i in range(10)]
    low, high = stats.t.interval(0.95, 9, -0.25, stats.sem(gaps))
    assert (row["difference_low"], row["difference_high"]) == (pytest.approx(low), pytest.approx(high))
    assert row["robustness_own_low"] < 0.6 < row["robustness_own_high"]


def test_a_verdict_on_an_undesirable_criterion_rises_if_it_is_no_longer_met(load):
    study = study_of("J:F A:G", rubrics=(-1,))
    for model in "JA":
        judge_rubrics(study, "J", model, "1")
        judge_rubrics(study, "J", model, "0", transform="told")

    row = one(load(study).result("robustness", **FEW).rows, judge="J")

    assert (row["robustness_own"], row["lift_own"], row["lift_other"]) == (0.0, 1.0, 1.0)


def test_a_response_paired_with_itself_is_robust_if_called_a_tie(load):
    study = study_of("J:F A:G B:H", instances=4)
    for i in range(4):
        for model, other in ("JA", "AB", "BJ"):
            study.add(
                "responses", instance_id=f"x{i}", generator=model, transform="twin", text="t", beside="itself"
            )
            choice = "tie" if i or model != "J" else "generator"
            compare(study, "J", model, other, "generator", choice, f"x{i}", transform="twin")
            for first in ("generator", "opponent"):
                compare(study, "J", model, other, first, "tie", f"x{i}")

    result = load(study).result("robustness", **FEW)

    row = one(result.rows, judge="J", transform="twin")
    assert (row["robustness_own"], row["robustness_other"], row["n_own"]) == (0.75, 1.0, 4)
    assert row["reasons"]["lift_own"] == "no_side_to_rise"


def test_with_named_authors_the_rise_of_the_own_vote_needs_no_reference(load):
    study = study_of("J:F A:G", instances=4)
    for i in range(4):
        for first in ("generator", "opponent"):
            compare(study, "J", "J", "A", first, "opponent" if i else "tie", f"x{i}")
            compare(study, "J", "J", "A", first, "generator" if i else "tie", f"x{i}", transform="named")

    row = one(load(study).result("robustness", **FEW).rows, judge="J")

    # Three of four own responses rise from losing to winning, by a whole vote each.
    assert (row["lift_own"], row["robustness_own"]) == (0.75, 0.25)
    assert row["reasons"]["lift_other"] == "no_side_to_rise"
    assert row["reasons"]["robustness_other"] == "no_case_of_others"


@pytest.mark.parametrize("seed", range(3))
def test_robustness_equals_plain_loops(load, seed):
    draw = random.Random(seed)
    models = ["J", "K", "A", "B"]
    study = study_of("J:F K:F A:G B:H", rubrics=(1, -1), instances=5)
    kinds = {"padded": "plain", "named": None, "twin": "itself"}
    for i in range(5):
        for name, beside in kinds.items():
            for model in models:
                study.add("responses", instance_id=f"x{i}", generator=model, transform=name, beside=beside)
        for judge in models:
            for transform in ("none", "padded", "named", "twin"):
                for model in models if transform != "twin" else ():
                    mets = "".join(draw.choice("0011u-") for _ in range(2))
                    judge_rubrics(study, judge, model, mets, f"x{i}", transform=transform)
                    if draw.random() < 0.9:
                        study.add(
                            "judgments", judge=judge, paradigm="direct_assessment", instance_id=f"x{i}",
                            generator=model, transform=transform, score=draw.choice((0.0, 0.5, 1.0)),
                        )  # fmt: skip
                for a, model in enumerate(models):
                    for other in models[a + 1 :]:
                        pair = (model, other) if other != judge else (other, model)
                        orders = ("generator",) if transform == "twin" else ("generator", "opponent")
                        for first in orders:
                            choice = draw.choice(("generator", "tie", "opponent"))
                            if draw.random() < 0.95:
                                compare(study, judge, *pair, first, choice, f"x{i}", transform=transform)

    rows = load(study).result("robustness", **FEW).rows

    assert {row["paradigm"] for row in rows} == {"single_rubric", "direct_assessment", "pairwise"}
    assert {row["transform"] for row in rows} == set(kinds)
    for row in rows:
        expected = plain.robustness(study, row["paradigm"], row["transform"], row["judge"])
        for name, value in expected.items():
            if name == "lift_other" and row["paradigm"] == "pairwise" and row["transform"] == "named":
                value = None
            assert row[name] == (value if value is None else pytest.approx(value)), (row, name)


# ------------------------------------------------------------------------------
# Self-recognition.


def wrote(study, judge, other, first, choice, p=None, instance="x0"):
    """Which of two responses the judge says it wrote; its own is the target."""
    study.add(
        "judgments", judge=judge, paradigm="recognition", instance_id=instance, generator=judge,
        opponent=other, first=first, choice=choice, p_generator=p,
    )  # fmt: skip


def test_a_pairs_score_is_the_mean_probability_of_the_own_response_over_both_orders(load):
    study = study_of("J:F A:G", instances=3)
    for i, (one_p, two_p) in enumerate(((0.9, 0.5), (0.8, 0.4), (None, None))):
        wrote(study, "J", "A", "generator", "generator", one_p, f"x{i}")
        wrote(study, "J", "A", "opponent", "generator" if i == 0 else "opponent", two_p, f"x{i}")

    row = one(load(study).result("recognition-score", **FEW).rows, judge="J")

    # .7 and .6 of probabilities; the third has none and one right answer of two.
    assert row["recognition"] == pytest.approx((0.7 + 0.6 + 0.5) / 3)
    assert row["share_right"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert (row["contradicted"], row["n"], row["n_soft"]) == (pytest.approx(2 / 3), 3, 2)
    assert row["reasons"]["preference_rho"] == "few_pairs_to_rank"


def test_a_pair_in_only_one_order_is_left_out(load):
    study = study_of("J:F A:G", instances=2)
    wrote(study, "J", "A", "generator", "generator")
    wrote(study, "J", "A", "opponent", "generator")
    wrote(study, "J", "A", "generator", "opponent", instance="x1")

    result = load(study).result("recognition-score", **FEW)

    row = one(result.rows, judge="J")
    assert (row["recognition"], row["n"]) == (1.0, 1)
    assert result.left_out["order_missing"] == 1


def test_answers_with_the_same_position_in_both_orders_score_half_and_contradict(load):
    study = study_of("J:F A:G", instances=3)
    for i in range(3):
        wrote(study, "J", "A", "generator", "generator", instance=f"x{i}")
        wrote(study, "J", "A", "opponent", "opponent", instance=f"x{i}")

    row = one(load(study).result("recognition-score", **FEW).rows, judge="J")

    assert (row["recognition"], row["share_right"], row["contradicted"]) == (0.5, 0.5, 1.0)


def test_a_relatives_response_counts_as_anothers(load):
    study = study_of("J:F K:F A:G")
    for other, choice in (("K", "opponent"), ("A", "generator")):
        for first in ("generator", "opponent"):
            wrote(study, "J", other, first, choice)

    row = one(load(study).result("recognition-score", **FEW).rows, judge="J")

    # It mistakes K's response for its own and recognises A's as another's.
    assert (row["recognition"], row["n"]) == (0.5, 2)


def test_its_interval_is_students_t_against_chance(load):
    scores = [0.5 + (i * i % 7) / 20 for i in range(12)]
    study = study_of("J:F A:G", instances=12)
    for i, score in enumerate(scores):
        for first in ("generator", "opponent"):
            wrote(study, "J", "A", first, "generator", score, f"x{i}")

    row = one(load(study).result("recognition-score", resamples=20).rows, judge="J")

    low, high = stats.t.interval(0.95, 11, sum(scores) / 12, stats.sem(scores))
    assert (row["recognition_low"], row["recognition_high"]) == (pytest.approx(low), pytest.approx(high))
    assert row["recognition_p"] == pytest.approx(stats.ttest_1samp(scores, 0.5).pvalue)


def test_its_vote_is_a_forced_choices_probability_if_there_is_one(load):
    draw = random.Random(8)
    study = study_of("J:F A:G", instances=15)
    chances = [draw.random() for _ in range(15)]
    for i, p in enumerate(chances):
        for first in ("generator", "opponent"):
            wrote(study, "J", "A", first, "generator" if p > 0.5 else "opponent", p, f"x{i}")
            vote = {"p_generator": 1 - p, "variant": "forced"}
            compare(study, "J", "J", "A", first, "opponent" if p > 0.5 else "generator", f"x{i}", **vote)
            compare(study, "J", "J", "A", first, "generator", f"x{i}")

    row = one(load(study).result("recognition-score", **FEW).rows, judge="J")

    # By its probabilities it votes against what it thinks its own; by `default` always for itself.
    assert row["preference_rho"] == pytest.approx(-1)
    assert row["n_preference"] == 15


@pytest.mark.parametrize("seed", range(2))
def test_recognition_and_its_rank_correlation_with_votes_equal_plain_loops(load, seed):
    draw = random.Random(seed)
    study = study_of("J:F K:F A:G", instances=12)
    for i in range(12):
        for judge, others in (("J", "KA"), ("K", "JA")):
            for other in others:
                for first in ("generator", "opponent"):
                    p = draw.random()
                    if draw.random() < 0.9:
                        choice = "generator" if p > 0.5 else "opponent"
                        wrote(study, judge, other, first, choice, p if i % 3 else None, f"x{i}")
                    choice = draw.choice(("generator", "tie", "opponent"))
                    compare(study, judge, judge, other, first, choice, f"x{i}")

    rows = load(study).result("recognition-score", resamples=20).rows

    assert [row["judge"] for row in rows] == ["J", "K"]
    for row in rows:
        expected = plain.recognition(study, row["judge"])
        for name in ("n", "recognition", "share_right", "n_preference"):
            assert row[name] == pytest.approx(expected[name]), name
        rho = stats.spearmanr(*zip(*expected["pairs"], strict=True)).statistic
        assert row["preference_rho"] == pytest.approx(rho)
        assert row["preference_rho_low"] <= row["preference_rho"] <= row["preference_rho_high"]
