"""Which studies the server opens to whom.

The table `[access]` of Streamlit's secrets stands beside `[auth]`, and names who may see which studies:

    [access]
    "demo-*" = ["*"]
    health = ["ann@example.org", "*@clinic.example.org"]
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import streamlit as st

from engine.errors import UsageError

TABLE = "access"
ANYBODY = "*"
"""Stands for everybody, whether they have logged in or not."""

Rules = Mapping[str, tuple[str, ...]]
"""Patterns of studies' names, and of the e-mails that each of them is open to."""


def rules() -> Rules | None:
    """Return who may see which studies, None where every study is open to all.

    Raises UsageError where the secrets cannot be read, since they may say so, or where they say it wrongly.
    """
    try:
        table = st.secrets.get(TABLE)
    except FileNotFoundError as error:  # also where there is a file that is no TOML
        if any(Path(place).exists() for place in st.get_option("secrets.files")):
            raise UsageError(
                "the secrets of this explorer cannot be read, so nothing is shown; correct "
                ".streamlit/secrets.toml where it is served"
            ) from error
        return None
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise _wrong(TABLE)
    return {study: _people(study, listed) for study, listed in table.items()}


def opens(rules: Rules, study: str, email: str | None) -> bool:
    """Return whether a study is open to the e-mail of a login; None for somebody without one."""
    listed = {
        person
        for pattern, people in rules.items()
        if study == pattern or fnmatchcase(study, pattern)
        for person in people
    }
    if ANYBODY in listed:
        return True
    if email is None or email.count("@") != 1:
        return False
    return any(fnmatchcase(email.lower(), person.lower()) for person in listed)


def _people(study: str, listed: object) -> tuple[str, ...]:
    if not isinstance(listed, list) or not all(isinstance(person, str) for person in listed):
        raise _wrong(study)
    return tuple(listed)


def _wrong(place: str) -> UsageError:
    return UsageError(
        f"{place!r} of [{TABLE}] in this explorer's secrets is no list of e-mails, so nothing is shown; "
        'write a line such as "demo-*" = ["ann@example.org", "*@example.org"] for each study'
    )
