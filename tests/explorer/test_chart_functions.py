"""Charts draw their rows, whatever the names in them are, and are empty without rows."""

import json

import pandas as pd
import pytest
from pinned.outputs import CHARTED

import engine
from engine.charts import (
    CHARTS,
    agreement_curve,
    dot_plot,
    draw,
    heat_cells,
    heatmap,
    member_to_committee,
    scatter,
    style,
)
from engine.charts.chart_spec import spec_of
from engine.charts.fit_width import MARK_NAMES
from engine.errors import UsageError
from engine.measures.catalogue import find
from engine.measures.result import Result, columns_of

AWKWARD = ("a.b[c]", "<script>alert(1)</script>", "_x_", "datum['x']", 'it\'s "quoted"')


def cell(judge, generator, over, n, relation="other"):
    rate = over / n if n else None
    fields = {"rate": rate, "rate_low": rate, "rate_high": rate, "over": over, "n": n}
    fields |= {"under_rate": 0.5, "under_rate_low": None, "under_rate_high": None, "under": 40, "under_n": 80}
    return {"judge": judge, "generator": generator, "relation": relation} | fields


def delta(judge, generator, value):
    fields = {"delta": value, "delta_low": value - 1, "delta_high": value + 1, "n": 50}
    return {"judge": judge, "generator": generator} | fields


FOUR = [
    cell("a", "a", 40, 50, "self"),
    cell("a", "b", 10, 50),
    cell("b", "a", 45, 50),
    cell("b", "b", 5, 20, "self"),
]


def marks(chart):
    """Return the layers of a chart's dictionary by the kind of mark."""
    spec = chart.to_dict()
    return [(layer["mark"]["type"], layer) for layer in spec["layer"]]


def test_a_cell_carries_its_number_and_its_whole_confusion_table():
    frame = heat_cells.cell_rows(FOUR, [delta("a", "a", 2.0)])

    first = frame.iloc[0]
    assert first["label"] == "80"
    assert first["over"] == "40 of 50: 80.0% [80.0%, 80.0%]"
    assert first["under"] == "40 of 80: 50.0%"
    assert first["delta"] == "+2.0 [+1.0, +3.0]"
    assert frame["delta"].iloc[1] == "–"


def test_cells_are_marked_as_small_by_the_cases_of_the_rate_they_show():
    by_failures = heat_cells.cell_rows(FOUR)
    by_passes = heat_cells.cell_rows(FOUR, shade="underestimation")

    assert by_failures["small"].tolist() == [False, False, False, True]
    assert not by_passes["small"].any()


def test_a_cell_without_a_rate_is_a_dash_and_has_no_colour():
    frame = heat_cells.cell_rows([cell("a", "a", 0, 0, "self"), cell("a", "b", 10, 50)])

    assert frame["label"].tolist() == ["–", "20"]
    assert frame["ink"].iloc[0] == style.NEUTRAL
    points = next(iter(heatmap.heatmap(frame).to_dict()["datasets"].values()))
    assert points[0]["value"] is None


@pytest.mark.parametrize(
    ("order", "judges", "generators"),
    [("study", ["x", "y", "z"], ["x", "y", "z"]), ("family", ["x", "z", "y"], ["x", "z", "y"])],
)
def test_rows_and_columns_are_in_the_order_of_the_study_or_by_family(order, judges, generators):
    rows = [cell(judge, generator, 10, 50) for judge in "xyz" for generator in "xyz"]
    families = {"x": "one", "y": "two", "z": "one"}

    frame = heat_cells.cell_rows(rows, families=families, row_order=order, column_order=order)

    assert list(frame["judge"].unique()) == judges
    assert list(frame["generator"].unique()) == generators


def test_by_value_judges_are_ordered_by_their_own_cell_and_generators_by_their_mean():
    frame = heat_cells.cell_rows(FOUR, row_order="value", column_order="value")

    assert list(frame["judge"].unique()) == ["a", "b"]  # .80 and .25
    assert list(frame["generator"].unique()) == ["a", "b"]  # (.8 + .9) / 2 and (.2 + .25) / 2


def test_deltas_are_coloured_evenly_around_zero():
    frame = heat_cells.cell_rows((), [delta("a", "a", 8.0), delta("a", "b", -2.0)], shade="delta")

    kind, layer = marks(heatmap.heatmap(frame, "delta"))[0]

    assert kind == "rect"
    assert layer["encoding"]["color"]["scale"]["domain"] == [-8.0, -4.0, 0.0, 4.0, 8.0]
    assert frame["label"].tolist() == ["+8.0", "-2.0"]


