"""A measure is drawn as its page draws it, by the chart that its entry names."""

import json

import altair as alt
import pytest
from plain.builders import judge_rubrics, refer, study_of

import engine
from engine.charts import export, panels, rank_lines
from engine.charts.chart_spec import spec_of
from engine.charts.measure_charts import CHARTS_BY_NAME
from engine.errors import UsageError
from engine.importers.formats.exchange import import_tidy
from engine.measures.catalogue import MEASURES, PRESENT
from engine.store import Store
from engine.views.equal_quality import EPSILONS
from engine.views.registry import VIEWS
from engine.words.given_expected import marks_words


@pytest.fixture(scope="module")
def demo():
    return engine.open_study("results/demo-health")


@pytest.fixture(scope="module")
def pairs():
    return engine.open_study("results/demo-pairs")


def marks_of(spec):
    """Return the rows of a chart's marks as texts."""
    rows = [row for rows in spec["datasets"].values() for row in rows if "end" not in row]
    return {json.dumps(row, sort_keys=True, default=str) for row in rows}


def on_page(study, view, **texts):
    return VIEWS[view].shown(study, texts).figure.spec


def test_every_chart_that_an_entry_names_exists_and_every_chart_is_named():
    names = {measure.chart for measure in MEASURES.values() if isinstance(measure.chart, str)}

    assert names == set(CHARTS_BY_NAME)


@pytest.mark.parametrize(
    ("measure", "options", "view", "texts"),
    [
        ("scorecard", {}, "judges", {}),
        ("expected", {}, "slices", {"against": ("expected",)}),
        ("outside", {}, "slices", {"against": ("judges",)}),
        ("outside", {"by": "polarity"}, "slices", {"against": ("judges",), "by": ("polarity",)}),
        ("hspp", {}, "ratios", {}),
    ],
)
def test_a_plot_of_criteria_shows_what_the_page_shows(demo, measure, options, view, texts):
    assert marks_of(spec_of(demo.plot(measure, **options))) == marks_of(on_page(demo, view, **texts))


@pytest.mark.parametrize(
    ("measure", "options", "view"),
    [
        ("equal-quality", {"epsilons": EPSILONS}, "spb_by_epsilon"),
        ("quality-baseline", {"curves": True, "variant": "forced"}, "baseline_curve"),
        ("order-effect", {"variant": "forced"}, "flips"),
    ],
)
def test_a_plot_of_pairs_shows_what_the_page_shows(pairs, measure, options, view):
    page = marks_of(on_page(pairs, view))

    assert page
    assert page <= marks_of(spec_of(pairs.plot(measure, **options)))  # a page draws the first judges only


def test_prompt_templates_of_a_judge_are_rows_apart(pairs):
    result = pairs.result("order-effect", resamples=0)

    marks = [json.loads(row) for row in marks_of(spec_of(pairs.plot("order-effect", resamples=0)))]

    defined = ("flip_rate", "first_share", "flip_to_first")
    assert len({(mark["label"], mark["panel"]) for mark in marks}) == sum(
        row[name] is not None for row in result.rows for name in defined
    )
    assert len({row["variant"] for row in result.rows}) > 1


def test_a_plot_of_people_shows_what_the_page_shows(tmp_path):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=3)
    for n in range(3):
        for person, marks in (("human:1", "10"), ("human:2", "11")):
            refer(plain, "A", marks, f"x{n}", source=person)
        judge_rubrics(plain, "J", "A", "10", f"x{n}")
    plain.write(tmp_path / "plain")
    import_tidy(tmp_path / "plain", Store(tmp_path / "store"), "small")
    study = engine.open_study(tmp_path / "store" / "small")

    rows = marks_of(spec_of(study.plot("people")))

    assert rows
    assert rows == marks_of(on_page(study, "people"))


def test_a_plot_without_a_measure_is_the_board(demo):
    assert isinstance(demo.plot(), alt.TopLevelMixin)
    assert demo.plot().to_dict() == demo.plot("scorecard").to_dict() == demo.chart("scorecard").to_dict()
    assert demo.plot("judges").to_dict() == demo.plot().to_dict()


def test_the_board_alone_says_what_it_counts_and_what_its_marks_mean(demo):
    head = demo.plot().to_dict()["title"]

    assert head["text"] == "Passed, of 100 criteria that its own answers failed"
    marks = " ".join(head["subtitle"])
    for mark in ("tick", "dot", "green", "family", "expected", "gave", "Triangles"):
        assert mark in marks


def test_what_no_judge_of_a_board_has_is_not_explained(demo):
    rows = demo.result("scorecard").rows
    alone = [row | {"family_given": None, "family_expected": None} for row in rows]
    plain = [{"judge": row["judge"], "conclusion": "not_shown"} for row in rows]

    assert "green" not in marks_words(alone)
    assert marks_words(plain).endswith("to what the judge gave (dot).")
    of_family = [each | {"family_conclusion": "favours_family"} for each in plain]
    assert "on the judge's own answers, not on its family's" in marks_words(of_family)


def test_a_measure_without_a_chart_is_refused_with_those_that_have_one(demo):
    with pytest.raises(UsageError, match="association has no chart") as refused:
        demo.plot("association")

    choices = str(refused.value).partition("choose from: ")[2].split(", ")
    assert set(choices) == {name for name, measure in PRESENT.items() if measure.chart}
    assert {"scorecard", "expected", "outside", "people"} <= set(choices)


def test_rows_without_a_defined_number_are_refused_and_not_drawn_empty(demo):
    with pytest.raises(UsageError, match="no number of these rows is defined"):
        demo.plot("outside", judges="aster-large", generators="aster-mini")


def test_names_with_control_characters_and_markup_are_drawn_as_text():
    names = ("<script>alert(1)</script>", "a\x07b", "\u202eright")
    rows = [{"judge": name, "d": 0.6, "d_low": 0.5, "d_high": 0.7, "n": 40} for name in names]
    chart = panels.panels(panels.panel_rows(rows, panels.DISCERNED), panels.DISCERNED)

    picture = export.svg_of(spec_of(chart), "a\x00title", ("a\x1bcaption",)).decode()

    assert "<script" not in picture
    assert not {"\x00", "\x07", "\x1b"} & set(picture)


@pytest.mark.parametrize("rankings", [1, 4])
def test_every_model_of_a_ranking_has_room_for_its_name(rankings):
    by = ["all", "reference", "all-without-self", "all-without-family"][:rankings]
    rows = [
        {"by": name, "model": f"m{place}", "rank": place, "rank_low": None, "rank_high": None, "n": 9}
        for name in by
        for place in range(1, 19)
    ]

    spec = rank_lines.rankings(rank_lines.ranking_rows(rows)).to_dict()

    assert spec["height"] / 18 >= 18  # a name of 12 pixels, and as much as half of it between two
