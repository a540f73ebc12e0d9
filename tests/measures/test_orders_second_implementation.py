"""The measures of order against their second implementation by plain loops, on awkward random studies."""

import math
import random

import pytest
from plain import orders as plain
from plain.asking import RefusedError
from plain.awkward_orders import GENERATORS, JUDGES, awkward_orders
from plain.model_likeness import model_likeness
from plain.pair_orders import order_effect
from plain.permuting import permutation

from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

PLAIN = {
    "position": plain.position,
    "ordering": plain.ordering,
    "permutation": permutation,
    "model-likeness": model_likeness,
    "order-effect": order_effect,
}
SEEDS = range(3)


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the awkward studies by seed, both as plain rows and opened from a store."""
    by_seed = {}
    for seed in SEEDS:
        rows = awkward_orders(random.Random(seed), instances=3 + seed)
        folder = tmp_path_factory.mktemp("orders")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "orders")
        by_seed[seed] = rows, Study.open(folder / "store" / "orders")
    return by_seed


QUESTIONS = [
    ("position", {}),
    ("position", {"min_instances": 3}),
    ("position", {"by": "score", "min_instances": 3}),
    ("position", {"by": "category", "min_instances": 2}),
    ("position", {"variant": "cot", "by": "rubric"}),
    ("position", {"run": ["run-1"]}),
    ("position", {"repeats": "first"}),
    ("position", {"axis": ["form"], "generators": list(GENERATORS[:2])}),
    ("position", {"position": [1]}),
    ("ordering", {}),
    ("ordering", {"search": "all"}),
    ("ordering", {"by": "rubric"}),
    ("ordering", {"by": "category", "search": "all"}),
    ("ordering", {"reference": "program", "judges": list(JUDGES[1:])}),
    ("ordering", {"reference": "human:a", "repeats": "first"}),
    ("ordering", {"variant": "cot"}),
    ("permutation", {}),
    ("permutation", {"by": "rubric"}),
    ("permutation", {"by": "language"}),
    ("permutation", {"by": "segment"}),
    ("permutation", {"reference": "program"}),
    ("permutation", {"repeats": "first", "category": ["maths", "null"]}),
    ("permutation", {"run": ["run-1", "run-2"]}),
    ("model-likeness", {}),
    ("model-likeness", {"by": "rubric"}),
    ("model-likeness", {"by": "category", "judges": list(JUDGES[1:])}),
    ("model-likeness", {"people": [JUDGES[0]]}),
    ("model-likeness", {"models": [JUDGES[0]], "people": list(JUDGES[1:]), "repeats": "first"}),
    ("model-likeness", {"models": [JUDGES[1]], "run": ["run-1"]}),
    ("order-effect", {}),
    ("order-effect", {"variant": "forced"}),
    ("order-effect", {"repeats": "first", "generators": list(GENERATORS[1:])}),
    ("order-effect", {"judges": [JUDGES[2]], "language": ["en"]}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("measure", "options"), QUESTIONS, ids=[f"{m} {a}" for m, a in QUESTIONS])
def test_a_measure_of_order_equals_its_plain_second_implementation(studies, seed, measure, options):
    rows, study = studies[seed]
    plain_options = {
        name: [None if v == "null" else v for v in value] if name == "category" else value
        for name, value in options.items()
    }
    try:
        expected, left_out = PLAIN[measure](rows, **plain_options)
    except RefusedError:
        with pytest.raises((UsageError, NoDataError)):
            study.result(measure, resamples=0, **options)
        return

    result = study.result(measure, resamples=0, **options)

    keys = (*(["slice"] if "by" in options else []), *result.measure.keys)
    ours = {tuple(row[key] for key in keys): row for row in result.rows}
    theirs = {tuple(row.get(key) for key in keys): row for row in expected}
    assert list(ours) == list(theirs)
    for key, row in theirs.items():
        for field, value in row.items():
            assert _same(ours[key][field], value), (key, field, ours[key][field], value)
    assert _counts(result.left_out) == _counts(left_out)


def _counts(left_out):
    return {code: number for code, number in left_out.items() if number}


def _same(actual, expected):
    if actual is None or expected is None or isinstance(expected, str | bool):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)
