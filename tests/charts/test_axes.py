"""Axes as a reader sees them: ticks in plain figures, and no interval that ends at the edge unmarked."""

import re

import pandas as pd
import pytest

from engine.charts import chart_spec, dot_plot, export, forest
from engine.charts.dot_plot import Dot
from engine.charts.style import MEMBER


def texts_of(spec):
    """Return the texts that a chart draws."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", export.svg_of(spec, "", []).decode())


@pytest.mark.parametrize(("form", "tick"), [("points", "+10"), ("ratio", "10")])
def test_ticks_of_ten_and_more_are_written_in_plain_figures(form, tick):
    kinds = (Dot("effect", "its family", MEMBER, form),)
    rows = [{"judge": name, "effect": value, "n": 50} for name, value in (("a", -17.0), ("b", 21.0))]

    chart = dot_plot.dots(dot_plot.dot_rows(rows, kinds), kinds, title="effect", line=0.0)

    texts = texts_of(chart.to_dict())
    assert tick in texts
    assert not [text for text in texts if re.search(r"\de[+-]\d", text)]


def ratios(low, value, high):
    """Return the frame of a forest plot of one judge."""
    ends = {"hspp_self_low": low, "hspp_self_high": high}
    return forest.forest_rows(
        [{"judge": "a", "hspp_self": value, "n_self": 40} | ends], fields=("hspp_self",)
    )


@pytest.mark.parametrize(
    ("numbers", "arrows"),
    [
        ((2.1, 4.8, 20.0), ["▶"]),  # its axis ends at 8
        ((0.01, 0.5, 0.9), ["◀"]),
        ((9.0, 12.0, 20.0), ["▶"]),
        ((0.8, 1.2, 1.9), []),
    ],
)
def test_an_interval_that_goes_on_beyond_the_axis_ends_with_an_arrow(numbers, arrows):
    texts = texts_of(chart_spec.spec_of(forest.forest(ratios(*numbers))))

    assert [text for text in texts if text in "◀▶" and text] == arrows


def test_a_number_whose_interval_goes_on_beyond_the_axis_keeps_its_mark():
    [row] = forest.forest_spec(ratios(2.1, 4.8, 20.0))["datasets"]["rows"]

    assert (row["shown"], row["edge"], row["to"]) == (4.8, 8.0, 8.0)
    assert pd.isna(forest.forest_spec(ratios(9.0, 12.0, 20.0))["datasets"]["rows"][0]["shown"])
