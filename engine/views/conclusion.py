"""The conclusion on one judge: what it gave, what was expected, and what doubts there are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from engine.phrases import sentence_case
from engine.views.judges import JUDGES
from engine.views.of_measure import measure, shown_of
from engine.views.one_judge import OneJudgeKeys
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words import board_facts, caveats, conclusions
from engine.words.given_expected import MATCHED, cases_of
from engine.words.written_numbers import with_interval

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

OF_FAMILY = "Its family's answers"
OF_OTHERS = "Other families' answers: given"
WHOSE = {"own": "Its own answers", "family": OF_FAMILY}


class CasesOf100(NamedTuple):
    """How many of 100 cases were given or expected; `words` is the number with its interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    words: str


@dataclass(frozen=True)
class JudgeConclusion:
    """What is concluded on a judge: `code` is that of the conclusion, `chip` its words.

    `numbers` are of 100 `cases`. `meaning` explains the conclusion, `doubts` stand beside it.
    """

    judge: str
    code: str
    chip: str
    sentence: str
    family: str | None
    meaning: str
    doubts: tuple[str, ...]
    numbers: tuple[CasesOf100, ...]
    cases: str

    @property
    def table(self) -> ShownTable:
        """The numbers with their intervals."""
        columns = {"label": (sentence_case(self.cases), ""), "value": ("Value [95% interval]", "")}
        rows = [(number.label, number.words) for number in self.numbers]
        return ShownTable.under(columns, rows, [number._asdict() for number in self.numbers])


def conclusion_of(row: "ScorecardRow") -> JudgeConclusion:
    """Return what a row of the scorecard concludes on its judge."""
    n = "no own cases"
    cases, numbers = cases_of(row), _numbers(row)
    has_family = any(number.label.startswith(OF_FAMILY) for number in numbers)
    if row["n_own"]:
        family = f", {row['n_family'] or 0:,} family" if has_family else ""
        n = f"n {row['n_own']:,} own{family}, {row['n_outside'] or 0:,} judges of other families"
    if cases is MATCHED:
        n = f"n {row['n_matched'] or 0:,}; no other judge's verdicts"
    return JudgeConclusion(
        judge=str(row["judge"]),
        code=str(row["conclusion"]),
        chip=conclusions.conclusion_words(row),
        sentence=conclusions.conclusion_sentence(row),
        family=conclusions.family_sentence(row),
        meaning=board_facts.meaning_sentence(row),
        doubts=tuple(caveats.caveats_of(row).values()),
        numbers=numbers,
        cases=f"{cases.axis_of_all if has_family else cases.axis} ({n})",
    )


def _numbers(row: "ScorecardRow") -> tuple[CasesOf100, ...]:
    """Return what the judge gave its own and its family's answers, and what was expected."""
    numbers = []
    compared = OF_OTHERS if cases_of(row) is MATCHED else None
    cells = cast("dict[str, float | None]", row)
    for kind, whose in WHOSE.items():
        given, expected = cells.get(f"{kind}_given"), cells.get(f"{kind}_expected")
        if given is None or expected is None:
            continue
        ends = (cells.get(f"{kind}_expected_{end}") for end in ("low", "high"))
        low, high = (None if end is None else 100 * end for end in ends)
        words = with_interval(100 * expected, low, high, "cases")
        numbers += [
            CasesOf100(f"{whose}: given", 100 * given, None, None, f"{100 * given:.0f}"),
            CasesOf100(compared or f"{whose}: expected", 100 * expected, low, high, words),
        ]
    return tuple(numbers)


def answer(study: "MeasuredStudy", keys: OneJudgeKeys) -> Shown:
    """Show the conclusion on the judge; nothing where none is opened."""
    result = measure(study, "scorecard", keys.slice_)
    every: list[ScorecardRow] = result.rows
    row = next((row for row in every if keys.judge and row["judge"] == keys.judge), None)
    if row is None:
        return Shown()
    concluded = conclusion_of(row)
    shown = shown_of(study, result, keys.slice_, ("judge", "conclusion"))
    return Shown(
        sentences=tuple(filter(None, (concluded.sentence, concluded.family))),
        table=concluded.table if concluded.numbers else None,
        basis=(concluded.meaning, *(f"▲ {doubt}" for doubt in concluded.doubts), *shown.basis),
        commands=shown.commands,
        measures=shown.measures,
    )


CONCLUSION = View(
    "conclusion",
    "Conclusion",
    "Does this judge favour its own answers?",
    OneJudgeKeys,
    answer,
    JUDGES.needs,
)
