"""Access to studies: `[access]` in Streamlit's secrets."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import streamlit as st

from engine.errors import UsageError

TABLE = "access"
"""The table of the secrets that names who may see which studies, beside `[auth]`:

    [access]
    "demo-*" = ["*"]
    health = ["ann@example.org", "*@clinic.example.org"]
"""


ANYBODY = "*"
"""Stands for everybody, whether they have logged in or not."""


Rules = Mapping[str, tuple[str, ...]]
"""Patterns of study names, each with patterns of the e-mails that may see them."""


def access_rules() -> Rules | None:
    """Return who may see which studies, None if everybody may see all.

    Raises UsageError if the secrets cannot be read, as they may hold rules, or if the rules are malformed.
    """
    try:
        table = st.secrets.get(TABLE)
    except FileNotFoundError as error:  # also raised for a file that is not TOML
        if any(Path(place).exists() for place in st.get_option("secrets.files")):
            raise UsageError(
                "the secrets of this explorer cannot be read, so nothing is shown; correct "
                ".streamlit/secrets.toml where it is served"
            ) from error
        return None
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise _rules_error(TABLE)
    for study, emails in table.items():
        if not isinstance(emails, list) or not all(isinstance(email, str) for email in emails):
            raise _rules_error(study)
    return {study: tuple(emails) for study, emails in table.items()}


def opens(rules: Rules, study: str, email: str | None) -> bool:
    """Return whether the e-mail of a login may see a study; None stands for no login."""
    allowed = {
        person
        for pattern, emails in rules.items()
        if study == pattern or fnmatchcase(study, pattern)
        for person in emails
    }
    if ANYBODY in allowed:
        return True
    if email is None or email.count("@") != 1:
        return False
    return any(fnmatchcase(email.lower(), person.lower()) for person in allowed)


def _rules_error(place: str) -> UsageError:
    return UsageError(
        f"{place!r} of [{TABLE}] in this explorer's secrets is not a list of e-mails, so nothing is shown; "
        'write a line such as "demo-*" = ["ann@example.org", "*@example.org"] for each study'
    )
