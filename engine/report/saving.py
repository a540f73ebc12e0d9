"""A report of a study, and a judge's card, as files whose ending is their format."""

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import UsageError
from engine.output_files import check_new_file, write_file
from engine.report import Form, written
from engine.report.exhibit import MAIN

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.report.card import CardForm

ENDINGS: dict[str, Form] = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}
"""The format of a report by the ending of its file."""

PICTURES = (".svg", ".png")


def save_report(
    study: "MeasuredStudy",
    path: str | Path,
    *,
    story: str = MAIN,
    date: str | dt.date | None = None,
    force: bool = False,
) -> Path:
    """Write the report of a study; see `Study.report`."""
    file = check_new_file(path, force=force)
    ending = file.suffix.lower()
    if ending in PICTURES:
        picture = f"a picture ({ending[1:]}) is of one judge, not of a study"
        raise UsageError(f"{picture}; write card(JUDGE, {str(path)!r}), or a report to .html or .md")
    if ending not in ENDINGS:
        raise UsageError(f"{str(path)!r} ends in neither .html nor .md, which say the format; choose another")
    write_file(file, written(study, ENDINGS[ending], story=story, date=date))
    return file


def save_card(
    study: "MeasuredStudy",
    judge: str,
    path: str | Path,
    *,
    date: str | dt.date | None = None,
    force: bool = False,
) -> Path:
    """Write the card of a judge; see `Study.card`."""
    from engine.report.card import CARD_FORMS, card_of, in_form  # with what draws

    file = check_new_file(path, force=force)
    forms: dict[str, CardForm] = {f".{form}": form for form in CARD_FORMS}
    ending = file.suffix.lower()
    if ending not in forms:
        endings = ", ".join(forms)
        raise UsageError(f"{str(path)!r} ends in none of {endings}, which say the format; choose another")
    write_file(file, in_form(card_of(study, judge, date), forms[ending]))
    return file
