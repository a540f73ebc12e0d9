"""Every judge's verdict on one answer, or on one pair: the rows beneath a judgment that is read."""

from engine.explore.judgment_detail import JudgedItem, StoredVerdict
from engine.views.shown import ShownTable

SIGN = {"agrees": "=", "overestimates": "▲", "underestimates": "▼", None: ""}
"""The mark of a verdict, by how it compares with the reference."""

SIGNS = "= agrees with the reference; ▲ passes what it fails; ▼ fails what it passes."

COLUMNS = {
    "judge": ("Judge", ""),
    "relation": ("Relation", "To the model whose answer it is"),
    "answer": ("Answer", "= agrees with the reference, ▲ passes what it fails, ▼ fails what it passes"),
    "shown": ("Shown", "What was judged, or shown first"),
    "reason": ("Reason", "The judge's reason; its whole answer where that could not be parsed"),
}
NOTHING = "–"


def verdicts_on(item: JudgedItem) -> ShownTable:
    """Return the verdicts on an item, a row for each; what was shown only where that is known."""
    records = [_cells(verdict) for verdict in item.verdicts]
    is_known = any(record["shown"] != NOTHING for record in records)
    columns = {name: words for name, words in COLUMNS.items() if name != "shown" or is_known}
    return ShownTable.under(columns, (tuple(record[name] for name in columns) for record in records), records)


def _cells(verdict: StoredVerdict) -> dict[str, str]:
    return {
        "judge": verdict.judge,
        "relation": verdict.relation,
        "answer": f"{SIGN[verdict.against]} {answer_of(verdict)}".strip(),
        "shown": verdict.presentation or NOTHING,
        "reason": verdict.explanation or verdict.raw or NOTHING,
    }


def answer_of(verdict: StoredVerdict) -> str:
    """Return a judge's answer, or that it has no verdict."""
    return verdict.answer or f"no verdict ({verdict.status})"
