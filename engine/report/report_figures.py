"""The figures of a report: the board of judges, one for the claims of each rule, and reasons."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from engine.conclusions import side_of
from engine.explore.stated_reasons import Reasons, reasons_of
from engine.findings.claims import CONCLUSIONS, Claim
from engine.findings.findings import Findings
from engine.findings.questions import Question
from engine.measures.result import Result
from engine.slices import Slice
from engine.views.claims import figure_of_claims
from engine.views.judges import FIELDS, JUDGES, axis_of, boards
from engine.views.keys import read_keys
from engine.views.shown import ShownTable
from engine.wording import NameInMemory, in_python, in_store
from engine.words.based_on import basis_of, runs_in_picture, set_apart
from engine.words.caveats import marked_caveats
from engine.words.labelled_cases import beyond_the_reference
from engine.words.other_judgments import other_conclusions

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import ScorecardRow

CONCLUSION, GROUP = CONCLUSIONS[:2]  # the rules whose claims are the conclusions of the board
ON_A_PAGE = 14  # judges in one figure of the board: as many as fit on a printed page
WIDTH = 600  # width of a claim's chart in pixels
PHONE = 340  # width of a chart on a phone in pixels
MOST_REASONS = 4  # how many judges' reasons are shown: the first that favour or lean to themselves
Spec = Mapping[str, Any]


@dataclass(frozen=True)
class BoardFigures:
    """The judges with their conclusions: the sentences, the rows, and charts of `ON_A_PAGE` judges each.

    Each chart comes in two versions, wide and narrow; `axis` and `marks` say what they show, and `caption`
    is their alternative text. `table` has the numbers that they draw, `caveats` are what triangles mark.
    """

    sentences: tuple[str, ...]
    caveats: tuple[str, ...]
    rows: "tuple[ScorecardRow, ...]"
    charts: tuple[tuple[Spec, Spec], ...]
    axis: str
    marks: str
    caption: str
    filters: Mapping[str, Any]
    table: ShownTable


@dataclass(frozen=True)
class Finding:
    """The claims of one rule with the chart of their numbers; `number` is that of the figure.

    `number` is None if no figure shows them. Claims that do not stand are `in_doubt`, except conclusions on
    judges, whose sentences say how sure they are.
    """

    question: Question
    rule: str
    title: str
    claims: tuple[Claim, ...]
    in_doubt: tuple[Claim, ...]
    chart: Spec | None = None
    number: int | None = None


def board_of(study: "MeasuredStudy") -> BoardFigures | None:
    """Return the board as its view shows it; None if no judge can be tested."""
    from engine.charts.fit_width import fit_to_width

    with in_store(None):  # as in every report, wherever the study is
        shown = JUDGES.shown(study, {})
    keys, _ = read_keys(JUDGES.keys, study, {})
    figures = boards(study, keys, ON_A_PAGE)
    if shown.table is None or shown.table.result is None or not figures:
        return None
    result = shown.table.result
    with in_store(None):
        elsewhere = other_conclusions(study, result.filters.get("paradigm"))  # below the board, not above it
    every: list[ScorecardRow] = result.rows
    rows = tuple(row for row in every if row["judge"] is not None)
    return BoardFigures(
        (
            *(each for each in set_apart(shown.sentences)[1] if each not in elsewhere),
            *runs_in_picture(study, result),
            *_few_labelled(study, result),
        ),
        (*marked_caveats(rows), *elsewhere),
        rows,
        tuple((each.spec, fit_to_width(dict(each.narrow or each.spec), PHONE)) for each in figures),
        axis_of(rows),
        figures[0].marks,
        "; ".join(each.caption for each in figures),
        result.filters,
        shown.table,
    )


def _few_labelled(study: "MeasuredStudy", result: Result) -> list[str]:
    """Return that the reference is on few verdicts, and the options for conclusions on all of them."""
    remarks = beyond_the_reference(study, result)
    return [in_python(each) for each in remarks] if isinstance(study.name, NameInMemory) else [*remarks]


def findings_of(findings: Findings, *, board: bool) -> tuple[Finding, ...]:
    """Return the claims by question and rule; figures start at 2 if the `board` is figure 1, else at 1."""
    titles = {rule.name: rule.title for rule in findings.methods}
    by_rule: list[Finding] = []
    number = 1 + board
    claims = sorted(findings.shown, key=lambda claim: _places(findings, claim))
    for (question, rule), claims_of_rule in groupby(claims, key=lambda claim: (claim.question, claim.rule)):
        of_rule = tuple(claims_of_rule)
        standing = tuple(claim for claim in of_rule if claim.stands)
        on_board = rule in (CONCLUSION, GROUP)
        has_figure = bool(standing) and question != "advice" and not (board and on_board)
        picture = figure_of_claims(standing, WIDTH) if has_figure else None
        chart = None if picture is None else picture.spec
        figure = (1 if board and on_board else None) if chart is None else number
        number += chart is not None
        in_doubt = tuple(claim for claim in of_rule if claim not in standing)
        by_rule.append(Finding(question, rule, titles[rule], standing, in_doubt, chart, figure))
    return tuple(by_rule)


def _places(findings: Findings, claim: Claim) -> tuple[int, int]:
    """Return the sort key of a claim, which keeps the claims of each rule together."""
    keys = list(dict.fromkeys((each.question, each.rule) for each in findings.claims))
    questions = list(dict.fromkeys(each.question for each in findings.claims))
    return questions.index(claim.question), keys.index((claim.question, claim.rule))


def reasons_of_judges(study: "MeasuredStudy", rows: "Iterable[ScorecardRow]") -> tuple[Reasons, ...]:
    """Return why the first judges that favour themselves pass their own failed responses."""
    judges = [str(row["judge"]) for row in rows if side_of(row["conclusion"]) > 0][:MOST_REASONS]
    all_reasons = (reasons_of(study, Slice(run=study.only_runs), judge) for judge in judges)
    return tuple(reasons for reasons in all_reasons if reasons.lacking is None)


NOTHING = "There are no findings."


def short_basis(filters: Mapping[str, Any]) -> str:
    """Return what conclusions are based on, in a few words, without what their rows say anyway."""
    filters = {name: value for name, value in filters.items() if name not in ("judges", "decided_by")}
    return basis_of(filters, FIELDS).removeprefix("Based on: ").removesuffix(".")
