"""The forest plot draws its rows, whatever the names in them are."""

import json

import pytest

from engine.charts import style
from engine.charts.axes import HIGHEST, LOWEST, ratio_ends
from engine.charts.chart_spec import spec_of
from engine.charts.forest import MEANS, forest, forest_rows, forest_spec, highest


def row(judge, value, low, high, n=100, slice_=None):
    return {
        "slice": slice_,
        "judge": judge,
        "hspp_self": value,
        "hspp_self_low": low,
        "hspp_self_high": high,
        "n_self": n,
        "hspp_matched": None,
        "n_matched": 0,
        "hspp_family": None,
        "n_family": 0,
    }


AWKWARD = ("a.b[c]", "<script>alert(1)</script>", "_x_", "datum['x']", 'it\'s "quoted"', "")


def test_an_undefined_ratio_is_not_drawn():
    frame = forest_rows([row("a", 1.5, 1.2, 1.9), row("b", None, None, None)])

    assert frame["label"].tolist() == ["a"]


def test_the_means_come_first_and_judges_in_their_order():
    frame = forest_rows([row("b", 1.5, 1.2, 1.9), row("a", 1.0, 0.8, 1.2), row(None, 1.2, 1.0, 1.4)])

    assert frame["label"].tolist() == [MEANS, "b", "a"]


def test_few_cases_are_marked():
    frame = forest_rows([row("a", 1.5, 1.2, 1.9, n=29), row("b", 1.5, 1.2, 1.9, n=30)])

    assert frame["small"].tolist() == [True, False]


def test_a_ratio_without_an_interval_is_drawn_without_a_line():
    frame = forest_rows([row("a", 1.5, None, None)])
    points = spec_of(forest(frame))["datasets"]["rows"]

    assert frame["words"].tolist() == ["1.50"]
    assert points[0]["from"] is None
    assert points[0]["shown"] == 1.5


def test_a_value_beyond_the_axis_is_an_arrow_at_its_edge():
    frame = forest_rows(
        [row("zero", 0.0, 0.0, 1.5), row("vast", 90.0, 3.0, 400.0), row("plain", 1.0, 0.9, 1.1)]
    )
    points = {point["label"]: point for point in spec_of(forest(frame))["datasets"]["rows"]}

    assert points["zero"]["arrow"] == "◀"
    assert points["vast"]["arrow"] == "▶"
    assert points["plain"]["arrow"] == ""
    assert all(LOWEST <= point["edge"] <= HIGHEST for point in points.values())
    assert [point["shown"] for point in points.values()] == [None, None, 1.0]
    assert points["vast"]["words"] == "90.00 [3.00, 400.00]"


def test_a_chart_keeps_its_specification_while_its_numbers_change():
    one = spec_of(forest(forest_rows([row("a", 1.5, 1.2, 1.9), row("b", 0.9, 0.8, 1.2)])))
    both = spec_of(forest(forest_rows([row("a", 4.5, 0.4, 5.9), row("b", 0.3, 0.3, 1.2)])))

    changed = one.pop("datasets"), both.pop("datasets")

    assert one == both
    assert changed[0] != changed[1]


FRAMES = {
    "one panel": (forest_rows([row("a", 1.5, 1.2, 1.9), row("b", 0.9, 0.8, 1.2)]), None),
    "other ends": (forest_rows([row("a", 4.5, 0.4, 5.9), row("b", 0.3, 0.3, 1.2)]), None),
    "arrows": (forest_rows([row("a", 90.0, 3.0, 400.0)]), None),
    "panels": (forest_rows([row(judge, 1.5, 1.2, 1.9, slice_="x") for judge in "ab"], by="theme"), None),
    "differences": (forest_rows([row("a", 0.1, -0.1, 0.3)]), "difference"),
}


@pytest.mark.parametrize("picks", [True, False])
@pytest.mark.parametrize("name", FRAMES)
def test_a_specification_filled_with_rows_is_that_of_the_drawn_chart(name, picks):
    frame, outside = FRAMES[name]
    settings = {"width": 740, "picks": picks, "outside": outside}

    assert forest_spec(frame, **settings) == spec_of(forest(frame, **settings))


def test_datasets_are_numbered_and_keep_their_rows():
    frame = forest_rows([row("a", 1.5, 1.2, 1.9)])
    chart = forest(frame)

    as_altair_has_it, as_written = chart.to_dict(), spec_of(chart)

    assert list(as_written["datasets"]) == ["rows", "rows-1"]
    assert as_written["data"] == {"name": "rows"}
    assert sorted(map(json.dumps, as_written["datasets"].values())) == sorted(
        map(json.dumps, as_altair_has_it["datasets"].values())
    )


@pytest.mark.parametrize(
    ("numbers", "ends"),
    [
        ([1.0, 0.95, 1.05], (0.8, 1.25)),
        ([1.3, 0.79, 1.9], (0.67, 2.0)),
        ([1.0, 0.01, 40.0], (LOWEST, HIGHEST)),
        ([float("nan"), 0.0, float("inf")], (0.8, 1.25)),
    ],
)
def test_an_axis_ends_at_the_nearest_stop_that_covers_all_numbers(numbers, ends):
    frame = forest_rows([row("a", *numbers)])

    assert ratio_ends(frame, ("value", "low", "high")) == ends


@pytest.mark.parametrize("by", [None, "axis"])
def test_names_occur_in_a_chart_only_as_values(by):
    rows = [row(name, 1.5, 1.2, 1.9, slice_=f"slice {name}") for name in AWKWARD]

    spec = forest(forest_rows(rows, by=by)).to_dict()
    datasets = spec.pop("datasets")

    for name in filter(None, AWKWARD):
        assert json.dumps(name)[1:-1] not in json.dumps(spec)
        assert json.dumps(name)[1:-1] in json.dumps(datasets)


def test_a_grouping_makes_a_panel_for_each_judge():
    frame = forest_rows([row("a", 1.5, 1.2, 1.9, slice_=part) for part in ("x", None)], by="axis")

    assert frame["panel"].unique().tolist() == ["a"]
    assert frame["label"].tolist() == ["x", "(no value)"]


def test_self_family_and_other_differ_in_lightness_or_hue_for_everyone():
    assert len(set(style.COLOURS.values())) == 3
    for colour in style.COLOURS.values():
        light = luminance(colour)
        assert (1.05 / (light + 0.05)) >= 3  # against white
        assert ((light + 0.05) / (luminance("#0e1117") + 0.05)) >= 3  # against the dark page


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_of_very_many_judges_those_with_the_highest_ratios_are_drawn_in_their_order():
    rows = [row(None, 1.0, 0.9, 1.1), *(row(f"j{place}", 1 + place % 7, 0.9, 9) for place in range(50))]

    frame = highest(forest_rows(rows), 14)

    assert frame["label"].tolist() == [MEANS, *(f"j{place}" for place in range(50) if place % 7 >= 5)]


def test_names_of_rows_are_not_moved_away_from_their_rows():
    config = spec_of(forest(forest_rows([row("a", 1.5, 1.2, 1.9)])))["config"]

    assert config["axisY"] == config["axisBand"] == config["axisPoint"] == {"labelFlush": False}
