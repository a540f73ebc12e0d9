"""`--by A,B`: a row for each value of one column within each value of the other."""

import csv
import io
import json
import re
import shlex

import pytest
from command_line import Spb
from plain.published import ROOT

STORE = ("--store", str(ROOT / "results"))
HSPP = ("measure", "hspp", "demo-health", *STORE, "--resamples", "0")


def test_a_row_of_two_columns_is_that_of_one_within_a_value_of_the_other(spb_here: Spb):
    both = json.loads(spb_here(*HSPP, "--by", "axis,polarity", "--format", "json").stdout)
    one = json.loads(spb_here(*HSPP, "--by", "axis", "--polarity", "negative", "--format", "json").stdout)

    negative = [row for row in both["rows"] if row.pop("polarity") == "negative"]
    assert [row.pop("axis") for row in negative] == [row.pop("slice") for row in one["rows"]]
    assert negative == one["rows"] != []
    assert both["filters"]["by"] == ["axis", "polarity"]


@pytest.mark.parametrize("words", [("--by", "axis,polarity"), ("--by", "axis", "--by", "polarity")])
def test_the_columns_come_first_under_their_own_names(spb_here: Spb, words):
    rows = list(csv.DictReader(io.StringIO(spb_here(*HSPP, *words, "--format", "csv").stdout)))
    table = spb_here(*HSPP, *words).stdout

    assert [*rows[0]][:3] == ["axis", "polarity", "judge"]
    heads = next(line for line in table.splitlines() if line.startswith("Axis"))
    assert heads.split()[:3] == ["Axis", "Polarity", "Judge"]


def test_a_picture_of_two_columns_is_refused(spb_here: Spb, tmp_path):
    output = spb_here(*HSPP, "--by", "axis,polarity", "--out", tmp_path / "x.svg")

    assert (output.returncode, output.stdout) == (2, "")
    assert output.stderr == "error: the chart of hspp groups by one column; give --by one\n"


def test_a_column_that_the_rows_have_already_is_refused(spb_here: Spb):
    output = spb_here("measure", "mitigation", "demo-pairs", *STORE, "--by", "variant,category")

    assert output.returncode == 2
    assert output.stderr.startswith("error: mitigation has a column 'variant' of its own")


def test_a_column_of_which_the_study_has_no_value_is_said_to_group_nothing(spb_here: Spb):
    words = ("measure", "expected", "demo-pairs", *STORE, "--resamples", "0", "--by")
    without, with_values = (" ".join(spb_here(*words, by).stdout.split()) for by in ("axis", "category"))

    assert "Nothing is grouped by axis: the study has no value of it here." in without
    assert "Nothing is grouped" not in with_values


@pytest.mark.parametrize(
    ("measure", "by"), [("scorecard", "theme"), ("together", "topic"), ("which-judge", "axis,polarity")]
)
def test_the_commands_named_for_a_measure_without_groups_answer(spb_here: Spb, measure, by):
    refused = spb_here("measure", measure, "demo-health", *STORE, "--by", by)
    commands = re.findall(r"`spb ([^`]*)`", refused.stderr)

    assert (refused.returncode, refused.stdout, len(commands)) == (2, "", 2)
    for command in commands:
        answer = spb_here(*shlex.split(command))
        assert (answer.returncode, answer.stdout != "") == (0, True), command


def test_grouping_a_measure_without_groups_is_refused_before_a_study_is_asked_for(spb_here: Spb):
    unnamed = spb_here("measure", "scorecard", *STORE, "--by", "axis").stderr
    unread = spb_here("measure", "scorecard", "demo-health", *STORE, "--by", "nonsense").stderr

    assert "`spb measure expected STUDY --by axis --store" in unnamed
    assert "no study is named; give one of demo-health" in unnamed
    assert "`spb measure expected demo-health --by COLUMN --store" in unread
    assert "unknown column to group by 'nonsense'; choose from: run, paradigm" in unread
