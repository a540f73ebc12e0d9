"""What annotators reported: harmful content, and items that they skipped."""

import streamlit as st

from engine.annotations.counted_labels import reports
from engine.annotations.database import Database
from engine.annotations.tasks import Task
from explorer.parts import components, selection
from explorer.team.task_words import REASONS

_REPORT_COLUMNS = {
    "what": "What",
    "item": "Item",
    "annotator": "Labeller",
    "words": st.column_config.TextColumn("Comment", width="large"),
    "when": st.column_config.TextColumn("When (UTC)"),
}


def show_reports(database: Database, task: Task) -> None:
    """Show reports of harmful content first, then skips with their reasons; choosing one opens its item."""
    notes = reports(database, task.name)
    if not notes:
        components.say("Nobody has reported or skipped anything.")
        return
    rows = [
        {
            "what": "harmful" if each.harmful else f"skipped: {REASONS.get(each.reason or '', '–')}",
            "item": each.item,
            "annotator": each.annotator,
            "words": each.comment or "",
            "when": each.created_at[:19].replace("T", " "),
        }
        for each in notes
    ]
    row = components.table(rows, _REPORT_COLUMNS, "reports", selectable=True)
    if row is not None:
        selection.choose("desk", "settle")
        selection.choose("listed", "all")
        selection.choose("case", notes[row].item)
        st.rerun()
