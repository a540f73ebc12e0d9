"""Pairs drawn by rule."""

from dataclasses import replace
from itertools import permutations

import pyarrow as pa
import pytest
from collect.plan.small import MODELS, config, rated, stored, tables

from engine import open_study
from engine.collect.plan.draw_pairs import draw_pairs, rule_words, stored_pairs
from engine.collect.plan.planning import make_plan
from engine.errors import UsageError
from engine.store import Store
from engine.store.study_files import StudyInfo

QUALITY = {
    "i0": {"a": 8.0, "b": 8.25, "c": 8.0},  # all equal
    "i1": {"a": 5.0, "b": 8.0, "c": 7.75},  # only b and c
    "i2": {"a": 9.0, "b": 7.0, "c": 9.0},  # b is far from a and c
    "i3": {"a": 4.0, "b": 4.0, "c": 9.5},
}


@pytest.fixture
def study(tmp_path):
    return stored(tmp_path, tables() | {"judgments": rated(QUALITY)})


def _plan_pairs(study, rule, **top):
    plan = make_plan(config(paradigms=["pairwise"], variants=["forced"], pairs=rule, **top), study)
    return plan, {(row["instance_id"], row["generator"], row["opponent"]) for row in plan.pair_rows}


def test_equal_pairs_hold_the_judges_own_and_an_equal_response(study):
    plan, pairs_drawn = _plan_pairs(study, "equal")

    # |dQ| <= 0.25: i0 with both, i2 with c, i3 with b
    assert pairs_drawn == {("i0", "a", "b"), ("i0", "a", "c"), ("i2", "a", "c"), ("i3", "a", "b")}
    assert len(plan) == 4 * 2
    assert {row["rule"] for row in plan.pair_rows} == {"|dQ| <= 0.25"}


def test_null_pairs_are_third_parties_equal_to_each_other_and_the_judges_own(study):
    plan, pairs_drawn = _plan_pairs(study, "null")

    assert pairs_drawn == {("i0", "b", "c"), ("i0", "c", "b")}
    assert len(plan) == 2  # two targets of one pair, which is judged once in both orders


def test_both_answers_of_a_null_pair_are_as_good_as_the_judges_own(tmp_path):
    scores = {
        "i0": {"a": 5.0, "b": 5.25, "c": 5.5},  # c is as good as b, but not as a
        "i1": {"a": 5.0, "b": 4.75, "c": 5.25},  # b and c are as good as a, but .5 apart
        "i2": {"a": 5.0, "b": 5.25, "c": 5.0},
    }
    study = stored(tmp_path, tables(3) | {"judgments": rated(scores)})

    _, pairs_drawn = _plan_pairs(study, "null")

    assert pairs_drawn == {("i2", "b", "c"), ("i2", "c", "b")}


def test_null_pairs_of_each_question_are_capped_at_the_given_number(study):
    _, pairs_drawn = _plan_pairs(study, "null", drawing="null_pairs = 1")

    assert len(pairs_drawn) == 1


def test_contrast_pairs_are_far_apart_exclude_the_judges_own_and_are_judged_once(study):
    plan, pairs_drawn = _plan_pairs(study, "contrast")

    # |dQ| >= 2 between b and c: i2 (7 and 9), i3 (4 and 9.5)
    assert pairs_drawn == {("i2", "b", "c"), ("i3", "b", "c")}
    assert len(plan) == 2


def test_an_answer_is_no_contrast_to_itself(study):
    _, pairs_drawn = _plan_pairs(study, "contrast", drawing="gap = 0.0")

    assert pairs_drawn == {(f"i{i}", "b", "c") for i in range(4)}


def test_the_order_of_a_contrast_pair_is_drawn_with_the_seed(tmp_path):
    instances = 20
    scores = {f"i{i}": {"a": 5.0, "b": 4.0, "c": 9.0} for i in range(instances)}
    study = stored(tmp_path, tables(instances) | {"judgments": rated(scores)})

    def orders(seed):
        plan, _ = _plan_pairs(study, "contrast", seed=seed)
        return [request.subject.first for request in plan]

    assert set(orders(0)) == {"generator", "opponent"}
    assert orders(0) == orders(0) != orders(1)


def test_contrast_pairs_are_capped_at_the_given_number(study):
    _, pairs_drawn = _plan_pairs(study, "contrast", drawing="contrast_pairs = 1")

    assert len(pairs_drawn) == 1


