"""Findings as a table, as text, and as HTML for a notebook."""

from html import escape
from typing import TYPE_CHECKING

from engine.findings.claims import QUESTIONS, Claim, Findings

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("id", "question", "sentence", "measure", "field", "value", "low", "high", "p_adjusted", "n", "cases"),
    *("marks", "page", "command"),
)


def frame(found: Findings) -> "pd.DataFrame":
    """Return a row for each claim."""
    import pandas as pd

    rows = [
        {name: getattr(claim, name) for name in COLUMNS}
        | {"marks": "; ".join(f"{mark.title}: {mark.why}" for mark in claim.marks)}
        for claim in found.claims
    ]
    made = pd.DataFrame.from_records(rows, columns=list(COLUMNS))
    made.attrs |= {"study": found.study, "settings": dict(found.settings), "not_tried": found.not_tried}
    return made


def text(found: Findings) -> str:
    """Return the claims as plain text, question by question."""
    lines = [f"Findings of {found.title} ({found.provenance})"]
    for question, title in QUESTIONS.items():
        lines += ["", title, *(f"- {_line(claim)}" for claim in found.claims if claim.question == question)]
        lines += [
            f"- not tried, {outcome.rule}: {outcome.reason}"
            for outcome in found.outcomes
            if outcome.question == question and outcome.reason is not None
        ]
    return "\n".join(lines)


def html(found: Findings) -> str:
    """Return the claims as HTML; every text is escaped."""
    parts = [f"<h3>{escape(found.title)}</h3>", f"<p>{escape(found.provenance)}</p>"]
    for question, title in QUESTIONS.items():
        claims = [claim for claim in found.claims if claim.question == question]
        items = "".join(
            f"<li>{escape(_line(claim))}<br><code>{escape(claim.command)}</code></li>" for claim in claims
        )
        parts.append(f"<h4>{escape(title)}</h4><ul>{items or '<li>Nothing is claimed.</li>'}</ul>")
    return f"<div>{''.join(parts)}</div>"


def _line(claim: Claim) -> str:
    n = "" if claim.n is None else f" (n {claim.n:,})"
    marks = "".join(f" [{mark.title}: {mark.why}]" for mark in claim.marks)
    return f"{claim.sentence}{n}{marks}"
