"""Pinned views shown without the explorer: the numbers of their pages, and what no longer exists."""

import functools
import json
import shlex

import pytest
from explorer_studies import PLANS, write
from typer.testing import CliRunner

import engine
from engine.cli import app
from engine.report.exhibit import exhibit_of
from engine.saved_slices import delete_slice, save_slice
from engine.store import Store
from engine.store.study_files import Pin
from engine.views.registry import FORMER, VIEWS
from explorer.page_list import BY_NAME, PARTS_OF_VIEWS

DEMOS = {"equal_quality": "demo-pairs", "quality_baseline": "demo-pairs", "order_effects": "demo-orders"}
NUMBERS = ("workbench", "slice", "matrix", "together", *FORMER)


def pin_of(page, **view):
    return Pin(id="0a1b2c3d", page=page, view=view, title="a view")


@functools.cache
def open_study(study):
    return engine.open_study(f"results/{study}")


@functools.cache
def output_of(command):
    """Run the command that a page names, once for all pages that share it."""
    words = [*shlex.split(command)[1:], "--format", "json"]
    return CliRunner().invoke(app, words, env={"SPB_STORE": "results"}, catch_exceptions=False)


def exhibit_on(page, study="demo-health", **view):
    return exhibit_of(open_study(study), pin_of(page, **view))


def test_every_pinnable_page_exists_and_every_page_of_numbers_is_pinnable():
    numbers = {name for name, page in BY_NAME.items() if "study" in page.keys and not page.parts}
    without = {
        "new_run",
        "present",
        "coordinate",
        "data",
        "atlas",
    }  # pages for actions, the pinned views themselves, and what is of no one study

    assert set(VIEWS) == set(PARTS_OF_VIEWS)
    assert numbers - without <= {*VIEWS, *FORMER}


@pytest.mark.parametrize("page", NUMBERS)
def test_a_page_of_numbers_shows_a_chart_its_rows_and_their_command(page):
    exhibit = exhibit_on(page, DEMOS.get(page, "demo-health"))

    assert exhibit.problems == ()
    assert exhibit.figure is not None
    assert exhibit.figure.caption
    assert exhibit.table is not None
    assert exhibit.table.rows
    (command,) = exhibit.commands
    assert output_of(command).exit_code == 0


def test_a_view_applies_its_filters_and_says_what_was_left_out():
    exhibit = exhibit_on("slice", polarity=["negative"], judges=["dune-large"])

    row = (
        engine.open_study("results/demo-health")
        .result("hspp", polarity="negative", judges=["dune-large"])
        .rows[0]
    )
    cells = dict(zip(exhibit.table.heads, exhibit.table.rows[0], strict=True))
    assert cells["Judge"] == "dune-large"
    assert cells["HSPP ratio"].startswith(f"{row['hspp_self']:.2f} [{row['hspp_self_low']:.2f}")
    assert cells["n own failed"] == f"{row['n_self']:,}"
    assert "polarity negative" in exhibit.basis[0]
    assert exhibit.basis[1].startswith("Left out: ")
    assert exhibit.commands == ("spb measure hspp demo-health --judges dune-large --polarity negative",)


def test_two_slices_are_compared_as_by_their_command():
    exhibit = exhibit_on("compare", polarity=["negative"], b_polarity=["positive"])

    (command,) = exhibit.commands
    output = output_of(command)
    by_judge = {row["judge"]: row for row in json.loads(output.stdout)["rows"]}
    shown_rows = {row[0]: row[3] for row in exhibit.table.rows}
    for judge in ("aster-large", "dune-large"):
        row = by_judge[judge]
        assert shown_rows[judge] == f"{row['difference']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def test_values_that_the_study_no_longer_has_are_removed_and_reported():
    exhibit = exhibit_on("slice", axis=["accuracy", "gone"], by=["nothing"], theme=["lost"])

    assert exhibit.dropped == (
        "Axis 'gone' is not in this study and was taken out of the view.",
        "Theme 'lost' is not in this study and was taken out of the view.",
        "Split by 'nothing' is not in this study and was taken out of the view.",
    )
    assert "axis accuracy" in exhibit.basis[0]
    assert exhibit.figure is not None


@pytest.mark.parametrize(
    ("page", "view", "message"),
    [
        ("gone_page", {}, "There is no page 'gone_page'"),
        ("compare", {"compare": ["studies"], "b_study": ["../x"]}, "is not another study of this store"),
        ("compare", {"compare": ["studies"], "b_study": ["nowhere"]}, "there is no study in"),
        ("order_effects", {"orders": ["positions"]}, "The study has no scores of single criteria."),
        ("verdicts", {"judge": ["nobody"]}, "Judge 'nobody' is not in this study"),
        ("verdicts", {"item": ["999999999"]}, "There is nothing to show"),
        ("power", {"plan_effect": ["many"]}, "'many' is not a number"),
        ("equal_quality", {"epsilon": ["9"]}, "Equal within (epsilon) '9' is not a number from 0 to 2"),
        ("equal_quality", {"quality": ["human"]}, "Quality from 'human' is not in this study"),
    ],
)
def test_a_view_that_cannot_be_shown_says_why(page, view, message):
    exhibit = exhibit_on(page, **view)

    assert any(message in warning for warning in exhibit.warnings)


def test_a_saved_slice_is_shown_by_its_filters_and_a_deleted_one_is_reported(tmp_path):
    write(tmp_path, "plain", PLANS["plain"])
    files = save_slice(Store(tmp_path).open("plain"), "hard", {"polarity": "positive"})
    view = pin_of("slice", slice=["hard"], judges=["m1"])

    before = exhibit_of(engine.open_study(tmp_path / "plain"), view)
    delete_slice(files, "hard")
    after = exhibit_of(engine.open_study(tmp_path / "plain"), view)

    assert before.commands == ("spb measure hspp plain --judges m1 --polarity positive",)
    assert after.commands == ("spb measure hspp plain --judges m1",)
    assert after.dropped == ("There is no saved slice 'hard' in this study; it was left out.",)


def test_judgments_are_listed_from_the_selected_one():
    first = exhibit_on("verdicts", judge=["dune-large"])
    later = exhibit_on("verdicts", judge=["dune-large"], item=["3"])

    assert later.table.rows[0] == first.table.rows[2]
    assert "shown from number 3 on" in later.sentences[0]


def test_without_a_defined_number_a_table_of_reasons_replaces_the_chart(tmp_path):
    write(tmp_path, "one-family", PLANS["one-family"])

    exhibit = exhibit_of(engine.open_study(tmp_path / "one-family"), pin_of("slice"))

    assert exhibit.figure is None
    assert "–" in exhibit.table.rows[0][1]
