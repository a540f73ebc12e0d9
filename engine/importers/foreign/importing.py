"""From a file of another tool to a study: read, report, and write only then."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.importers.foreign.families import NONE, Corrections
from engine.importers.foreign.formats import Asked, Format
from engine.importers.foreign.gathered import Gathered
from engine.importers.foreign.opened import found_at
from engine.importers.foreign.report import MappingReport, mapping_report
from engine.importers.foreign.rows import BadRowError, Tally, refuse
from engine.importers.limits import OWN, Limits, limited
from engine.store import Store, StudyInfo
from engine.store.store import Mode
from engine.store.writer import WriteReport, write_sources

_PEOPLE = re.compile(r"(human|person|people|annotator|rater|expert|crowd|worker)[-_ ]?\d*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read: its report, and the study that can be written of it."""

    report: MappingReport
    name: str
    info: StudyInfo
    gathered: Gathered

    def write(self, store: Store, name: str | None = None, *, mode: Mode = "new") -> WriteReport:
        """Write it under the checks of every import; `name` else the file's. Raises as `Store.write`."""
        return write_sources(store, name or self.name, self.gathered.sources(), self.info, mode=mode)


@contextmanager
def reading(
    form: Format,
    path: str | Path,
    asked: Asked | None = None,
    *,
    corrections: Corrections = NONE,
    strict: bool = False,
    limits: Limits = OWN,
) -> Iterator[Reading]:
    """Read a file or folder row by row and yield what it holds; bad rows are counted and shown.

    With `strict` the first bad row raises BadInputError, as do, always, a file that is not of the format and
    one beyond the `limits`.
    What was read lies in a temporary folder and is gone when the context ends.
    """
    asked = asked or Asked()
    form.check(asked)
    source = found_at(path)
    tally = Tally(strict=strict)
    with (
        tempfile.TemporaryDirectory(prefix="spb-import-") as folder,
        Gathered(Path(folder), corrections) as into,
        limited(limits) as allowed,
    ):
        reader = form.reader(source, asked, tally)
        for row in reader.rows():
            tally.saw(row)
            allowed.check_rows(row.file, tally.read)
            try:
                into.add(reader.read(row))
            except BadRowError as bad:
                tally.leave_out(row.file, row.number, bad)
        if tally.lost == tally.read:
            told = "; ".join(f"{why}: {out.examples[0]}" for why, out in list(tally.left_out.items())[:3])
            raise refuse(source.name, f"it has no row of the format ({told or 'it is empty'})", form.expected)
        _note_models(tally, into)
        fields = getattr(reader, "fields", form.fields)
        report = mapping_report(form, tally, into, fields)
        info = StudyInfo(
            title=f"{form.title}: {source.name}",
            dataset=source.stem,
            provenance="imported",
            source=form.source or None,
            notes=form.notes,
        )
        yield Reading(report, study_name(source), info, into)


def _note_models(tally: Tally, into: Gathered) -> None:
    """Note models that are not in the file, and judges that look like people."""
    corrections = into.corrections
    for model in [name for name in corrections.names if corrections.named(name) not in into.models]:
        tally.note(f"the models file names {model!r}, which the import does not have")
    people = [name for name in into.judges if _PEOPLE.match(name)]
    if people:
        tally.note(
            f"{', '.join(people[:5])} look like people, not judges: import what they say as references "
            "(table: --map reference_met=FIELD, or preference, and reference_source)"
        )


def study_name(path: Path) -> str:
    """Return a study's name made of a file's; `imported` where nothing of that can be used."""
    stem = path.name.removesuffix(".gz").rpartition(".")[0] if path.is_file() else path.resolve().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._") or "imported"
