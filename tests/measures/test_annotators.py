"""What people labelled: checked by hand arithmetic, and against plain loops on awkward studies."""

import json
import math
import random

import pandas as pd
import pytest
from plain.annotators import annotators as plain_annotators
from plain.awkward_pairs import annotate, awkward_pairs_study
from plain.builders import one, refer, study_of
from plain.pair_builders import rate

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

KINDS = ("equal_pair", "preference", "rubric_verdict", "score", "clusters")


def label(study, annotator, item, value, kind="equal_pair", pair=("A", "B"), instance="x0", **rest):
    study.add(
        "annotations",
        annotator=annotator,
        task="t",
        item=item,
        kind=kind,
        instance_id=instance,
        generator=pair[0],
        opponent=pair[1],
        value=value,
        **rest,
    )


def pairs_of_people():
    """Four pairs by two people: A and B differ by 0, 0.25, 0.5 and 3."""
    study = study_of("J:F A:G B:H R:Q", instances=4)
    for i, (other, ann, bo) in enumerate(
        (
            (6, "equal", "equal"),
            (6.25, "equal", "generator"),
            (6.5, "equal", "equal"),
            (9, "opponent", "opponent"),
        )
    ):
        rate(study, "R", {"A": 6, "B": other}, f"x{i}")
        label(study, "ann", f"i{i}", ann, instance=f"x{i}")
        # stored with the pair reversed: labels of A and B are swapped with it
        swapped = {"generator": "opponent", "opponent": "generator"}.get(bo, bo)
        label(study, "bo", f"i{i}", swapped, pair=("B", "A"), instance=f"x{i}")
    return study


def test_kappa_of_pairs_is_that_of_the_labels_as_stored_whatever_the_order_of_models(load):
    study = study_of("J:F A:G B:H R:Q", instances=4)
    for number, (pair, ann, bo) in enumerate(
        (
            ("AB", "generator", "generator"),
            ("BA", "generator", "generator"),
            ("AB", "opponent", "opponent"),
            ("BA", "generator", "opponent"),
        )
    ):
        for person, value in (("ann", ann), ("bo", bo)):
            label(study, person, f"i{number}", value, pair=tuple(pair), instance=f"x{number}")

    row = load(study).result("annotators", resamples=0).rows[0]

    # P = 3/4. As stored: generator 5 and opponent 3 of 8, P_e = (25 + 9) / 64. Seen from A: 4 and 4, 1/2.
    assert row["kappa"] == pytest.approx((3 / 4 - 34 / 64) / (30 / 64))
    # Cohen's: ann 3 and 1 of 4, bo 2 and 2: P_e = 1/2.
    assert row["pairwise_kappa"] == pytest.approx((3 / 4 - 1 / 2) / (1 / 2))


def test_kappa_alpha_and_consistency_by_hand(load):
    row = load(pairs_of_people()).result("annotators", resamples=0).rows[0]

    # Equal of both are i0 and i2, opponent of both i3, i1 is split: P = 3/4.
    # Shares: equal 5/8, opponent 2/8, generator 1/8: P_e = (25 + 4 + 1) / 64.
    assert row["kappa"] == pytest.approx((3 / 4 - 30 / 64) / (34 / 64))
    # ann: equal 3/4, opponent 1/4; bo: equal 2/4, opponent 1/4, generator 1/4. Chance 6/16 + 1/16.
    assert row["pairwise_kappa"] == pytest.approx((3 / 4 - 7 / 16) / (9 / 16))
    # Ordinal, middles of opponent, equal, generator at 1, 4.5, 7.5: distances 3.5, 3 and 6.5, squared.
    # D_o = 2 * 9 / 8; D_e = 2 (2 * 5 * 12.25 + 5 * 1 * 9 + 2 * 1 * 42.25) / 56.
    assert row["alpha"] == pytest.approx(1 - (18 / 8) / (2 * (122.5 + 45 + 84.5) / 56))
    # Automatic at 0.25: i0 and i1 are equal. People: i0 and i2 are, i3 is not, i1 is divided.
    assert (row["both_equal"], row["automatic_only"], row["people_only"], row["both_unequal"]) == (1, 0, 1, 1)
    assert row["consistency"] == pytest.approx(2 / 3)
    assert (row["n_items"], row["n_annotators"], row["n_compared"], row["epsilon"]) == (4, 2, 3, 0.25)


