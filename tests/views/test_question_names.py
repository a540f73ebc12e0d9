"""A question or criterion whose id an import made of its text is called by the text."""

import csv

import pytest
from typer.testing import CliRunner

from engine.arrays.text_names import distinct, question_names
from engine.cli import app
from engine.cli.printing.result_tables import print_summary
from engine.explore.judgment_list import view_of
from engine.slices import Slice
from engine.study import Study
from engine.views.keys import choices_in
from engine.views.of_measure import table_of
from engine.views.registry import VIEWS

MODELS = ("alpha", "beta", "gamma")
CRITERIA = ("Is right.", "Shows each step of the sum.")


@pytest.fixture(scope="module")
def own_file(tmp_path_factory):
    """Import a file with the texts of its questions and without their ids."""
    folder = tmp_path_factory.mktemp("own")
    with (folder / "own.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["prompt", "generator", "judge", "criterion", "met", "reference_met"])
        for number in range(12):
            for judge in MODELS:
                for writer in MODELS:
                    met = judge == writer or number % 2 == 0
                    text = f"What is {number} times seven?" if number else "A long one. " * 30
                    rows.writerow([text, writer, judge, CRITERIA[number % 2], met, number % 3 == 0])
    options = ["--study", "own", "--store", str(folder / "store")]
    result = CliRunner().invoke(app, ["import", str(folder / "own.csv"), *options])
    assert result.exit_code == 0, result.output
    return Study.open(folder / "store" / "own")


def test_a_made_id_gives_way_to_the_text_and_a_long_text_is_cut(own_file):
    names = question_names(own_file)

    assert "What is 5 times seven?" in names.values()
    assert len(names) == 12
    assert max(map(len, names.values())) <= 90


def test_the_ids_of_a_file_stay():
    study = Study.open("results/demo-health")

    assert all(name == words for name, words in question_names(study).items())


@pytest.mark.parametrize(("view", "keys"), [("verdicts", {}), ("differences", {"judge": ("alpha",)})])
def test_lists_of_judgments_name_questions_by_their_text(own_file, view, keys):
    table = VIEWS[view].shown(own_file, keys).table

    questions = {row[table.names.index("instance_id")] for row in table.rows}
    assert questions <= set(question_names(own_file).values())


def test_rows_by_criterion_are_called_by_its_text_and_data_keep_the_id(own_file, capsys):
    result = own_file.result("overestimation", by="criterion", resamples=0)

    ids = {row["slice"] for row in result.rows}
    print_summary(result)
    printed = capsys.readouterr().out
    assert {row[0] for row in table_of(result, ["judge"]).rows} == set(CRITERIA)
    assert len(ids) == 2
    assert not any(each in printed for each in ids)
    assert all(each in result.csv() for each in ids)
    assert not set(CRITERIA) & set(result.csv().split(","))


def test_criteria_that_recur_are_a_filter_and_a_split_called_by_their_texts(own_file):
    choices = choices_in(own_file)
    texts = {name: text for name, text in choices.criteria.items() if name in choices.values["rubric_id"]}
    correct = next(name for name, text in texts.items() if text == CRITERIA[0])

    split = VIEWS["matrix"].shown(own_file, {"by": ("rubric_id",)})
    filtered = VIEWS["matrix"].shown(own_file, {"rubric_id": (correct,)})

    assert sorted(texts.values()) == sorted(CRITERIA)
    assert {row[split.table.names.index("slice")] for row in split.table.rows} == set(CRITERIA)
    assert "criterion Is right.," in filtered.basis[0]
    rates = {mark["words"] for mark in filtered.figure.rows_of_marks()}
    assert rates == {
        mark["words"] for mark in split.figure.rows_of_marks() if mark.get("slice") == CRITERIA[0]
    }


def test_the_judgments_of_a_criterion_are_listed_by_its_text_as_by_its_id(own_file):
    choices = choices_in(own_file)
    name, text = next(iter(choices.criteria.items()))

    by_id, by_text = (view_of(own_file, Slice(), "rubric_id", each) for each in (name, text))

    assert (by_id.rubric.mask == by_text.rubric.mask).all()


def test_criteria_of_single_questions_are_no_filter_and_no_split():
    choices = choices_in(Study.open("results/demo-health"))

    assert "rubric_id" not in {*choices.values, *choices.groupings}


def test_an_id_that_each_question_has_for_another_criterion_is_no_filter():
    study = Study.open("results/demo-verifiable")

    assert set(study.index.rubric_ids.to_pylist()) == {"r1", "r2", "r3"}
    assert "rubric_id" not in choices_in(study).values


def test_texts_that_are_alike_once_cut_have_the_id_beside_them():
    alike = {"q-1": "The same beginning", "q-2": "The same beginning", "q-3": "Another"}

    assert distinct(alike) == {
        "q-1": "The same beginning (q-1)",
        "q-2": "The same beginning (q-2)",
        "q-3": "Another",
    }


def test_a_text_that_is_the_id_of_another_has_its_own_id_beside_it():
    assert distinct({"q-1": "tone", "q-2": "brief"}, ["tone", "q-1", "q-2"]) == {
        "q-1": "tone (q-1)",
        "q-2": "brief",
    }
