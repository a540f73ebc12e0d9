"""Which studies are open to who is here, to be seen and to be written."""

from collections.abc import Iterable

from engine.errors import UsageError
from explorer import access, identity, login


def seen(studies: Iterable[str]) -> list[str]:
    """Return those of the studies that are open to who is here; coordinators see all of them.

    Annotators see none: whose responses they label must stay unknown to them. Raises as `identity.visitor`
    does.
    """
    rules = access.rules()
    if rules is None:
        return list(studies)
    who = identity.visitor()
    if who.role == "coordinator":
        return list(studies)
    if who.role == "annotator" or who.refused:
        return []
    return [study for study in studies if access.opens(rules, study, who.email)]


def check_writable(study: str) -> None:
    """Raise UsageError where who is here may not write the study, be it there or not.

    Where studies are open to some only, those may write who have logged in, and coordinators.
    """
    if access.rules() is None:
        return
    who = identity.visitor()
    if not seen([study]) or (who.email is None and who.role is None):
        raise UsageError(f"the study {study!r} is not yours to write; choose another name, or log in")


def shut_out() -> str | None:
    """Return words for somebody to whom no study is open; None where that is not why there is none."""
    if access.rules() is None or identity.visitor().role == "coordinator":
        return None
    if login.offered() and not login.done():
        return "The studies here are open to some people only: log in to see whether you are one of them."
    return "No study is open to you. Ask whoever runs this explorer to add your e-mail."
