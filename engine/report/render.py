"""A report rendered as one file: HTML that requests nothing, or Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.extras import NO_PICTURES, can_draw
from engine.findings.claims import Claim
from engine.findings.questions import QUESTIONS
from engine.phrases import quantity
from engine.report import page_assets, report_texts, templating
from engine.report.content import Report
from engine.report.report_figures import Finding, Spec
from engine.report.templating import Markup
from engine.views.claims import number_of
from engine.views.stated_reasons import table_of_judges
from engine.views.which_judge import agreement_words, brief, column_meanings
from engine.words.which_judge import intervals_words


@dataclass
class Charts:
    """The specifications of a page's charts, in the order in which they are drawn.

    `undrawn` says why there are none; empty where they can be drawn.
    """

    undrawn: str = ""
    specs: list[Spec] = field(default_factory=list)

    def add(self, spec: Spec) -> int:
        """Add a chart and return its number."""
        self.specs.append(spec)
        return len(self.specs) - 1


@dataclass(frozen=True)
class PrintedClaim:
    """A claim as it is printed: `value` is its number with all digits, for programs."""

    id: str
    anchor: str
    sentence: str
    value: str
    numbers: tuple[str, ...]
    marks: str
    figures: tuple[int, ...]


@dataclass(frozen=True)
class Article:
    """The claims of one rule that stand, with their figure."""

    title: str
    lines: tuple[PrintedClaim, ...]
    chart: Spec | None
    number: int | None

    @property
    def is_on_board(self) -> bool:
        """Whether the board, the first figure, shows these claims."""
        return self.chart is None and self.number is not None

    @property
    def head(self) -> str:
        """What stands under the figure."""
        return f"Figure {self.number}. {self.title}."

    @property
    def caption(self) -> str:
        """The figure's alternative text."""
        return f"{self.head} The finding, beside what it is compared with."


def as_html(report: Report) -> str:
    """Return the whole file."""
    return page(
        "report.html",
        f"{report.findings.title}: self-preference",
        **_values(report),
        board_head="" if report.board is None else f"Figure 1. {report.board.marks}",
    )


def markdown(report: Report) -> str:
    """Return the whole file: the same words and numbers, with tables for charts."""
    return templating.markdown("report.md", **_values(report))


def page(template: str, title: str, **values: Any) -> str:
    """Return a page from a template that extends `document.html`."""
    return templating.html(
        template,
        title=title,
        charts=Charts("" if can_draw() else f"Without its chart: {NO_PICTURES}"),
        policy=lambda specs: page_assets.policy(charts=bool(specs)),
        style=Markup(page_assets.style()),  # noqa: S704 - our own
        scripts=_scripts,
        **values,
    )


def _scripts(specs: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the charts as data, and the scripts that draw them."""
    return Markup(  # noqa: S704 - our own scripts, and JSON that cannot end its element
        f'<script type="application/json" id="charts">{page_assets.data(specs)}</script>\n'
        f'<script type="module">{page_assets.vega()}</script>\n'
        f'<script type="module">{page_assets.page_script()}</script>'
    )


def _values(report: Report) -> dict[str, Any]:
    """Return what both templates print."""
    *sources, statuses = report_texts.sources(report).items()
    not_shown = report_texts.not_shown(report)
    advice = report.which_judge.table
    in_brief = None if advice is None else brief(advice)
    n_not_shown = sum(len(rows.rows) for _, rows in not_shown)
    return {
        "report": report,
        "texts": report_texts,
        "advice": in_brief,
        "agreement_words": "" if in_brief is None else agreement_words(in_brief),
        "advice_columns": [] if advice is None else list(column_meanings(advice).values()),
        "advice_intervals": "" if advice is None or advice.result is None else intervals_words(advice.result),
        "questions": _questions(report),
        "not_shown": not_shown,
        "not_shown_words": f"{quantity(n_not_shown, 'finding')} that the study does not show with certainty.",
        "reasons": table_of_judges(report.reasons),
        "measures": [(measure.title, report_texts.words_of(measure)) for measure in report.measures],
        "not_tried": report_texts.reasons_not_tried(report),
        "missing": report_texts.missing(report),
        "statuses": statuses,
        "sources": sources,
        "glossary": [(term.name, term.meaning) for term in report_texts.glossary(report)],
        "foot": report.foot,
    }


def _questions(report: Report) -> list[tuple[str, str, list[Article]]]:
    """Return the questions to which there is an answer: a sentence, findings that stand, or both."""
    leads = {"changed": report.run_changes}
    answers = [
        (
            words,
            leads.get(question, ""),
            [_article(report, each) for each in report.findings_on(question) if each.claims],
        )
        for question, words in QUESTIONS.items()
    ]
    return [each for each in answers if any(each[1:])]


def _article(report: Report, finding: Finding) -> Article:
    lines = tuple(_line(report, claim) for claim in finding.claims)
    return Article(finding.title, lines, finding.chart, finding.number)


def _line(report: Report, claim: Claim) -> PrintedClaim:
    is_advice = claim.question == "advice"
    marks = (f"{words}: {'; '.join(whys)}" for words, whys in report_texts.marks_of(claim))
    return PrintedClaim(
        claim.id,
        _anchor(claim.id),
        claim.sentence,
        "" if claim.value is None else repr(float(claim.value)),
        () if is_advice else number_of(claim),
        ". ".join(marks),
        _figures_behind(report, claim) if is_advice else _figure_of(report, claim),
    )


def _figure_of(report: Report, claim: Claim) -> tuple[int, ...]:
    """Return the number of the board for claims that it shows; others stand above a figure of their own."""
    finding = next(each for each in report.by_rule if claim in each.claims)
    return (finding.number,) if finding.number is not None and finding.chart is None else ()


def _figures_behind(report: Report, claim: Claim) -> tuple[int, ...]:
    """Return the figures of the claims that a recommendation rests on."""
    claims = {other.id: other for other in report.findings.claims}
    numbers = (report.figure_of(claims[name]) for name in claim.because if name in claims)
    return tuple(dict.fromkeys(number for number in numbers if number is not None))


def _anchor(claim_id: str) -> str:
    """Return a claim's id as an anchor: letters, digits and dashes; others by their code."""
    return "claim-" + "".join(
        letter if letter.isascii() and (letter.isalnum() or letter == "-") else f"_{ord(letter):x}_"
        for letter in claim_id
    )
