"""Coordinate: create, assign, watch and adjudicate tasks of the study, and write back their results."""

import streamlit as st

from engine.annotations.tasks import tasks
from explorer.parts import components, selection
from explorer.parts.context import Context, show_page
from explorer.team import agreement, login
from explorer.team import tasks as task_parts

_DESKS = {
    "people": "People",
    "agreement": "Agreement",
    "settle": "Differences",
    "reports": "Reports and skips",
    "study": "Write to the study",
}


def render(context: Context) -> None:
    """Show the chosen task, or else the form for a new one."""
    task_parts.tell()
    database = login.database()
    every = [] if database is None else tasks(database)
    mine = {task.name: task for task in every if task.study == context.name}
    chosen = selection.value("task")
    if chosen is not None and chosen not in mine:
        components.say(f"This study has no task {chosen!r}.")
        selection.choose("task")
    with st.container(horizontal=True, vertical_alignment="bottom", key="task_head"):
        name = selection.choice("task", tuple(mine), "Task", "a new task", width=320, clears="case")
        if name is not None:
            with st.container(gap=None):
                st.text(mine[name].title)
                st.text(task_parts.task(mine[name]))
    if name is None:
        task_parts.show_new_task(context)
        return
    assert database is not None  # noqa: S101 - tasks come from it
    task = mine[name]
    desk = selection.part("desk", _DESKS, "people")
    if desk == "people":
        agreement.people(database, task)
        task_parts.show_people(database, task)
        with st.expander("Guidelines", key="task_guidelines_shown"):
            st.text(task.guidelines or "This task has no guidelines.")
    elif desk == "agreement":
        agreement.agreed(database, task)
    elif desk == "settle":
        agreement.show_disputes(database, task)
    elif desk == "reports":
        agreement.show_reports(database, task)
    else:
        task_parts.show_results(context, database, task)


show_page(render)
