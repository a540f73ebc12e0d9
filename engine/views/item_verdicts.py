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
    "shown": ("Shown", "What was judged, or shown first, and the run where there are several"),
    "reason": ("Reason", "The judge's reason; its whole answer where that could not be parsed"),
}
NOTHING = "–"


def verdicts_on(item: JudgedItem) -> ShownTable:
    """Return the verdicts on an item, a row for each; what was shown only where that is known."""
    records = [_cells(item, verdict) for verdict in item.verdicts]
    is_known = any(record["shown"] != NOTHING for record in records)
    columns = {name: words for name, words in COLUMNS.items() if name != "shown" or is_known}
    return ShownTable.under(columns, (tuple(record[name] for name in columns) for record in records), records)


def _cells(item: JudgedItem, verdict: StoredVerdict) -> dict[str, str]:
    return {
        "judge": verdict.judge,
        "relation": verdict.relation,
        "answer": f"{SIGN[verdict.against]} {answer_of(verdict)}".strip(),
        "shown": ", ".join(occasion(item, verdict)) or NOTHING,
        "reason": verdict.explanation or verdict.raw or NOTHING,
    }


def occasion(item: JudgedItem, verdict: StoredVerdict) -> list[str]:
    """Return what tells a verdict from others by its judge on the item: what was shown, run and repeat."""
    several_runs = len({each.run_id for each in item.verdicts}) > 1
    parts = (
        verdict.presentation,
        f"run {verdict.run_id}" if several_runs else None,
        f"repeat {verdict.trial}" if verdict.trial else None,
    )
    return [part for part in parts if part is not None]


def answer_of(verdict: StoredVerdict) -> str:
    """Return a judge's answer, or that it has no verdict."""
    return verdict.answer or f"no verdict ({verdict.status})"
