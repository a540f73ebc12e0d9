"""Every measure against its second implementation by plain loops, on awkward random studies."""

import math
import random

import pytest
from plain import committees
from plain import measures as plain
from plain.asking import RefusedError
from plain.awkward import COMMITTEE, GENERATORS, JUDGES, awkward_study
from plain.sources import reference_agreement

from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

PLAIN = {
    "hspp": plain.hspp,
    "overestimation": plain.overestimation,
    "accuracy": plain.accuracy,
    "delta": plain.delta,
    "agreement-curve": plain.agreement_curve,
    "committee": committees.committee,
    "committee-size": committees.committee_size,
    "committee-families": committees.committee_families,
}
SEEDS = range(3)


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the awkward studies by seed, both as plain rows and opened from a store."""
    by_seed = {}
    for seed in SEEDS:
        rows = awkward_study(random.Random(seed), instances=4 + seed % 4)
        folder = tmp_path_factory.mktemp("awkward")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_seed[seed] = rows, Study.open(folder / "store" / "awkward")
    return by_seed


QUESTIONS = [
    ("hspp", {}),
    ("hspp", {"level": "instance"}),
    ("hspp", {"level": "instance", "scores": "weighted"}),
    ("hspp", {"level": "instance", "scores": "weighted_mean_clipped"}),
    ("hspp", {"level": "instance", "scores": "uniform"}),
    ("hspp", {"paradigm": "all_rubrics"}),
    ("hspp", {"paradigm": "all_rubrics", "ordering": "reversed"}),
    ("hspp", {"paradigm": "all_rubrics", "position": [1]}),
    ("hspp", {"paradigm": "direct_assessment"}),
    ("hspp", {"paradigm": "pairwise"}),
    ("hspp", {"paradigm": "pairwise", "repeats": "first"}),
    ("hspp", {"paradigm": "pairwise", "reference": "human"}),
    ("hspp", {"polarity": "negative"}),
    ("hspp", {"polarity": "positive", "level": "instance"}),
    ("hspp", {"length": (5, 40)}),
    ("hspp", {"length": (None, 4), "length_unit": "words"}),
    ("hspp", {"theme": ["care"]}),
    ("hspp", {"paradigm": "direct_assessment", "language": ["en"]}),
    ("hspp", {"segment": ["hard"]}),
    ("hspp", {"repeats": "first"}),
    ("hspp", {"variant": "cot"}),
    ("hspp", {"transform": "plain style"}),
    ("hspp", {"relatives": "provider"}),
    ("hspp", {"relatives": "base_model"}),
    ("hspp", {"reference": "human"}),
    ("hspp", {"reference": "program:loose"}),
    ("hspp", {"reference": "human:a"}),
    ("hspp", {"min_agreement": 0.6}),
    ("hspp", {"min_agreement": 0.7, "level": "instance"}),
    ("hspp", {"min_agreement": 0.8, "agreement_of": "verdict"}),
    ("hspp", {"min_agreement": 0.6, "agreement_without_family": True}),
    ("hspp", {"min_agreement": 0.6, "agreement_without_family": True, "level": "instance"}),
    ("hspp", {"common": True}),
    ("hspp", {"common": True, "level": "instance"}),
    ("hspp", {"common": True, "paradigm": "pairwise"}),
    ("overestimation", {}),
    ("overestimation", {"level": "instance"}),
    ("overestimation", {"paradigm": "pairwise"}),
    ("overestimation", {"paradigm": "direct_assessment", "reference": "human"}),
    ("accuracy", {}),
    ("accuracy", {"scores": "weighted"}),
    ("accuracy", {"paradigm": "direct_assessment"}),
    ("accuracy", {"paradigm": "pairwise"}),
    ("delta", {}),
    ("delta", {"scores": "weighted"}),
    ("delta", {"scores": "weighted_mean_clipped"}),
    ("delta", {"scores": "uniform"}),
    ("delta", {"paradigm": "direct_assessment"}),
    ("delta", {"reference": f"committee:{COMMITTEE}", "exclude_family": True}),
    ("agreement-curve", {}),
    ("agreement-curve", {"agreement_without_family": True}),
    ("agreement-curve", {"agreement_of": "verdict"}),
    ("agreement-curve", {"polarity": "positive", "paradigm": "all_rubrics"}),
    ("accuracy", {"min_agreement": 0.6, "agreement_of": "verdict"}),
    ("hspp", {"generators": list(GENERATORS[1:4]), "judges": list(JUDGES[:3])}),
    ("committee", {}),
    ("committee", {"members": list(JUDGES[:4]), "paradigm": "all_rubrics"}),
    ("committee", {"members": list(JUDGES), "exclude_family": True}),
    ("committee", {"members": list(JUDGES), "leave_self_out": True, "judges": list(JUDGES[1:3])}),
    ("committee", {"members": list(JUDGES), "paradigm": "direct_assessment"}),
    ("committee", {"members": list(JUDGES), "paradigm": "direct_assessment", "combine": "median"}),
    ("committee", {"members": list(JUDGES), "paradigm": "direct_assessment", "combine": "majority"}),
    ("committee", {"members": list(JUDGES), "combine": "median", "scores": "weighted"}),
    ("committee-size", {}),
    ("committee-size", {"members": list(JUDGES), "exclude_family": True, "polarity": "positive"}),
    ("committee-size", {"members": list(JUDGES[:4]), "paradigm": "all_rubrics", "leave_self_out": True}),
    ("committee-size", {"members": list(JUDGES[:4]), "min_agreement": 0.6, "agreement_without_family": True}),
    (
        "committee-size",
        {"members": list(JUDGES[:4]), "reference": f"committee:{COMMITTEE}", "exclude_family": True},
    ),
    ("committee-size", {"members": list(JUDGES[:4]), "paradigm": "direct_assessment", "combine": "median"}),
    ("committee-size", {"members": list(JUDGES[:3]), "combine": "mean", "level": "instance"}),
    ("committee-families", {"members": list(JUDGES)}),
    ("committee", {"members": list(JUDGES), "paradigm": "pairwise"}),
    ("committee", {"members": list(JUDGES), "paradigm": "pairwise", "combine": "mean"}),
    ("committee", {"members": list(JUDGES), "paradigm": "pairwise", "level": "rubric"}),
    (
        "committee",
        {"members": list(JUDGES), "paradigm": "pairwise", "language": ["en"], "generators": GENERATORS[:4]},
    ),
    ("committee-size", {"members": list(JUDGES), "paradigm": "pairwise"}),
    ("committee-size", {"members": list(JUDGES), "paradigm": "pairwise", "exclude_family": True}),
    (
        "committee-size",
        {
            "members": list(JUDGES[:4]),
            "paradigm": "pairwise",
            "reference": f"committee:{COMMITTEE}",
            "leave_self_out": True,
        },
    ),
    ("committee-families", {"members": list(JUDGES), "paradigm": "pairwise"}),
    ("committee-families", {"members": list(JUDGES), "relatives": "provider", "exclude_family": True}),
    ("committee-families", {"members": list(JUDGES), "paradigm": "direct_assessment"}),
    ("hspp", {"reference": f"committee:{COMMITTEE}", "exclude_family": True}),
    ("hspp", {"reference": f"committee:{COMMITTEE}", "leave_self_out": True, "level": "instance"}),
    ("hspp", {"reference": f"committee:{COMMITTEE}", "paradigm": "pairwise"}),
    ("overestimation", {"reference": f"committee:{COMMITTEE}"}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("measure", "options"), QUESTIONS, ids=[f"{m} {a}" for m, a in QUESTIONS])
def test_a_measure_equals_its_plain_second_implementation(studies, seed, measure, options):
    rows, study = studies[seed]
    try:
        expected, left_out = PLAIN[measure](rows, **options)
    except RefusedError:
        with pytest.raises((UsageError, NoDataError)):
            study.result(measure, resamples=0, **options)
        return

    result = study.result(measure, resamples=0, **options)

    keys = result.measure.keys
    ours = {tuple(row[key] for key in keys): row for row in result.rows}
    theirs = {tuple(row.get(key) for key in keys): row for row in expected}
    if measure == "hspp" and not result.rows:
        theirs.pop((None,))
    assert list(ours) == list(theirs)
    for key, row in theirs.items():
        for field, value in row.items():
            assert _same(ours[key].get(field, "absent"), value), (key, field, ours[key].get(field), value)
    # Under `common` the second implementation counts only incomplete responses among the common ones.
    passed_over = {"incomplete"} if options.get("common") else set()
    assert _counts(result.left_out, passed_over) == _counts(left_out, passed_over)


def _counts(left_out, passed_over):
    return {code: number for code, number in left_out.items() if number and code not in passed_over}


def _same(actual, expected):
    if isinstance(expected, list) and expected and isinstance(expected[0], float):
        return all(_same(one, two) for one, two in zip(actual, expected, strict=True))
    if actual is None or expected is None or isinstance(expected, str | bool | list):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


SOURCES = [
    ("program", "human", {}),
    ("human", "program", {}),
    ("program", "program:loose", {"polarity": "negative"}),
    ("human:a", "human:b", {}),
    ("program", f"judge:{JUDGES[0]}", {}),
    (f"judge:{JUDGES[0]}", f"judge:{JUDGES[1]}", {}),
    (f"judge:{JUDGES[0]}", f"judge:{JUDGES[1]}", {"paradigm": "direct_assessment"}),
    ("run:run-1", "run:run 2", {}),
    ("run:run-1", "program", {}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("a", "b", "options"), SOURCES, ids=[f"{a} {b} {c}" for a, b, c in SOURCES])
def test_agreement_of_two_sources_equals_its_plain_second_implementation(studies, seed, a, b, options):
    rows, study = studies[seed]
    expected, _ = reference_agreement(rows, a, b, **options)

    result = study.result("reference-agreement", resamples=0, a=a, b=b, **options)

    assert [row["kind"] for row in result.rows] == [row["kind"] for row in expected]
    for ours, theirs in zip(result.rows, expected, strict=True):
        for field, value in theirs.items():
            value = list(value.values()) if field == "within" and value is not None else value
            assert _same(ours[field], value), (field, ours[field], value)
