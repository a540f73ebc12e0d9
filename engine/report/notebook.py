"""What a notebook shows of a study, a result and findings: HTML that is whole in itself.

No script, nothing fetched: charts are SVG pictures within the page, on white, since their own writing is dark
whatever the notebook's theme. Texts of a study are escaped; all else takes the notebook's colours.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.findings.claims import QUESTIONS, Claim, Findings, MarkKind
from engine.measures.result import Result
from engine.report.content import SIMULATED
from engine.report.exhibit import Table, kinds_of_doubt, number_of, specification, table_of
from engine.report.html import commands, folded, table
from engine.report.markdown import markup
from engine.words import applied, counted, left_out
from engine.words.board_words import doubts, ordered, value
from engine.words.conclusions import conclusion_words, study_sentence

if TYPE_CHECKING:
    from engine.study import Study

_BOARD = "What is concluded about each judge: its number with its 95% interval, and caveats."
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
"""The widths that a chart is laid out with; a reader whose fonts are wider has room in the legends."""

_STYLE = """
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


def study_html(study: "Study") -> str:
    """Return a study: what it holds, what is concluded on its judges, the board, and its rows."""
    info = study.info
    scorecard = study.result("scorecard")
    parts = [f"<h3>{markup(info.title or study.name)}</h3>", _warning(info.provenance)]
    parts.append(f'<p class="quiet">{markup(_holds(study))}</p>')
    parts += _board(scorecard.rows)
    if scorecard.reason:
        parts.append(f"<p>{markup(scorecard.reason)}</p>")
    return _page(parts)


def result_html(result: Result, families: Mapping[str, str | None]) -> str:
    """Return a measure's rows with its chart, what they were taken of, and what was left out."""
    parts = [f"<h3>{markup(result.measure.title)}</h3>"]
    if not result.rows:
        parts.append(f"<p>{markup(result.reason or 'No judgment of this selection counts.')}</p>")
    elif result.measure.name == "scorecard":
        parts += _board(result.rows)
    else:
        parts.append(_picture(lambda: specification(result, families), result.measure.title))
        parts.append(table(table_of(result), ""))
    basis = [applied(result.filters), left_out(result.left_out)]
    parts += [f'<p class="quiet">{markup(line)}</p>' for line in basis if line]
    return _page(parts)


def findings_html(findings: Findings) -> str:
    """Return findings: the board, the short answers, and every claim with its number and its doubts."""
    parts = [f"<h3>{markup(findings.title)}</h3>", _warning(findings.provenance)]
    concluded = next((claim.rows for claim in findings.claims if claim.measure == "scorecard"), ())
    parts += _board(concluded) if concluded else []
    answers = {answer.question: answer.sentences for answer in findings.answers}
    for question, title in QUESTIONS.items():
        parts.append(f"<h4>{markup(title)}</h4>")
        parts += [f"<p>{markup(sentence)}</p>" for sentence in answers.get(question, ())]
        claims = [claim for claim in findings.shown if claim.question == question]
        items = "".join(f"<li>{_claim(claim)}</li>" for claim in claims)
        parts.append(
            folded(counted(len(claims), "claim"), f"<ul>{items}</ul>") if items else "<p>No findings.</p>"
        )
    if findings.not_tried:
        lines = "".join(f"<li>{markup(rule)}: {markup(why)}</li>" for rule, why in findings.not_tried.items())
        parts.append(folded("Not tried", f"<ul>{lines}</ul>"))
    return _page(parts)


def _claim(claim: Claim) -> str:
    marks = "".join(
        f'<br><span class="mark">{markup(title)}</span> {markup("; ".join(whys))}'
        for title, whys in kinds_of_doubt(claim)
        if title != MarkKind.SIMULATED.value  # stands above all of them
    )
    numbers = markup(" · ".join(number_of(claim)))
    return (
        f"{markup(claim.sentence)}<br><span class='quiet'>{numbers}</span>{marks}{commands([claim.command])}"
    )


def _board(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sentence on the study, the board, and its rows as a table."""
    judges = ordered(rows)
    parts = [f"<p>{markup(study_sentence(judges))}</p>"]
    if not judges:
        return parts
    if any(row["estimate"] is not None for row in judges):
        parts.append(_picture(lambda: _board_chart(judges), _BOARD))
    heads = ("judge", "conclusion", "number [95% interval]", "own cases", "outside judges", "caveats")
    cells = tuple(
        (
            str(row["judge"]),
            conclusion_words(row),
            value(row),
            *("–" if row[name] is None else f"{row[name]:,}" for name in ("n_own", "n_outside")),
            " ".join(doubts(row).values()),
        )
        for row in judges
    )
    return [*parts, folded("The rows", table(Table(heads, cells), _BOARD))]


def _picture(chart: Callable[[], dict[str, Any] | None], caption: str) -> str:
    """Return a chart as a picture; nothing where what draws it is not installed: the table has its rows."""
    try:
        spec = chart()
        if spec is None:
            return ""
        from engine.charts.export import svg_of

        config = spec.get("config", {})
        legend = config.get("legend", {}) | {"columnPadding": 28}
        drawing = svg_of(spec | {"config": config | {"font": _FONT, "legend": legend}}, "", ())
    except ImportError:
        return ""
    data = base64.b64encode(drawing).decode()
    return f'<img class="chart" alt="{markup(caption)}" src="data:image/svg+xml;base64,{data}">'


def _board_chart(judges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from engine.charts.board import board
    from engine.charts.export import written

    return written(board(judges, narrow=True))


def _warning(provenance: str) -> str:
    return f'<p class="warning">{SIMULATED[provenance]}</p>' if provenance in SIMULATED else ""


def _holds(study: "Study") -> str:
    """Return in a line how much the study holds, and how many judgments have no verdict."""
    index, inventory = study.index, study.inventory
    total, good = inventory.total(), inventory.total(status="ok")
    parts = [
        counted(len(inventory.values("judge")), "judge"),
        counted(len(index.models), "model"),
        counted(index.n_instances, "instance"),
        *([counted(index.n_rubrics, "rubric")] if index.n_rubrics else []),
        f"{counted(total, 'judgment')}, {total - good:,} without a verdict",
    ]
    return " · ".join(parts)


def _page(parts: Iterable[str]) -> str:
    return f'<style>{_STYLE}</style><div class="spb">{"".join(filter(None, parts))}</div>'
