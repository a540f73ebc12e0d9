"""`spb measure which-judge`: the same columns for every study, and by which bounds it advises."""

import itertools
import random
import re

import pytest
from command_line import Spb
from plain.published import ROOT
from typer.testing import CliRunner

from engine.cli import app

NUMBERS = (
    *("Accuracy", "Given minus expected", "Agreement", "The same of its family", "Flip rate"),
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
    assert lines[place].split()[-4:] == ["Accuracy", "Given", "minus", "expected"]
    assert max(map(len, lines[place:])) <= 80


def test_where_there_is_little_room_a_column_without_a_number_makes_way(spb_80: Spb):
    table = spb_80("measure", "which-judge", "demo-pairs", "--store", ROOT / "results", "--resamples", "20")

    heads = next(line for line in table.stdout.splitlines() if line.startswith("Judge "))
    assert "Given minus expected" in heads
    assert "Agreement" not in heads


LONG_NAMES = {
    "gpt-4o": "gpt-5-mini-2025-08-07-high",
    "claude-3-5-sonnet": "claude-sonnet-4-20250514-extended-thinking",
    "llama-3.1-70b": "meta-llama/Llama-3.3-70B-Instruct-Turbo",
}
"""Names of models as they are, and longer ones."""


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """Return a store with verdicts of three judges, of which one name is 42 letters long."""
    folder = tmp_path_factory.mktemp("long")
    drawn = random.Random(1)
    lines = ["judge,model,question,verdict,truth"]
    for question, judge, model in itertools.product(range(80), LONG_NAMES.values(), LONG_NAMES.values()):
        truth = question % 2
        lines.append(f"{judge},{model},q{question},{int(drawn.random() < 0.2 + 0.6 * truth)},{truth}")
    (folder / "mine.csv").write_text("\n".join(lines), "utf-8")
    store = folder / "store"
    imported = CliRunner().invoke(app, ["import", str(folder / "mine.csv"), "--store", str(store)])
    assert imported.exit_code == 0, imported.output
    return store


@pytest.mark.parametrize(
    ("command", "head", "number"),
    [
        (("judges",), "Expected", r"\d+\.\d%[^[]*\[\d+\.\d%, \d+\.\d%\]"),
        (("measure", "which-judge"), "Given minus", r"[-+]\d+\.\d points"),
    ],
)
def test_however_long_names_are_80_columns_have_the_number_that_decides(
    spb_80: Spb, long_names, command, head, number
):
    table = spb_80(*command, "mine", "--store", long_names).stdout.rpartition("\n\n")[2]

    lines = table.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(head in line for line in lines[:2])
    assert re.search(number, table)
    first_column = "".join(re.split(r"\s{2,}", line)[0] for line in lines)
    assert "claude-sonnet-4-20250514-extended-thinking" in first_column
