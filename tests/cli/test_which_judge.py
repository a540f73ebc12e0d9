"""`spb measure which-judge`: the same columns for every study, and by which bounds it advises."""

import pytest
from command_line import Spb
from plain.published import ROOT

NUMBERS = (
    *("Accuracy", "Given less expected", "Agreement", "The same of its family", "Flip rate"),
    *("No verdict", "Dollars for 1,000 verdicts"),
)


@pytest.mark.parametrize("study", ["demo-health", "demo-pairs", "demo-orders"])
def test_the_columns_are_the_same_whatever_a_study_has(spb_here: Spb, study, tmp_path):
    store, out = ("--store", str(ROOT / "results")), tmp_path / "judges.md"

    spb_here("measure", "which-judge", study, *store, "--resamples", "20", "--out", out)

    text = out.read_text("utf-8")
    heads = next(line for line in text.splitlines() if line.startswith("| Judge "))
    assert [head.strip() for head in heads.strip("|").split("|")] == ["Judge", "What to use it for", *NUMBERS]
    assert "By these bounds, for the whole 95% interval: fit for use if 80 of 100 verdicts" in text
    assert "– in Agreement: no people judged the same items." in text


def test_80_columns_have_room_for_the_number_that_the_advice_rests_on(spb_80: Spb):
    table = spb_80("measure", "which-judge", "demo-health", "--store", ROOT / "results")

    lines = table.stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("Judge "))
    assert lines[place].endswith("Accuracy              Given less expected")
    assert max(map(len, lines[place:])) <= 80


def test_where_there_is_little_room_a_column_without_a_number_makes_way(spb_80: Spb):
    table = spb_80("measure", "which-judge", "demo-pairs", "--store", ROOT / "results", "--resamples", "20")

    heads = next(line for line in table.stdout.splitlines() if line.startswith("Judge "))
    assert "Given less expected" in heads
    assert "Agreement" not in heads
