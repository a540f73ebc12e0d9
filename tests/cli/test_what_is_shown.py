"""`spb judges`: what it says beside the conclusions, and where a table is cut."""

from pathlib import Path

import pytest
from command_line import Spb, spb
from plain.published import ROOT

from engine.cli.exit_codes import NO_ANSWER
from engine.measures.catalogue import MEASURES, PRESENT

STORE = ("--store", str(ROOT / "results"))


def test_the_paradigm_that_decides_is_named_where_others_could(spb_here: Spb):
    words = " ".join(spb_here("judges", "demo-verifiable", *STORE).stdout.split())

    assert "These conclusions rest on single criterion judgments; the study also has all criteria" in words
    assert "spb judges demo-verifiable --paradigm all_rubrics --store" in words


def test_the_command_for_another_paradigm_keeps_the_filters(spb_here: Spb):
    out = spb_here("judges", "demo-verifiable", "--polarity", "positive", "--length", "5:", *STORE).stdout

    assert "--polarity positive --length 5: --paradigm all_rubrics --store" in " ".join(out.split())


def test_a_study_of_one_paradigm_needs_no_such_line(spb_here: Spb):
    out = spb_here("judges", "demo-pairs", "--variant", "forced", *STORE).stdout  # it has other variants

    assert "These conclusions rest on" not in out


def test_where_no_variant_is_named_the_command_for_another_one_is_printed(spb_here: Spb):
    words = " ".join(spb_here("judges", "demo-pairs", *STORE).stdout.split())

    assert "These conclusions rest on variant forced (38,880 pairwise judgments)" in words
    assert "spb judges demo-pairs --variant cot --store" in words


def test_a_cut_table_says_so_where_the_table_is(spb_here: Spb, monkeypatch: pytest.MonkeyPatch):
    command = ("measure", "accuracy", "demo-verifiable", "--resamples", "0", *STORE)
    whole = spb_here(*command)
    monkeypatch.setattr("engine.views.of_measure.MOST_ROWS", 2)

    cut = spb_here(*command)

    assert "--all prints all" not in whole.stdout
    assert next(line for line in cut.stdout.splitlines() if "--all" in line).startswith("The first 2 of ")
    assert " and 2 of " in cut.stdout.splitlines()[-1]
    assert cut.stdout.endswith("rows shown; --all prints all\n")
    judges = ("ember-large", "grove-mini")
    assert all(judge in spb_here(*command, "--all").stdout for judge in judges)
    assert "grove-mini" not in cut.stdout


def test_a_column_without_room_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def printed(columns: str) -> str:
        monkeypatch.setenv("COLUMNS", columns)
        spb(monkeypatch, "judges", "demo-health", *STORE)
        return capsys.readouterr().err

    assert "Reason: set COLUMNS=120, or --all prints every column" in printed("48")  # in a pipe
    assert "no room" not in printed("200")


def test_each_accuracy_stands_beside_the_number_that_it_is_of(spb_here: Spb):
    printed = spb_here("measure", "accuracy", "demo-health", "--resamples", "0", *STORE).stdout

    assert printed.startswith("Of 9 judges, aster-large agrees with the reference in 90.0%")
    head = next(line for line in printed.splitlines() if line.startswith("Judge "))
    assert head.split()[-2:] == ["n", "pairs"]
    assert "correct" not in printed.partition("\n\n")[2]


def test_where_a_measure_has_no_rows_another_that_has_some_is_named(spb_here: Spb, tmp_path: Path):
    head = "judge,generator,opponent,instance_id,first,choice,preference"
    rows = [
        f"{judge},gpt-4o,o3,{question},{first},{choice},generator"
        for judge, choice in (("gpt-4o", "generator"), ("o3", "opponent"))
        for question in ("q1", "q2")
        for first in ("generator", "opponent")
    ]
    (tmp_path / "pairs.csv").write_text("\n".join([head, *rows]), "utf-8")
    spb_here("import", "table", tmp_path / "pairs.csv", "--study", "mine", "--store", tmp_path)

    output = spb_here("measure", "accuracy", "mine", "--store", tmp_path)

    words = " ".join((output.stdout + output.stderr).split())
    named = f"choices and scores is another measure: spb measure people mine --store {tmp_path}"
    assert (output.returncode, named in words) == (NO_ANSWER, True)


def test_without_a_reference_delta_names_the_scores_of_each_judge_and_how_a_reference_is_made(
    spb_here: Spb, tmp_path: Path
):
    judges = ("gpt-4o", "o3", "claude-3-opus")
    cells = [
        (judge, author, f"q{n}", n % 2) for judge in judges for author in ("gpt-4o", "o3") for n in range(4)
    ]
    scores = ["judge,generator,instance_id,score", *(f"{j},{g},{q},0.{v + 4}" for j, g, q, v in cells)]
    verdicts = ["judge,generator,instance_id,criterion,met", *(f"{j},{g},{q},c,{v}" for j, g, q, v in cells)]
    for name, rows in (("scores", scores), ("verdicts", verdicts)):
        (tmp_path / f"{name}.csv").write_text("\n".join(rows), "utf-8")
        spb_here("import", "table", tmp_path / f"{name}.csv", "--study", name, "--store", tmp_path)

    of_scores, of_verdicts = (
        " ".join(spb_here("measure", "delta", name, "--store", tmp_path).stderr.split())
        for name in ("scores", "verdicts")
    )

    named = "how high each judge scores each model, which needs no reference, is another measure: spb measure"
    assert f"{named} ranking scores --store {tmp_path}" in of_scores
    assert f"{named} ranking verdicts --store {tmp_path}" in of_verdicts
    assert "a committee of all its judges: spb " in of_verdicts
    assert "a committee of all its judges" not in of_scores


def test_a_measure_named_in_place_of_another_exists():
    instead = {measure.instead[0] for measure in MEASURES.values() if measure.instead is not None}

    assert instead >= {"people", "order-effect"}
    assert instead <= PRESENT.keys()
