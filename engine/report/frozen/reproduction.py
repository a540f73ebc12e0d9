"""Computing a frozen study's numbers again: the same, or what differs.

The folder may be anybody's: its files are read and never executed, nothing beside them is believed, and
nothing is written.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInputError, uncomputed
from engine.measures.catalogue import MEASURES
from engine.measures.measured_study import MeasuredStudy
from engine.report.frozen.content import numbers_of
from engine.report.frozen.record import (
    AGAIN,
    NUMBERS_FOLDER,
    STUDY_FOLDER,
    VERDICTS_FILE,
    FrozenFile,
    FrozenMeasure,
    FrozenNumbers,
    FrozenRecord,
    read_frozen_numbers,
    read_record,
    sha256_of,
)
from engine.report.frozen.verdicts import changed_verdicts
from engine.report.provenance import versions
from engine.store.study_files import StudyFiles
from engine.store.writer import validate_study

MOST_VERDICTS = 100
"""As many changed verdicts are named one by one."""

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Numbers that differ by less are the same: other processors and libraries add up in another order."""

Kind = Literal["file", "verdict", "number", "measure"]
ABSENT = "(absent)"


@dataclass(frozen=True)
class FrozenDifference:
    """One thing that differs: in which table, which row and field of it, and what it was and is."""

    kind: Kind
    table: str
    row: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class VersionChange:
    """A package whose version differs, None where it is not there."""

    package: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Reproduction:
    """What became of a frozen study.

    `compared` is the number of rows of numbers that were computed again, in `n_measures` measures;
    `unnamed_verdicts` how many changed verdicts are not named one by one.
    """

    record: FrozenRecord
    differences: tuple[FrozenDifference, ...]
    versions: tuple[VersionChange, ...]
    n_measures: int
    compared: int
    unnamed_verdicts: int = 0

    @property
    def is_computed(self) -> bool:
        """Whether any number could be computed again."""
        return self.n_measures > 0

    @property
    def is_same(self) -> bool:
        """Whether everything could be computed, and is as it was."""
        return self.is_computed and not self.differences

    def count(self, kind: Kind) -> int:
        return sum(each.kind == kind for each in self.differences)


def reproduce(folder: Path) -> Reproduction:
    """Compute all numbers of a frozen study again, and compare them with what they were.

    Raises BadInputError, with the remedy, for a folder that lacks a file, holds a broken one or a link, or
    is of a later version.
    """
    record = read_record(folder)
    files = _study_in(folder)
    changed = list(_changed_files(folder, record, files))
    of_tables = [each for each in changed if each.row.startswith(STUDY_FOLDER)]
    if of_tables:
        validate_study(files)
    verdicts, unnamed = _changed_verdicts(folder, files) if of_tables else ([], 0)
    study = MeasuredStudy(files)
    numbers: list[FrozenDifference] = []
    n_measures = compared = 0
    for measure in record.measures:
        before = read_frozen_numbers(folder, measure) if measure.rows else None
        after = _computed(study, measure, record)
        if isinstance(after, FrozenNumbers) and before is not None:
            n_measures, compared = n_measures + 1, compared + len(before.rows)
        numbers += _between(measure, before, after)
    return Reproduction(
        record,
        (*changed, *verdicts, *numbers),
        tuple(_version_changes(record.software)),
        n_measures,
        compared,
        unnamed,
    )


def _study_in(folder: Path) -> StudyFiles:
    if not (folder / STUDY_FOLDER / "study.json").exists():
        raise BadInputError(f"{str(folder / STUDY_FOLDER / 'study.json')!r} is missing; {AGAIN}")
    files = StudyFiles.at(folder / STUDY_FOLDER)
    files.is_packed = False  # anybody may have written what lies beside it
    return files


