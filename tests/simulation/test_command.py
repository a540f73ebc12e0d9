"""`spb simulate`, run like by a user."""

from pathlib import Path

import pytest
from command_line import spb_apart
from typer.testing import CliRunner

from engine.cli import app
from engine.errors import UsageError
from engine.simulation.default_models import names_of
from engine.store import Store

ROOT = Path(__file__).resolve().parents[2]


def in_process(*words):
    return CliRunner().invoke(app, ["simulate", *words])


def test_a_name_that_is_taken_is_answered_with_the_command_under_another(tmp_path, spb_here):
    words = ("plan", "simulate", "tiny", "--store", str(tmp_path), "--instances", "12", "--judges", "3")
    assert spb_here(*words).returncode == 0

    refused = spb_here(*words)

    assert refused.returncode == 2
    remedy = f"give another name, such as: spb plan simulate tiny-2 --store {tmp_path}; or --replace"
    assert f"the study 'tiny' exists already; {remedy}" in refused.stderr
    assert "--append" not in refused.stderr
    assert spb_here(*words, "--replace").returncode == 0


@pytest.mark.parametrize(
    ("options", "cause", "again"),
    [
        (
            ("--judges", "5", "--biased", "f1-1"),
            "the models are of two families, 'f1' and 'f2'",
            "--judges 9 --instances 12 --biased f1-1",
        ),
        (("--judges", "1"), "all models are of one family, 'f1'", "--judges 9 --instances 12"),
        (
            ("--judges", "ant,bee", "--biased", "ant"),
            "the models are of two families, 'ant' and 'bee'",
            "--judges 9 --instances 12",
        ),
    ],
)
def test_judges_of_too_few_families_are_warned_of_with_the_command_that_has_enough(
    tmp_path, spb_here, options, cause, again
):
    words = ("plan", "simulate", "tiny", "--store", str(tmp_path), "--instances", "12", *options)
    warned = " ".join(spb_here(*words).stderr.split())

    assert f"warning: {cause}: whether a model favours its own answers cannot be concluded" in warned
    command = f"spb plan simulate tiny {again} --replace --store {tmp_path}"
    assert warned.endswith(command)
    enough = spb_here(*command.split()[1:])
    assert enough.returncode == 0
    assert "warning" not in enough.stderr


def test_judges_of_one_family_that_judge_another_are_not_warned_of(tmp_path, spb_here):
    words = ("plan", "simulate", "tiny", "--store", str(tmp_path), "--judges", "3", "--generators", "4")

    assert "warning" not in spb_here(*words).stderr


def test_a_study_is_written_with_its_truth_and_its_runs(tmp_path, spb_here):
    result = spb_here(
        "simulate",
        *("--study", "tiny", "--store", str(tmp_path), "--instances", "12", "--rubrics-per-instance", "3"),
        *("--judges", "ant,bee", "--judges", "cat", "--families", "x,x,y", "--biased", "ant"),
        *("--self-ratio", "1.5", "--bias-on", "polarity=negative", "--seed", "3"),
    )

    assert (result.returncode, result.stdout) == (0, "")
    study = Store(tmp_path).open("tiny")
    assert study.info.provenance == "simulated"
    assert "simulated" in study.info.title
    assert study.info.truth["seed"] == 3
    assert study.info.truth["judges"]["ant"]["self_ratio"] == 1.5
    assert study.info.truth["judges"]["bee"]["self_ratio"] == 1.0
    assert study.table("models", ["model", "family"]).to_pylist() == [
        {"model": "ant", "family": "x"},
        {"model": "bee", "family": "x"},
        {"model": "cat", "family": "y"},
    ]
    assert set(study.table("runs")["provenance"].to_pylist()) == {"simulated"}
    assert set(study.table("references")["source"].to_pylist()) == {"program"}
    # single and all: 3 x 3 x 36 rows; direct: 3 x 3 x 12; pairs: 3 judges x 3 pairs x 12 x 2 orders
    assert study.judgments(["judge"]).num_rows == 2 * 324 + 108 + 216


def test_an_existing_study_is_kept_unless_replace_is_given(tmp_path):
    words = ("--study", "tiny", "--store", str(tmp_path), "--instances", "5", "--judges", "3")
    in_process(*words, "--seed", "1")

    again = in_process(*words, "--seed", "2")
    seed_kept = Store(tmp_path).open("tiny").info.truth["seed"]
    replacement = in_process(*words, "--seed", "2", "--replace")

    assert isinstance(again.exception, UsageError)
    assert "--replace" in str(again.exception)
    assert seed_kept == 1
    assert replacement.exit_code == 0
    assert Store(tmp_path).open("tiny").info.truth["seed"] == 2