def test_own_cells_and_relatives_are_outlined_differently():
    frame = heat_cells.cell_rows([*FOUR, cell("a", "c", 1, 50, "family")])

    outlines = {
        layer["transform"][0]["filter"]["equal"]: layer["mark"]
        for kind, layer in marks(heatmap.heatmap(frame))
        if kind == "rect" and "transform" in layer
    }

    assert outlines["self"]["stroke"] == style.SELF
    assert outlines["family"]["stroke"] == style.FAMILY
    assert outlines["self"]["strokeDash"] != outlines["family"]["strokeDash"]


@pytest.mark.parametrize(("families", "lines"), [("aab", 1), ("aba", 0), ("aaa", 0)])
def test_families_are_separated_by_lines_if_each_is_contiguous(families, lines):
    rows = [cell(judge, generator, 10, 50) for judge in "xyz" for generator in "xyz"]

    frame = heat_cells.cell_rows(rows, families=dict(zip("xyz", families, strict=True)))

    rules = [kind for kind, _ in marks(heatmap.heatmap(frame)) if kind == "rule"]
    assert len(rules) == 2 * lines  # between columns, and between rows


def test_only_the_first_of_many_models_are_drawn():
    rows = [cell(f"m{j}", f"m{g}", 1, 50) for j in range(12) for g in range(12)]

    frame = heat_cells.cell_rows(rows, most=5)

    assert len(frame) == 25


def awkward_charts():
    rows = [cell(judge, generator, 10, 50) for judge in AWKWARD for generator in AWKWARD]
    families = {name: f"family {name}" for name in AWKWARD}
    accuracy = [{"slice": "pairwise", "judge": name, "mipa": 0.8, "mipa_total": 50} for name in AWKWARD]
    dots = dot_plot.dot_rows(accuracy, dot_plot.ACCURACY)
    yield "dots", dot_plot.dots(dots, dot_plot.ACCURACY, title="accuracy")
    ratios = [{"slice": "pairwise", "judge": name, "hspp_self": 1.2, "n_self": 50} for name in AWKWARD]
    yield "scatter", scatter.scatter(scatter.scatter_rows(accuracy, ratios, "instance"), "instance")
    members = [
        {"judge": name, "level": "rubric", "hspp_self": 1.5, "hspp_self_committee": 1.2} for name in AWKWARD
    ]
    yield "steps", member_to_committee.member_to_committee(member_to_committee.committee_rows(members))
    yield "heatmap", heatmap.heatmap(heat_cells.cell_rows(rows, families=families))


