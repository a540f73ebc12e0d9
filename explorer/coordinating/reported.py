"""What annotators told of: harmful content, and items that they skipped."""

import pandas as pd
import streamlit as st

from engine.annotations.counted import reports
from engine.annotations.database import Database
from engine.annotations.tasks import Task
from explorer import address, components
from explorer.coordinating import words

_COLUMNS = {
    "what": st.column_config.TextColumn("What"),
    "item": st.column_config.TextColumn("Item"),
    "annotator": st.column_config.TextColumn("Annotator"),
    "words": st.column_config.TextColumn("In their words", width="large"),
    "when": st.column_config.TextColumn("When (UTC)"),
}


def show(database: Database, task: Task) -> None:
    """Show reports of harmful content first, then skips with their reasons; choosing one opens its item."""
    found = reports(database, task.name)
    if not found:
        components.say("Nobody has reported or skipped anything.")
        return
    rows = [
        {
            "what": "harmful" if each.harmful else f"skipped: {words.REASONS.get(each.reason or '', '–')}",
            "item": each.item,
            "annotator": each.annotator,
            "words": each.comment or "",
            "when": each.created_at[:19].replace("T", " "),
        }
        for each in found
    ]
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    row = components.table(frame, _COLUMNS, "reports", selectable=True)
    if row is not None:
        address.choose("desk", "settle")
        address.choose("listed", "all")
        address.choose("case", found[row].item)
        st.rerun()
