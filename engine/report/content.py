"""The content of a report, independent of its format: sentences, numbers, figures, files and versions."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.explore.reasons import Reasons, reasons_of
from engine.findings.claims import CONCLUSIONS, Claim, Findings, MarkKind, Question
from engine.findings.gather import rule_outcomes, sum_up
from engine.findings.rankings import ranking_words
from engine.findings.rules import RuleContext
from engine.measures.catalogue import MEASURES
from engine.measures.compute import RESAMPLES
from engine.measures.entry import Measure
from engine.report.exhibit import MAIN, exhibit_of, pins_of
from engine.report.provenance import File, files_of, rows_of, versions
from engine.slices import Slice
from engine.store.study_files import Pin, StudyInfo
from engine.views.claims import figure_of_claims, kinds_of_doubt, number_of
from engine.views.judges import JUDGES, axis_of, boards
from engine.views.keys import read_keys
from engine.views.shown import Shown, Table
from engine.views.which_judge import WHICH_JUDGE
from engine.words import basis_of, conclusions, on_page, parts_left_out
from engine.words.glossary import Term, terms_in
from engine.words.provenance import SIMULATED
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# The figures of a report: the board of judges, one for the claims of each rule, and reasons.


CONCLUSION, GROUP = CONCLUSIONS[:2]  # the rules whose claims are the conclusions of the board
ON_A_PAGE = 14  # judges in one figure of the board: as many as fit on a printed page
WIDTH = 600  # width of a claim's chart in pixels
PHONE = 340  # width of a chart on a phone in pixels
MOST_REASONS = 4  # how many judges' reasons are shown: the first that favour or lean to themselves
Spec = Mapping[str, Any]


@dataclass(frozen=True)
class Board:
    """The judges with their conclusions: the sentences, the rows, and charts of `ON_A_PAGE` judges each.

    Each chart comes in two versions, wide and narrow; `axis` and `marks` say what they show, and `caption`
    is their alternative text. `table` has the numbers that they draw.
    """

    sentences: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    charts: tuple[tuple[Spec, Spec], ...]
    axis: str
    marks: str
    caption: str
    filters: Mapping[str, Any]
    table: Table


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


def board_of(study: "Study") -> Board | None:
    """Return the board as its view shows it; None if no judge can be tested."""
    from engine.charts.fit_width import fit_to_width

    shown = JUDGES.shown(study, {})
    keys, _ = read_keys(JUDGES.keys, study, {})
    figures = boards(study, keys, ON_A_PAGE)
    if shown.table is None or shown.table.result is None or not figures:
        return None
    result = shown.table.result
    rows = tuple(row for row in result.rows if row["judge"] is not None)
    return Board(
        shown.sentences,
        rows,
        tuple((each.spec, fit_to_width(dict(each.narrow or each.spec), PHONE)) for each in figures),
        axis_of(rows),
        figures[0].marks,
        "; ".join(each.caption for each in figures),
        result.filters,
        shown.table,
    )


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


def reasons_of_judges(study: "Study", rows: Iterable[Mapping[str, Any]]) -> tuple[Reasons, ...]:
    """Return why the first judges that favour themselves pass their own failed responses."""
    judges = [str(row["judge"]) for row in rows if row["conclusion"] in conclusions.CLAIMING][:MOST_REASONS]
    all_reasons = (reasons_of(study, Slice(), judge) for judge in judges)
    return tuple(reasons for reasons in all_reasons if reasons.lacking is None)


# ------------------------------------------------------------------------------
# The report itself, before it is written as HTML or Markdown.


@dataclass(frozen=True)
class Screen:
    """A pinned view and its current exhibit."""

    pin: Pin
    exhibit: Shown


@dataclass(frozen=True)
class Report:
    """Everything that is written; `date` is printed as given.

    `board` is the first figure, None if the study allows no conclusion on any judge. `by_rule` are the claims
    with their figures, `reasons` why judges pass their own failed responses. `which_judge` advises on each
    judge, and `size` counts what was judged. `story` is the story's name, `screens` its views. `measures` are
    all that are used. `rows` counts the rows of each table, `statuses` the judgments by judge, paradigm and
    status.
    """

    date: str
    info: StudyInfo
    findings: Findings
    board: Board | None
    by_rule: tuple[Finding, ...]
    reasons: tuple[Reasons, ...]
    story: str
    screens: tuple[Screen, ...]
    which_judge: Shown
    size: str
    measures: tuple[Measure, ...]
    files: tuple[File, ...]
    rows: Mapping[str, int]
    statuses: tuple[tuple[str, str, str, int], ...]
    versions: Mapping[str, str]

    @property
    def warning(self) -> str | None:
        """The warning if judgments were simulated, else None."""
        return SIMULATED.get(self.info.provenance)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The conclusions on the judges together, then on single judges."""
        if self.board is not None:
            return self.board.sentences
        return next((each.sentences[:1] for each in self.findings.answers), (NOTHING,))

    def findings_on(self, question: Question) -> tuple[Finding, ...]:
        """Return the findings that answer a question."""
        return tuple(finding for finding in self.by_rule if finding.question == question)

    def figure_of(self, claim: Claim) -> int | None:
        """Return the number of the figure that shows a claim, None if none does."""
        return next((each.number for each in self.by_rule if claim in each.claims), None)

    @property
    def rests_on(self) -> str:
        """A sentence on what the board is based on."""
        return "" if self.board is None else f"Based on: {short_basis(self.board.filters)}."

    @property
    def foot(self) -> str:
        """The line at the end: the study, its size, the version and the date."""
        study = f"Study {self.findings.study} ({self.info.provenance})"
        return " · ".join([study, self.size, f"spb-explorer {self.versions['spb-explorer']}", self.date])

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the report, once, in order of appearance."""
        commands = [claim.command for claim in self.findings.shown]
        commands += self.which_judge.commands
        commands += [line for screen in self.screens for line in screen.exhibit.commands]
        return tuple(dict.fromkeys(filter(None, commands)))


def content_of(study: "Study", *, date: str, story: str = MAIN, findings: Findings | None = None) -> Report:
    """Compute every number of a report: the findings (unless given) and a story's views.

    Raises UsageError for an unknown story.
    """
    pins = pins_of(study.info, story)
    findings = sum_up(study, rule_outcomes(RuleContext(study))) if findings is None else findings
    board = board_of(study)
    screens = tuple(Screen(pin, exhibit_of(study, pin)) for pin in pins)
    measures = [claim.measure for claim in findings.shown]
    measures += [name for screen in screens for name in screen.exhibit.measures]
    return Report(
        date=date,
        info=study.info,
        findings=findings,
        board=board,
        by_rule=findings_of(findings, board=board is not None),
        reasons=reasons_of_judges(study, board.rows) if board is not None else (),
        story=story,
        screens=screens,
        which_judge=WHICH_JUDGE.shown(study, {}),
        size=size_of(study),
        measures=tuple(MEASURES[name] for name in dict.fromkeys(measures) if name in MEASURES),
        files=files_of(study.files),
        rows=rows_of(study),
        statuses=tuple(study.inventory.statuses(study.index.models)),
        versions=versions(),
    )


# ------------------------------------------------------------------------------
# Texts besides the numbers, shared by HTML and Markdown.


FACTS = ("dataset", "source", "licence", "created_at", "schema_version", "notes")
"""The fields of `study.json` that a report repeats."""

NOTHING = "There are no findings."
RULES = (
    "Findings follow from the measures' numbers by fixed rules; no model writes them. docs/findings.md lists "
    "the rules."
)
PLACE = "With the study in the folder results, or in the folder named by SPB_STORE:"
EACH = "Each of these commands prints numbers from this report:"
REASONS = "Why do judges pass their own failed answers?"
WHY = (
    "The reasons that judges gave for passing their own failed answers, and those of outside judges on the "
    "same answers. Odds are relative to outside judges that also passed them; 1 means equally often."
)


def iso_date(date: str) -> str:
    """Return a date as printed, such as 2026-11-22; UsageError if it is invalid."""
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError as error:
        raise UsageError(f"date {date!r} is not valid; write it as 2026-11-22") from error


def short_basis(filters: Mapping[str, Any]) -> str:
    """Return what a measure is based on, in a few words, without what its rows say anyway."""
    filters = {name: value for name, value in filters.items() if name not in ("judges", "decided_by")}
    return basis_of(filters).removeprefix("Based on: ").removesuffix(".")


def intervals(settings: dict[str, object]) -> str:
    """Return a sentence on how intervals were computed, with the seed."""
    resamples, seed = settings.get("resamples", RESAMPLES), settings.get("seed", 0)
    return (
        f"Confidence intervals come from {resamples:,} resamples of whole instances (seed {seed}); "
        "docs/intervals.md reports how often they cover a known true value."
    )


def method_sentences(report: Report) -> tuple[str, ...]:
    """Return how intervals and findings are made."""
    return intervals(dict(report.findings.settings)), RULES


def words_of(measure: Measure) -> str:
    """Return what a measure asks, its formula, and its source."""
    source = "" if measure.paper.startswith("none") else f" From: {measure.paper}."
    return f"{measure.question} Formula: {measure.formula}.{source}"


PLAIN = ("judge", "rubric", "study", "verdict")  # terms that readers of reports know


def glossary(report: Report) -> tuple[Term, ...]:
    """Return the terms to define: those in the report's sentences, heads and titles."""
    return tuple(term for term in terms_in(_sentences(report)) if term.name not in PLAIN)


