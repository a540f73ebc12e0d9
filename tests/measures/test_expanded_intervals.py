"""`interval = expanded`: wider intervals for few cases, with the method named."""

import random
from pathlib import Path

import numpy as np
import pytest
from plain.awkward import awkward_study

from engine.errors import UsageError
from engine.measures.catalogue import MEASURES
from engine.stats.intervals.bootstrap_expanded import Expansion


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return _study(tmp_path_factory.mktemp("expanded"), instances=7)


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    return _study(tmp_path_factory.mktemp("larger"), instances=60)


def _study(folder, instances):
    from engine.importers.formats.exchange import import_tidy
    from engine.store import Store
    from engine.study import Study

    awkward_study(random.Random(4), instances=instances).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


def test_values_are_unchanged_and_no_interval_is_narrower(study):
    plain, wide = (study.result("accuracy", interval=name).rows for name in ("percentile", "expanded"))

    assert [row["mra"] for row in plain] == [row["mra"] for row in wide]
    ends = [(one, two) for one, two in zip(plain, wide, strict=True) if one["mra_low"] is not None]
    assert all(two["mra_low"] <= one["mra_low"] + 1e-12 for one, two in ends)
    assert all(two["mra_high"] >= one["mra_high"] - 1e-12 for one, two in ends)
    assert any(two["mra_high"] > one["mra_high"] for one, two in ends)


def test_each_bound_is_the_expanded_percentile_of_its_draws(study):
    from engine.arrays.slicing.group_by import single_view
    from engine.measures.catalogue import find
    from engine.measures.quality.accuracy import accuracy_table
    from engine.slices import Slice

    view = single_view(study, Slice.of(), study.weights(200, 9), find("accuracy").paradigms)
    column = accuracy_table(view, {}).columns["mra"]
    row = int(np.flatnonzero(~np.isnan(column.draws).any(axis=0))[0])
    draws = column.draws[:, [row]]

    rows = study.result("accuracy", resamples=200, seed=9).rows

    expected = Expansion.of(draws, study.weights(200, 9)).interval(draws)
    assert expected.low[0] in [pytest.approx(one["mra_low"]) for one in rows if one["mra_low"] is not None]


def test_the_method_is_named_if_it_is_not_the_percentile_one(study):
    own = "questions deleted one at a time: hspp_matched, hspp_mantel_haenszel"

    assert study.result("accuracy").filters["interval"] == "expanded"
    assert "interval" not in study.result("accuracy", interval="percentile").filters
    assert study.result("hspp", interval="percentile").filters["interval"] == f"percentile; {own}"
    assert study.result("hspp").filters["interval"] == (
        f"expanded; {own}; effective cases where few: o_self, o_family, o_other, hspp_self, hspp_family, "
        "hspp_family_with_self, difference_self"
    )
    assert "interval" not in study.result("hspp", resamples=0).filters


def test_two_compared_slices_have_the_expanded_interval_of_their_ratio(larger):
    options = {"against": "paradigm=all_rubrics", "resamples": 300, "seed": 5, "min_instances": 1}

    plain, wide = (larger.result("hspp", interval=name, **options) for name in ("percentile", "expanded"))

    # The ratio of ratios judge by judge, from the draws of either slice taken alone.
    draws = [_hspp_draws(larger, paradigm) for paradigm in ("single_rubric", "all_rubrics")]
    weights, compared = larger.weights(300, 5), 0
    for one, two in zip(plain.rows, wide.rows, strict=True):
        assert (one["a"], one["b"], one["difference"]) == (two["a"], two["b"], two["difference"])
        if one["low"] is None:
            assert two["low"] is None
            continue
        a, b = (side[one["judge"]][:, None] for side in draws)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = np.where(b > 0, a / b, np.nan)
            expansion = Expansion.of(np.where(drawn > 0, np.log(drawn), np.nan), weights)
        assert two["low"] == pytest.approx(expansion.interval(drawn).low[0])
        assert two["high"] == pytest.approx(expansion.interval(drawn).high[0])
        assert two["p"] == pytest.approx(expansion.p(drawn, 1.0)[0])
        assert two["low"] <= one["low"] + 1e-12
        compared += 1
    assert compared > 0
    assert wide.filters["interval"] == "expanded"


def _hspp_draws(study, paradigm):
    from engine.arrays.slicing.group_by import single_view
    from engine.measures.catalogue import find
    from engine.measures.reference.hspp import hspp_table
    from engine.slices import Slice

    paradigms = find("hspp").paradigms
    table = hspp_table(
        single_view(study, Slice.of(paradigm=paradigm), study.weights(300, 5), paradigms), {"seed": 5}
    )
    draws = table.columns["hspp_self"].draws
    return dict(zip(table.columns["judge"].values, draws.T, strict=True))


def test_every_number_with_its_own_method_has_an_interval():
    for measure in MEASURES.values():
        declared = {field.name for field in measure.fields if field.interval}
        assert {name for fields in measure.intervals.values() for name in fields} <= declared


def test_the_page_on_measures_names_the_method_beside_the_field():
    page = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")

    fields = [(measure, field) for measure in MEASURES.values() for field in measure.fields]
    fields = [(measure, field.name) for measure, field in fields if measure.method(field.name)]
    assert len(fields) > 40
    for measure, field in fields:
        _, _, part = page.partition(f"\n## {measure.name}\n")
        lines = part.partition("\n## ")[0].splitlines()
        (line,) = (line for line in lines if line.startswith(f"| `{field}` |"))
        assert f"| {measure.method(field)} |" in line


def test_p_values_agree_with_their_interval(study):
    rows = study.result("hspp", interval="expanded", min_instances=1).rows

    tested = [row for row in rows if row["hspp_self_p"] is not None]
    assert tested
    for row in tested:
        if row["hspp_self_p"] < 0.04 or row["hspp_self_p"] > 0.06:
            excluded = not row["hspp_self_low"] <= 1 <= row["hspp_self_high"]
            assert excluded == (row["hspp_self_p"] < 0.05)


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("hspp", {"interval": "normal"}, "expanded"),
        ("hspp", {"interval": "normal", "against": "scores=fraction"}, "expanded"),
        ("association", {"interval": "expanded"}, "leave out --interval"),
    ],
)
def test_an_unavailable_interval_is_refused(study, measure, options, message):
    with pytest.raises(UsageError, match=message):
        study.result(measure, **options)
