"""The report itself, before it is written as HTML or Markdown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.collect.watch.unfinished_runs import unfinished_words
from engine.explore.stated_reasons import Reasons
from engine.findings.claims import Claim
from engine.findings.findings import Findings
from engine.findings.gather import rule_outcomes, sum_up
from engine.findings.questions import Question
from engine.findings.rule import RuleContext
from engine.measures.catalogue import MEASURES
from engine.measures.entry import Measure
from engine.report.exhibit import MAIN, exhibit_of, pins_of
from engine.report.provenance import RecordedFile, files_of, rows_of, versions
from engine.report.report_figures import (
    NOTHING,
    BoardFigures,
    Finding,
    board_of,
    findings_of,
    reasons_of_judges,
    short_basis,
)
from engine.store.study_files import Pin, StudyInfo
from engine.views.shown import Shown
from engine.views.which_judge import WHICH_JUDGE
from engine.wording import NameInMemory
from engine.words.provenance import SIMULATED, provenance_words
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True)
class ReportScreen:
    """A pinned view and its current exhibit."""

    pin: Pin
    exhibit: Shown


@dataclass(frozen=True)
class Report:
    """Everything that is written; `date` is printed as given.

    `board` is the first figure, None if the study allows no conclusion on any judge. `by_rule` are the claims
    with their figures, `reasons` why judges pass their own failed responses. `which_judge` advises on each
    judge, `run_changes` says how judges' strictness and accuracy changed since the last run and which judges
    could not be tested (empty: neither), and `size` counts what was judged. `story` is the story's name,
    `screens` its views. `measures` are all that are used. `rows` counts the rows of each table, `statuses`
    the judgments by judge, paradigm and status, and `unfinished` says that a run goes on.
    """

    date: str
    info: StudyInfo
    findings: Findings
    board: BoardFigures | None
    by_rule: tuple[Finding, ...]
    reasons: tuple[Reasons, ...]
    story: str
    screens: tuple[ReportScreen, ...]
    which_judge: Shown
    run_changes: str
    size: str
    measures: tuple[Measure, ...]
    files: tuple[RecordedFile, ...]
    rows: Mapping[str, int]
    statuses: tuple[tuple[str, str, str, int], ...]
    unfinished: tuple[str, ...]
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
        study = f"Study {self.findings.study} ({provenance_words(self.info)})"
        return " · ".join([study, self.size, f"spb-explorer {self.versions['spb-explorer']}", self.date])

    @property
    def in_memory(self) -> bool:
        """Whether no command finds the study, so that calls stand in their place."""
        return isinstance(self.findings.study, NameInMemory)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the report, once, in order of appearance."""
        commands = [claim.command for claim in self.findings.shown]
        commands += self.which_judge.commands
        commands += [line for screen in self.screens for line in screen.exhibit.commands]
        return tuple(dict.fromkeys(filter(None, commands)))


def content_of(
    study: "MeasuredStudy", *, date: str, story: str = MAIN, findings: Findings | None = None
) -> Report:
    """Compute every number of a report: the findings (unless given) and a story's views.

    Raises UsageError for an unknown story.
    """
    pins = pins_of(study.info, story)
    findings = sum_up(study, rule_outcomes(RuleContext(study))) if findings is None else findings
    board = board_of(study)
    screens = tuple(ReportScreen(pin, exhibit_of(study, pin)) for pin in pins)
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
        run_changes=" ".join(
            remark for each in findings.outcomes if each.question == "changed" for remark in each.remarks
        ),
        size=size_of(study),
        measures=tuple(MEASURES[name] for name in dict.fromkeys(measures) if name in MEASURES),
        files=files_of(study.files),
        rows=rows_of(study),
        statuses=tuple(study.inventory.statuses(study.index.models)),
        unfinished=unfinished_words(study.files),
        versions=versions(),
    )
