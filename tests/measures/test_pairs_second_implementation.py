"""The measures on pairs against their second implementations by plain loops, on awkward random studies."""

import math
import random

import pytest
from plain import dbg as plain_dbg
from plain import equal_quality as plain_equal
from plain import mitigation as plain_mitigation
from plain import quality_baseline as plain_baseline
from plain.awkward import GENERATORS, JUDGES, PEOPLE
from plain.awkward_pairs import RATERS, awkward_pairs_study
from plain.equal_quality import Rules

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

SEEDS = range(3)


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Return the awkward studies by seed, both as plain rows and opened from a store."""
    by_seed = {}
    for seed in SEEDS:
        rows = awkward_pairs_study(random.Random(seed), instances=4 + seed % 2, preferences=seed % 2 == 0)
        folder = tmp_path_factory.mktemp("awkward")
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
        by_seed[seed] = rows, Study.open(folder / "store" / "awkward")
    return by_seed


def same(actual, expected):
    if actual is None or expected is None or isinstance(expected, str | bool | list):
        return actual == expected
    return math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)


def assert_same_rows(actual, expected):
    assert list(actual) == list(expected)
    for key, row in expected.items():
        for field, value in row.items():
            assert same(actual[key].get(field, "absent"), value), (key, field, actual[key].get(field), value)


EQUAL = [
    ({}, {}),
    ({"epsilon": 0.0}, {}),
    ({"epsilon": 1.0}, {}),
    ({"null_pairs": "all"}, {}),
    ({"third_party": "out_of_family"}, {}),
    ({"quality": "reference", "epsilon": 2.5}, {}),
    ({"quality": "reference", "epsilon": 2.5}, {"reference": "human"}),
    ({"quality_judges": RATERS[:1]}, {}),
    ({"binomial": "known"}, {}),
    ({"seed": 7}, {}),
    ({}, {"variant": "default"}),
    ({}, {"variant": "structured"}),
    ({}, {"variant": "cot", "repeats": "first"}),
    ({}, {"relatives": "provider"}),
    ({}, {"category": ["open"]}),
    ({}, {"run": ["run-1"]}),
    ({}, {"generators": list(GENERATORS[:4]), "judges": list(JUDGES[:3])}),
    ({}, {"min_instances": 1}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("options", "filters"), EQUAL, ids=[f"{o} {a}" for o, a in EQUAL])
def test_equal_quality_equals_its_plain_second_implementation(studies, seed, options, filters):
    rows, study = studies[seed]
    expected = plain_equal.equal_quality(rows, Rules(**options), **filters)

    result = study.result("equal-quality", resamples=0, **options, **filters)

    assert_same_rows({row["judge"]: row for row in result.rows}, expected)


CONTRAST = [
    ({}, {}),
    ({"gap": 2.5}, {}),
    ({"contrast_pairs": 5}, {}),
    ({"contrast_pairs": 5, "seed": 3}, {}),
    ({"quality": "reference", "gap": 5.0}, {}),
    ({}, {"variant": "structured"}),
    ({}, {"variant": "default", "repeats": "first"}),
    ({}, {"generators": list(GENERATORS[:4])}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("options", "filters"), CONTRAST, ids=[f"{o} {a}" for o, a in CONTRAST])
def test_discriminability_equals_its_plain_second_implementation(studies, seed, options, filters):
    rows, study = studies[seed]
    expected = plain_mitigation.discriminability(rows, Rules(**options), **filters)

    result = study.result("discriminability", resamples=0, min_instances=1, **options, **filters)

    assert_same_rows({row["judge"]: row for row in result.rows}, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_archetype_follows_from_discriminability_and_bias(studies, seed):
    rows, study = studies[seed]
    bias = plain_equal.equal_quality(rows, Rules(epsilon=1.0))
    by_judge = plain_mitigation.discriminability(rows, Rules(gap=2.5))

    result = study.result("archetypes", resamples=0, epsilon=1.0, gap=2.5)

    for row in result.rows:
        d = by_judge.get(row["judge"], {}).get("d")
        spb = bias.get(row["judge"], {}).get("spb")
        assert same(row["d"], d)
        assert same(row["spb"], spb)
        assert row["archetype"] == plain_mitigation.archetype(d, spb)


MITIGATION = [
    ({}, {}),
    ({"epsilon": 1.0, "null_pairs": "all"}, {}),
    ({"contrast_pairs": 4}, {"generators": list(GENERATORS[:5])}),
    ({}, {"repeats": "first", "relatives": "provider"}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("variant", ["cot", "structured", "pointwise"])
@pytest.mark.parametrize(("options", "filters"), MITIGATION, ids=[f"{o} {a}" for o, a in MITIGATION])
def test_mitigation_equals_its_plain_second_implementation(studies, seed, variant, options, filters):
    rows, study = studies[seed]
    expected = plain_mitigation.mitigation(rows, variant, Rules(**options), **filters)
    for row in expected.values():
        row.pop("n")

    result = study.result("mitigation", resamples=0, variants=[variant], **options, **filters)

    assert_same_rows({row["judge"]: row for row in result.rows}, expected)


BASELINE = [
    ({}, {}),
    ({"subset": "lsp"}, {}),
    ({"subset": "all"}, {}),
    ({"ties": "drop"}, {}),
    ({"proxies": "out_of_family"}, {}),
    ({"proxies": "out_of_provider"}, {}),
    ({"proxy_models": GENERATORS[:2]}, {}),
    ({"like_accuracy": 0.25}, {}),
    ({"pool": "pairs"}, {}),
    ({"fairness": "examples", "subset": "all"}, {}),
    ({"max_proxies": 1}, {}),
    ({"max_proxies": 2, "seed": 5}, {}),
    ({}, {"reference": "program"}),
    ({}, {"reference": "human", "variant": "default"}),
    ({}, {"variant": "forced", "repeats": "first"}),
    ({}, {"relatives": "base_model"}),
    ({}, {"generators": list(GENERATORS[:4])}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("options", "filters"), BASELINE, ids=[f"{o} {a}" for o, a in BASELINE])
def test_quality_baseline_equals_its_plain_second_implementation(studies, seed, options, filters):
    rows, study = studies[seed]
    expected = plain_baseline.quality_baseline(rows, plain_baseline.Rules(**options), **filters)

    result = study.result("quality-baseline", resamples=0, **options, **filters)

    assert_same_rows({(row["judge"], row["opponent"]): row for row in result.rows}, expected)


DBG = [
    ({}, {}),
    ({"gold": (PEOPLE[0], "dune <b>judge</b>")}, {}),
    ({"length_ratio": 0.3}, {}),
    ({"gold_rule": "agreeing"}, {}),
    ({}, {"response_length": (2, 11)}),
    ({}, {"response_length": (0, 8), "transform": "plain style"}),
    ({}, {"reference": "human"}),
    ({}, {"variant": "default"}),
    ({}, {"variant": "structured", "repeats": "first"}),
    ({}, {"transform": "plain style"}),
    ({"length_ratio": 0.5}, {"transform": "plain style", "generators": list(GENERATORS[:4])}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("options", "filters"), DBG, ids=[f"{o} {a}" for o, a in DBG])
def test_dbg_equals_its_plain_second_implementation(studies, seed, options, filters):
    rows, study = studies[seed]
    if options.keys() & {"gold", "gold_rule"} and not rows.preferences:
        return
    expected = plain_dbg.dbg(rows, **options, **filters)

    result = study.result("dbg", resamples=0, panels=True, **options, **filters)

    panels = {key: row.pop("_by_panel") for key, row in expected.items()}
    for row in result.rows:
        if row["dbg_by_panel"] is not None:
            # in the plain loops a judge without these items adds no panel
            values = panels[row["judge"], row["opponent"]]
            assert {round(v, 9) for v in row["dbg_by_panel"]} == {round(v, 9) for v in values}
    assert_same_rows({(row["judge"], row["opponent"]): row for row in result.rows}, expected)