@pytest.mark.parametrize("drawing", [{}, {"drawing": 'reference = "none"'}])
def test_proxies_have_the_judges_own_outcome_against_the_opponent(tmp_path, drawing):
    rows = tables(1)
    rows["preferences"] = [
        {"instance_id": "i0", "generator": one, "opponent": two, "source": "human:1", "outcome": outcome}
        for one, two, outcome in (("a", "b", -1), ("c", "b", -1), ("a", "c", 1))
    ]
    study = stored(tmp_path, rows)

    plan, pairs_drawn = _plan_pairs(study, "proxy", **drawing)

    # a loses against b, and so does c; a wins against c, and so does b
    assert pairs_drawn == {("i0", "a", "b"), ("i0", "c", "b"), ("i0", "a", "c"), ("i0", "b", "c")}
    assert len(plan) == 3 * 2


def test_quality_may_come_from_the_reference(tmp_path):
    rows = tables(1)
    met = {"a": True, "b": True, "c": False}
    rows["rubrics"] = [row for row in rows["rubrics"] if row["rubric_id"] == "r1"]
    rows["references"] = [
        {"instance_id": "i0", "generator": g, "rubric_id": "r1", "source": "program", "met": met[g]}
        for g in MODELS
    ]
    study = stored(tmp_path, rows)

    _, pairs_drawn = _plan_pairs(study, "equal", drawing='quality = "reference"')

    assert pairs_drawn == {("i0", "a", "b")}


def test_a_pair_drawn_by_several_rules_is_judged_once(study):
    plan, _ = _plan_pairs(study, ["equal", "null", "contrast"])

    pairs = [
        (r.subject.instance_id, frozenset((r.subject.generator, r.subject.opponent)), r.subject.first)
        for r in plan
    ]
    assert len(pairs) == len(set(pairs)) == 4 * 2 + 2 + 2


def _store_pairs(study, plan):
    store = Store(study.location.path.rpartition("/")[0])
    rows = pa.Table.from_pylist([dict(row) for row in plan.pair_rows])
    store.write("s", {"pairs": rows}, StudyInfo(), mode="append")
    return store.open("s")


def test_pairs_once_drawn_stay_drawn(study):
    plan, _ = _plan_pairs(study, ["equal", "null", "contrast"])
    keys = {request.key for request in plan}

    again, pairs_drawn = _plan_pairs(_store_pairs(study, plan), ["equal", "null", "contrast"])

    assert pairs_drawn == set()
    assert {request.key for request in again} == keys


def test_stored_pairs_of_questions_that_take_no_part_are_not_judged(study):
    plan, _ = _plan_pairs(study, ["equal", "contrast"])
    study_with_pairs = _store_pairs(study, plan)

    again, pairs_drawn = _plan_pairs(study_with_pairs, ["equal", "contrast"], sample="n = 1")

    [instance] = {request.subject.instance_id for request in again}
    assert pairs_drawn == set()
    assert {request.key for request in again} == {
        request.key for request in plan if request.subject.instance_id == instance
    }


def test_a_run_of_questions_without_pairs_is_refused_though_others_have_some(study):
    plan, _ = _plan_pairs(study, "contrast")
    settings = config(paradigms=["pairwise"], variants=["forced"], pairs="contrast")

    with pytest.raises(UsageError, match="no pair of answers satisfies the rule 'contrast'"):
        draw_pairs(settings, _store_pairs(study, plan), MODELS, ["i0", "i1"])


@pytest.mark.parametrize(("rule", "later"), [("equal", {"i2", "i3"}), ("contrast", set())])
def test_where_a_pair_is_stored_no_others_are_drawn_for_contrast_in_any_question(study, rule, later):
    plan, _ = _plan_pairs(study, rule)
    first = replace(plan, pair_rows=plan.pair_rows[:1])  # equal: one of two pairs of i0

    _, pairs_drawn = _plan_pairs(_store_pairs(study, first), rule)

    assert {instance for instance, *_ in pairs_drawn} == later


def test_pairs_drawn_by_another_rule_are_excluded(study):
    plan, _ = _plan_pairs(study, "equal")
    study_with_pairs = _store_pairs(study, plan)

    with pytest.raises(UsageError, match=r"\|dQ\| <= 0\.25.*\|dQ\| <= 0\.5"):
        _plan_pairs(study_with_pairs, "equal", drawing="epsilon = 0.5")


