"""The effect of rewriting responses on self-preference: by hand, and by plain loops on awkward studies."""

import math
import random

import pytest
from plain import transforms as plain
from plain.awkward import awkward_study
from plain.awkward_pairs import awkward_pairs_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.pair_builders import G, O, T, both_orders

from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

FEW = {"resamples": 0}


def rewritten(instances=4):
    """J against K: J wins all of its pairs as written, and half when rewritten; P and Q are gold."""
    study = study_of("J:F K:G P:P Q:Q", instances=instances)
    for i in range(instances):
        both_orders(study, "J", "J", "K", (G, G), f"x{i}")
        choices = (G, G) if i % 2 else (O, O)
        both_orders(study, "J", "J", "K", choices, f"x{i}", transform="humorous")
        study.add("responses", instance_id=f"x{i}", generator="K", transform="humorous", transformed_by="P")
        for name, outcome in (("P", 1), ("Q", -1)):
            study.add(
                "preferences", instance_id=f"x{i}", generator="J", opponent="K", source=name, outcome=outcome
            )
    return study


def test_the_effect_is_the_bias_with_the_transform_less_that_without(load):
    rows = load(rewritten()).result("robustness", rows="preference", **FEW).rows

    # P rewrote K's responses and is gold on neither side: by Q, J loses. DBG 1 - 0 before, 1/2 - 0 after.
    row = one(rows, measure="dbg")
    assert (row["judge"], row["transform"]) == ("J", "humorous")
    assert (row["without"], row["under"], row["effect"]) == (1.0, 0.5, -0.5)
    assert (row["n"], row["n_instances"], row["small"]) == (4, 4, True)
    assert (row["ratio"], row["reasons"]["ratio"]) == (None, "not_a_ratio")
    assert row["reasons"]["effect_low"] == "no_resamples"


def test_only_responses_judged_in_both_are_compared(load):
    study = rewritten()
    study.add("instances", instance_id="y")
    both_orders(study, "J", "J", "K", (O, O), "y")
    study.add("preferences", instance_id="y", generator="J", opponent="K", source="Q", outcome=-1)

    result = load(study).result("robustness", rows="preference", **FEW)

    assert one(result.rows, measure="dbg")["without"] == 1.0
    assert result.left_out["not_common"] > 0


def test_a_ratio_has_a_ratio_of_ratios_beside_the_difference(load):
    study = study_of("J:F A:G", rubrics=(1,), instances=8)
    for i in range(8):
        for model in ("J", "A"):
            refer(study, model, "0", f"x{i}")
            # As written J passes itself 6 of 8 times and A 2; rewritten 4 and 4.
            for transform, passed in (("none", {"J": 6, "A": 2}), ("plain", {"J": 4, "A": 4})):
                judge_rubrics(study, "J", model, "01"[i < passed[model]], f"x{i}", transform=transform)

    row = one(load(study).result("robustness", rows="preference", **FEW).rows, measure="hspp")

    assert (row["without"], row["under"]) == (3.0, 1.0)
    assert (row["effect"], row["ratio"]) == (-2.0, pytest.approx(1 / 3))


def test_answers_judged_in_one_form_alone_are_counted_once_for_each_judge_and_measure(load):
    study = study_of("J:F A:G K:H L:I", rubrics=(1,), instances=8)

    def judged(judge, generators, instances, transform):
        for i in instances:
            for model in generators:
                judge_rubrics(study, judge, model, "01"[i % 2], f"x{i}", transform=transform)

    for i in range(8):
        for model in "JAKL":
            refer(study, model, "0", f"x{i}")
    judged("J", "JA", range(8), "none")
    judged("J", "JA", range(1, 8), "plain")  # not x0: two answers
    judged("A", "JA", range(4, 8), "none")
    judged("A", "JA", range(3, 8), "plain")  # x3 too: two answers
    judged("A", "K", [3], "plain")  # one answer
    judged("K", "KJ", range(8), "plain")  # never as written, as L never rewritten
    judged("L", "LJ", range(8), "none")
    study = load(study)

    results = {
        level: study.result("robustness", rows="preference", level=level, **FEW)
        for level in ("rubric", "instance", None)
    }

    # The ratios, from one table, are of verdicts, and the bonus is of scores.
    measures = {level: {row["measure"] for row in result.rows} for level, result in results.items()}
    ratios = {"hspp", "hspp_matched"}
    assert measures == {"rubric": ratios, "instance": {"bonus"}, None: {*ratios, "bonus"}}
    assert {row["judge"] for row in results[None].rows} == {"J", "A"}
    left_out = {level: result.left_out["not_common"] for level, result in results.items()}
    assert left_out == {"rubric": 5, "instance": 5, None: 10}


def test_both_sides_use_the_same_resamples(load):
    study = study_of("J:F K:G Q:Q", instances=40)
    rng = random.Random(5)
    for i in range(40):
        choices = rng.choice(((G, G), (O, O), (T, T)))
        for transform in ("none", "copied"):
            both_orders(study, "J", "J", "K", choices, f"x{i}", transform=transform)
        outcome = rng.choice((-1, 0, 1))
        study.add(
            "preferences", instance_id=f"x{i}", generator="J", opponent="K", source="Q", outcome=outcome
        )

    row = one(load(study).result("robustness", rows="preference", resamples=200).rows, measure="dbg")

    assert row["without_low"] < row["without"] < row["without_high"]
    assert (row["effect"], row["effect_low"]) == (0.0, None)
    assert row["reasons"]["effect_low"] == "resamples_alike"


def test_a_study_without_rewritten_responses_says_so(load):
    study = study_of("J:F K:G Q:Q")
    both_orders(study, "J", "J", "K", (G, G))

    result = load(study).result("robustness", rows="preference")

    assert result.rows == []
    assert "both as written and rewritten" in result.reason


@pytest.mark.parametrize(
    ("transform", "message"), [("odd", "unknown transform 'odd'"), ("none", "compared with")]
)
def test_an_invalid_transform_is_refused(load, transform, message):
    with pytest.raises(UsageError, match=message):
        load(rewritten()).result("robustness", rows="preference", transform=transform)


def same(actual, expected):
    return actual is None if expected is None else math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["pairs", "rubrics"])
def test_transforms_equals_its_plain_second_implementation(tmp_path, seed, kind):
    rng = random.Random(seed)
    rows = (
        awkward_pairs_study(rng, instances=5, preferences=seed % 2 == 0)
        if kind == "pairs"
        else awkward_study(rng, instances=6)
    )
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "awkward")
    measured = Study.open(tmp_path / "store" / "awkward").result("robustness", rows="preference", **FEW).rows

    names = {"hspp": "hspp"} | ({"dbg": "dbg", "equal-quality": "spb"} if kind == "pairs" else {})
    compared = 0
    for measure, name in names.items():
        by_judge = {row["judge"]: row for row in measured if row["measure"] == measure}
        for judge in plain.judges(rows):
            expected = plain.transforms(rows, name, judge, "plain style")
            row = by_judge.get(judge)
            if row is None:
                assert expected is None or None in expected
                continue
            assert expected is not None
            assert same(row["without"], expected[0]), (measure, judge, row, expected)
            assert same(row["under"], expected[1]), (measure, judge, row, expected)
            if None not in expected:
                assert same(row["effect"], expected[1] - expected[0])
                compared += 1
    assert compared > 0