def test_the_automatic_label_moves_with_epsilon(load):
    rows = load(pairs_of_people()).result("annotators", resamples=0, epsilons=["0.5", "4"]).rows

    assert [(row["epsilon"], row["people_only"], row["automatic_only"]) for row in rows] == [
        (0.25, 1, 0),
        (0.5, 0, 0),
        (4.0, 0, 1),
    ]


def test_a_settled_label_replaces_the_majority(load):
    study = pairs_of_people()
    label(study, "adjudicated", "i1", "equal", instance="x1", reason="they say the same")

    result = load(study).result("annotators", resamples=0)

    row = result.rows[0]
    assert (row["n_annotators"], row["n_labels"], row["n_compared"], row["both_equal"]) == (2, 8, 4, 2)
    assert result.left_out["no_majority"] == 0


def test_clusters_are_compared_as_pairs_within_one_or_not(load):
    study = study_of("J:F A:G B:H R:Q")
    rate(study, "R", {"J": 5, "A": 5, "B": 8})
    for person, levels in (("ann", {"J": 1, "A": 1, "B": 2}), ("bo", {"J": 2, "A": 1, "B": 1})):
        label(study, person, "x0", json.dumps(levels), kind="clusters", pair=(None, None))

    result = load(study).result("annotators", resamples=0)

    # Pairs JA, JB, AB: ann together, apart, apart; bo apart, apart, together.
    row = result.rows[0]
    assert (row["n_items"], row["kappa"], row["n_compared"]) == (
        3,
        pytest.approx((1 / 3 - 5 / 9) / (4 / 9)),
        1,
    )
    assert (row["both_unequal"], result.left_out["no_majority"]) == (1, 2)


def test_a_missing_label_is_not_a_label(load):
    study = study_of("A:G B:H")
    for person, values in (("ann", ("met", "cannot_tell", None)), ("bo", ("met", "met", "not_met"))):
        for i, value in enumerate(values):
            label(study, person, f"i{i}", value, kind="rubric_verdict", pair=("A", None))

    result = load(study).result("annotators", resamples=0)

    row = result.rows[0]
    assert (row["n_labels"], row["kappa"], row["reasons"]["kappa"]) == (4, None, "labels_all_alike")
    assert row["reasons"]["consistency"] == "kind_without_automatic_label"
    assert (result.left_out["cannot_tell"], result.left_out["skipped"]) == (1, 1)


def test_each_pair_of_people_and_each_person_can_be_shown_alone(load):
    study = pairs_of_people()
    for i, value in enumerate(("equal", "opponent")):
        label(study, "ann", f"i{i}", value, instance=f"x{i}", round=2)
        label(study, "cy", f"i{i}", "equal", instance=f"x{i}")
    study = load(study)

    pairs = study.result("annotators", by="pair", resamples=0).rows
    alone = study.result("annotators", by="annotator", resamples=0).rows

    assert [row["slice"] for row in pairs] == ["ann, bo", "ann, cy", "bo, cy"]
    assert one(pairs, slice="ann, bo")["pairwise_kappa"] == pytest.approx((3 / 4 - 7 / 16) / (9 / 16))
    ann = one(alone, slice="ann")
    assert (ann["self_agreement"], ann["n_repeats"]) == (0.5, 2)
    assert (ann["kappa"], ann["reasons"]["kappa"]) == (None, "fewer_than_two_labels_of_an_item")
    # ann alone: i0 and i1 equal in both, i2 equal by ann only, i3 by neither.
    assert ann["consistency"] == pytest.approx(3 / 4)


def test_pairs_can_be_grouped_by_how_far_apart_they_are(load):
    rows = load(pairs_of_people()).result("annotators", by="quality_difference", resamples=0).rows

    assert [(row["slice"], row["n_items"], row["consistency"]) for row in rows] == [
        ("0-0.25", 2, 1.0),
        ("0.25-0.5", 1, 0.0),
        ("2-", 1, 1.0),
    ]


def test_agreement_of_people_needs_no_quality(load):
    study = pairs_of_people()
    study.judgments.clear()

    row = load(study).result("annotators", resamples=50).rows[0]

    assert row["kappa"] is not None
    assert (row["consistency"], row["reasons"]["consistency"], row["n_compared"]) == (None, "no_quality", 0)


