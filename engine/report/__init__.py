"""A study's findings and pinned views as one file that can be sent: HTML that asks no one, or Markdown.

- `content`: what a report says; `exhibit`, `views`, `looked`, `compared`, `reading`: what a view shows;
  `pages`: what it shares with its page; `provenance`, `notes`, `numbers`: where it comes from, in words.
- `html` and its parts, `scripts`, `page.js`, `page.css`; `markdown`: the two forms. `texts`: made harmless.
- `writing`: `written`, the file's bytes; `in_form`, those of a report whose numbers are taken.

It computes nothing of its own, and may import findings, measures and charts; the explorer shows the same
exhibits.
"""

from engine.report.content import Report, content_of
from engine.report.exhibit import Exhibit, Table
from engine.report.views import PAGES, exhibit_of
from engine.report.writing import FORMS, Form, in_form, written

__all__ = [
    "FORMS",
    "PAGES",
    "Exhibit",
    "Form",
    "Report",
    "Table",
    "content_of",
    "exhibit_of",
    "in_form",
    "written",
]
