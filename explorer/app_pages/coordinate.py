"""Coordinate: create, assign, watch and adjudicate tasks of the study, and write back their results."""

import streamlit as st

from engine.annotations.tasks import tasks
from explorer.parts import notices, selection, view_widgets
from explorer.parts.context import Context, show_page
from explorer.team import (
    actions,
    agreement,
    disputes,
    new_task,
    reports,
    task_people,
    task_results,
    task_words,
    visitors,
)

_PARTS = {
    "people": "People",
    "agreement": "Agreement",
    "settle": "Differences",
    "reports": "Reports and skips",
    "study": "Write to the study",
}


def render(context: Context) -> None:
    """Show the chosen task, or else the form for a new one."""
    actions.show_message()
    database = visitors.database()
    all_tasks = [] if database is None else tasks(database)
    own_tasks = {task.name: task for task in all_tasks if task.study == context.name}
    name = selection.value("task")
    unknown = [] if name is None or name in own_tasks else [f"This study has no task {name!r}."]
    if unknown:
        selection.choose("task")
    notices.until_changed("task", unknown)
    with st.container(horizontal=True, vertical_alignment="bottom", key="task_head"):
        name = view_widgets.choice("task", tuple(own_tasks), "Task", "a new task", width=320, clears="case")
        if name is not None:
            with st.container(gap=None):
                st.text(own_tasks[name].title)
                st.text(task_words.task_words(own_tasks[name]))
    if name is None:
        new_task.show_new_task(context)
        return
    assert database is not None  # noqa: S101 - tasks come from it
    task = own_tasks[name]
    part = view_widgets.part("desk", _PARTS, "people")
    if part == "people":
        agreement.show_progress(database, task)
        task_people.show_people(database, task)
        with st.expander("Guidelines", key="task_guidelines_shown"):
            st.text(task.guidelines or "This task has no guidelines.")
    elif part == "agreement":
        agreement.show_agreement(database, task, context.study.index.instances.to_pylist())
    elif part == "settle":
        disputes.show_disputes(database, task)
    elif part == "reports":
        reports.show_reports(database, task)
    else:
        task_results.show_results(context, database, task)


show_page(render)
