"""A report as one HTML file: no request is made by it, and no text of the study is more than text."""

from dataclasses import dataclass, field
from typing import Any

from engine.findings import QUESTIONS, Claim, Question
from engine.findings.wording import counted
from engine.report import scripts
from engine.report.content import Figure, Report, Shown
from engine.report.exhibit import Exhibit
from engine.report.html_notes import methods, reproduction, sources
from engine.report.html_parts import commands, folded, table
from engine.report.numbers import kinds_of_doubt, number_of
from engine.report.texts import markup
from engine.wording import left_out


@dataclass
class Page:
    """What is being written: the report, and the specifications of the charts put into it so far."""

    report: Report
    charts: list[Any] = field(default_factory=list)

    def chart(self, exhibit: Exhibit) -> str:
        """Return the place where a chart is drawn."""
        self.charts.append(exhibit.chart)
        told = markup(exhibit.told)
        return (
            f'<div class="chart" role="group" aria-label="{told}" data-chart="{len(self.charts) - 1}"></div>'
        )


def html(report: Report) -> str:
    """Return the whole file."""
    page = Page(report)
    title = report.found.title
    body = [
        _head(report),
        _contents(report),
        _short(report),
        _findings(page),
        _story(page),
        methods(report),
        sources(report),
        reproduction(report),
    ]
    policy = scripts.policy(charts=bool(page.charts))
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{markup(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{markup(title)}: self-preference</title>",
            f"<style>{scripts.style()}</style>",
            "</head>",
            "<body>",
            *body,
            *(_scripts(page) if page.charts else []),
            "</body>",
            "</html>",
            "",
        ]
    )


def _scripts(page: Page) -> list[str]:
    return [
        f'<script type="application/json" id="charts">{scripts.data(page.charts)}</script>',
        f'<script type="module">{scripts.vega()}</script>',
        f'<script type="module">{scripts.page()}</script>',
    ]


def _head(report: Report) -> str:
    held = [counted(report.rows.get(f"{thing}s", 0), thing) for thing in ("model", "instance", "judgment")]
    facts = " · ".join([f"Study {report.found.study}", report.info.provenance, *held, report.date])
    warning = f'<p class="warning">{markup(report.warning)}</p>' if report.warning else ""
    return (
        '<header><p class="over">Self-preference of LLM judges: findings</p>'
        f'<h1 dir="auto">{markup(report.found.title)}</h1>'
        f'<p class="facts">{markup(facts)}</p>{warning}</header>'
    )


def _contents(report: Report) -> str:
    names = {"short": "In short", "findings": "Findings", "story": "Pinned views"}
    if not report.screens:
        del names["story"]
    names |= {"methods": "How they are made", "sources": "Where they come from", "again": "Do it again"}
    items = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in names.items())
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def _short(report: Report) -> str:
    parts = []
    for answer in report.found.answers:
        told = "".join(f'<p dir="auto">{markup(sentence)}</p>' for sentence in answer.sentences)
        parts.append(f"<h3>{markup(answer.title)}</h3>{told}")
    return f'<section id="short"><h2>In short</h2>{"".join(parts)}</section>'


def _findings(page: Page) -> str:
    told: set[int] = set()
    parts = [_question(page, question, words, told) for question, words in QUESTIONS.items()]
    return f'<section id="findings"><h2>Findings</h2>{"".join(parts)}</section>'


def _question(page: Page, question: Question, words: str, told: set[int]) -> str:
    """Return the claims that answer a question, and the figures that are not `told` yet."""
    report = page.report
    claims = [claim for claim in report.found.claims if claim.question == question]
    parts = [_claim(report, claim) for claim in claims]
    titles = {method.rule: method.title for method in report.found.methods}
    lacking = [
        f"{titles[outcome.rule]}: not tried, {outcome.reason}."
        for outcome in report.found.outcomes
        if outcome.question == question and outcome.reason is not None
    ]
    parts += [f'<p class="basis">{markup(line)}</p>' for line in lacking]
    if not claims and not lacking:
        parts.append("<p>Nothing was found that is claimed.</p>")
    wanted = dict.fromkeys(report.figure_of[claim.id] for claim in claims)
    parts += [_figure(page, figure) for figure in report.figures if figure.number in wanted.keys() - told]
    told.update(wanted)
    return f"<h3>{markup(words)}</h3>{''.join(parts)}"


