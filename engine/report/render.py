"""A report rendered as one file: HTML that requests nothing, or Markdown."""

import base64
import functools
import hashlib
import html
import json
import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from typing import Any

from engine.findings.claims import QUESTIONS, Claim, Question
from engine.report import content
from engine.report.content import Finding, Report, reason_table
from engine.report.exhibit import number_of
from engine.values import quantity
from engine.views.shown import Shown, Table
from engine.words.given_expected import MARKS as BOARD_MARKS

# ------------------------------------------------------------------------------
# Escaping: texts of a study are shown, never interpreted.


_HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$])")
_LINKS = re.compile(r"(?i)(\bwww|\bhttps?:/|\bftp:/|\bmailto|\bxmpp)([./:])")
_START = re.compile(r"^(\d*)([#+\-=.)])")


def visible(text: str) -> str:
    r"""Return the text with control characters, line separators and direction marks written out: `\u202e`.

    Line feeds and tabs stay. Nothing left can end a line invisibly or reverse the text around it.
    """
    return "".join(letter if _is_visible(letter) else _escape(letter) for letter in text)


def markup(text: str) -> str:
    """Return the text escaped for HTML, in an element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def escape_markdown(text: str) -> str:
    """Return the text escaped for Markdown, on one line, for any place in it."""
    line = " ".join(visible(text).split())
    escaped = _MARKDOWN.sub(r"\\\1", line).replace("&", "&amp;").replace("@", "&#64;")
    return _START.sub(r"\1\\\2", _LINKS.sub(r"\1\\\2", escaped))


def command(line: str) -> str:
    r"""Return an equivalent shell command with invisible characters written out: `$'\u202e'`."""
    return line if _plain(line) else " ".join(map(_word, shlex.split(line)))


def _word(word: str) -> str:
    if _plain(word):
        return shlex.quote(word)
    letters = (letter if _plain(letter) else _escape(letter) for letter in word)
    escaped = (f"\\{letter}" if letter in ("\\", "'") else letter for letter in letters)
    return "$'" + "".join(escaped) + "'"


def _plain(text: str) -> bool:
    return all(_is_visible(letter) and letter not in "\n\t" for letter in text)


def _is_visible(letter: str) -> bool:
    if letter in "\n\t":
        return True
    return letter not in _DIRECTION and unicodedata.category(letter) not in _HIDDEN


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# ------------------------------------------------------------------------------
# Building blocks of the HTML report: tables and commands.


def table(source: Table, caption: str) -> str:
    """Return rows as a table with its caption; if wider than the page, it scrolls."""
    heads = "".join(f'<th scope="col">{markup(head)}</th>' for head in source.heads)
    cells = (map('<td dir="auto">{}</td>'.format, map(markup, row)) for row in source.rows)
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    note = f"{source.n_more:,} more rows; the command prints them all."
    more = f'<p class="basis">{note}</p>' if source.n_more else ""
    return (
        f'<div class="scroll"><table><caption dir="auto">{markup(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )


def details(summary: str, inside: str) -> str:
    """Return a block that opens beneath its summary."""
    return f"<details><summary>{markup(summary)}</summary>{inside}</details>"


def commands(lines: Iterable[str]) -> str:
    """Return commands as a block of code, one per line."""
    code = "\n".join(command(line) for line in lines if line)
    return f"<pre><code>{markup(code)}</code></pre>" if code else ""


# ------------------------------------------------------------------------------
# The parts of a report on how numbers are made, where they come from, and how to reproduce them.


def methods(report: Report) -> str:
    """Return how numbers and findings are made, folded: intervals, measures, rules not applied."""
    lines = "".join(f"<p>{markup(line)}</p>" for line in content.method_sentences(report))
    measures = "".join(
        f"<dt><b>{markup(measure.title)}</b></dt><dd>{markup(content.words_of(measure))}</dd>"
        for measure in report.measures
    )
    not_tried = "".join(f"<li>{markup(line)}</li>" for line in content.reasons_not_tried(report))
    return details(
        "How it was measured",
        f"{lines}<dl>{measures}</dl>" + (f"<h3>Not tried</h3><ul>{not_tried}</ul>" if not_tried else ""),
    )


def missing(report: Report) -> str:
    """Return what was left out, folded: by measure, and judgments by judge and status."""
    left_out = content.missing(report)
    *_, (title, statuses) = content.sources(report).items()
    by_measure = table(left_out, "What each measure left out") if left_out.rows else ""
    return details("Missing verdicts", by_measure + table(statuses, title))


def sources(report: Report) -> str:
    """Return facts on the study and its files with their hashes, folded."""
    facts, files, _ = (table(rows, title) for title, rows in content.sources(report).items())
    return details("Where the numbers come from", facts + files)


def reproduction(report: Report) -> str:
    """Return every command of the report, folded."""
    return details(
        "Commands that reproduce these numbers",
        f"<p>{markup(content.PLACE)}</p>{commands(content.first_steps(report))}"
        f"<p>{markup(content.EACH)}</p>{commands(report.commands)}",
    )


def glossary(report: Report) -> str:
    """Return the glossary of the report's terms, folded."""
    terms = "".join(
        f"<dt><b>{markup(term.name)}</b></dt><dd>{markup(term.meaning)}</dd>"
        for term in content.glossary(report)
    )
    return details("Glossary", f"<dl>{terms}</dl>")


