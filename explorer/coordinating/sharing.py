"""Who labels a task, and the personal links that they come with."""

import os

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.people import (
    ADDRESS_VARIABLE,
    ROLES,
    Person,
    add_person,
    anybody_known,
    link,
    local_name,
    people,
    renew_token,
)
from engine.annotations.tasks import Task, assign, assigned_people, lacking
from explorer import components, identity, served
from explorer.coordinating import acting

_LINK, _NAME = "_new_link", "person_name"
_FIRST = "The first link is your own, a coordinator's: from then on both pages ask for a link."


def show(database: Database, task: Task) -> None:
    """Show to whom items can be given, and make links."""
    st.subheader("Who labels", anchor=False)
    _assign(database, task)
    _new_link()
    with st.expander("Annotators and their personal links", key="people"):
        _people(database)


def _assign(database: Database, task: Task) -> None:
    holders = assigned_people(database, task.name)
    known = [person.name for person in people(database)]
    if identity.visitor().local and local_name() not in known:
        known.append(local_name())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect("Annotators", known, key=_chosen_key(task), placeholder="choose")
        if task.overlap is not None:
            st.number_input(
                "People for each item", task.overlap, 100, task.overlap, width=170, key=_overlap_key(task)
            )
        st.button(
            "Give them items",
            key="assign",
            type="primary",
            disabled=not chosen,
            on_click=acting.act,
            args=(_give, database, task),
        )
    short = lacking(database, task.name)
    if not holders:
        st.text("Nobody has items of this task yet.")
    elif short:
        st.text(f"{short:,} items have fewer people than they should: choose more annotators.")


def _chosen_key(task: Task) -> str:
    return f"assign_to_{task.name}"


def _overlap_key(task: Task) -> str:
    return f"overlap_of_{task.name}_{task.overlap}"


def _give(database: Database, task: Task) -> str:
    chosen: list[str] = st.session_state[_chosen_key(task)]
    overlap = None if task.overlap is None else int(st.session_state[_overlap_key(task)])
    if identity.visitor().local and local_name() in chosen:
        acting.me(database)
    given = assign(database, task.name, chosen, overlap)
    return "; ".join(f"{person}: {number:,} new items" for person, number in given.items())


def _people(database: Database) -> None:
    """Show everybody, and make or renew links."""
    found = people(database)
    for person in found:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(_told(person), width=420)
            st.button(
                "New link",
                key=f"renew_{person.name}",
                help="The old link ends",
                on_click=acting.act,
                args=(_renew, database, person.name),
            )
    first = identity.visitor().local and not anybody_known(database)
    if first:
        components.note(_FIRST, key="first_link")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key=_NAME, max_chars=100, width=220)
        st.selectbox("Role", ("coordinator",) if first else ROLES, key=_role_key(first), width=170)
        st.button(
            "Add and make a link",
            key="add_person",
            disabled=not name.strip(),
            on_click=acting.act,
            args=(_add, database, first),
        )


def _told(person: Person) -> str:
    link = {"works": "has a link", "ended": "link ended", "none": "no link"}[person.link]
    return f"{person.name}: {person.role}, {link}" + (f", {person.email}" if person.email else "")


def _role_key(first: bool) -> str:
    return f"person_role_{first}"


def _add(database: Database, first: bool) -> str:
    name, role = st.session_state[_NAME].strip(), st.session_state[_role_key(first)]
    _linked(name, add_person(database, name, role), mine=first)
    return f"{name} was added."


def _renew(database: Database, name: str) -> str:
    first = identity.visitor().local and not anybody_known(database)
    _linked(name, renew_token(database, name), mine=first or name == identity.visitor().name)
    return f"{name} has a new link; the old one opens nothing any more."


def _linked(name: str, token: str, *, mine: bool) -> None:
    """Keep a link until it is put away; one's own is used at once, since this page asks for it now."""
    origin = served.origin()
    opened = None if origin is None else origin + served.path()
    address = os.environ.get(ADDRESS_VARIABLE) or opened
    st.session_state[_LINK] = (name, link(address, token))
    if mine:
        st.query_params[identity.TOKEN] = token


def _new_link() -> None:
    """Show the link that was just made; it is stored nowhere."""
    kept = st.session_state.get(_LINK)
    if kept is None:
        return
    with st.container(border=True, key="new_link"):
        st.text(f"The link of {kept[0]}. Send it to nobody else: it cannot be shown again.")
        st.code(kept[1], language=None)
        st.button("Put it away", key="put_away_link", on_click=lambda: st.session_state.pop(_LINK, None))