def _sentences(report: Report) -> Iterator[str]:
    yield from report.sentences
    yield from (claim.sentence for claim in report.findings.shown)
    yield from (finding.title for finding in report.by_rule)
    if report.board is not None:
        yield from (report.board.axis, *report.board.table.heads)
        yield from (conclusions.conclusion_words(row) for row in report.board.rows)
    if report.reasons:
        yield WHY
    for each in report.screens:
        yield from each.exhibit.sentences


def reasons_not_tried(report: Report) -> tuple[str, ...]:
    """Return why rules could not be applied, as sentences."""
    titles = {rule.name: rule.title for rule in report.findings.methods}
    return tuple(f"{titles[rule]}: {on_page(reason)}." for rule, reason in report.findings.not_tried.items())


def missing(report: Report) -> Table:
    """Return what measures left out, such as missing verdicts; those that left out the same share a row."""
    counts = {claim.measure: claim.left_out for claim in report.findings.shown if claim.left_out}
    measures: dict[str, list[str]] = {}
    for name, by_code in counts.items():
        title = MEASURES[name].title if name in MEASURES else "Slices that stand out"
        measures.setdefault(parts_left_out(by_code), []).append(title)
    return Table(
        ("Measure", "What it left out"), tuple((", ".join(titles), text) for text, titles in measures.items())
    )


