"""`--out chart.svg` draws a measure, and never puts text into a file of a picture's name."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import engine
from engine.charts import draw, forest
from engine.charts.chart_spec import spec_of
from engine.views.shown import without_number

RESULTS = Path(__file__).resolve().parents[2] / "results"
SVG = b"<svg"
PNG = b"\x89PNG"


@pytest.mark.parametrize(
    ("command", "name", "start"),
    [
        (("measure", "expected", "demo-health"), "chart.svg", SVG),
        (("measure", "accuracy", "demo-health"), "chart.PNG", PNG),
        (("judges", "demo-health"), "board.svg", SVG),
    ],
)
def test_a_measure_is_drawn_into_a_file(spb_here, tmp_path, command, name, start):
    done = spb_here(*command, "--out", tmp_path / name)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).read_bytes().startswith(start)
    assert done.stdout == ""


def test_a_drawing_says_what_it_rests_on_and_names_the_judges(spb_here, tmp_path):
    spb_here("measure", "expected", "demo-health", "--axis", "accuracy", "--out", tmp_path / "chart.svg")

    text = (tmp_path / "chart.svg").read_text("utf-8")
    assert "demo-health" in text
    assert "aster-large" in text
    assert "accuracy" in text
    assert "No number" not in text


def test_a_drawing_names_no_command_and_flag_and_no_number_that_it_lacks(spb_here, tmp_path):
    spb_here("judges", "demo-orders", "--out", tmp_path / "board.svg")
    spb_here("measure", "hspp", "demo-health", "--level", "instance", "--out", tmp_path / "ratios.svg")

    for name in ("board", "ratios"):
        drawn = re.sub(r"<[^>]*>", " ", (tmp_path / f"{name}.svg").read_text("utf-8"))
        text = " ".join(drawn.split())
        assert "95% intervals" in text
        assert " --" not in text
        assert "`" not in text
        assert "Ratio to other judges" not in text


def test_a_chart_of_criteria_with_ids_of_their_texts_has_the_texts():
    study = engine.open_study(RESULTS / "demo-health")
    result = study.result("hspp", by="rubric_id", resamples=0)
    first = next(row["slice"] for row in result.rows if row["hspp_self"] is not None)
    named = replace(result, names={first: "names the cause"})

    labels = set(forest.forest_rows(named.rows, by="rubric_id", names=named.names)["label"])

    assert "names the cause" in labels
    assert first not in labels
    assert "names the cause" in str(spec_of(draw(named, study.families())))


def test_a_judge_that_a_chart_lacks_as_it_has_no_number_is_named():
    study = engine.open_study(RESULTS / "demo-health")
    result = study.result("expected", resamples=0)
    first, *others = result.rows
    without = result.with_rows([first | {"excess": None, "own_expected": None}, *others])

    assert without_number(without, spec_of(draw(without, study.families()))) == (
        f"No number: {first['judge']}.",
    )


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (("measure", "association", "demo-health"), 2, "association has no chart"),
        (("measure", "hspp", "demo-pairs"), 3, "the study has no reference"),
        (("measure", "delta", "demo-health", "--by", "axis"), 2, "leave out --by"),
        (("measure", "hspp", "demo-health", "--format", "json"), 2, "leave out one of the two"),
        (("study", "info", "demo-health"), 2, "this command draws no picture"),
        (("slices", "demo-health"), 2, "this command draws no picture"),
    ],
)
def test_what_cannot_be_drawn_leaves_no_file_and_says_why(spb_here, tmp_path, command, code, message):
    done = spb_here(*command, "--out", tmp_path / "chart.svg")

    assert done.returncode == code
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_picture_is_replaced_only_with_force(spb_here, tmp_path):
    chart = tmp_path / "chart.svg"
    chart.write_text("mine", "utf-8")

    refused = spb_here("measure", "accuracy", "demo-health", "--out", chart)
    assert refused.returncode == 2
    assert chart.read_text("utf-8") == "mine"

    assert spb_here("measure", "accuracy", "demo-health", "--out", chart, "--force").returncode == 0
    assert chart.read_bytes().startswith(SVG)
