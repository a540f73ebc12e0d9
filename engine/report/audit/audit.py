"""An audit: every question on a study's judges with its answer, and the files that it is written as."""

import datetime as dt
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError, python_words, quoted
from engine.report.audit.content import AuditContent, Check
from engine.report.audit.files import page_of, summary_of, write_files
from engine.report.audit.methods import methods_of
from engine.report.audit.record import record_of
from engine.report.notebook import audit_html
from engine.report.provenance import AuditedFile, files_of, versions
from engine.report.references import references_of
from engine.report.report_figures import board_of
from engine.report.report_texts import iso_date
from engine.views.audit import answers
from engine.words.size import size_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True, repr=False)
class Audit(AuditContent):
    """What a study says on its judges, as a page, a summary, data, files or a cell of a notebook."""

    def html(self) -> str:
        """Return the page, which loads nothing."""
        return page_of(self)

    def markdown(self) -> str:
        """Return the summary for a pull request."""
        return summary_of(self)

    def record(self) -> dict[str, Any]:
        """Return every answer and number as plain data: the content of `audit.json`."""
        return record_of(self)

    def write(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write all files into a folder, which is created; return their paths.

        Raises UsageError if the folder has any of them already, unless `force`.
        """
        if not isinstance(folder, str | Path):
            raise UsageError(f"the folder is {quoted(folder)}; give its path, such as write('audit')")
        with python_words():
            return write_files(self, Path(folder), force=force)

    def _repr_html_(self) -> str:
        """Return the board and the answers as HTML, for a notebook."""
        return audit_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy is made of, in this process or another: it is answered anew."""
        return _audit_again, (self.study, self.date, self.source, self.check)


def audit_of(
    study: "MeasuredStudy",
    *,
    date: str | dt.date | None = None,
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


def _audit_again(study: "MeasuredStudy", date: str, source: AuditedFile | None, check: Check | None) -> Audit:
    return audit_of(study, date=date, source=source, check=check)