def names_outside_data(node, inside=()):
    """Yield the keys under which an awkward name occurs in a chart outside its data."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key != "datasets":
                yield from names_outside_data(value, (*inside, key))
    elif isinstance(node, list):
        for value in node:
            yield from names_outside_data(value, inside)
    elif isinstance(node, str) and any(name in node for name in AWKWARD):
        yield inside[-1]


@pytest.mark.parametrize("name", ["dots", "scatter", "steps", "heatmap"])
def test_names_occur_only_as_values_and_in_orders(name):
    chart = dict(awkward_charts())[name]

    where = set(names_outside_data(chart.to_dict()))

    assert where <= {"sort", "domain"}
    assert all(json.dumps(text)[1:-1] in json.dumps(chart.to_dict()["datasets"]) for text in AWKWARD)


def test_a_curve_has_a_band_and_a_line_for_each_level_and_skips_undefined_points():
    rows = [
        {"level": level, "threshold": threshold, "hspp_self_mean": value, "judges": 3, "rubrics_kept": 0.5}
        for level, threshold, value in (("rubric", 0.5, 1.2), ("rubric", 0.9, None), ("instance", 0.5, 1.1))
    ]

    frame = agreement_curve.agreement_rows(rows)
    layers = agreement_curve.agreement_curve(frame).to_dict()["vconcat"][0]["layer"]

    assert frame["threshold"].tolist() == [0.5, 0.5]
    assert [layer["mark"]["type"] for layer in layers] == ["rule", "area", "line", "point"]


def test_a_ratio_beyond_the_axis_is_drawn_at_its_edge_with_its_number_in_words():
    rows = [{"judge": "a", "level": "rubric", "hspp_self": 90.0, "hspp_self_committee": 1.0}]

    frame = member_to_committee.committee_rows(rows)
    points = [
        point
        for dataset in member_to_committee.member_to_committee(frame).to_dict()["datasets"].values()
        for point in dataset
        if point.get("series") == "the judge alone"
    ]

    assert [point["value"] for point in points] == [8.0]
    assert [point["words"] for point in points] == ["90.00"]


@pytest.mark.parametrize(
    "chart",
    [
        lambda: heatmap.heatmap(heat_cells.cell_rows(())),
        lambda: dot_plot.dots(dot_plot.dot_rows((), dot_plot.ACCURACY), dot_plot.ACCURACY, title="accuracy"),
        lambda: agreement_curve.agreement_curve(agreement_curve.agreement_rows(())),
        lambda: scatter.scatter(scatter.scatter_rows((), (), "rubric"), "rubric"),
        lambda: member_to_committee.member_to_committee(member_to_committee.committee_rows(())),
    ],
    ids=["heatmap", "dots", "curve", "scatter", "steps"],
)
def test_without_rows_a_chart_is_empty_and_valid(chart):
    assert chart().to_dict()["$schema"].startswith("https://vega.github.io/schema/vega-lite")


OF_PAIRS = (
    "archetypes",
    "equal-quality",
    "gold-stress",
    "mitigation",
    "quality-baseline",
    "dbg",
    "discriminability",
)
OF_ORDERS = ("position", "ordering", "permutation", "model-likeness")
OF_LISTS = (
    "list-ranks",
    "robustness",
    "recognition-score",
    "familiarity-score",
    "people",
)  # no demonstration has them; drawn in tests/measures/test_mechanism.py and test_measure_charts.py
PINNED = {name for names in CHARTED.values() for name in names.split()}


@pytest.mark.parametrize("measure", [name for name in CHARTS if name not in (*OF_LISTS, *PINNED)])
def test_a_study_draws_every_measure_that_has_a_chart(measure):
    name = "demo-pairs" if measure in OF_PAIRS else "demo-orders" if measure in OF_ORDERS else "demo-health"

    part_of = CHARTS[measure].part_of
    shown = {"measure": measure} if part_of is None else {"measure": part_of[0], "rows": part_of[1]}

    spec = engine.open_study(f"results/{name}").chart(**shown, resamples=20).to_dict()

    assert any(rows for rows in spec["datasets"].values())


def test_a_chart_of_equal_quality_shows_the_requested_groups():
    spec = (
        engine.open_study("results/demo-pairs").chart("equal-quality", by="category", resamples=0).to_dict()
    )

    (rows,) = spec["datasets"].values()
    assert len({row["kind"] for row in rows}) == 6


def test_rankings_are_ordered_by_tau_without_an_undefined_one():
    taus = {"away": -0.5, "chance": 0.0, "near": 0.5, "undefined": None}
    rows = [{"by": by, "tau": tau, "n_models": 40} for by, tau in taus.items()]

    spec = draw(Result(find("ranking-distance"), "study", {}, columns_of(rows), {}, None), {}).to_dict()

    (points,) = spec["datasets"].values()
    assert [row["label"] for row in points] == ["near", "chance", "away"]


def test_a_chart_in_a_notebook_shows_the_requested_slice(demo):
    rows = demo.result("overestimation", axis="accuracy", resamples=0).rows

    spec = demo.chart("overestimation", axis="accuracy", resamples=0).to_dict()

    points = max(spec["datasets"].values(), key=len)
    assert {(point["judge"], point["generator"]): point["value"] for point in points} == {
        (row["judge"], row["generator"]): row["rate"] for row in rows
    }


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("reference-agreement", {}, "has no chart.*choose from: scorecard"),
        ("delta", {"by": "axis"}, "leave out by="),
        ("hspp", {"against": "axis=accuracy"}, "leave out against="),
        ("committee", {"paradigm": "all_rubrics", "variant": "cot"}, "there is nothing to draw"),
    ],
)
def test_a_chart_that_cannot_be_drawn_is_refused_with_the_remedy(demo, measure, options, message):
    with pytest.raises(UsageError, match=message):
        demo.chart(measure, **options)


def test_paradigms_and_relations_never_share_a_colour():
    colours = [look.colour for look in style.PARADIGMS.values()]

    assert len({*colours, *style.COLOURS.values()}) == 4 + 3
    assert len({look.shape for look in style.PARADIGMS.values()}) == 4


def test_each_judge_has_one_name_beside_its_highest_mark():
    numbers = {"x": 0.8, "x_low": 0.78, "x_high": 0.82, "x_words": "", "y_words": "", "n": 40, "small": False}
    rows = [
        {"judge": judge, "paradigm": paradigm, "y": y, "low": 0.9 * y, "high": 1.1 * y} | numbers
        for judge, paradigm, y in (
            ("a", "single criterion", 1.1),
            ("a", "pairwise", 1.4),
            ("b", "pairwise", 0.8),
        )
    ]

    drawn = spec_of(scatter.scatter(pd.DataFrame(rows), "rubric"))

    layer = next(layer for layer in drawn["layer"] if layer.get("name") == MARK_NAMES)
    names = drawn["datasets"][layer["data"]["name"]]
    assert {(row["shown"], row["y"]) for row in names} == {("a", 1.4), ("b", 0.8)}
    assert len(names) == 2
