"""Annotate: the visitor's own tasks, and the items of one task, one at a time."""

import streamlit as st

from engine.annotations.progress import own_tasks
from engine.errors import SpbError
from explorer.page_list import BY_NAME
from explorer.parts import notices, page_width, selection
from explorer.team import label_session, screen, task_list, visitors


def render() -> None:
    """Show the opened task, or else all tasks of the visitor."""
    refusal = visitors.refusal(BY_NAME["annotate"])
    if refusal is not None:
        st.text(refusal)
        return
    visitor, database = visitors.visitor(), visitors.database()
    name = visitor.name or ""
    tasks = {} if database is None else {task.name: task for task in own_tasks(database, name)}
    task = tasks.get(selection.value("task") or "")
    if database is None or task is None:
        unknown = selection.value("task")
        if unknown is not None:
            selection.choose("task")
        notices.until_changed("task", [] if unknown is None else [f"You have no task {unknown!r}."])
        label_session.close_session()
        task_list.show_tasks(database, visitor)
        return
    st.html(screen.STYLE)
    session = label_session.open_session(database, task, name)
    screen.show_screen(session)
    st.button("All tasks", key="all_tasks", type="tertiary", on_click=selection.choose, args=("task",))


try:
    render()
except SpbError as error:
    st.text(str(error))
page_width.watch_width()  # of which the links to the other pages make use
