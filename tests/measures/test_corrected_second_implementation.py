"""`corrected` and `votes` against their second implementations by plain loops, on awkward random studies."""

import math
import random

import pytest
from plain.awkward import JUDGES, awkward_study
from plain.corrected import corrected
from plain.votes import votes

from engine.importers.exchange import import_tidy
from engine.store import Store
from engine.study import Study

PARADIGMS = ("single_rubric", "direct_assessment", "pairwise")


def partly_labelled(seed):
    """Return a study whose judges tell met from failed, with references on a third and here and there."""
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


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the studies by seed, both as plain rows and opened from a store."""
    by_seed = {}
    for seed in range(2):
        rows = partly_labelled(seed)
        folder = tmp_path_factory.mktemp("awkward")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_seed[seed] = rows, Study.open(folder / "store" / "awkward")
    return by_seed


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

    ours = {row["model"]: row for row in study.result("corrected", resamples=20, **options).rows}

    assert list(ours) == [row["model"] for row in expected]
    assert any(row["score"] is not None for row in expected)
    ends = ("score_low", "score_high") if "method" in options else ()  # those of rates are by another route
    for row in expected:
        for field, value in row.items():
            if field not in ends:
                assert same(ours[row["model"]][field], value), (row["model"], field)


def same(ours, theirs, within=1e-9):
    if ours is None or theirs is None or isinstance(theirs, str):
        return ours == theirs
    return math.isclose(ours, theirs, rel_tol=within, abs_tol=within)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", [{}, {"repeats": "first"}, {"judges": list(JUDGES[:2])}], ids=str)
def test_votes_equal_their_plain_second_implementation(studies, seed, options):
    rows, study = studies[seed]
    expected = votes(rows, **options)

    ours = {
        (row["judge"], row["generator"]): row for row in study.result("votes", resamples=0, **options).rows
    }

    assert list(ours) == [(row["judge"], row["generator"]) for row in expected]
    for row in expected:
        for field, value in row.items():
            within = 1e-6 if field == "strength" else 1e-9  # both climb to the same top, and stop near it
            assert same(ours[row["judge"], row["generator"]][field], value, within), (field, row)
