"""Which studies the visitor may see and write."""

from collections.abc import Iterable

from engine.errors import SpbError, UsageError
from engine.process import read_only
from explorer.team import login, study_access, visitors


def visible_studies(studies: Iterable[str]) -> list[str]:
    """Return the studies that the visitor may see; coordinators see all of them.

    Annotators see none, as they must not know whose responses they label. Raises the same errors as
    `visitors.visitor`.
    """
    rules = study_access.access_rules()
    if rules is None or (visitor := visitors.visitor()).role == "coordinator":
        return list(studies)
    if visitor.role == "annotator" or visitor.refused:
        return []
    return [study for study in studies if study_access.opens(rules, study, visitor.email)]


def may_write() -> bool:
    """Return whether the visitor may write any study: only then do pages show what writes."""
    return writing_refusal() is None


def writing_refusal() -> str | None:
    """Return why the visitor may write no study at all; None if they may write some."""
    if read_only():
        return "this explorer is read only, so nothing can be changed here"
    try:
        visitor = visitors.visitor()
        restricted = study_access.access_rules() is not None
    except SpbError as error:
        return str(error)
    if visitor.role == "coordinator":
        return None
    if visitor.refused or visitor.role == "annotator" or not visitors.anyone_may_write():
        return f"only coordinators can change studies here{_why_closed(visitor)}"
    if restricted and visitor.email is None:
        return "log in to change studies here"
    return None


def _why_closed(visitor: visitors.Visitor) -> str:
    """Return why only coordinators may write, where that is known, and what helps."""
    helps = "; open this page with a coordinator's link or login"
    if visitor.refused or visitor.role == "annotator" or not visitors.has_people_with_links():
        return helps
    return f", since people have personal links for labelling{helps}"


def check_writable(study: str) -> None:
    """Raise UsageError if the visitor may not write the study, whether or not it exists.

    Where others than the user of this machine reach the explorer, only coordinators may write, unless it was
    started with SPB_ANYONE_MAY_WRITE=1: then all may, or, if access is restricted, those who have logged in.
    """
    refusal = writing_refusal()
    if refusal is not None:
        raise UsageError(refusal)
    if not visible_studies([study]):
        raise UsageError(f"you may not change the study {study!r}; choose another name, or log in")


def closed_message() -> str | None:
    """Return a message for a visitor who may see no study; None if access is not the reason."""
    if study_access.access_rules() is None or visitors.visitor().role == "coordinator":
        return None
    if login.is_offered() and not login.is_logged_in():
        return "Access to these studies is restricted. Log in to see those that are open to you."
    return "You have no access to any study. Ask whoever runs this explorer to add your e-mail."
