"""The files of an audit: a page, a summary, a table for LaTeX, a figure, the methods, and the data."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import StoreError, UsageError
from engine.extras import can_draw
from engine.plain_words import disk_words
from engine.report import templating
from engine.report.audit.record import record_of
from engine.report.audit.table import latex_table
from engine.report.gate_results import estimate_text, totals
from engine.report.references import bibliography
from engine.report.render import page
from engine.values import true_or_false
from engine.views.shown import ShownTable
from engine.wording import Wording
from engine.words.glossary import terms_in

if TYPE_CHECKING:
    from engine.report.audit.content import AuditContent, Check

PAGE = "audit.html"
"""The file to open first."""

EVERYDAY = ("judge", "rubric", "study", "verdict")
"""Terms that readers of an audit know."""


def written(audit: "AuditContent") -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file; the figure where there is one that can be drawn."""
    yield PAGE, page_of(audit).encode()
    yield "audit.md", summary_of(audit).encode()
    yield "audit.json", (json.dumps(record_of(audit), indent=1, ensure_ascii=False) + "\n").encode()
    yield "methods.txt", ("\n\n".join(audit.methods) + "\n").encode()
    yield "references.bib", bibliography(audit.references).encode()
    yield "table.tex", latex_table(audit).encode()
    if audit.figure is not None and can_draw():
        from engine.charts.export import pdf_of, svg_of

        spec = dict(audit.figure.spec)
        yield "figure.svg", svg_of(spec, "", ())
        yield "figure.pdf", pdf_of(spec, "", ())


def write_files(audit: "AuditContent", folder: Path, *, force: bool) -> tuple[Path, ...]:
    """Write all files into a folder, made whole before the first is written; see `Audit.write`."""
    may_replace = true_or_false("force", force)
    contents = {folder / name: content for name, content in written(audit)}
    earlier = [path.name for path in contents if path.exists()]
    if earlier and not may_replace:
        problem = (
            f"{str(folder)!r} has an audit already ({earlier[0]}); choose another folder, or overwrite it"
        )
        raise UsageError(problem, " with ", Wording("--force", "force=True"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            path.write_bytes(content)
    except OSError as error:
        where = str(error.filename or folder)
        raise StoreError(
            f"{where!r} cannot be written: {disk_words(error, 'choose another folder')}"
        ) from error
    return tuple(contents)


def archive(audit: "AuditContent") -> bytes:
    """Return all files in one ZIP archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, file in written(audit):
            folder.writestr(f"audit/{name}", file)
    return content.getvalue()


def page_of(audit: "AuditContent") -> str:
    """Return the page of an audit."""
    board_head = "" if audit.board is None else f"Figure 1. {audit.board.marks}"
    return page("audit.html", f"{audit.title}: audit", **_values(audit), board_head=board_head)


def summary_of(audit: "AuditContent") -> str:
    """Return the summary of an audit for a pull request."""
    return templating.markdown("audit.md", **_values(audit))


def _values(audit: "AuditContent") -> dict[str, Any]:
    """Return what both templates print."""
    facts = [(file.name, f"{file.size:,}", file.sha256) for file in audit.files]
    terms = terms_in([line for answer in audit.answers for line in answer.sentences])
    return {
        "audit": audit,
        "check": None if audit.check is None else check_table(audit.check),
        "totals": "" if audit.check is None else totals(audit.check.results),
        "files": ShownTable(("File", "Bytes", "SHA-256"), tuple(facts)),
        "versions": ShownTable(("Package", "Version"), tuple(audit.versions.items())),
        "glossary": [(term.name, term.meaning) for term in terms if term.name not in EVERYDAY],
    }


def check_table(check: "Check") -> ShownTable:
    """Return the results of a rule, a row for each judge."""
    rows = ((each.judge, each.status, estimate_text(each), each.reason) for each in check.results)
    return ShownTable(("Judge", "Result", "Number", "Reason"), tuple(rows))