def test_intervals_contain_their_number_and_resample_whole_questions(load):
    study = study_of("J:F A:G B:H R:Q", instances=30)
    rng = random.Random(3)
    for i in range(30):
        rate(study, "R", {"A": 6, "B": rng.choice((6, 8))}, f"x{i}")
        for person in ("ann", "bo", "cy"):
            label(study, person, f"i{i}", rng.choice(("equal", "equal", "opponent")), instance=f"x{i}")

    row = load(study).result("annotators", resamples=300).rows[0]

    for name in ("kappa", "pairwise_kappa", "alpha", "consistency"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"], name


def test_a_study_without_annotations_says_so(load):
    result = load(study_of("A:G B:H")).result("annotators")

    assert result.rows == []
    assert "no labels" in result.reason


def test_an_invalid_label_is_refused_with_its_row(load):
    study = study_of("A:G B:H")
    label(study, "ann", "i0", "equal")
    label(study, "ann", "i1", "left")
    study = load(study)

    with pytest.raises(BadInputError, match=r"row 2: value is 'left'; write generator, equal or opponent"):
        study.result("annotators")


def test_an_epsilon_below_zero_is_refused(load):
    study = load(pairs_of_people())

    with pytest.raises(UsageError, match=r"epsilon -0\.01 is below 0; give a quality difference"):
        study.result("annotators", epsilon=-0.01)
    assert study.result("annotators", epsilon=0, resamples=0).rows[0]["both_equal"] == 1


@pytest.mark.parametrize("text", ["x", "-0.5", "nan"])
def test_an_epsilon_of_a_list_that_is_no_difference_is_refused(load, text):
    study = load(pairs_of_people())

    with pytest.raises(UsageError, match=f"epsilon '{text}' is not a quality difference of 0 or more"):
        study.result("annotators", epsilons=["0.5", text])


def test_each_epsilon_has_one_row_the_usual_first(load):
    rows = load(pairs_of_people()).result("annotators", epsilons="3,0.25,0,3", resamples=0).rows

    # At 0 only i0 is equal automatically, at 3 all four are; people say so of i0 and i2 (i1 is divided).
    assert [(row["epsilon"], row["both_equal"], row["people_only"]) for row in rows] == [
        (0.25, 1, 1),
        (3.0, 2, 0),
        (0.0, 1, 1),
    ]


def test_quality_may_be_the_share_of_criteria_that_the_reference_says_are_met(load):
    study = study_of("J:F A:G B:H", rubrics=(1, 1, 1, 1), instances=2)
    for instance, (of_a, of_b) in (("x0", ("1100", "1110")), ("x1", ("1111", "1000"))):
        refer(study, "A", of_a, instance)
        refer(study, "B", of_b, instance)
        label(study, "ann", instance, "equal", instance=instance)
    study = load(study)

    # 2 and 3 of 4 are 2.5 of 10 apart, 4 and 1 of 4 are 7.5.
    for epsilon, both, people_only in ((2.49, 0, 2), (2.5, 1, 1), (7.5, 2, 0)):
        row = study.result("annotators", quality="reference", epsilon=epsilon, resamples=0).rows[0]
        assert (row["both_equal"], row["people_only"], row["n_compared"]) == (both, people_only, 2)
    row = study.result("annotators", resamples=0).rows[0]
    assert (row["consistency"], row["reasons"]["consistency"], row["n_compared"]) == (None, "no_quality", 0)


def test_filters_keep_the_pairs_whose_instance_and_both_answers_count(load):
    study = pairs_of_people()
    for n, category in enumerate("abab"):
        study.instances[n]["category"] = category
    label(study, "ann", "i9", "equal", pair=("A", "J"), instance="x0")
    study = load(study)

    def items(**filters):
        rows = study.result("annotators", resamples=0, **filters).rows
        return rows[0]["n_items"] if rows else 0

    assert (items(), items(category="a"), items(category="b")) == (5, 3, 2)
    assert (items(generators="A,B"), items(generators="A"), items(generators="A,J")) == (4, 0, 1)


def test_labels_of_items_without_an_instance_are_drawn_by_themselves(load):
    study = study_of("J:F A:G B:H")
    for n, (first, second) in enumerate(("mm", "nn", "mn", "mm", "nn", "nm", "mm", "nn")):
        for person, value in (("ann", first), ("bo", second)):
            word = {"m": "met", "n": "not_met"}[value]
            label(study, person, f"i{n}", word, kind="rubric_verdict", pair=(None, None), instance=None)

    row = load(study).result("annotators", resamples=300, seed=2).rows[0]

    # Alike on 6 of 8, each half met: kappa .5. Drawn one by one, an interval has a width.
    assert row["kappa"] == pytest.approx(0.5)
    assert -0.4 < row["kappa_low"] < 0.3
    assert 0.7 < row["kappa_high"] <= 1


def test_items_of_one_instance_are_drawn_together(load):
    study = study_of("J:F A:G B:H")
    for n, (first, second) in enumerate(("mm", "nn", "mn")):
        for person, value in (("ann", first), ("bo", second)):
            word = {"m": "met", "n": "not_met"}[value]
            label(study, person, f"i{n}", word, kind="rubric_verdict", pair=("A", None), instance="x0")

    row = load(study).result("annotators", resamples=50).rows[0]

    # Every resample holds the only instance, with its three items: they show no sampling error.
    assert row["kappa"] == pytest.approx(1 / 3)
    assert row["kappa_low"] is row["kappa_high"] is None
    assert row["reasons"]["kappa_low"] == "one_instance"


def test_without_quality_every_labelled_pair_is_left_out_whatever_its_label(load):
    study = study_of("J:F A:G B:H", instances=3)
    for n, value in enumerate(("opponent", "generator", "equal")):
        label(study, "ann", f"i{n}", value, instance=f"x{n}")

    assert load(study).result("annotators", resamples=0).left_out["no_quality"] == 3


def test_thirty_labelled_items_are_no_longer_few(load):
    study = study_of("J:F A:G B:H", instances=30)
    for n in range(30):
        label(study, "ann", f"i{n}", "equal" if n % 3 else "opponent", instance=f"x{n}")
    label(study, "bo", "i29", "equal", instance="x29")
    study = load(study)

    rows = [study.result("annotators", resamples=0).rows[0]]
    rows += study.result("annotators", by="annotator", resamples=0).rows

    assert [(row["n_items"], row["small"]) for row in rows] == [(30, False), (30, False), (1, True)]
    assert [row["n_equal"] for row in rows] == [20, 20, 1]


def test_what_has_no_label_of_either_kind_is_left_out_and_counted(load):
    study = pairs_of_people()
    label(study, "ann", "i9", "equal", pair=("A", "J"), instance="x0")
    study.judgments = [
        row for row in study.judgments if (row["instance_id"], row["generator"]) != ("x3", "B")
    ]

    result = load(study).result("annotators", resamples=0)

    # On i1 people are divided. Of i3 and i9 an answer has no score.
    assert (result.left_out["no_majority"], result.left_out["no_quality"]) == (1, 2)
    row = result.rows[0]
    assert (row["n_compared"], row["both_equal"], row["people_only"], row["both_unequal"]) == (2, 1, 1, 0)


def test_an_unknown_task_is_refused(load):
    with pytest.raises(UsageError, match="unknown task 'u'; choose from: t"):
        load(pairs_of_people()).result("annotators", tasks=["u"])


def same(actual, expected):
    return actual is None if expected is None else math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_annotators_equals_its_plain_second_implementation(tmp_path, seed):
    plain = awkward_pairs_study(random.Random(seed), instances=3 + seed)
    annotate(plain, random.Random(seed + 100))
    plain.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "awkward")
    study = Study.open(tmp_path / "store" / "awkward")

    for epsilon, quality in ((0.25, "judges"), (1.5, "judges")):
        rows = study.result("annotators", epsilon=epsilon, quality=quality, resamples=0).rows
        assert {row["kind"] for row in rows} == set(KINDS)
        for row in rows:
            expected = plain_annotators(plain, row["task"], epsilon, quality=quality)
            for name, value in expected.items():
                assert same(row[name], value), (row["task"], name, row[name], value)


def test_of_labels_that_are_references_alone_it_is_said_where_their_agreement_is():
    rows = [[judge, "oak", "q", "yes", "no"] for judge in ("oak", "fir")]
    frame = pd.DataFrame(rows, columns=["judge", "generator", "instance_id", "met", "truth"])
    given = {
        "families": {"oak": "Oak", "fir": "Fir"},
        "set": {"rubric_id": "r", "reference_source": "human:ann"},
    }
    study = engine.from_frame(frame, reference_met="truth", **given)

    with pytest.warns(UserWarning, match="study.reference_agreement()"):
        assert "no labelling task" in study.annotators().attrs["reason"]
