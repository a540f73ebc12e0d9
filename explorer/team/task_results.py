"""Writing a task's labels to its study, and closing it."""

from typing import Any

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.disputes import disputes
from engine.annotations.label_rows import annotation_rows, export_task
from engine.annotations.tasks import Task, close_task
from engine.phrases import quantity
from engine.process import read_only
from engine.store import Store
from explorer.parts import components
from explorer.parts.context import Context, open_page
from explorer.team.actions import button

_IN_REFERENCE = (
    "of each person also become references from the source human:NAME, and count in the reference human, "
    "the majority of all people; what it was without them is human:unnamed."
)
_BACK = {
    "equal_pair": "On the Equal quality page they can replace the automatic labels.",
    "clusters": "On the Equal quality page they can replace the automatic labels.",
    "preference": "Preferences of each person also become gold preferences from the source human:NAME.",
    "rubric_verdict": f"Verdicts {_IN_REFERENCE}",
    "score": f"Scores {_IN_REFERENCE}",
}


def show_results(context: Context, database: Database, task: Task) -> None:
    """Show what would be written, the button that writes it, and the one that closes or opens the task."""
    rows = annotation_rows(database, task.name)
    n_open = sum(not dispute.settled for dispute in disputes(database, task.name))
    lines = [
        f"{len(rows):,} labels, skips and decisions would be written into {task.study}. {_BACK[task.kind]}",
        "This replaces what was written of this task before.",
    ]
    if n_open:
        items = quantity(n_open, "item")
        lines.append(f"On {items} people differ and nothing is decided; there the majority counts.")
    components.say(*lines, key="handing")
    with st.container(horizontal=True, vertical_alignment="center"):
        look: dict[str, Any] = {"type": "primary", "icon": ":material/save:"}
        look |= {"disabled": not rows or read_only()}
        button("Write to the study", "export_task", _write, context.root, database, task, **look)
        label = "Reopen the task" if task.closed else "Close the task"
        icon = ":material/lock_open:" if task.closed else ":material/lock:"
        button(label, "close_task", _close, database, task, icon=icon)
        if task.kind in ("equal_pair", "clusters") and st.button(
            "Equal quality by these labels", key="by_labels"
        ):
            open_page("equal_quality", study=(task.study,), quality=("human",))


def _write(root: str, database: Database, task: Task) -> str:
    counts = export_task(database, task.name, Store(root).open(task.study))
    words = f"{task.study} has {counts.words()} of this task now."
    if counts.outdated:
        labels = quantity(counts.outdated, "label")
        words += f" {labels} left out, as the texts in {task.study} have changed since."
    return words


def _close(database: Database, task: Task) -> str:
    close_task(database, task.name, closed=not task.closed)
    return "The task is open again." if task.closed else "The task is closed."
