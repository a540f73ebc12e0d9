"""`corrected` and `votes` against their second implementations by plain loops, on awkward random studies."""

import math
import random

import pytest
from plain.awkward import GENERATORS, JUDGES, awkward_study
from plain.corrected import corrected
from plain.votes import votes

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

PARADIGMS = ("single_rubric", "direct_assessment", "pairwise")
ONE_ORDER = JUDGES[1:3]
"""Judges none of whose pairs is judged in both orders, in a study of the second kind."""


def partly_labelled(seed):
    """Return a study of judges with some skill, with references on a third and some scattered instances."""
    rng = random.Random(seed)
    rows = awkward_study(
        rng, instances=30, paradigms=PARADIGMS, missing_references=0.003, missing=0.01, statuses=0.02
    )
    key = ("instance_id", "generator", "rubric_id")
    truth = {
        tuple(row[part] for part in key): row["met"] for row in rows.references if row["source"] == "program"
    }
    for row in rows.judgments:
        met = truth.get(tuple(row[part] for part in key))
        if row["met"] is not None and met is not None and rng.random() < 0.6:
            row["met"] = met
    bare = {row["instance_id"] for row in rows.instances[12:]}
    rows.references = [row for row in rows.references if row["instance_id"] not in bare or rng.random() < 0.2]
    return rows


def partly_in_one_order(seed):
    """Return a study in which some judges saw each pair in one order, known, unknown, or both of these."""
    rng = random.Random(seed)
    rows = awkward_study(rng, instances=8, paradigms=("pairwise",), missing=0.05, statuses=0.1)
    shown_first, keys, judgments = {}, set(), []
    for row in rows.judgments:
        if row["judge"] in ONE_ORDER:
            sides = sorted((row["generator"], row["opponent"]))
            pair = row["judge"], row["variant"], row["instance_id"], *sides
            if row["first"] is None or rng.random() < 0.2:
                row["first"] = "unknown"
            order = row.get(row["first"], "unknown")
            key = *pair, order, row["transform"], row["run_id"], row["trial"] or 0
            if order != "unknown" and shown_first.setdefault(pair, order) != order:
                continue
            if key in keys:  # a resolved row became equal to one of unknown order
                continue
            keys.add(key)
        judgments.append(row)
    rows.judgments = judgments
    return rows


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the studies by seed, both as plain rows and opened from a store."""
    return {seed: import_and_open(partly_labelled(seed), tmp_path_factory) for seed in range(2)}


@pytest.fixture(scope="module")
def of_one_order(tmp_path_factory):
    return {seed: import_and_open(partly_in_one_order(seed), tmp_path_factory) for seed in range(3)}


def import_and_open(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("awkward")
    rows.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return rows, Study.open(folder / "store" / "awkward")


QUESTIONS = [
    {},
    {"judges": [JUDGES[0]]},
    {"scores": "weighted"},
    {"polarity": "positive"},
    {"paradigm": "direct_assessment"},
    {"method": "rogan_gladen"},
    {"method": "rogan_gladen", "judges": [JUDGES[0]]},
    {"method": "rogan_gladen", "relatives": "provider"},
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", QUESTIONS, ids=str)
def test_corrected_scores_equal_their_plain_second_implementation(studies, seed, options):
    rows, study = studies[seed]
    expected = corrected(rows, **options)

    rows_by_model = {row["model"]: row for row in study.result("corrected", resamples=20, **options).rows}

    assert list(rows_by_model) == [row["model"] for row in expected]
    assert any(row["score"] is not None for row in expected)
    ends = (
        ("score_low", "score_high") if "method" in options else ()
    )  # intervals by rates are computed in another way
    for row in expected:
        for field, value in row.items():
            if field in ends:
                continue
            if field.startswith("score") and value is not None:
                value = min(max(value, 0.0), 1.0)  # cut off where the score's scale ends
            assert same(rows_by_model[row["model"]][field], value), (row["model"], field)


def same(actual, expected, within=1e-9):
    if actual is None or expected is None or isinstance(expected, str):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=within, abs_tol=within)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", [{}, {"repeats": "first"}, {"judges": list(JUDGES[:2])}], ids=str)
def test_votes_equal_their_plain_second_implementation(studies, seed, options):
    rows, study = studies[seed]

    assert not study.result("votes", resamples=0, **options).filters.get("single_order")
    votes_are_equal(rows, study, options)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options", [{}, {"repeats": "first"}, {"generators": list(GENERATORS[:3])}, {"category": "0"}], ids=str
)
def test_votes_by_single_orders_equal_their_plain_second_implementation(of_one_order, seed, options):
    rows, study = of_one_order[seed]
    if "category" in options:
        options = {"category": [next(row["category"] for row in rows.instances if row["category"])]}

    assert set(study.result("votes", resamples=0, **options).filters["single_order"]) == set(ONE_ORDER)
    votes_are_equal(rows, study, options)


def votes_are_equal(rows, study, options):
    expected = votes(rows, **options)

    ours = {
        (row["judge"], row["generator"]): row for row in study.result("votes", resamples=0, **options).rows
    }

    assert list(ours) == [(row["judge"], row["generator"]) for row in expected]
    for row in expected:
        for field, value in row.items():
            within = 1e-6 if field == "strength" else 1e-9  # both climb to the same maximum, and stop near it
            assert same(ours[row["judge"], row["generator"]][field], value, within), (field, row)
