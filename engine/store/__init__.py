"""A store of studies on disk or S3: the only reader and writer of `results/` (layer 1)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.fs as pafs

from engine.errors import UsageError, meant, names_of_store, unknown
from engine.store.location import Location, check_name, check_new_name, composed, is_portable, locate
from engine.store.study_files import INFO_FILE, StudyFiles, StudyInfo
from engine.wording import IMPORT, Sentence, list_of_studies, option

DEMONSTRATIONS = (
    "the demonstrations, such as demo-health, come with `spb data fetch demonstrations`, or in a folder of "
    "their own with `spb open --demo`"
)
"""Where the studies that the documentation shows are from."""

FOLDER_GIVEN = Sentence("give the folder that holds them as ", option("store"), " or SPB_STORE")
"""What to do where a store holds no study."""

Mode = Literal["new", "append", "replace"]
MODES: tuple[Mode, ...] = get_args(Mode)
Tables = Mapping[str, pa.Table | Iterable[pa.Table]]


def check_mode(mode: str) -> None:
    """Raise UsageError unless it is a mode: `new` refuses an existing study, `append` adds to it."""
    if mode not in MODES:
        raise unknown("mode", mode, MODES)


class Store:
    """All studies under one root, which is a local path or an `s3://` URL."""

    def __init__(self, root: str | Path | None = None) -> None:
        """Use `root`, else the environment variable SPB_STORE, else `./results`."""
        given = root if root is not None else os.environ.get("SPB_STORE") or "results"
        self.location: Location = locate(given)
        self.root = os.fspath(given)
        if self.location.is_local and os.path.isfile(self.location.path):
            raise UsageError(
                f"the store {self.root!r} is a file; give the folder of your studies as ",
                option("store"),
                " or SPB_STORE",
            )

    def studies(self) -> list[str]:
        """Return the names of the studies, sorted."""
        folders = [info for info in self.location.listing() if info.type == pafs.FileType.Directory]
        names = sorted(info.base_name for info in folders if not info.base_name.startswith("."))
        return [name for name in names if self.location.child(name).child(INFO_FILE).exists()]

    def open(self, name: str) -> StudyFiles:
        """Return the study of that name; UsageError, listing the studies, if there is none."""
        studies = self.studies()
        if (stored := self._stored(check_name(name), studies)) is None:
            remedy = (
                Sentence("choose from: ", names_of_store(studies, list_of_studies()))
                if studies
                else Sentence("it holds none; import one with ", IMPORT, ", or ", FOLDER_GIVEN)
            )
            demonstrations = "" if studies and not name.startswith("demo") else f"; {DEMONSTRATIONS}"
            hint = meant(name, studies)
            raise UsageError(f"unknown study {name!r} in {self.root!r}; ", remedy, hint, demonstrations)
        return StudyFiles(self.location.child(stored))

    def name_of(self, name: str) -> str:
        """Return the name under which a study is stored, or is to be stored if it is new.

        Names that differ only in how accents are composed are one. UsageError for a new name that Windows
        cannot hold, or that a command would take for an option.
        """
        check_name(name)
        if name.isascii() and is_portable(name) and not name.startswith("-"):
            return name
        return self._stored(name, self.studies()) or check_new_name(name)

    @staticmethod
    def _stored(name: str, studies: Iterable[str]) -> str | None:
        spellings = {composed(study): study for study in studies} | {study: study for study in studies}
        return spellings.get(name) or spellings.get(composed(name))

    def write(self, name: str, tables: Tables, info: StudyInfo, *, mode: Mode = "new") -> None:
        """Check `tables` (exchange form) and write them as the study `name`, whole or not at all.

        `judgments` may be an iterable of tables, which is read once and never held in memory whole. `append`
        adds to the existing study, `replace` replaces it, and `new` refuses an existing one. Raises
        BadInputError, naming table, row, value and remedy, or UsageError; in either case nothing is written.
        """
        from engine.store.writer import write_study

        write_study(self, name, tables, info, mode=mode)