def _changed_files(folder: Path, record: FrozenRecord, files: StudyFiles) -> Iterator[FrozenDifference]:
    """Yield the files of another content than recorded, and tables that were added."""
    recorded = {each.path for each in record.files}
    needed = {f"{STUDY_FOLDER}/study.json", *(each.file for each in record.measures if each.rows)}
    if unlisted := sorted(needed - recorded):
        raise BadInputError(f"freeze.json lists no sum of {unlisted[0]!r}; {AGAIN}")
    for each in record.files:
        now = sha256_of(folder / each.path)
        if now == each.sha256:
            continue
        if each.path.startswith(NUMBERS_FOLDER):
            raise BadInputError(
                f"{str(folder / each.path)!r} is not as it was frozen (its SHA-256 is {now}); {AGAIN}"
            )
        yield FrozenDifference("file", _table_of(each), each.path, "sha256", each.sha256, now)
    present = {f"{STUDY_FOLDER}/{name}" for name in files.files_by_name()}
    for path in sorted(present - recorded):
        yield FrozenDifference("file", path, path, "sha256", ABSENT, sha256_of(folder / path))
    for path in sorted(each for each in recorded - present if each.startswith(f"{STUDY_FOLDER}/judgments/")):
        yield FrozenDifference("file", "judgments", path, "in use", True, False)


def _table_of(file: FrozenFile) -> str:
    name = file.path.removeprefix(f"{STUDY_FOLDER}/")
    return name.partition("/")[0].removesuffix(".parquet")


def _changed_verdicts(folder: Path, files: StudyFiles) -> tuple[list[FrozenDifference], int]:
    changed = changed_verdicts(files, folder / VERDICTS_FILE, MOST_VERDICTS)
    if changed.rows is not None:
        return [FrozenDifference("verdict", "judgments", "(all)", "rows", *changed.rows)], 0
    rows = [
        FrozenDifference("verdict", "judgments", each.judgment, each.column, each.before, each.after)
        for each in changed.first
    ]
    return rows, max(0, changed.count - MOST_VERDICTS)


def _computed(study: MeasuredStudy, measure: FrozenMeasure, record: FrozenRecord) -> FrozenNumbers | str:
    if measure.measure not in MEASURES:
        return "this version has no such measure"
    try:
        return numbers_of(study, measure.measure, record.resamples, record.seed)
    except Exception as error:  # one measure of a changed study must not hide the others
        return uncomputed(error)


def _between(
    measure: FrozenMeasure, before: FrozenNumbers | None, after: FrozenNumbers | str
) -> Iterator[FrozenDifference]:
    if before is None or isinstance(after, str):
        rows = 0 if isinstance(after, str) else len(after.rows)
        if measure.rows or rows:
            reason = after if isinstance(after, str) else f"{rows:,} rows"
            earlier = measure.reason if before is None else f"{measure.rows:,} rows"
            yield FrozenDifference("measure", measure.measure, "(all)", "rows", earlier, reason)
        return
    keys = ("slice", *MEASURES[measure.measure].keys)
    old, new = _by_name(before.rows, keys), _by_name(after.rows, keys)
    for name in dict.fromkeys([*old, *new]):
        if name not in old or name not in new:
            presence = ("present", ABSENT) if name in old else (ABSENT, "present")
            yield FrozenDifference("number", measure.measure, name, "row", *presence)
            continue
        for field, value in old[name].items():
            now = new[name].get(field, ABSENT)
            if not _is_same(value, now):
                yield FrozenDifference("number", measure.measure, name, field, value, now)
    for why, count in before.left_out.items():
        if after.left_out.get(why) != count:
            yield FrozenDifference(
                "number", measure.measure, "(left out)", why, count, after.left_out.get(why, ABSENT)
            )


def _by_name(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the rows by what identifies them; of those that are alike in that, by their place too."""
    times: dict[str, int] = defaultdict(int)
    by_name: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        text = ", ".join(f"{key}={row[key]}" for key in keys if row.get(key) is not None) or "(all)"
        times[text] += 1
        by_name[text if times[text] == 1 else f"{text} ({times[text]})"] = row
    return by_name


def _is_same(before: Any, after: Any) -> bool:
    if isinstance(before, float | int) and isinstance(after, float | int):
        return before == after or isclose(before, after, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return all(_is_same(value, after.get(name, ABSENT)) for name, value in before.items())
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_is_same, before, after))
    return bool(before == after)


def _version_changes(before: Mapping[str, str]) -> Iterator[VersionChange]:
    after = versions()
    for package in dict.fromkeys([*before, *after]):
        if before.get(package) != after.get(package):
            yield VersionChange(package, before.get(package), after.get(package))
