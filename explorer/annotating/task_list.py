"""A person's own tasks: how far each is, and its guidelines."""

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.labelling import OwnTask, own_tasks, progress
from explorer import address, components, identity, texts
from explorer.identity import Visitor

_KINDS = {
    "equal_pair": "pairs: which is better, or equal",
    "preference": "pairs: which is preferred",
    "rubric_verdict": "criteria met or not",
    "score": "scores",
    "clusters": "levels of quality",
}


def show(database: Database | None, who: Visitor) -> None:
    """Show the tasks of who is here."""
    name = who.name or ""
    mine = [] if database is None else own_tasks(database, name)
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.header("Annotate", anchor=False, width="content")
        st.text(f"Tasks of {name}", width="stretch")
        identity.leave_button()
    if not mine:
        words = "There is nothing to label for you yet."
        if who.local:
            words += (
                f" Make a task on the page Coordinate, under More, and assign it to {name!r}; "
                "docs/annotating.md shows how."
            )
        components.say(words, key="no_task")
    for number, task in enumerate(mine):
        assert database is not None  # noqa: S101 - tasks come from it
        _task(database, task, name, number)


def _task(database: Database, task: OwnTask, name: str, number: int) -> None:
    far = progress(database, task.name, name)
    with st.container(border=True, key=f"task_{number}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(key=f"title_{number}", gap=None):
                st.text(task.title)
                st.text(f"{_KINDS[task.kind]}; {far.done:,} of {far.total:,} done")
            words = "Closed" if task.closed else "Look back" if far.done == far.total else "Go on"
            words = "Start" if words == "Go on" and not far.done else words
            st.button(
                words,
                key=f"open_{number}",
                type="primary" if words in ("Start", "Go on") else "secondary",
                on_click=address.choose,
                args=("task", task.name),
            )
        st.progress(far.done / far.total if far.total else 0.0)
        if task.guidelines:
            folded = st.expander("Guidelines", key=f"guidelines_{number}")
            with folded, st.container(key=f"text_ltr_guide_{number}"):
                texts.write(task.guidelines, rendered=True)
