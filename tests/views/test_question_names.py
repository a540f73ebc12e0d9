"""A question or criterion whose id an import made of its text is called by the text."""

import csv

import pytest
from typer.testing import CliRunner

from engine.arrays.text_names import distinct, question_names
from engine.cli import app
from engine.cli.result_tables import print_summary
from engine.study import Study
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