# ------------------------------------------------------------------------------
# The scripts and style of a report, and the policy that blocks all others.


@functools.cache
def vega() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, from vl-convert: nothing is fetched."""
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return _escape_script(script)


@functools.cache
def page_script() -> str:
    """Return the script that draws the charts of a page."""
    return _escape_script(files("engine.report").joinpath("page.js").read_text("utf-8"))


@functools.cache
def style() -> str:
    """Return the style sheet."""
    return files("engine.report").joinpath("page.css").read_text("utf-8")


def data(charts: Sequence[Mapping[str, Any]]) -> str:
    """Return specifications as ASCII JSON that cannot end its element or hide a character."""
    text = json.dumps(_visible(list(charts)), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(*, charts: bool) -> str:
    """Return the content policy: only these scripts and this style, by their hashes."""
    scripts = " ".join(map(_hash, (vega(), page_script()))) if charts else "'none'"
    parts = {
        "default-src": "'none'",
        "script-src": scripts,
        "style-src": _hash(style()),
        "style-src-attr": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _escape_script(script: str) -> str:
    """Return an equivalent script without what would end its element or start a comment."""
    return re.sub(r"(?i)<(/script|!--)", r"\\x3c\1", script)


def _visible(part: Any) -> Any:
    """Return a specification with `visible` applied to all keys and texts."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, Mapping):
        return {visible(str(name)): _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part


# ------------------------------------------------------------------------------
# A report as one HTML file: it makes no request, and shows texts of the study as text only.


@dataclass
class Page:
    """A page being written: the report, and the specifications of its charts so far."""

    report: Report
    charts: list[Any] = field(default_factory=list)

    def chart(self, chart: Mapping[str, Any], caption: str, narrow: Mapping[str, Any] | None = None) -> str:
        """Return the element in which a chart is drawn; narrow windows use `narrow`, if given."""
        places = f'data-chart="{self._place(chart)}"'
        places += "" if narrow is None else f' data-narrow="{self._place(narrow)}"'
        return f'<div class="chart" role="group" aria-label="{markup(caption)}" {places}></div>'

    def _place(self, chart: Mapping[str, Any]) -> int:
        self.charts.append(chart)
        return len(self.charts) - 1


def as_html(report: Report) -> str:
    """Return the whole file."""
    page = Page(report)
    numbers = ""
    if report.board is not None:
        judges = table(report.board.table, "The judges, as figure 1 shows them")
        numbers = details("The numbers of figure 1", judges)
    body = [
        _head(report),
        _judges(page),
        *(_question(page, question, words) for question, words in QUESTIONS.items()),
        _reasons(report),
        _story(page),
        '<section id="method"><h2>Numbers, method, missing verdicts, commands, glossary</h2>',
        numbers,
        methods(report),
        missing(report),
        sources(report),
        reproduction(report),
        glossary(report),
        "</section>",
        f"<footer><p>{markup(report.rests_on)}</p></footer>",
    ]
    if page.charts:
        body += [
            f'<script type="application/json" id="charts">{data(page.charts)}</script>',
            f'<script type="module">{vega()}</script>',
            f'<script type="module">{page_script()}</script>',
        ]
    return _document(f"{report.findings.title}: self-preference", policy(charts=bool(page.charts)), body)


def _document(title: str, content_policy: str, body: Iterable[str]) -> str:
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{markup(content_policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{markup(title)}</title>",
        f"<style>{style()}</style>",
        "</head>",
        "<body>",
        *body,
        "</body>",
        "</html>",
        "",
    )
    return "\n".join(lines)


def _head(report: Report) -> str:
    counts = [quantity(report.rows.get(f"{thing}s", 0), thing) for thing in ("model", "instance", "judgment")]
    facts = " · ".join([f"Study {report.findings.study}", report.info.provenance, *counts, report.date])
    warning = f'<p class="warning">{markup(report.warning)}</p>' if report.warning else ""
    return (
        '<header><p class="over">Self-preference of LLM judges: findings</p>'
        f'<h1 dir="auto">{markup(report.findings.title)}</h1>'
        f'<p class="facts">{markup(facts)}</p>{warning}</header>'
    )


def _judges(page: Page) -> str:
    """Return the first page: the sentence and the board."""
    report, board = page.report, page.report.board
    lead = f'<p class="lead" dir="auto">{markup(report.sentence)}</p>'
    if board is None:
        return f'<section id="judges"><h2>The judges</h2>{lead}</section>'
    charts = "".join(page.chart(wide, board.caption, narrow) for wide, narrow in board.charts)
    head = f"Figure 1. {board.axis} {BOARD_MARKS}"
    return (
        f'<section id="judges"><h2>The judges</h2>{lead}<figure id="figure-1" tabindex="-1">{charts}'
        f"<figcaption>{markup(head)}</figcaption></figure></section>"
    )


def _question(page: Page, question: Question, words: str) -> str:
    """Return the findings that answer a question; empty if there are none."""
    findings = page.report.findings_on(question)
    if not findings:
        return ""
    if question == "advice":
        parts = "".join(_claim(page.report, claim) for each in findings for claim in each.claims)
    else:
        parts = "".join(_finding(page, each) for each in findings)
    return f'<section id="{question}"><h2>{markup(words)}</h2>{parts}</section>'


def _doubts(claims: Sequence[Claim], title: str) -> str:
    """Return claims that are not shown to be so, folded; empty if there are none."""
    if not claims:
        return ""
    rows = table(content.doubts(claims), f"{title}: not shown")
    return details(f"Not shown: {quantity(len(claims), 'finding')}", rows)


def _finding(page: Page, finding: Finding) -> str:
    """Return the claims of a rule with their figure, then those not shown."""
    claims = "".join(_claim(page.report, claim) for claim in finding.claims)
    figure = ""
    if finding.chart is not None:
        head = f"Figure {finding.number}. {finding.title}."
        caption = f"{head} The finding, beside what it is compared with."
        figure = (
            f'<figure id="figure-{finding.number}" tabindex="-1">{page.chart(finding.chart, caption)}'
            f"<figcaption>{markup(head)}</figcaption></figure>"
        )
    block = f'<div class="whole"><h3>{markup(finding.title)}</h3>{claims}{figure}</div>'
    return f"<article>{block}{_doubts(finding.in_doubt, finding.title)}</article>"


def _claim(report: Report, claim: Claim) -> str:
    figure = report.figure_of(claim)
    link = "" if figure is None else f' · <a href="#figure-{figure}">figure {figure}</a>'
    notes = [f"{words}: {'; '.join(whys)}" for words, whys in content.marks_of(claim)]
    marks = f'<p class="problem">{markup(". ".join(notes))}</p>' if notes else ""
    basis = _figure_links(report, claim) if claim.question == "advice" else ""
    number = basis or f"{_number(claim)}{link}"
    return (
        f'<div class="claim" id="{_anchor(claim.id)}"><p class="sentence" dir="auto">'
        f'{markup(claim.sentence)}</p><p class="number">{number}</p>{marks}</div>'
    )


def _figure_links(report: Report, claim: Claim) -> str:
    """Return links to the figures of the claims that a recommendation rests on."""
    claims = {other.id: other for other in report.findings.claims}
    numbers = (report.figure_of(claims[name]) for name in claim.because if name in claims)
    figures = dict.fromkeys(number for number in numbers if number is not None)
    links = [f'<a href="#figure-{number}">figure {number}</a>' for number in figures]
    return f"from {', '.join(links)}" if links else ""


def _reasons(report: Report) -> str:
    """Return why judges pass their own failed responses; empty if no reasons are stored."""
    if not report.reasons:
        return ""
    rows = table(reason_table(report.reasons), "Reasons, by judge")
    return f'<section id="reasons"><h2>{content.REASONS}</h2><p>{markup(content.WHY)}</p>{rows}</section>'


def _number(claim: Claim) -> str:
    """Return the number with its interval, n and p; its full digits are in the markup for programs."""
    parts = number_of(claim)
    value = "" if claim.value is None else repr(float(claim.value))
    number = f'<data value="{value}" data-claim="{markup(claim.id)}">{markup(parts[0])}</data>'
    return " · ".join([number, *map(markup, parts[1:])])


def _story(page: Page) -> str:
    report = page.report
    if not report.screens:
        return ""
    parts = ""
    for pin, exhibit in ((screen.pin, screen.exhibit) for screen in report.screens):
        note = f'<p class="note" dir="auto">{markup(pin.note)}</p>' if pin.note else ""
        parts += f'<article id="pin-{markup(pin.id)}"><h3 dir="auto">{markup(pin.title)}</h3>{note}'
        parts += f"{_exhibit(page, exhibit, pin.title)}</article>"
    return f'<section id="story"><h2>Pinned views: {markup(report.story)}</h2>{parts}</section>'


def _exhibit(page: Page, exhibit: Shown, title: str) -> str:
    """Return what a view shows: problems, sentences, the chart with its rows, basis and commands."""
    parts = [f'<p class="problem" dir="auto">{markup(problem)}</p>' for problem in exhibit.problems]
    parts += [f'<p dir="auto">{markup(sentence)}</p>' for sentence in exhibit.sentences]
    if exhibit.figure is not None:
        parts.append(page.chart(exhibit.figure.spec, exhibit.figure.caption))
    if exhibit.table is not None:
        rows = table(exhibit.table, title)
        parts.append(details("The numbers of this chart", rows) if exhibit.figure is not None else rows)
    parts += [f'<p class="basis">{markup(line)}</p>' for line in exhibit.basis]
    parts.append(commands(exhibit.commands))
    return "".join(parts)


def _anchor(claim_id: str) -> str:
    """Return a claim's id as an anchor: letters, digits and dashes; others by their code."""
    return "claim-" + "".join(
        letter if letter.isascii() and (letter.isalnum() or letter == "-") else f"_{ord(letter):x}_"
        for letter in claim_id
    )


# ------------------------------------------------------------------------------
# A report as Markdown: the same words and numbers, with tables for charts.


def markdown(report: Report) -> str:
    """Return the whole file."""
    blocks = [
        *_markdown_head(report),
        *_markdown_judges(report),
        *_findings(report),
        *_markdown_reasons(report),
        *_markdown_story(report),
    ]
    ends = [*_methods(report), *_sources(report), *_glossary(report), f"*{escape_markdown(report.rests_on)}*"]
    return "\n\n".join(filter(None, [*blocks, *ends])) + "\n"


def _markdown_head(report: Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.findings.title)}"
    if report.warning:
        yield f"> **{escape_markdown(report.warning)}**"
    yield (
        f"Self-preference of LLM judges: findings. Study {escape_markdown(report.findings.study)}, "
        f"{escape_markdown(str(report.info.provenance))}, {report.rows['judgments']:,} judgments, "
        f"{escape_markdown(report.date)}."
    )


def _markdown_judges(report: Report) -> Iterator[str]:
    yield "## The judges"
    yield f"**{escape_markdown(report.sentence)}**"
    if report.board is not None:
        yield markdown_table(report.board.table)
        yield escape_markdown(report.board.axis)


def _findings(report: Report) -> Iterator[str]:
    for question, words in QUESTIONS.items():
        findings = report.findings_on(question)
        if findings:
            yield f"## {escape_markdown(words)}"
        for finding in findings:
            yield f"### {escape_markdown(finding.title)}"
            yield "\n".join(_markdown_claim(claim) for claim in finding.claims)
            if finding.in_doubt:
                yield "Not shown:"
                yield markdown_table(content.doubts(finding.in_doubt))


def _markdown_claim(claim: Claim) -> str:
    marks = (f"{words}: {'; '.join(whys)}" for words, whys in content.marks_of(claim))
    numbers = () if claim.question == "advice" else number_of(claim)
    number = " · ".join(map(escape_markdown, [*numbers, *marks]))
    return f"- **{escape_markdown(claim.sentence)}** {number}".rstrip()


def _markdown_reasons(report: Report) -> Iterator[str]:
    if report.reasons:
        yield f"## {content.REASONS}"
        yield escape_markdown(content.WHY)
        yield markdown_table(reason_table(report.reasons))


def _markdown_story(report: Report) -> Iterator[str]:
    if report.screens:
        yield f"## Pinned views: {escape_markdown(report.story)}"
    for screen in report.screens:
        yield f"### {escape_markdown(screen.pin.title)}"
        yield "\n\n".join(
            f"> {escape_markdown(line)}" for line in screen.pin.note.splitlines() if line.strip()
        )
        exhibit = screen.exhibit
        yield from (f"*{escape_markdown(problem)}*" for problem in exhibit.problems)
        yield from map(escape_markdown, exhibit.sentences)
        if exhibit.table is not None:
            yield markdown_table(exhibit.table)
        yield from map(escape_markdown, exhibit.basis)
        yield _commands(exhibit.commands)


def _methods(report: Report) -> Iterator[str]:
    yield "## How it was measured"
    yield from map(escape_markdown, content.method_sentences(report))
    lines = [(measure.title, content.words_of(measure)) for measure in report.measures]
    yield "\n".join(f"- **{escape_markdown(title)}**: {escape_markdown(words)}" for title, words in lines)
    yield "\n".join(f"- Not tried: {escape_markdown(line)}" for line in content.reasons_not_tried(report))


def _sources(report: Report) -> Iterator[str]:
    yield "## Missing verdicts"
    yield markdown_table(content.missing(report))
    for title, table in content.sources(report).items():
        yield f"{title}:"
        yield markdown_table(table)
    yield "## Commands that reproduce these numbers"
    yield content.PLACE
    yield _commands(content.first_steps(report))
    yield content.EACH
    yield _commands(report.commands)


def _glossary(report: Report) -> Iterator[str]:
    yield "## Glossary"
    terms = content.glossary(report)
    yield "\n".join(f"- **{escape_markdown(term.name)}**: {escape_markdown(term.meaning)}" for term in terms)


def markdown_table(source: Table) -> str:
    """Return rows as a table, with cells escaped."""
    lines = [_line(source.heads), _line("---" for _ in source.heads), *map(_line, source.rows)]
    note = f"\n\n{source.n_more:,} more rows; the command prints them all." if source.n_more else ""
    return "\n".join(lines) + note


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell if cell == '---' else escape_markdown(cell) for cell in cells)} |"


def _commands(lines: Iterable[str]) -> str:
    """Return commands as a block of code, fenced by more backticks than any of them contains."""
    code = "\n".join(command(line) for line in lines if line)
    if not code:
        return ""
    runs = [len(list(run)) for letter, run in groupby(code) if letter == "`"]
    fence = "`" * max(3, max(runs, default=0) + 1)
    return f"{fence}sh\n{code}\n{fence}"
