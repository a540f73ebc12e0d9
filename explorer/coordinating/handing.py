"""A task's labels into its study, and its end."""

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.decisions import disputes
from engine.annotations.exchange import annotation_rows, export_task
from engine.annotations.tasks import Task, close_task
from engine.read_only import read_only
from engine.store import Store
from explorer import components, context
from explorer.coordinating import acting

_BACK = {
    "equal_pair": "On the Equal quality page they can stand in the place of the automatic labels.",
    "clusters": "On the Equal quality page they can stand in the place of the automatic labels.",
    "preference": "Preferences of each person also become gold preferences from the source human:NAME.",
    "rubric_verdict": "Verdicts of each person also become references from the source human:NAME.",
    "score": "Scores of each person also become references from the source human:NAME.",
}


def show(here: context.Context, database: Database, task: Task) -> None:
    """Show what would be written, the button that writes it, and the one that closes or opens the task."""
    rows = annotation_rows(database, task.name)
    still = sum(not dispute.settled for dispute in disputes(database, task.name))
    lines = [
        f"{len(rows):,} labels, skips and decisions would be written into {task.study}. {_BACK[task.kind]}"
    ]
    lines.append("What was written of this task before is replaced.")
    if still:
        lines.append(f"On {still:,} items people differ, and nothing is decided: there most of them count.")
    components.say(*lines, key="handing")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Write into the study",
            key="export_task",
            type="primary",
            icon=":material/save:",
            disabled=not rows or read_only(),
            on_click=acting.act,
            args=(_write, here.root, database, task),
        )
        st.button(
            "Take labels again" if task.closed else "Take no more labels",
            key="close_task",
            icon=":material/lock_open:" if task.closed else ":material/lock:",
            on_click=acting.act,
            args=(_close, database, task),
        )
        if task.kind in ("equal_pair", "clusters") and st.button(
            "Equal quality by these labels", key="by_labels"
        ):
            context.open_page("equal_quality", study=(task.study,), quality=("human",))


def _write(root: str, database: Database, task: Task) -> str:
    told = export_task(database, task.name, Store(root).open(task.study))
    counts = f"{told.annotations:,} annotations, {told.references:,} references"
    return f"{task.study} has {counts} and {told.preferences:,} preferences of this task now."


def _close(database: Database, task: Task) -> str:
    close_task(database, task.name, closed=not task.closed)
    return "It takes labels again." if task.closed else "It takes no more labels."
