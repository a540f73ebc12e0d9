"""The content of an audit, independent of its files."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.explore.gate import GateResult, GateStatus, overall
from engine.report.audit.methods import Reference, methods_of, references_of
from engine.report.provenance import RecordedFile, files_of, versions
from engine.report.report_figures import BoardFigures, board_of
from engine.report.report_texts import iso_date
from engine.views.audit import SectionAnswer, answers
from engine.views.shown import Figure
from engine.words.provenance import SIMULATED
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True)
class AuditedFile:
    """The file or folder that a study was imported from, for its audit.

    `format` is the one that it was read as, `notes` what was guessed or left out. A folder has no `sha256`.
    """

    name: str
    format: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """The rule of a gate applied to the judges; `problem` says why it could be applied to none."""

    results: tuple[GateResult, ...] = ()
    problem: str | None = None

    @property
    def status(self) -> GateStatus:
        """Whether the judges pass."""
        return overall(self.results)


@dataclass(frozen=True, repr=False)
class Audit:
    """What a study says on its judges: every question with its answer.

    `methods` are the two paragraphs for a paper, `references` what they cite. `board` draws the judges; None
    where no judge can be tested. `source` is the imported file, `check` a gate's rule, if there are any.
    """

    study: "MeasuredStudy"
    date: str
    answers: tuple[SectionAnswer, ...]
    board: BoardFigures | None
    methods: tuple[str, str]
    references: tuple[Reference, ...]
    size: str
    files: tuple[RecordedFile, ...]
    versions: dict[str, str]
    source: AuditedFile | None = None
    check: Check | None = None

    @property
    def title(self) -> str:
        """The study's title, else its name."""
        return str(self.study.info.title or self.study.name)

    @property
    def warning(self) -> str | None:
        """The warning if judgments were simulated, else None."""
        return SIMULATED.get(self.study.info.provenance)

    @property
    def figure(self) -> Figure | None:
        """The board of judges, else the first figure that any question has."""
        return next((each.shown.figure for answer in self.answers for each in answer.exhibits), None)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the audit, once."""
        every = (
            line for each in self.answers for exhibit in each.exhibits for line in exhibit.shown.commands
        )
        return tuple(dict.fromkeys(every))

    @property
    def foot(self) -> str:
        """The line at the end: the study, its size, the version and the date."""
        name = f"Study {self.study.name} ({self.study.info.provenance})"
        return " · ".join([name, self.size, f"spb-explorer {self.versions['spb-explorer']}", self.date])

    def html(self) -> str:
        """Return the page, which loads nothing."""
        from engine.report.audit.files import page_of

        return page_of(self)

    def markdown(self) -> str:
        """Return the summary for a pull request."""
        from engine.report.audit.files import summary_of

        return summary_of(self)

    def record(self) -> dict[str, Any]:
        """Return every answer and number as plain data: the content of `audit.json`."""
        from engine.report.audit.record import record_of

        return record_of(self)

    def write(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write all files into a folder, which is created; return their paths.

        Raises UsageError if the folder has any of them already, unless `force`.
        """
        from engine.report.audit.files import write_files

        return write_files(self, Path(folder), force=force)

    def __repr__(self) -> str:
        """Return the questions and answers as text."""
        lines = (f"{each.section.question} {' '.join(each.sentences)}" for each in self.answers)
        return "\n".join([f"<Audit: {self.title}, {self.size}>", *lines])

    def _repr_html_(self) -> str:
        """Return the board and the answers as HTML, for a notebook."""
        from engine.report.notebook import audit_html

        return audit_html(self)


def audit_of(
    study: "MeasuredStudy",
    *,
    date: str | None = None,
    source: AuditedFile | None = None,
    check: Check | None = None,
) -> Audit:
    """Answer every question of an audit; `date` is by default today's."""
    every = answers(study)
    board = board_of(study) if every[0].is_answered else None
    methods = methods_of(study, every, source)
    return Audit(
        study=study,
        date=datetime.now(UTC).date().isoformat() if date is None else iso_date(date),
        answers=every,
        board=board,
        methods=methods,
        references=references_of(methods),
        size=size_of(study),
        files=files_of(study.files),
        versions=versions(),
        source=source,
        check=check,
    )
