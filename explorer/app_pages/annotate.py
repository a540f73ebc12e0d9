"""Annotate: a person's own tasks, and the items of one, one after another."""

import streamlit as st

from engine.annotations.labelling import own_tasks
from engine.errors import SpbError
from explorer import address, identity
from explorer.annotating import desk, screen, task_list
from explorer.sitemap import BY_NAME


def render() -> None:
    """Show the task that was opened, else all tasks of who is here."""
    closed = identity.ask(BY_NAME["annotate"])
    if closed is not None:
        st.text(closed)
        return
    who, database = identity.visitor(), identity.database()
    name = who.name or ""
    mine = {} if database is None else {task.name: task for task in own_tasks(database, name)}
    task = mine.get(address.value("task") or "")
    if database is None or task is None:
        if address.value("task") is not None:
            address.choose("task")
        desk.put_away()
        task_list.show(database, who)
        return
    st.html(screen.STYLE)
    at = desk.opened(database, task, name)
    screen.show(at)
    st.button("All tasks", key="all_tasks", type="tertiary", on_click=address.choose, args=("task",))


try:
    render()
except SpbError as error:
    st.text(str(error))
