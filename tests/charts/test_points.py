"""Charts write differences of shares in points of 100, as tables and sentences do."""

import json

import pytest

import engine
from engine.charts import draw, forest, panels
from engine.charts.chart_spec import spec_of
from engine.charts.claim_chart import chart_settings
from engine.charts.number_forms import IN_POINTS, OF_KIND, ticks_of, with_unit, words
from engine.charts.panels import Panel
from engine.measures.catalogue import find

PANELS = {
    "quality-baseline": panels.BASELINE,
    "equal-quality": panels.EQUAL_QUALITY,
    "dbg": panels.DBG,
    "list-ranks": panels.LISTS,
    "robustness": panels.ROBUSTNESS,
    "recognition-score": panels.RECOGNITION,
    "familiarity-score": panels.FAMILIARITY,
    "outside": (Panel("judges of other families", forest.OUTSIDE),),
}


def test_a_difference_is_written_in_points_with_its_interval():
    assert words((0.123, 0.081, 0.164), "difference") == "+12.3 points [+8.1, +16.4]"
    assert with_unit("SPB", "difference") == "SPB, points"
    assert with_unit("accuracy", "share") == "accuracy"
    assert ticks_of("difference") == {"labelExpr": IN_POINTS}


@pytest.mark.parametrize("measure", PANELS)
def test_marks_have_the_form_that_the_catalogue_declares(measure):
    kinds = {field.name: field.kind for field in find(measure).fields}
    marks = [kind for part in PANELS[measure] for kind in part.kinds]

    forms = {mark.field: mark.form for mark in marks}

    assert forms == {mark.field: OF_KIND.get(kinds[mark.field], "ratio") for mark in marks}


@pytest.mark.parametrize("measure", ["equal-quality", "quality-baseline", "dbg", "archetypes", "mitigation"])
def test_axes_and_tooltips_of_differences_say_points(measure):
    study = engine.open_study("results/demo-pairs")
    result = study.result(measure)

    spec = json.dumps(spec_of(draw(result, study.families())))

    assert "points" in spec
    assert '"format": "+.0%"' not in spec


@pytest.mark.parametrize(("rule", "line"), [("relatives", 1.0), ("sizes", 1.0), ("cost", None)])
def test_the_chart_of_a_finding_marks_no_effect_wherever_there_is_such_a_value(demo_claims, rule, line):
    claim = next(claim for claim in demo_claims if claim.rule == rule)

    assert chart_settings(claim)["line"] == line


@pytest.fixture(scope="module")
def demo_claims():
    return engine.open_study("results/demo-health").findings().claims
