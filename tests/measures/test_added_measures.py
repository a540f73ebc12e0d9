"""An installed package adds a measure by an entry point: it is found, computed, drawn and listed."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plain.builders import judge_rubrics, one, refer, study_of

from engine.charts import draw
from engine.measures import catalogue

CODE = """
import numpy as np

from engine.measures.entry import JUDGE, Measure, Option, count
from engine.measures.rows import Column, Table


def own_failures(view, options):
    models = view.study.index.models
    own = (view.counts.failed.total * view.relations.self_mask).sum(axis=1) * options["times"]
    columns = {"judge": Column([models[j] for j in view.judges]), "n_own": Column(own)}
    return Table(columns, np.ones(len(own), dtype=bool), view.counts.instances, view.left_out)


OWN_FAILURES = Measure(
    name="own-failures",
    title="Own failures",
    question="On how many rubrics that its own response fails has a judge a verdict?",
    formula="count",
    paper="none",
    left_out="rubrics without a verdict or a reference",
    function=own_failures,
    keys=("judge",),
    headline="n_own",
    fields=(JUDGE, count("n_own", "rubrics failed")),
    options=(Option("times", "integer", "a factor", 1),),
    has_chart=True,
    chart=lambda result, families: (result.rows, families),
)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package `added` with these entry points; return its folder."""

    def install(points):
        (tmp_path / "added.py").write_text(CODE, "utf-8")
        info = tmp_path / "added-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: added\nVersion: 1.0\n", "utf-8")
        (info / "entry_points.txt").write_text(f"[{catalogue.ENTRY_POINTS}]\n{points}\n", "utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        return tmp_path

    yield install
    sys.modules.pop("added", None)


@pytest.fixture
def study(load):
    """J fails one of its own two rubrics, A both of its own."""
    plain = study_of(models="J:F A:G", rubrics=(1, 1), instances=1)
    refer(plain, "J", "01", "x0")
    refer(plain, "A", "00", "x0")
    for generator in "JA":
        judge_rubrics(plain, "J", generator, "11", "x0")
    return load(plain)


def test_a_measure_of_another_package_is_computed_and_drawn_like_the_engines_own(package, study, monkeypatch):
    package("mine = added:OWN_FAILURES")

    (added,) = catalogue.added_measures()
    monkeypatch.setitem(catalogue.MEASURES, added.name, added)
    result = study.result("own_failures", times=3, resamples=0)

    assert one(result.rows, judge="J")["n_own"] == 3 * 1
    assert draw(result, {"J": "F"}) == (result.rows, {"J": "F"})


def test_a_measure_of_another_package_is_a_command(package, study):
    folder = package("mine = added:OWN_FAILURES")
    words = ["metrics", "own-failures", "--study", "small", "--times", "2", "--format", "json"]
    store = str(Path(study.files.path).parent)

    done = subprocess.run(
        [sys.executable, "-m", "engine.cli", *words, "--store", store],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )

    assert done.returncode == 0, done.stderr
    assert one(json.loads(done.stdout)["rows"], judge="J")["n_own"] == 2 * 1


@pytest.mark.parametrize(
    ("point", "says"),
    [
        ("added:NOTHING", "it cannot be loaded"),
        ("absent:MEASURE", "it cannot be loaded"),
        ("added:own_failures", "not an engine.measures.entry.Measure"),
    ],
)
def test_an_entry_point_without_a_measure_is_left_out_with_a_warning(package, caplog, point, says):
    package(f"mine = {point}")

    with caplog.at_level(logging.WARNING):
        added = list(catalogue.added_measures())

    assert added == []
    assert point in caplog.text
    assert says in caplog.text


def test_an_added_measure_may_not_take_the_name_of_another(package, caplog):
    package("one = added:OWN_FAILURES\ntwo = added:OWN_FAILURES")

    added = list(catalogue.added_measures())

    assert [measure.name for measure in added] == ["own-failures"]
    assert "measure 'own-failures' exists already" in caplog.text


def test_an_added_measure_must_say_which_paper_defines_it(package, caplog):
    (package("mine = silent:OWN_FAILURES") / "silent.py").write_text(
        CODE.replace('    paper="none",\n', ""), "utf-8"
    )

    added = list(catalogue.added_measures())

    assert added == []
    assert "'paper'" in caplog.text
