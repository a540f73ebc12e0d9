"""What a report says, whatever it is written as: its numbers, figures, files and versions."""

import hashlib
import platform
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from engine import schema
from engine.errors import UsageError
from engine.explore.filter_choices import choices_of
from engine.explore.reasons import Reasons
from engine.findings.claims import CONCLUSIONS, Claim, Findings, MarkKind, Question
from engine.findings.gather import gathered, tried
from engine.findings.rule import RuleContext
from engine.findings.where import named
from engine.measures.catalogue import MEASURES
from engine.measures.compute import RESAMPLES
from engine.measures.entry import Measure
from engine.report.exhibit import Exhibit, Table, kinds_of_doubt, measured, number_of
from engine.report.figures import Board, Finding, board_of, explained, findings_of
from engine.report.stories import MAIN, pins_of
from engine.report.views import exhibit_of
from engine.store.study_files import INFO_FILE, Pin, StudyFiles, StudyInfo
from engine.words import applied, conclusions, counted, left_out
from engine.words.glossary import Term, terms_in

if TYPE_CHECKING:
    from engine.study import Study


# ------------------------------------------------------------------------------
# Where a report's numbers come from: the study's files and their hashes, its judgments, the versions.


PACKAGES = ("spb-explorer", "numpy", "scipy", "pandas", "pyarrow", "altair", "vl-convert-python")
"""What numbers and charts are made with."""

BLOCK = 1 << 20
"""Bytes of a file read at once."""


@dataclass(frozen=True)
class File:
    """A file of the study: its path within it, its bytes, and their SHA-256."""

    name: str
    size: int
    sha256: str


def files_of(files: StudyFiles) -> tuple[File, ...]:
    """Return the files that hold the study's tables, by name; `study.json` is not among them."""
    entries = []
    start = len(files.location.path.rstrip("/")) + 1
    for info in files.files():
        name = info.path[start:]
        if name == INFO_FILE:
            continue
        digest = hashlib.sha256()
        with files.location.filesystem.open_input_stream(info.path) as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
        entries.append(File(name, int(info.size), digest.hexdigest()))
    return tuple(sorted(entries, key=lambda file: file.name))


def rows_of(study: "Study") -> dict[str, int]:
    """Return how many rows each table has."""
    counts = {
        name: study.files.table(name, [table.columns[0].name]).num_rows
        for name, table in schema.TABLES.items()
        if name != "judgments" and study.files.has(name)
    }
    return counts | {"judgments": study.inventory.total()}


