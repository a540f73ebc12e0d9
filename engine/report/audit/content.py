"""The content of an audit, independent of its files."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.explore.gate import GateResult, GateStatus, overall
from engine.report.provenance import AuditedFile, RecordedFile
from engine.report.references import Reference
from engine.report.report_figures import BoardFigures
from engine.views.audit import SectionAnswer
from engine.views.shown import Figure
from engine.wording import NameInMemory, in_python
from engine.words.provenance import SIMULATED, provenance_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


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
class AuditContent:
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
    def in_memory(self) -> bool:
        """Whether no command finds the study, so that calls stand in their place."""
        return isinstance(self.study.name, NameInMemory)

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that prints a number of the audit, once; the calls of a study in memory."""
        every = (
            line for each in self.answers for exhibit in each.exhibits for line in exhibit.shown.commands
        )
        return tuple(dict.fromkeys(every))

    @property
    def foot(self) -> str:
        """The line at the end: the study, its size, the version and the date."""
        name = f"Study {self.study.name} ({provenance_words(self.study.info)})"
        return " · ".join([name, self.size, f"spb-explorer {self.versions['spb-explorer']}", self.date])

    def __repr__(self) -> str:
        """Return the questions and answers as text."""
        lines = (
            f"{each.section.question} {' '.join(map(in_python, each.sentences))}" for each in self.answers
        )
        return "\n".join([f"<Audit: {self.title}, {self.size}>", *lines])
