"""The annotators of a task, and their personal links."""

import os
from collections.abc import Mapping

import streamlit as st

from engine.annotations.database import Database
from engine.annotations.people import (
    ADDRESS_VARIABLE,
    ROLES,
    Person,
    add_person,
    has_accounts,
    link,
    local_name,
    people,
    renew_token,
)
from engine.annotations.tasks import Task, assign, assigned_people, count_understaffed
from engine.phrases import quantity
from explorer.parts import components
from explorer.team import server_address, visitors
from explorer.team.actions import button, coordinator_name


def is_own(name: str) -> bool:
    return visitors.visitor().local and name == local_name()


_LINK, _PERSON = "_new_link", "person_name"
_OWN = "It is yours, as coordinator: keep it, since it opens this explorer for you in any other browser."


def makes_first_link() -> bool:
    """Return whether a link that the visitor makes now would be the first of this store."""
    database = visitors.database()
    return visitors.visitor().local and (database is None or not has_accounts(database))


def first_link_words() -> str:
    """Return what changes with the first link of a store, for whom, and what the coordinator keeps."""
    closes = "" if visitors.anyone_may_write() else "only coordinators can change studies here, and "
    return (
        f"From the first link on, {closes}Annotate and Coordinate ask for a link. Yours, as coordinator, is "
        "made first, used in this browser and shown here once: keep it for any other browser."
    )


def show_people(database: Database, task: Task) -> None:
    """Show who can be assigned items, and create links."""
    st.subheader("Who labels", anchor=False)
    _assign(database, task)
    _new_link()
    with st.expander("Labellers and their personal links", key="people"):
        _list_people(database)


def _assign(database: Database, task: Task) -> None:
    assigned = assigned_people(database, task.name)
    candidates = [person.name for person in people(database)]
    if visitors.visitor().local and local_name() not in candidates:
        candidates.append(local_name())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.multiselect("Labellers", candidates, key=_annotators_key(task), placeholder="choose")
        if task.overlap is not None:
            st.number_input(
                "People per item", task.overlap, 100, task.overlap, width=170, key=_overlap_key(task)
            )
        button("Assign items", "assign", _assign_items, database, task, type="primary", disabled=not names)
    n_short = count_understaffed(database, task.name)
    if not assigned:
        st.text("No items of this task are assigned yet.")
    elif n_short:
        st.text(f"{quantity(n_short, 'item')} with fewer people than there should be: choose more labellers.")


def _annotators_key(task: Task) -> str:
    return f"assign_to_{task.name}"


def _overlap_key(task: Task) -> str:
    return f"overlap_of_{task.name}_{task.overlap}"


def _assign_items(database: Database, task: Task) -> str:
    annotators: list[str] = st.session_state[_annotators_key(task)]
    overlap = None if task.overlap is None else int(st.session_state[_overlap_key(task)])
    return assigned_words(invite_and_assign(database, task.name, annotators, [], overlap))


def invite_and_assign(
    database: Database, task: str, annotators: list[str], newcomers: list[str], overlap: int | None
) -> dict[str, int]:
    """Add newcomers, each with a link, and assign a task's items; return how many each got.

    The first link of all is the coordinator's own, since from then on the pages ask for one.
    """
    if any(map(is_own, annotators)):
        coordinator_name(database)
    if newcomers and makes_first_link():
        own = local_name()
        earlier = {person.name for person in people(database)}
        token = renew_token(database, own) if own in earlier else add_person(database, own, "coordinator")
        _store_link(own, token, is_own=True)
    for name in newcomers:
        _store_link(name, add_person(database, name), is_own=False)
    return assign(database, task, annotators, overlap)


def assigned_words(counts: Mapping[str, int]) -> str:
    """Return how many items each person got."""
    return "; ".join(f"{person}: {number:,} new items" for person, number in counts.items())


def _list_people(database: Database) -> None:
    members = people(database)
    for person in members:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(_person_words(person), width=420)
            key, consequence = f"renew_{person.name}", "The old link stops working"
            button("New link", key, _renew, database, person.name, help=consequence)
    first = makes_first_link()
    if first:
        components.note(first_link_words(), key="first_link")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key=_PERSON, max_chars=100, width=220)
        st.selectbox("Role", ("coordinator",) if first else ROLES, key=_role_key(first), width=170)
        button("Add and make a link", "add_person", _add, database, first, disabled=not name.strip())


def _person_words(person: Person) -> str:
    link = {"works": "has a link", "ended": "link ended", "none": "no link"}[person.link]
    return f"{person.name}: {person.role}, {link}" + (f", {person.email}" if person.email else "")


def _role_key(first: bool) -> str:
    return f"person_role_{first}"


def _add(database: Database, first: bool) -> str:
    name, role = st.session_state[_PERSON].strip(), st.session_state[_role_key(first)]
    _store_link(name, add_person(database, name, role), is_own=first)
    return f"{name} was added."


def _renew(database: Database, name: str) -> str:
    first = makes_first_link()
    _store_link(name, renew_token(database, name), is_own=first or name == visitors.visitor().name)
    return f"{name} has a new link; the old one no longer works."


def _store_link(name: str, token: str, *, is_own: bool) -> None:
    """Store a link until it is hidden; the visitor's own is used at once, as this page needs it now."""
    origin = server_address.origin()
    address = None if origin is None else origin + server_address.base_path()
    links: dict[str, str] = st.session_state.setdefault(_LINK, {})
    links[name] = link(os.environ.get(ADDRESS_VARIABLE) or address, token)
    if is_own:
        st.query_params[visitors.TOKEN] = token


def _new_link() -> None:
    """Show the new links, which only this session holds."""
    links: dict[str, str] = st.session_state.get(_LINK) or {}
    if not links:
        return
    with st.container(border=True, key="new_link"):
        for name, address in links.items():
            own = f"{_OWN} " if name == visitors.visitor().name else ""
            st.text(f"Link for {name}. {own}Send it to nobody else: it cannot be shown again.")
            st.code(address, language=None)
        st.button("Hide", key="put_away_link", on_click=lambda: st.session_state.pop(_LINK, None))