def versions() -> dict[str, str]:
    """Return the versions of this project, of what it computes with, and of Python."""
    known = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            known[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that is not installed
            known[name] = "not installed"
    return known


def intervals(settings: dict[str, object]) -> str:
    """Return in a sentence how intervals were drawn, and with which seed."""
    resamples, seed = settings.get("resamples", RESAMPLES), settings.get("seed", 0)
    return (
        f"Confidence intervals come from {resamples:,} resamples of whole instances (seed {seed}); "
        "docs/intervals.md reports how often they hold a known truth."
    )


# ------------------------------------------------------------------------------
# What a report says, before it is written as HTML or Markdown.


SIMULATED = {
    "simulated": "Simulated: a program drew all judgments of this study. They say nothing about real models.",
    "mixed": "Partly simulated: a program drew some judgments of this study.",
}
"""What is said first of a study whose judgments were made up."""


@dataclass(frozen=True)
class Shown:
    """A pinned view with what it shows now."""

    pin: Pin
    exhibit: Exhibit


@dataclass(frozen=True)
class Report:
    """Everything that is written. `date` is as it is to be printed.

    `board` is the first figure, None where the study allows no conclusion on any judge. `by_rule` are the
    claims with their figures, `reasons` why judges pass their own failed responses. `story` is the story's
    name, `screens` its views. `measures` are all that any number was taken of. `rows` counts each table's,
    `statuses` the judgments by judge, paradigm and status.
    """

    date: str
    info: StudyInfo
    findings: Findings
    board: Board | None
    by_rule: tuple[Finding, ...]
    reasons: tuple[Reasons, ...]
    story: str
    screens: tuple[Shown, ...]
    measures: tuple[Measure, ...]
    files: tuple[File, ...]
    rows: Mapping[str, int]
    statuses: tuple[tuple[str, str, str, int], ...]
    versions: Mapping[str, str]

    @property
    def warning(self) -> str | None:
        """What is said first where judgments were made up, None where none was."""
        return SIMULATED.get(self.info.provenance)

    @property
    def sentence(self) -> str:
        """What is concluded, in one sentence or two."""
        if self.board is not None:
            return self.board.sentence
        return next((" ".join(each.sentences[:1]) for each in self.findings.answers), NOTHING)

    def about(self, question: Question) -> tuple[Finding, ...]:
        """Return the findings that answer a question."""
        return tuple(finding for finding in self.by_rule if finding.question == question)

    def figure_of(self, claim: Claim) -> int | None:
        """Return the number of the figure in which a claim's number stands, None where none shows it."""
        return next((each.number for each in self.by_rule if claim in each.claims), None)

    @property
    def rests_on(self) -> str:
        """What all of it rests on: study, what was taken, how much, and the version."""
        parts = [f"study {self.findings.study} ({self.info.provenance})"]
        if self.board is not None:
            parts.append(taken(self.board.filters))
        parts.append(counted(self.rows.get("judgments", 0), "judgment"))
        return f"Rests on: {', '.join(parts)}; spb-explorer {self.versions['spb-explorer']}, {self.date}."

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the report, once, in the order of their numbers."""
        commands = [claim.command for claim in self.findings.shown]
        commands += [line for shown in self.screens for line in shown.exhibit.commands]
        return tuple(dict.fromkeys(filter(None, commands)))


def content_of(study: "Study", *, date: str, story: str = MAIN, findings: Findings | None = None) -> Report:
    """Take every number of a report: the findings (those given, where they are known) and a story's views.

    Raises UsageError where there is no such story.
    """
    pins = pins_of(study.info, story)
    material = RuleContext(study)
    findings = gathered(study, tried(material)) if findings is None else findings
    board = board_of(material)
    choices = choices_of(study) if pins else None
    screens = tuple(Shown(pin, exhibit_of(study, pin, choices)) for pin in pins)
    used = [claim.measure for claim in findings.shown]
    used += [name for shown in screens for name in shown.exhibit.measures]
    return Report(
        date=date,
        info=study.info,
        findings=findings,
        board=board,
        by_rule=findings_of(findings, board=board is not None),
        reasons=explained(study, board.rows) if board is not None else (),
        story=story,
        screens=screens,
        measures=tuple(MEASURES[name] for name in dict.fromkeys(used) if name in MEASURES),
        files=files_of(study.files),
        rows=rows_of(study),
        statuses=tuple(study.inventory.statuses(study.index.models)),
        versions=versions(),
    )


def behind(material: RuleContext, measure: str, options: Mapping[str, Any]) -> Exhibit:
    """Return the chart and the rows of a measure that claims rest on."""
    result = material.result(measure, **options)
    sentence = f"{result.measure.title}: a mark for each row of the table that follows."
    shown = measured(material.study, measure, options, caption=sentence, result=result)
    return shown if shown.chart else replace(shown, caption="")


# ------------------------------------------------------------------------------
# What reports say besides numbers, in the words of both their forms.


FACTS = ("dataset", "source", "licence", "created_at", "schema_version", "notes")
"""The fields of `study.json` that a report repeats."""

NOTHING = "There are no findings."
RULES = (
    "Findings follow fixed rules from the measures' numbers alone; no model writes them. docs/findings.md "
    "has every rule."
)
PLACE = "With the study in the folder results, or in the folder that SPB_STORE names:"
EACH = "Each of these prints numbers of this report:"
REASONS = "Why do judges pass their own failed answers?"
WHY = (
    "The reasons that judges gave for passing their own failed answers, beside those of outside judges on "
    "the same answers. Odds are relative to outside judges that passed them too; 1 means as often."
)


def iso_date(date: str) -> str:
    """Return a date as it is printed; UsageError where it is none."""
    try:
        return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC).date().isoformat()
    except ValueError as error:
        raise UsageError(f"date {date!r} is none; write it as 2026-11-22") from error


def taken(filters: Mapping[str, Any]) -> str:
    """Return in a few words what a measure was taken of, without what its rows say anyway."""
    filters = {name: value for name, value in filters.items() if name not in ("judges", "decided_by")}
    return applied(filters).removeprefix("Based on: ").removesuffix(".")


def on_methods(report: Report) -> tuple[str, ...]:
    """Return how intervals and findings are made."""
    return intervals(dict(report.findings.settings)), RULES


def words_of(measure: Measure) -> str:
    """Return what a measure asks, how it is taken, and where it comes from."""
    source = "" if measure.paper.startswith("none") else f" From: {measure.paper}."
    return f"{measure.question} {measure.formula}.{source}"


PLAIN = ("judge", "rubric", "study", "verdict")
"""Terms that a reader of reports needs no glossary for."""


def glossary(report: Report) -> tuple[Term, ...]:
    """Return the terms of a report's sentences, heads and titles, to be defined at its end."""
    return tuple(term for term in terms_in(_sentences(report)) if term.name not in PLAIN)


def _sentences(report: Report) -> Iterator[str]:
    yield report.sentence
    yield from (claim.sentence for claim in report.findings.shown)
    yield from (finding.title for finding in report.by_rule)
    if report.board is not None:
        yield from (report.board.axis, *report.board.table.heads)
        yield from (conclusions.conclusion_words(row) for row in report.board.rows)
    if report.reasons:
        yield WHY
    for each in report.screens:
        yield from each.exhibit.sentences


def untried(report: Report) -> tuple[str, ...]:
    """Return why rules could not be tried, as sentences."""
    titles = {method.rule: method.title for method in report.findings.methods}
    return tuple(f"{titles[rule]}: {reason}." for rule, reason in report.findings.not_tried.items())


def missing(report: Report) -> Table:
    """Return what each measure could not count: verdicts that are missing, and what else was left out."""
    lost = {claim.measure: claim.left_out for claim in report.findings.shown if claim.left_out}
    rows = tuple((_name(measure), left_out(counts)) for measure, counts in lost.items())
    return Table(("Measure", "What it left out"), rows)


def doubts(claims: Sequence[Claim]) -> Table:
    """Return claims that do not stand, each with why; advice rests on claims that say why themselves."""
    if all(claim.question == "advice" for claim in claims):
        return Table(("Advice",), tuple((claim.sentence,) for claim in claims))
    rows = tuple((_of(claim), " · ".join(number_of(claim)), _why(claim)) for claim in claims)
    return Table(("Finding", "Number", "Why it is in doubt"), rows)


def marks_of(claim: Claim) -> list[tuple[str, list[str]]]:
    """Return what a reader must know of a claim; a conclusion on a judge says itself how sure it is."""
    known = {MarkKind.SIMULATED.value} | ({"not significant"} if claim.rule in CONCLUSIONS else set())
    return [kind for kind in kinds_of_doubt(claim) if kind[0] not in known]


def _of(claim: Claim) -> str:
    if claim.value is None or not claim.at:
        return claim.sentence
    parts = (named(str(part)) for part in claim.at.values() if part is not None)
    return ", ".join(dict.fromkeys(parts)) or "all judges"


def _why(claim: Claim) -> str:
    kinds = [kind for kind in kinds_of_doubt(claim) if kind[0] != MarkKind.SIMULATED.value]
    return ". ".join(f"{words.capitalize()}: {'; '.join(whys)}" for words, whys in kinds)


def _name(measure: str) -> str:
    return MEASURES[measure].title if measure in MEASURES else "Slices that stand out"


def sources(report: Report) -> dict[str, Table]:
    """Return tables by title: what is known of the study, its files with hashes, judgments by status."""
    pairs = {"study": report.findings.study, "provenance": str(report.info.provenance)}
    pairs |= {name: str(value) for name in FACTS if (value := getattr(report.info, name)) is not None}
    pairs["rows"] = ", ".join(f"{name} {count:,}" for name, count in report.rows.items())
    pairs["computed with"] = ", ".join(f"{name} {number}" for name, number in report.versions.items())
    facts = tuple((name.replace("_", " "), value) for name, value in pairs.items())
    files = tuple((file.name, f"{file.size:,}", file.sha256) for file in report.files)
    return {
        "The study": Table(("What", "Is"), facts),
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
    """Return the commands that come before all others: the program, and a check of the study."""
    return (
        f"pip install spb-explorer=={report.versions['spb-explorer']}",
        f"spb validate --study {shlex.quote(report.findings.study)}",
    )