def test_a_study_of_pairs_has_the_requested_effects(tmp_path):
    words = (
        "--instances",
        "6",
        "--judges",
        "ant,bee,cat,dog",
        "--spb",
        "0.3",
        "--biased",
        "bee",
        "--seed",
        "3",
    )

    result = in_process("--kind", "pairs", "--study", "tiny", "--store", str(tmp_path), *words)

    study = Store(tmp_path).open("tiny")
    assert result.exit_code == 0
    assert {name: judge["spb"] for name, judge in study.info.truth["judges"].items()} == {
        "ant": 0.0,
        "bee": 0.3,
        "cat": 0.0,
        "dog": 0.0,
    }
    assert set(study.table("pairs")["purpose"].to_pylist()) <= {"equal", "null", "contrast"}
    assert study.table("preferences").num_rows > 0
    # 6 questions, 6 pairs of 4 models, 2 orders, 4 judges
    rows = study.judgments(["variant"])["variant"].to_pylist()
    assert (rows.count("forced"), rows.count("forced_tie")) == (288, 288)


def test_a_study_of_orders_has_the_requested_effects(tmp_path):
    words = (
        "--instances",
        "5",
        "--judges",
        "ant,bee",
        "--options",
        "4",
        "--pull",
        "3",
        "--lists",
        "reversed",
    )

    result = in_process("--kind", "orders", "--study", "tiny", "--store", str(tmp_path), *words)

    study = Store(tmp_path).open("tiny")
    weights = study.info.truth["judges"]["bee"]["positions"]
    assert result.exit_code == 0
    assert weights[0] == pytest.approx(3 * weights[3], rel=1e-4)
    rows = study.judgments(["paradigm", "ordering"]).to_pylist()
    assert {row["ordering"] for row in rows if row["paradigm"] == "all_rubrics"} == {"reversed"}
    # 5 stories by 2 models on 2 criteria, by 2 judges in 8 orders and 7 repeats
    assert sum(row["paradigm"] == "score_rubric" for row in rows) == 600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--kind", "triples"),
            "unknown kind of study 'triples'; choose from: rubrics, criteria, pairs, orders",
        ),
        (("--kind", "pairs", "--hard-items", "2"), "--hard-items does not apply to --kind pairs"),
        (("--pull", "2"), "leave it out, or use --kind orders"),
        (("--kind", "orders", "--pull", "0"), "pull 0.0 is not a ratio"),
        (("--kind", "pairs", "--judges", "2"), "2 models are too few"),
        (("--self-ratio", "5"), "lower overestimation or the ratios"),
        (("--bias-on", "colour=red"), "unknown column of a biased slice 'colour'"),
        (("--bias-on", "theme=cookery"), "no criterion is in the slice 'theme=cookery'"),
        (("--paradigms", "guessing"), "unknown paradigm 'guessing'; choose from: single_rubric"),
        (("--biased", "nobody"), "biased 'nobody' is not a model of the study"),
        (("--instances", "0"), "questions 0"),
        (("--seed", "-1"), "seed -1"),
        (("--judges", "10001"), "'10001' models cannot take part; give a number from 1 to 10,000"),
        (("--judges", "9" * 5000), "models cannot take part"),
    ],
)
def test_an_impossible_simulation_is_refused_and_nothing_is_written(tmp_path, words, message):
    result = in_process("--study", "tiny", "--store", str(tmp_path), *words)

    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_exits_with_code_2_and_no_traceback(tmp_path):
    result = spb_apart("plan", "simulate", "tiny", "--store", str(tmp_path), "--judges", "0")

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: '0' models cannot take part")


def test_the_help_of_biased_says_what_the_judges_of_a_number_are_called(spb_here):
    text = " ".join(spb_here("plan", "simulate", "-h").stdout.split())

    assert ", ".join(names_of(["4"])) in text.partition("--biased")[2].partition("--self-ratio")[0]


def test_rubrics_are_criteria_by_another_word(tmp_path):
    words = ("--store", str(tmp_path), "--instances", "12", "--judges", "3")
    results = [in_process(kind, "--kind", kind, *words) for kind in ("criteria", "rubrics")]

    assert [result.exit_code for result in results] == [0, 0]
    first, second = (Store(tmp_path).open(kind).table("judgments") for kind in ("criteria", "rubrics"))
    assert first.equals(second)