def _claim(report: Report, claim: Claim) -> str:
    marks = "".join(
        f"<li><b>{markup(words)}</b>{markup('; '.join(whys))}</li>" for words, whys in kinds_of_doubt(claim)
    )
    lost = f'<p class="basis">{markup(left_out(claim.left_out))}</p>' if claim.left_out else ""
    known = {other.id: other for other in report.found.claims}
    because = "".join(
        f'<li><a href="#{_anchor(name)}">{markup(known[name].sentence)}</a></li>'
        for name in claim.because
        if name in known
    )
    figure = report.figure_of[claim.id]
    return (
        f'<article id="{_anchor(claim.id)}"><p class="sentence" dir="auto">{markup(claim.sentence)}</p>'
        f'<p class="number">{_number(claim)} · <a href="#figure-{figure}">figure {figure}</a></p>'
        + (f'<ul class="marks">{marks}</ul>' if marks else "")
        + lost
        + (folded("What it rests on", f"<ul>{because}</ul>") if because else "")
        + commands([claim.command])
        + "</article>"
    )


def _number(claim: Claim) -> str:
    """Return the number with its interval, n and p, its full digits beside it for programs."""
    told = number_of(claim)
    value = "" if claim.value is None else repr(float(claim.value))
    shown = f'<data value="{value}" data-claim="{markup(claim.id)}">{markup(told[0])}</data>'
    return " · ".join([shown, *map(markup, told[1:])])


def _figure(page: Page, figure: Figure) -> str:
    head = f"Figure {figure.number}. {figure.title}"
    return (
        f'<figure id="figure-{figure.number}" tabindex="-1"><figcaption><h4>{markup(head)}</h4></figcaption>'
        f"{_exhibit(page, figure.exhibit, head)}</figure>"
    )


def _story(page: Page) -> str:
    report = page.report
    if not report.screens:
        return ""
    parts = "".join(_pinned(page, shown) for shown in report.screens)
    return f'<section id="story"><h2>Pinned views: {markup(report.story)}</h2>{parts}</section>'


def _pinned(page: Page, shown: Shown) -> str:
    pin = shown.pin
    note = f'<p class="note" dir="auto">{markup(pin.note)}</p>' if pin.note else ""
    return (
        f'<article id="pin-{markup(pin.id)}"><h3 dir="auto">{markup(pin.title)}</h3>{note}'
        f"{_exhibit(page, shown.exhibit, pin.title)}</article>"
    )


def _exhibit(page: Page, exhibit: Exhibit, title: str) -> str:
    """Return what a view shows: sentences, problems, the chart with its rows, basis and commands."""
    parts = [f'<p class="problem" dir="auto">{markup(problem)}</p>' for problem in exhibit.problems]
    parts += [f'<p dir="auto">{markup(sentence)}</p>' for sentence in exhibit.sentences]
    if exhibit.chart:
        parts.append(page.chart(exhibit))
    if exhibit.table is not None:
        written = table(exhibit.table, title)
        parts.append(folded("The numbers of this chart", written) if exhibit.chart else written)
    parts += [f'<p class="basis">{markup(line)}</p>' for line in exhibit.basis]
    parts.append(commands(exhibit.commands))
    return "".join(parts)


def _anchor(claim_id: str) -> str:
    """Return a claim's id as an anchor: letters, digits and dashes, others by their code."""
    return "claim-" + "".join(
        letter if letter.isascii() and (letter.isalnum() or letter == "-") else f"_{ord(letter):x}_"
        for letter in claim_id
    )
