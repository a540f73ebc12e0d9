"""Measures that are other rows of one: by their former names they answer alike and name the successor."""

import json
import warnings
from pathlib import Path

import pytest
from command_line import Spb

from engine.measures.catalogue import MEASURES, PRESENT
from engine.shipped_files import RESULTS
from engine.study import Study

FORMER = {
    "judge-costs": ("which-judge", "costs"),
    "quality-baseline-summary": ("quality-baseline", "summary"),
    "ranking-flips": ("ranking", "flips"),
    "transforms": ("robustness", "preference"),
}


def test_every_former_measure_is_an_option_of_its_successor():
    assert {name: measure.part_of for name, measure in MEASURES.items() if measure.part_of} == FORMER
    for name, rows in FORMER.values():
        [option] = [option for option in PRESENT[name].options if option.name == "rows"]
        assert rows in option.choices[1:]


@pytest.mark.parametrize("former", FORMER)
def test_a_former_name_prints_what_its_successor_prints_and_names_it_once(spb_here: Spb, former: str) -> None:
    name, rows = FORMER[former]
    study = ("demo-pairs" if "baseline" in former else "demo-orders", "--store", RESULTS)
    flags = ("--resamples", "0", "--format", "json")

    before = spb_here("measure", former, *study, *flags)
    now = spb_here("measure", name, *study, "--rows", rows, *flags)

    assert before.stdout == now.stdout
    assert json.loads(before.stdout)["measure"] == former
    assert before.returncode == now.returncode
    assert before.stderr.count(f"note: spb measure {former} is now spb measure {name} --rows {rows}\n") == 1
    assert "is now" not in now.stderr


def test_with_q_a_former_name_says_nothing_of_its_successor(spb_here: Spb) -> None:
    output = spb_here("measure", "ranking-flips", "demo-orders", "--store", RESULTS, "--resamples", "0", "-q")

    assert output.stderr == ""


def test_the_list_of_measures_has_no_former_name(spb_here: Spb) -> None:
    listing = spb_here("measure", "list", "--format", "json").stdout

    assert not {row["measure"] for row in json.loads(listing)["rows"]} & set(FORMER)


@pytest.mark.parametrize("command", [("study", "info"), ("doctor",)])
def test_what_a_study_can_measure_has_no_former_name(command: tuple[str, ...], spb_here: Spb) -> None:
    study = ("demo-orders", "--store", RESULTS, "--resamples", "0", "--format", "json")
    listing = spb_here(*command, *study).stdout

    assert [row["measure"] for row in json.loads(listing)["rows"]] == list(PRESENT)


def test_rows_that_a_measure_does_not_have_are_refused_with_those_that_it_has(spb_here: Spb) -> None:
    unknown = spb_here("measure", "ranking", "demo-orders", "--store", RESULTS, "--rows", "reversals")
    without = Study.open(RESULTS / "demo-orders")

    assert unknown.returncode == 2
    assert "unknown rows 'reversals'; choose from: models, flips" in unknown.stderr
    with pytest.raises(Exception, match="rows"):
        without.result("hspp", rows="flips")


def test_in_python_a_former_name_gives_the_same_rows_and_warns_of_its_successor() -> None:
    study = Study.open(Path(RESULTS) / "demo-orders")

    with pytest.warns(FutureWarning, match="ranking-flips is now ranking with rows='flips'"):
        before = study.measure("ranking_flips", resamples=0)
    with pytest.warns(FutureWarning, match="ranking-flips is now ranking with rows='flips'"):
        method = study.ranking_flips(resamples=0, full=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        now = study.ranking(rows="flips", resamples=0, full=True)

    assert before.equals(study.measure("ranking", rows="flips", resamples=0))
    assert method.equals(now)
    assert list(now["above"])


def test_the_usual_rows_may_be_named_and_change_nothing() -> None:
    study = Study.open(RESULTS / "demo-orders")

    assert (
        study.result("ranking", rows="models", resamples=0).json()
        == study.result("ranking", resamples=0).json()
    )
