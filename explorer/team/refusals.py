"""What a visitor who may not change studies reads, and the command that makes them a link."""

import os

import streamlit as st

from engine.annotations.people import local_name, people
from engine.phrases import sentence_case
from engine.wording import command_line, in_store
from explorer.parts import components
from explorer.serving.addresses import is_public
from explorer.team import visitors


def show_writing_refusal(refusal: str) -> None:
    """Show why the visitor may write no study, see `permissions.writing_refusal`, and what helps."""
    components.say(f"{sentence_case(refusal)}.", key="read_only")
    show_new_link()


def show_new_link() -> None:
    """Show the command that makes a coordinator's link, where the visitor may be the user of this machine."""
    visitor = visitors.visitor()
    if visitor.role is None and visitor.refused is None and not is_public():
        command = _new_link_command()
        if command is not None:
            components.note("On this machine, this command makes a new link:", key="new_link_command")
            st.code(command, language=None)


def _new_link_command() -> str | None:
    """Return the command for the user's own link, else another coordinator's; None if nobody needs one."""
    if not visitors.has_people_with_links():
        return None
    database, own = visitors.database(), local_name()
    assert database is not None  # noqa: S101 - people have links in it
    coordinators = [person for person in people(database) if person.role == "coordinator"]
    names = sorted(coordinators, key=lambda person: (person.name != own, person.link == "none"))
    words = ("renew", names[0].name) if names else ("add", own, "--role", "coordinator")
    with in_store(os.environ.get("SPB_STORE") or None):
        return command_line("label", "people", *words)