@pytest.mark.parametrize("rule", ["equal", "null", "contrast", "proxy"])
def test_a_study_without_quality_is_refused_with_the_reason(tmp_path, rule):
    study = stored(tmp_path, tables())

    with pytest.raises(UsageError, match=r"pairs: .*has (no quality judgments|neither preferences)"):
        _plan_pairs(study, rule)


def test_a_rule_that_no_pair_satisfies_is_refused_with_the_reason(study):
    with pytest.raises(UsageError, match=r"no pair of answers satisfies the rule 'contrast'"):
        _plan_pairs(study, "contrast", drawing="gap = 9.0")


def test_the_drawn_pairs_are_those_that_the_measure_counts(study):
    """Second source: the measure selects the pairs itself if every pair was judged."""
    choices = [
        {
            "judge": "a",
            "paradigm": "pairwise",
            "variant": "forced",
            "instance_id": each,
            "generator": min(one, two),
            "opponent": max(one, two),
            "first": "generator" if one < two else "opponent",
            "choice": "generator",
        }
        for each in QUALITY
        for one, two in permutations(MODELS, 2)
    ]
    store = Store(study.location.path.rpartition("/")[0])
    plans = {rule: _plan_pairs(study, rule)[1] for rule in ("equal", "null", "contrast")}
    store.write("s", {"judgments": pa.Table.from_pylist(choices)}, StudyInfo(), mode="append")
    full_study = open_study(f"{store.root}/s")

    equal = full_study.measure("equal-quality", resamples=0).set_index("judge").loc["a"]
    contrast = full_study.measure("discriminability", resamples=0).set_index("judge").loc["a"]

    assert (equal["n_pairs"], equal["n_null_pairs"]) == (len(plans["equal"]), len(plans["null"]))
    assert contrast["n"] == len(plans["contrast"])


def rated_by_reference(tmp_path, mets, **models):
    """Return a study of one question in which these generators meet so many of its four criteria."""
    rows = tables(1)
    rows["models"] = [{"model": name, "family": models.get(name, name)} for name in (*mets, "q")]
    rows["rubrics"] = [
        {"instance_id": "i0", "rubric_id": f"r{k}", "criterion": f"c{k}", "points": 1} for k in range(4)
    ]
    rows["responses"] = [{"instance_id": "i0", "generator": name, "text": name} for name in mets]
    rows["references"] = [
        {"instance_id": "i0", "generator": name, "rubric_id": f"r{k}", "source": "program", "met": k < met}
        for name, met in mets.items()
        for k in range(4)
    ]
    return stored(tmp_path, rows)


def test_quality_by_the_reference_is_ten_times_its_score(tmp_path):
    study = rated_by_reference(tmp_path, {"a": 0, "b": 1, "c": 4, "d": 2})
    by = 'quality = "reference"\n'

    def pairs(rule, drawing):
        return _plan_pairs(study, rule, generators=list("abcd"), drawing=by + drawing)[1]

    # Quality 0, 2.5, 10 and 5: b is 2.5 from a and from d, d is 5 from a and from c.
    assert pairs("equal", "epsilon = 2.5") == {("i0", "a", "b")}
    assert pairs("contrast", "gap = 5") == {("i0", "b", "c"), ("i0", "c", "d")}
    assert pairs("contrast", "gap = 7.5") == {("i0", "b", "c")}
    with pytest.raises(UsageError, match="no pair of answers"):
        pairs("equal", "epsilon = 2.49")
    with pytest.raises(UsageError, match="no pair of answers"):
        pairs("contrast", "gap = 7.51")


def test_proxies_are_better_or_worse_by_the_references_scores_without_preferences(tmp_path):
    study = rated_by_reference(tmp_path, {"a": 2, "b": 3, "c": 2})

    _, pairs_drawn = _plan_pairs(study, "proxy")

    # a loses against b, as c does; a and c are as good as each other, which is no outcome.
    assert pairs_drawn == {("i0", "a", "b"), ("i0", "c", "b")}


