"""A study's findings and pinned views as one file to send: HTML that loads nothing, or Markdown.

It computes nothing itself; the explorer shows the same exhibits.
"""

import datetime as dt
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, get_args

from engine.errors import unknown
from engine.report.exhibit import MAIN

if TYPE_CHECKING:  # a notebook shows findings through this package where nothing that draws is installed
    from engine.findings.findings import Findings
    from engine.measures.measured_study import MeasuredStudy
    from engine.report.content import Report


Form = Literal["html", "markdown"]

FORMS: tuple[Form, ...] = get_args(Form)


def written(
    study: "MeasuredStudy",
    form: Form = "html",
    *,
    story: str = MAIN,
    date: str | dt.date | None = None,
    findings: "Findings | None" = None,
) -> bytes:
    """Return the report of a study, in UTF-8; the same bytes for the same study and date.

    `date` is an ISO date, by default today's; `findings` are computed unless given. Raises UsageError for an
    unknown story or form, or an invalid date.
    """
    from engine.report.content import content_of
    from engine.report.report_texts import iso_date

    _check(form)
    day = datetime.now(UTC).date().isoformat() if date is None else iso_date(date)
    return in_form(content_of(study, date=day, story=story, findings=findings), form)


def in_form(report: "Report", form: Form) -> bytes:
    """Return a report in one of its forms, in UTF-8; UsageError for a form that it does not have."""
    from engine.report.render import as_html, markdown

    _check(form)
    return (as_html(report) if form == "html" else markdown(report)).encode()


def _check(form: str) -> None:
    if form not in FORMS:
        raise unknown("form of a report", form, FORMS)
