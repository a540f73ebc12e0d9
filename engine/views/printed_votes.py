"""Printed numbers that follow from a paper's own judgments, beside those computed here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from engine.explore.printed_votes import NOTES, PAPERS, RUBRICS, PrintedCell, cells_of, paper_of, tables_of
from engine.findings.commands import command_of
from engine.phrases import part_of, sentence_case
from engine.views.keys import choice
from engine.views.of_measure import measure
from engine.views.shown import Shown, ShownTable
from engine.views.view import View

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST_NAMED = 12
"""Most numbers that are named as different."""

ABSENT = "–"


def _tables(study: "MeasuredStudy") -> Mapping[str, str]:
    return {table: f"{table} of the paper" for table in tables_of(study)}


@dataclass(frozen=True)
class PrintedVotesKeys:
    """The table of the paper."""

    table: Annotated[str | None, choice("Table", "The printed table", _tables)]


def needs_votes(study: "MeasuredStudy") -> str | None:
    """Return why a study has no printed numbers beside it; None if it was imported from a paper's files."""
    if paper_of(study) in PAPERS.values():
        return None
    papers = " or ".join(PAPERS.values())
    return f"Only a study imported from a paper's own files has printed numbers here: {papers}."


def needs_rubrics(study: "MeasuredStudy") -> str | None:
    """Return why a study has no printed numbers beside it; None for the rubric paper's own judgments."""
    if paper_of(study) == RUBRICS:
        return None
    return f"Only the judgments of the paper {RUBRICS} have printed numbers here."


def answer(study: "MeasuredStudy", keys: PrintedVotesKeys) -> Shown:
    """Show each printed number of a table beside the one computed with the authors' options."""
    paper = paper_of(study)
    if paper is None or keys.table is None:
        return Shown(problems=(str(needs_votes(study)),))
    cells = [cell for cell in cells_of(study) if cell.table == keys.table]
    values = [_value(study, cell) for cell in cells]
    in_study = [(cell, value) for cell, value in zip(cells, values, strict=True) if value is not None]
    columns = tuple(dict.fromkeys(cell.column for cell in cells))
    names = tuple(f"{column}, {which}" for column in columns for which in ("printed", "here"))
    by_row: dict[str, dict[str, str]] = {}
    for cell, value in zip(cells, values, strict=True):
        texts = by_row.setdefault(cell.row, {})
        texts[f"{cell.column}, printed"] = cell.text
        texts[f"{cell.column}, here"] = ABSENT if value is None else cell.as_printed(value)
    rows = tuple((row, *(texts.get(name, ABSENT) for name in names)) for row, texts in by_row.items())
    records = tuple({"row": row, **texts} for row, texts in by_row.items())
    measures = dict.fromkeys(cell.measure for cell, _ in in_study if cell.measure)
    commands = {
        command_of(study.name, str(cell.measure), {**cell.options, "resamples": 0}) for cell, _ in in_study
    }
    return Shown(
        sentences=_sentences(cells, in_study),
        table=ShownTable(("Row", *names), rows, names=("row", *names), records=records),
        basis=NOTES[paper, keys.table],
        commands=tuple(sorted(commands)),
        measures=tuple(measures),
    )


def _value(study: "MeasuredStudy", cell: PrintedCell) -> float | None:
    """Return the number behind a cell; None where the study has no row or no number for it."""
    if cell.measure is None:
        return None
    return cell.value_in(measure(study, cell.measure, {**cell.options, "resamples": 0}).rows)


def _sentences(cells: list[PrintedCell], in_study: list[tuple[PrintedCell, float]]) -> tuple[str, ...]:
    """Say how many numbers are reproduced, which differ, and which rows the study does not have."""
    different = [cell for cell, value in in_study if not cell.is_reproduced(value)]
    rows, present = {cell.row for cell in cells}, {cell.row for cell, _ in in_study}
    n_equal = len(in_study) - len(different)
    equal = sentence_case(part_of(n_equal, len(in_study), "printed number"))
    verb = "is" if n_equal < 2 else "are"
    sentences = [f"{equal} of the rows in this study {verb} reproduced to the last digit."]
    if different:
        names = "; ".join(f"{cell.row}: {cell.column}" for cell in different[:MOST_NAMED])
        more = len(different) - MOST_NAMED
        sentences.append(f"Different: {names}" + (f"; and {more} more." if more > 0 else "."))
    if absent := len(rows - present):
        verb = "is" if absent == 1 else "are"
        sentences.append(f"{sentence_case(part_of(absent, len(rows), 'row'))} {verb} not in this study.")
    return tuple(sentences)


PRINTED_RUBRICS = View(
    "printed_rubrics",
    "As printed",
    "Which of the rubric-self-preference paper's printed numbers follow from its judgments?",
    PrintedVotesKeys,
    answer,
    needs_rubrics,
    optional=True,
)
PRINTED_VOTES = View(
    "printed_votes",
    "As printed",
    "Which of the paper's printed numbers follow from its own votes?",
    PrintedVotesKeys,
    answer,
    needs_votes,
    optional=True,
)