def test_proxies_may_be_of_other_families_alone_and_only_some(tmp_path):
    study = rated_by_reference(tmp_path, {"a": 2, "b": 3, "c": 2, "d": 1, "e": 0}, c="a")

    _, everybody = _plan_pairs(study, "proxy", generators=list("abcde"))
    _, strangers = _plan_pairs(
        study, "proxy", generators=list("abcde"), drawing='third_party = "out_of_family"'
    )
    _, some = _plan_pairs(study, "proxy", generators=list("abcde"), drawing="max_proxies = 1")

    # a loses against b, as c, d and e do; it wins against d, as b and c do, and against e, as b, c and d do.
    lost, won = {("i0", name, "b") for name in "acde"}, {("i0", name, "d") for name in "abc"}
    won |= {("i0", name, "e") for name in "abcd"}
    assert everybody == lost | won
    assert strangers == {pair for pair in everybody if pair[1] != "c"}
    # The judge's own pairs stay; of the proxies one for each opponent.
    own = {("i0", "a", other) for other in "bde"}
    assert own <= some <= everybody
    assert sorted(other for _, name, other in some if name != "a") == ["b", "d", "e"]


def test_without_preferences_and_references_there_are_no_proxies(tmp_path):
    with pytest.raises(UsageError, match="has neither preferences nor references, and proxies need"):
        _plan_pairs(stored(tmp_path, tables(1)), "proxy")


@pytest.mark.parametrize("rule", ["equal", "null", "contrast"])
def test_quality_by_a_reference_that_is_lacking_is_refused(tmp_path, rule):
    with pytest.raises(UsageError, match=r"the study 's' has no references to draw pairs by; run paradigms"):
        _plan_pairs(stored(tmp_path, tables(1)), rule, drawing='quality = "reference"')


@pytest.mark.parametrize(
    ("rule", "drawing", "words"),
    [
        ("equal", "", "|dQ| <= 0.25"),
        ("equal", "epsilon = 0.5", "|dQ| <= 0.5"),
        ("equal", 'quality = "reference"', "|dQ| <= 0.25 by the reference"),
        ("equal", "null_pairs = 3", "|dQ| <= 0.25"),
        ("equal", 'third_party = "out_of_family"', "|dQ| <= 0.25, third parties outside the family"),
        ("null", "", "|dQ| <= 0.25"),
        ("null", "null_pairs = 3", "|dQ| <= 0.25, at most 3 of a question"),
        ("contrast", "", "|dQ| >= 2"),
        ("contrast", "gap = 1.5\ncontrast_pairs = 9", "|dQ| >= 1.5, at most 9"),
        ("contrast", 'third_party = "out_of_family"', "|dQ| >= 2"),
        ("proxy", "", "own, and others with the same outcome"),
        ("proxy", "max_proxies = 1", "own, and others with the same outcome, at most 1"),
        (
            "proxy",
            'max_proxies = 2\nthird_party = "out_of_family"',
            "own, and others with the same outcome, at most 2, third parties outside the family",
        ),
    ],
)
def test_a_rule_is_stored_in_words_without_usual_numbers(rule, drawing, words):
    settings = {"drawing": drawing} if drawing else {}

    assert rule_words(rule, config(**settings)) == words


def test_stored_pairs_must_be_of_the_same_rule_and_seed_but_equal_ones_of_any_seed(tmp_path):
    rows = tables(1)
    row = {"instance_id": "i0", "judge": "a", "generator": "a", "opponent": "b", "rule": "r", "seed": 3}
    rows["pairs"] = [row | {"purpose": purpose} for purpose in ("equal", "null")]
    study = stored(tmp_path, rows)

    assert len(stored_pairs(study, "equal", "r", 4, ["a"])) == 1
    assert len(stored_pairs(study, "null", "r", 3, ["a", "b"])) == 1
    assert stored_pairs(study, "null", "s", 4, ["b"]) == []
    assert stored_pairs(study, "contrast", "s", 4, ["a"]) == []
    for purpose, rule, seed in (("null", "r", 4), ("null", "s", 3), ("equal", "s", 3)):
        with pytest.raises(
            UsageError, match=f"has pairs of purpose '{purpose}' for 'a', drawn by 'r' with seed 3"
        ):
            stored_pairs(study, purpose, rule, seed, ["a"])


def test_a_judge_without_answers_of_its_own_has_contrast_pairs_alone(study):
    _, contrast = _plan_pairs(study, "contrast", judges=["a"], generators=["b", "c"])

    assert contrast == {("i2", "b", "c"), ("i3", "b", "c")}
    for rule in ("equal", "null"):
        with pytest.raises(UsageError, match=f"no pair of answers satisfies the rule '{rule}'"):
            _plan_pairs(study, rule, judges=["a"], generators=["b", "c"])
