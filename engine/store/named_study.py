"""Which study is meant: a name in a store, a path, or none where only one can be meant."""

import os
from pathlib import Path

from engine.errors import UsageError, names_of_store, quoted
from engine.store import DEMONSTRATIONS, FOLDER_GIVEN, Store
from engine.store.location import locate
from engine.store.study_files import INFO_FILE, StudyFiles
from engine.wording import IMPORT, list_of_studies, option

VARIABLE = "SPB_STUDY"
"""The environment variable with the name or path of the study that is meant if none is given."""


def is_path(text: str) -> bool:
    """Return whether a text is a path or an address, not the plain name of a study."""
    return text in (".", "..") or text.startswith("~") or any(mark in text for mark in ("/", "\\"))


def only_study(store: str | Path | None) -> str:
    """Return the name of the only study of a store; UsageError if it holds none or several."""
    folder = Store(store)
    studies = folder.studies()
    if len(studies) == 1:
        return studies[0]
    if not studies:
        raise UsageError(
            f"no study is named, and the store {folder.root!r} holds none; import one with ",
            IMPORT,
            ", or ",
            FOLDER_GIVEN,
            f"; {DEMONSTRATIONS}",
        )
    raise UsageError(
        "no study is named; give one of ",
        names_of_store(studies, list_of_studies()),
        f", or set {VARIABLE} (the store: {folder.root!r})",
    )


def find_study(study: str | Path | None, store: str | Path | None = None) -> StudyFiles:
    """Return the files of a study given by name, by path, or not at all.

    A folder of the working directory that holds a study is opened before one of that name in the store.
    """
    if study is None:
        study = os.environ.get(VARIABLE) or only_study(store)
    if not isinstance(study, str | os.PathLike):
        raise UsageError(
            f"the study is {quoted(study)}; give its name or its folder, such as 'results/demo-health'"
        )
    text = os.fspath(study)
    if not isinstance(study, str) or is_path(text):
        if store is not None:
            given = option("store")
            raise UsageError(f"{text!r} is a path; leave ", given, " out, or give the study's name alone")
        return StudyFiles.at(study)
    if store is None and text and "\0" not in text and locate(text).child(INFO_FILE).exists():
        return StudyFiles.at(study)
    return Store(store).open(text)
