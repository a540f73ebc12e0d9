"""`together` and `association` against their second implementation by plain loops, on awkward studies."""

import math
import random

import pytest
from plain import across as plain
from plain.awkward import awkward_study
from plain.awkward_pairs import awkward_pairs_study

from engine.importers.formats.exchange import import_tidy
from engine.measures.scorecard.judge_numbers import BIASES, OTHERS
from engine.store import Store
from engine.study import Study

NAMES = {f"{one.measure.name}.{one.field}": one.name for one in (*BIASES, *OTHERS)}
STUDIES = [(kind, seed) for seed in range(2) for kind in ("rubrics", "pairs")]


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the awkward studies, both as plain rows and opened from a store."""
    by_kind_and_seed = {}
    for kind, seed in STUDIES:
        rng = random.Random(seed)
        if kind == "pairs":
            rows = awkward_pairs_study(rng, instances=5, preferences=seed == 0)
        else:
            rows = awkward_study(rng, instances=6)
        for row in rows.models:
            row["size_b"] = rng.choice((None, 7.0, 70.0, 8.0))
        folder = tmp_path_factory.mktemp("across")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_kind_and_seed[kind, seed] = rows, Study.open(folder / "store" / "awkward")
    return by_kind_and_seed


def same(actual, expected):
    return actual is None if expected is None else math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(("kind", "seed"), STUDIES)
def test_together_equals_its_plain_second_implementation(studies, kind, seed):
    rows, study = studies[kind, seed]
    expected = plain.together(rows)

    by_key = {(row["judge"], NAMES[row["field"]]): row for row in study.result("together", resamples=0).rows}

    assert set(by_key) == set(expected)
    for key, row in expected.items():
        for field, value in row.items():
            assert same(by_key[key][field], value), (key, field, by_key[key][field], value)


@pytest.mark.parametrize(("kind", "seed"), STUDIES)
def test_association_equals_its_plain_second_implementation(studies, kind, seed):
    rows, study = studies[kind, seed]
    expected = plain.association(rows)

    by_key = {(row["x"], row["y"]): row for row in study.result("association", resamples=0).rows}

    assert set(by_key) == set(expected)
    assert len(by_key) > 3
    for key, row in expected.items():
        for field, value in row.items():
            assert same(by_key[key][field], value), (key, field, by_key[key][field], value)
