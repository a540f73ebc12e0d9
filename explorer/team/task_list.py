"""A person's own tasks, with progress and guidelines."""

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.progress import OwnTask, own_tasks, progress
from explorer.page_list import BY_NAME
from explorer.parts import components, safe_text, selection
from explorer.team import visitors
from explorer.team.task_words import repeat_words
from explorer.team.visitors import Visitor

_KINDS = {
    "equal_pair": "pairs: which is better, or equal",
    "preference": "pairs: which is preferred",
    "rubric_verdict": "criteria met or not",
    "score": "scores",
    "clusters": "levels of quality",
}


def show_tasks(database: Database | None, visitor: Visitor) -> None:
    """Show the visitor's tasks."""
    name = visitor.name or ""
    tasks = [] if database is None else own_tasks(database, name)
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.header("Annotate", anchor=False, width="content")
        st.text(f"Tasks of {name}", width="stretch")
        visitors.leave_button()
    if not tasks:
        words = "You have nothing to label yet."
        if visitor.local:
            words += f" Create a task on the page Coordinate, and assign it to {name!r}."
        components.say(words, key="no_task")
        if visitor.local:
            page = BY_NAME["coordinate"]
            st.page_link(page.path, label="Create a task", icon=page.icon)
    for number, task in enumerate(tasks):
        assert database is not None  # noqa: S101 - tasks come from it
        _task(database, task, name, number)


def _task(database: Database, task: OwnTask, name: str, number: int) -> None:
    status = progress(database, task.name, name)
    with st.container(border=True, key=f"task_{number}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(key=f"title_{number}", gap=None):
                st.text(task.title)
                done = f"{status.done:,} of {status.total:,} done"
                st.text("; ".join(filter(None, (_KINDS[task.kind], done, repeat_words(status.repeated)))))
            words = "Closed" if task.closed else "Look back" if status.done == status.total else "Go on"
            words = "Start" if words == "Go on" and not status.done else words
            st.button(
                words,
                key=f"open_{number}",
                type="primary" if words in ("Start", "Go on") else "secondary",
                on_click=selection.choose,
                args=("task", task.name),
            )
        st.progress(status.done / status.total if status.total else 0.0)
        if task.guidelines:
            expander = st.expander("Guidelines", key=f"guidelines_{number}")
            with expander, st.container(key=f"text_ltr_guide_{number}"):
                safe_text.write(task.guidelines, rendered=True)
