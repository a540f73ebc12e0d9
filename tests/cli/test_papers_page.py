"""docs/papers.md names every figure and table of the papers, and only existing commands."""

import csv
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer

from engine.cli import app
from engine.explore.printed_votes import cells_in
from engine.measures.catalogue import MEASURES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "papers.md").read_text(encoding="utf-8")
FACTS = Path(__file__).resolve().parents[2] / "datasets" / "published"
COMMANDS = sorted(set(re.findall(r"`(spb [^`]*)`", PAGE)))
PRINTED = {
    "rubric-self-preference": {"Figure": 11, "Table": 3},
    "rubric-position-bias": {"Figure": 5, "Table": 6},
    "equal-quality-pairs": {"Figure": 4, "Table": 7},
    "evaluator-quality-baseline": {"Figure": 15, "Table": 13},
    "dbg-score": {"Figure": 11, "Table": 9},
}
"""How many figures and tables each paper has, its appendices with it."""


def section(paper: str) -> str:
    return next(part for part in PAGE.split("\n## ") if f"(`{paper}`)" in part.splitlines()[0])


def rows(paper: str) -> list[list[str]]:
    """The cells of the section's table, without its header."""
    lines = [line for line in section(paper).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def numbers_of(text: str, kind: str) -> set[int]:
    """The numbers of the figures or tables that a text names: `Figures 2 and 3`, `Tables 9 to 11`."""
    numbers: set[int] = set()
    for first, last in re.findall(rf"{kind}s? (\d+)(?: (?:to|and) (\d+))?", text):
        numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and the remaining words."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "list_commands"):
        context = typer.Context(command)
        inner = command.get_command(context, words[0]) if words else None
        if inner is None:  # of `spb run CONFIG`
            return command.get_command(context, "start"), words
        command, words = inner, words[1:]
    return command, words


@pytest.mark.parametrize("paper", PRINTED)
@pytest.mark.parametrize("kind", ["Figure", "Table"])
def test_every_figure_and_table_of_a_paper_has_a_row(paper, kind):
    numbers = set().union(*(numbers_of(cells[0], kind) for cells in rows(paper)))

    assert numbers == set(range(1, PRINTED[paper][kind] + 1))


@pytest.mark.parametrize("paper", PRINTED)
def test_every_row_says_what_is_reproduced_or_why_not(paper):
    for what, _, *places, reason in rows(paper):
        assert any(places) or reason, what


@pytest.mark.parametrize("paper", ["evaluator-quality-baseline", "dbg-score"])
def test_every_table_of_a_paper_with_public_votes_is_reproduced_from_them_or_says_why_not(paper):
    assert "| from its votes | from print | why not |" in section(paper)
    for what, _, votes, _, reason in rows(paper):
        if numbers_of(what, "Table"):
            assert votes or reason, what


@pytest.mark.parametrize("paper", ["rubric-position-bias", "equal-quality-pairs"])
def test_a_paper_without_public_votes_says_that_none_of_its_tables_is_reproduced_from_them(paper):
    assert "none of its tables is reproduced from votes" in " ".join(section(paper).split())


def test_the_count_of_each_tables_numbers_is_that_of_the_printed_facts():
    total, recomputed = dict[tuple[str, str], int](), dict[tuple[str, str], tuple[int, int]]()
    listing = next(part for part in PAGE.split("\n## ") if part.startswith("How many printed numbers"))
    for line in (line for line in listing.splitlines() if re.match(r"\| [a-z-]+ \| Table", line)):
        paper, table, count, *parts, reason = [cell.strip() for cell in line.strip("|").split("|")]
        total[paper, table] = int(count)
        recomputed[paper, table] = int(parts[0]), int(parts[1])
        assert (int(count) > sum(recomputed[paper, table])) == bool(reason), line

    printed: Counter[tuple[str, str]] = Counter()
    for paper in PRINTED:
        text = (FACTS / f"{paper}.csv").read_text("utf-8")
        for row in csv.DictReader(text.splitlines()):
            if row["table"].startswith("Table") and re.match(r"[<~(]?[-+]?[.\d]", row["value"]):
                listed = paper == "evaluator-quality-baseline" and "Table 2" <= row["table"] <= "Table 7"
                printed[paper, "Tables 2 to 7" if listed else row["table"]] += 1
    assert total == printed
    for paper in ("evaluator-quality-baseline", "dbg-score"):
        by_command = Counter((paper, cell.table) for cell in cells_in(paper))
        assert {
            place: sum(n) for place, n in recomputed.items() if place[0] == paper and sum(n)
        } == by_command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_named_command_exists_with_its_flags(command):
    click_command, words = command_of(shlex.split(command)[1:])

    flags = {option for parameter in click_command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= flags


def test_every_field_named_beside_a_measure_belongs_to_it():
    for paper in PRINTED:
        for _, command, *_ in rows(paper):
            for name, listing in re.findall(
                r"`spb measure ([a-z-]+)[^`]*` \(((?:`[a-z_0-9]+`(?:, )?)+)\)", command
            ):
                fields = {field.name for field in MEASURES[name].fields}
                groups = {"length", "axis", "theme"}  # other groups, if the command names one
                assert set(re.findall(r"`([a-z_0-9]+)`", listing)) <= fields | groups, command
