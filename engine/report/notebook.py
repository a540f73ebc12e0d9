"""HTML for notebooks: a study, a result, or findings, self-contained.

No script, nothing fetched: charts are inline SVG pictures, on white because their text is dark in every
theme. Texts of a study are escaped; everything else takes the notebook's colours.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.extras import NO_PICTURES, can_draw
from engine.findings.claims import Claim
from engine.findings.findings import Findings
from engine.findings.questions import QUESTIONS
from engine.measures.catalogue import find
from engine.measures.result import Result, columns_of
from engine.phrases import quantity
from engine.report import templating
from engine.report.templating import Markup
from engine.views.claims import kinds_of_doubt, number_of
from engine.views.shown import Shown, ShownTable
from engine.wording import in_python
from engine.words.based_on import basis_of, left_out_of
from engine.words.provenance import SIMULATED
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.report.audit.content import AuditContent

FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""The fonts by which a chart is laid out; legends leave room for wider ones."""

STYLE = """
.spb { max-width: 62rem; line-height: 1.45; }
.spb h3 { margin: 0 0 .3rem; } .spb h4 { margin: .9rem 0 .2rem; } .spb p { margin: .3rem 0; }
.spb .quiet { opacity: .75; font-size: .92em; }
.spb .warning { border-left: .3rem solid #d97706; padding-left: .6rem; font-weight: 600; }
.spb .chart { background: #fff; max-width: 100%; height: auto; border-radius: .3rem; display: block; }
.spb .scroll { overflow-x: auto; }
.spb table { border-collapse: collapse; font-size: .9em; margin: .3rem 0; }
.spb caption { text-align: left; opacity: .75; }
.spb th, .spb td { text-align: left; vertical-align: top; min-width: 4.5rem; }
.spb th, .spb td { padding: .2rem .8rem .2rem 0; background: none; }
.spb tr { border-bottom: 1px solid rgba(128, 128, 128, .35); background: none; }
.spb summary { cursor: pointer; margin: .3rem 0; }
.spb li { margin: .35rem 0; } .spb pre { white-space: pre-wrap; margin: .2rem 0; }
.spb .mark { border: 1px solid; border-radius: 1rem; padding: 0 .5rem; font-size: .88em; opacity: .85; }
"""


@dataclass(frozen=True)
class NotebookBoard:
    """What the view of the judges shows, and its figure as a picture, empty where there is none."""

    shown: Shown
    drawing: str = ""


@dataclass(frozen=True)
class ClaimLine:
    """A claim as it is printed."""

    sentence: str
    numbers: str
    marks: tuple[tuple[str, str], ...]
    command: str


@dataclass(frozen=True)
class Section:
    """A question with its short answer, and the claims behind it."""

    title: str
    sentences: tuple[str, ...]
    claims: tuple[ClaimLine, ...]

    @property
    def count(self) -> str:
        """How many claims there are."""
        return quantity(len(self.claims), "claim")


def study_html(study: "MeasuredStudy") -> str:
    """Return a study: its size, the conclusions on its judges, the board, and the rows."""
    return _page(
        title=study.info.title or study.name,
        warning=SIMULATED.get(study.info.provenance),
        size=size_of(study),
        board=_board_of_study(study),
    )


def audit_html(audit: "AuditContent") -> str:
    """Return an audit: its size, the board of judges, and every question with its answer."""
    return _page(
        title=audit.title,
        warning=audit.warning,
        size=audit.size,
        board=None if audit.board is None else _board_of_study(audit.study),
        rows=_answers(audit.study),
    )


def _answers(study: "MeasuredStudy") -> ShownTable | None:
    from engine.views.audit import AUDIT  # with most views

    table = AUDIT.shown(study, {}).table
    return table and replace(table, rows=tuple(tuple(map(in_python, row)) for row in table.rows))


def result_html(result: Result, families: Mapping[str, str | None]) -> str:
    """Return a measure's rows with its chart, what they are based on, and what was left out."""
    from engine.views.results import main_table, specification

    shown: dict[str, Any] = {}
    if not result.rows:
        shown["lines"] = (result.reason or "No judgment of this selection counts.",)
    elif result.measure.name == "scorecard":
        shown["board"] = _board_of_result(result)
    else:
        shown |= {"drawing": _drawing(lambda: specification(result, families)), "rows": main_table(result)}
    basis = filter(None, (basis_of(result.filters, names=result.names), left_out_of(result)))
    return _page(title=result.measure.title, basis=tuple(basis), **shown)


def findings_html(findings: Findings) -> str:
    """Return findings: the board, the short answers, and each claim with its number and doubts."""
    rows = next((claim.rows for claim in findings.claims if claim.measure == "scorecard"), ())
    judges = columns_of(list(map(dict, rows)))
    scorecard = Result(find("scorecard"), findings.study, {}, judges, {}, None)
    answers = {answer.question: answer.sentences for answer in findings.answers}
    return _page(
        title=findings.title,
        warning=SIMULATED.get(findings.provenance),
        board=_board_of_result(scorecard) if judges else None,
        sections=tuple(
            Section(
                title,
                answers.get(question, ()),
                tuple(_line(claim) for claim in findings.shown if claim.question == question),
            )
            for question, title in QUESTIONS.items()
        ),
        not_tried={rule: in_python(reason) for rule, reason in findings.not_tried.items()},
    )


def _line(claim: Claim) -> ClaimLine:
    marks = tuple((title, "; ".join(whys)) for title, whys in kinds_of_doubt(claim))
    return ClaimLine(claim.sentence, " · ".join(number_of(claim)), marks, claim.command)


def _board(shown: Shown) -> NotebookBoard:
    """Return the board of judges with its narrow figure drawn."""
    figure = shown.figure
    if figure is None:
        return NotebookBoard(shown)
    return NotebookBoard(shown, _drawing(lambda: dict(figure.narrow or figure.spec)))


def _board_of_study(study: "MeasuredStudy") -> NotebookBoard:
    from engine.views.judges import JUDGES

    shown = JUDGES.shown(study, {"all_claims": ("true",)})
    return _board(replace(shown, sentences=tuple(map(in_python, shown.sentences))))


def _board_of_result(result: Result) -> NotebookBoard:
    from engine.views.judges import shown_of_scorecard

    return _board(shown_of_scorecard(result, {}))


def _drawing(chart: Callable[[], dict[str, Any] | None]) -> str:
    """Return a chart as an SVG in base 64.

    Empty if the drawing packages are missing: the table has its rows.
    """
    if not can_draw():
        return ""
    try:
        spec = chart()
        if spec is None:
            return ""
        from engine.charts.export import svg_of

        config = spec.get("config", {})
        legend = config.get("legend", {}) | {"columnPadding": 28}
        drawing = svg_of(spec | {"config": config | {"font": FONT, "legend": legend}}, "", ())
    except ImportError:
        return ""
    return base64.b64encode(drawing).decode()


def _page(**values: Any) -> str:
    nothing: dict[str, Any] = {
        "warning": None,
        "size": "",
        "board": None,
        "rows": None,
        "drawing": "",
        "lines": (),
        "undrawn": "" if can_draw() else NO_PICTURES,
    }
    nothing |= {"basis": (), "sections": (), "not_tried": {}}
    return templating.html("notebook.html", style=Markup(STYLE), **(nothing | values))  # noqa: S704 - our own