def doubts(claims: Sequence[Claim]) -> Table:
    """Return claims that are not shown to be so, with reasons."""
    rows = tuple((_subject(claim), " · ".join(number_of(claim)), _why(claim)) for claim in claims)
    return Table(("Finding", "Number", "Why it is not shown"), rows)


def not_shown(report: Report) -> list[tuple[str, Table]]:
    """Return the findings that are not shown to be so, a table for each rule, with its title."""
    every = (each for each in report.by_rule if each.in_doubt and each.question != "advice")
    return [(each.title, doubts(each.in_doubt)) for each in every]


def marks_of(claim: Claim) -> list[tuple[str, list[str]]]:
    """Return the caveats on a claim that its sentence and the report's warning do not already give."""
    redundant = {MarkKind.SIMULATED.value} | ({"cause open"} if claim.rule in CONCLUSIONS else set())
    return [kind for kind in kinds_of_doubt(claim) if kind[0] not in redundant]


def _subject(claim: Claim) -> str:
    if claim.value is None or not claim.at:
        return claim.sentence
    parts = (ranking_words(str(part)) for part in claim.at.values() if part is not None)
    return ", ".join(dict.fromkeys(parts)) or "all judges"


def _why(claim: Claim) -> str:
    kinds = [kind for kind in kinds_of_doubt(claim) if kind[0] != MarkKind.SIMULATED.value]
    return ". ".join(f"{words.capitalize()}: {'; '.join(whys)}" for words, whys in kinds)


def sources(report: Report) -> dict[str, Table]:
    """Return tables by title: facts on the study, its files with hashes, judgments by status."""
    pairs = {"study": report.findings.study, "provenance": str(report.info.provenance)}
    pairs |= {name: str(value) for name in FACTS if (value := getattr(report.info, name)) is not None}
    pairs["rows"] = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    pairs["computed with"] = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    facts = tuple((name.replace("_", " "), value) for name, value in pairs.items())
    files = tuple((file.name, f"{file.size:,}", file.sha256) for file in report.files)
    return {
        "The study": Table(("Field", "Value"), facts),
        "Its files, with the SHA-256 of their bytes": Table(("File", "Bytes", "SHA-256"), files),
        "Judgments by status; all but ok are missing verdicts": _statuses(report),
    }


def _statuses(report: Report) -> Table:
    names = sorted({status for _, _, status, _ in report.statuses}, key=lambda name: (name != "ok", name))
    counts: Counter[tuple[str, str]] = Counter()
    for judge, _, status, n in report.statuses:
        counts[judge, status] += n
    judges = dict.fromkeys(judge for judge, _, _, _ in report.statuses)
    rows = tuple((judge, *(f"{counts[judge, name]:,}" for name in names)) for judge in judges)
    return Table(("Judge", *names), rows)


def first_steps(report: Report) -> tuple[str, ...]:
    """Return the commands to run first: install the program and validate the study."""
    return (
        f"pip install spb-explorer=={report.versions['spb-explorer']}",
        f"spb study check {shlex.quote(report.findings.study)}",
    )
