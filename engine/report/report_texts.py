"""Texts besides the numbers, shared by HTML and Markdown."""

import datetime as dt
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from engine.errors import UsageError, quoted
from engine.findings.claims import CONCLUSIONS, Claim
from engine.findings.rankings import ranking_words
from engine.findings.standing import MarkKind
from engine.measures.catalogue import MEASURES
from engine.measures.compute import RESAMPLES
from engine.measures.entry import Measure
from engine.report.content import Report
from engine.views.claims import kinds_of_doubt, name_of_number, number_of
from engine.views.shown import ShownTable
from engine.words import conclusions
from engine.words.based_on import parts_left_out
from engine.words.glossary import Term, terms_in
from engine.words.plain_names import on_page
from engine.words.provenance import provenance_words

FACTS = ("dataset", "source", "licence", "created_at", "schema_version", "notes")
"""The fields of `study.json` that a report repeats."""
RULES = (
    "Findings follow from the measures' numbers by fixed rules; no model writes them. The program's "
    "documentation lists the rules."
)
IN_MEMORY = (
    "The study was in memory, so no command finds it. Each of these calls returns numbers from this report, "
    "with the study as study:"
)
PLACE = "With the study in the folder results, or in the folder named by SPB_STORE:"
EACH = "Each of these commands prints numbers from this report:"
REASONS = "Why do judges pass their own failed answers?"
WHY = (
    "The reasons that judges gave for passing their own failed answers, and those of judges of other "
    "families on the same answers. Odds are relative to judges of other families that also passed them; 1 "
    "means equally often."
)


def iso_date(date: str | dt.date) -> str:
    """Return a date as printed, such as 2026-11-22; UsageError if it is invalid."""
    if isinstance(date, dt.date):  # or a datetime, which is one
        return f"{date:%Y-%m-%d}"
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except (TypeError, ValueError) as error:
        raise UsageError(f"date {quoted(date)} is not valid; write it as 2026-11-22") from error


def intervals(settings: dict[str, object]) -> str:
    """Return a sentence on how intervals were computed, with the seed."""
    resamples, seed = settings.get("resamples", RESAMPLES), settings.get("seed", 0)
    return (
        "Confidence intervals of conclusions on judges (given, expected, and the number that decides) come "
        "from leaving out one question at a time, with Student's t; other intervals, such as those of ratios "
        f"and accuracy, from {resamples:,} resamples of whole questions (seed {seed}); "
        "where the truth is known, in studies of 60 questions or more, they cover it in 93 to 96 of 100."
    )


def method_sentences(report: Report) -> tuple[str, ...]:
    """Return how intervals and findings are made."""
    return intervals(dict(report.findings.settings)), RULES


def words_of(measure: Measure) -> str:
    """Return what a measure asks, its formula, and its source."""
    source = "" if measure.paper.startswith("none") else f" From: {measure.paper}."
    return f"{measure.question} Formula: {measure.formula}.{source}"


PLAIN = ("answer", "author", "criterion", "judge", "question", "study", "verdict")
"""Terms that readers of reports know."""


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


def missing(report: Report) -> ShownTable:
    """Return what measures left out, such as missing verdicts; those that left out the same share a row."""
    counts = {claim.measure: claim.left_out for claim in report.findings.shown if claim.left_out}
    measures: dict[str, list[str]] = {}
    for name, by_code in counts.items():
        title = MEASURES[name].title if name in MEASURES else "Slices that stand out"
        measures.setdefault(parts_left_out(by_code), []).append(title)
    return ShownTable(
        ("Measure", "What it left out"), tuple((", ".join(titles), text) for text, titles in measures.items())
    )


def doubts(claims: Sequence[Claim]) -> ShownTable:
    """Return claims that are not shown to be so, with reasons."""
    names = {name_of_number(claim) for claim in claims}
    is_one = len(names) == 1
    rows = tuple(
        (_subject(claim), " · ".join(number_of(claim, with_name=not is_one)), _why(claim)) for claim in claims
    )
    number = next(iter(names)) if is_one else "Number"
    return ShownTable(("Finding", number, "Why it is not shown"), rows)


def not_shown(report: Report) -> list[tuple[str, ShownTable]]:
    """Return the findings that are not shown to be so, a table for each rule, with its title."""
    every = (each for each in report.by_rule if each.in_doubt and each.question != "advice")
    return [(each.title, doubts(each.in_doubt)) for each in every]


def marks_of(claim: Claim) -> list[tuple[str, list[str]]]:
    """Return the caveats on a claim that its sentence and the report's warning do not already give."""
    return kinds_of_doubt(claim, *((MarkKind.CAUSE_OPEN,) if claim.rule in CONCLUSIONS else ()))


def _subject(claim: Claim) -> str:
    if claim.value is None or not claim.at:
        return claim.sentence
    parts = (ranking_words(str(part)) for part in claim.at.values() if part is not None)
    return ", ".join(dict.fromkeys(parts)) or "all judges"


def _why(claim: Claim) -> str:
    return ". ".join(f"{words.capitalize()}: {'; '.join(whys)}" for words, whys in kinds_of_doubt(claim))


def sources(report: Report) -> dict[str, ShownTable]:
    """Return tables by title: facts on the study, its files with hashes, judgments by status."""
    pairs = {"study": report.findings.study, "provenance": provenance_words(report.info)}
    pairs |= {name: str(value) for name in FACTS if (value := getattr(report.info, name)) is not None}
    pairs["rows"] = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    pairs["computed with"] = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    facts = tuple((name.replace("_", " "), value) for name, value in pairs.items())
    files = tuple((file.name, f"{file.size:,}", file.sha256) for file in report.files)
    return {
        "The study": ShownTable(("Field", "Value"), facts),
        "Its files, with the SHA-256 of their bytes": ShownTable(("File", "Bytes", "SHA-256"), files),
        "Judgments by status; all but ok are missing verdicts": _statuses(report),
    }


def _statuses(report: Report) -> ShownTable:
    names = sorted({status for _, _, status, _ in report.statuses}, key=lambda name: (name != "ok", name))
    counts: Counter[tuple[str, str]] = Counter()
    for judge, _, status, n in report.statuses:
        counts[judge, status] += n
    judges = dict.fromkeys(judge for judge, _, _, _ in report.statuses)
    rows = tuple((judge, *(f"{counts[judge, name]:,}" for name in names)) for judge in judges)
    return ShownTable(("Judge", *names), rows)


def first_steps(report: Report) -> tuple[str, ...]:
    """Return the commands to run first: install the program and validate the study."""
    return (
        f"pip install .  # in a checkout of the self-preference explorer {report.versions['spb-explorer']}",
        f"spb study check {shlex.quote(report.findings.study)}",
    )
