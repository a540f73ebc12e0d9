"""`--by A,B`: a row for each value of one column within each value of the other."""

import csv
import io
import json
import re
import shlex

import pytest
from command_line import Spb
from plain.published import ROOT

import engine
from engine.errors import UsageError

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
    assert output.stderr == (
        "error: the chart of hspp groups by one column; give --by axis and one value of the other, such as "
        "--polarity positive\n"
    )
    assert spb_here(*HSPP, "--by", "axis", "--polarity", "positive", "--out", tmp_path / "x.svg").stdout == ""


def test_python_takes_two_columns_as_a_terminal_does_and_says_what_can_be_drawn():
    study = engine.open_study(f"{ROOT}/results/demo-health")

    assert study.hspp(by="axis, polarity", resamples=0).equals(
        study.hspp(by=["axis", "polarity"], resamples=0)
    )
    with pytest.raises(UsageError, match=r'give by="axis" and one value .* such as polarity="positive"'):
        study.plot("hspp", by=["axis", "polarity"], resamples=0)


def test_a_column_that_the_rows_have_already_is_refused(spb_here: Spb):
    output = spb_here("measure", "mitigation", "demo-pairs", *STORE, "--by", "variant,category")

    assert output.returncode == 2
    assert output.stderr.startswith("error: mitigation has a column 'variant' of its own")


def test_a_column_of_which_the_study_has_no_value_is_said_to_group_nothing(spb_here: Spb):
    words = ("measure", "expected", "demo-pairs", *STORE, "--resamples", "0", "--by")
    without, with_values, by_two = (spb_here(*words, by) for by in ("axis", "category", "axis,category"))

    assert (without.returncode, with_values.returncode, by_two.returncode) == (3, 0, 3)
    refusal, of_two = (" ".join(output.stdout.split()) for output in (without, by_two))
    assert "nothing is grouped by axis, of which the study has no value here; to group by" in refusal
    named = re.search(r"--by category \(([\w-]+), ", refusal)
    assert named is not None
    assert named[1] in with_values.stdout
    assert "nothing is grouped by axis" in of_two
    rows = json.loads(spb_here(*words, "axis", "--format", "json").stdout)
    assert rows["rows"] == []
    assert "--by category" in rows["reason"]


def test_python_warns_where_nothing_is_grouped():
    study = engine.open_study(f"{ROOT}/results/demo-pairs")

    with pytest.warns(UserWarning, match='nothing is grouped by axis, .* by="category"'):
        frame = study.expected(by="axis", resamples=0)

    assert len(frame) == 0


def test_a_value_of_another_column_is_said_to_be_there(spb_here: Spb):
    study = engine.open_study(f"{ROOT}/results/demo-health")
    value = study.index.text_codes("axis").names[0]
    assert value not in study.index.text_codes("theme").names

    as_theme, as_topic = (
        spb_here("judges", "demo-health", *STORE, flag, value) for flag in ("--theme", "--topic")
    )
    nowhere = spb_here("judges", "demo-health", *STORE, "--topic", "nowhere").stderr

    assert (as_theme.returncode, as_topic.returncode) == (2, 2)
    for refused in (as_theme, as_topic):
        assert re.search(rf"column .*: --axis {value}\n", refused.stderr), refused.stderr
    assert "an import reads a column 'topic' as theme: --theme" in nowhere


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
