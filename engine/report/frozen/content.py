"""Freezing a study: the folder with its tables, every number that they give, and how they were computed."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import SpbError, StudyChangedError, UsageError, printable
from engine.findings.commands import command_of
from engine.measures.catalogue import MEASURES
from engine.measures.compute import RESAMPLES
from engine.measures.result import Result
from engine.report.audit.methods import methods_of
from engine.report.frozen.record import (
    NUMBERS_FOLDER,
    RECORD_FILE,
    STUDY_FOLDER,
    VERDICTS_FILE,
    VERSION,
    FrozenFile,
    FrozenMeasure,
    FrozenNumbers,
    FrozenRecord,
    sha256_of,
)
from engine.report.frozen.verdicts import write_verdicts
from engine.report.provenance import versions
from engine.report.references import bibliography, references_of
from engine.store.location import locate
from engine.store.publish import disk_error, staging
from engine.store.study_files import StudyFiles
from engine.views.audit import answers

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

SEED = 0


@dataclass(frozen=True)
class FrozenContent:
    """What a study gives: the numbers of each measure, or why it has none, and the methods as text."""

    study: "MeasuredStudy"
    stamp: str
    numbers: Mapping[str, FrozenNumbers]
    measures: tuple[FrozenMeasure, ...]
    methods: str
    references: str

    @property
    def n_rows(self) -> int:
        return sum(each.rows for each in self.measures)


def content_of(study: "MeasuredStudy") -> FrozenContent:
    """Compute every measure of a study with its default options."""
    stamp = study.files.stamp()
    numbers, measures = {}, []
    for name in MEASURES:
        computed = numbers_of(study, name, RESAMPLES, SEED)
        command = command_of(f"./{STUDY_FOLDER}", name, {})
        if isinstance(computed, FrozenNumbers):
            numbers[name] = computed
            measures.append(FrozenMeasure(measure=name, rows=len(computed.rows), command=command))
        else:
            measures.append(FrozenMeasure(measure=name, rows=0, reason=computed, command=command))
    methods = methods_of(study, answers(study), None)
    return FrozenContent(
        study,
        stamp,
        numbers,
        tuple(measures),
        "\n\n".join(methods) + "\n",
        bibliography(references_of(methods)),
    )


def numbers_of(study: "MeasuredStudy", measure: str, resamples: int, seed: int) -> FrozenNumbers | str:
    """Return the numbers of a measure, or why it has none."""
    try:
        result: Result = study.result(MEASURES[measure], resamples=resamples, seed=seed)
    except SpbError as error:
        return str(error)
    if not result.rows:
        return result.reason or "it has no rows"
    return FrozenNumbers.model_validate_json(result.json())


def write_frozen(content: FrozenContent, folder: str | Path) -> FrozenRecord:
    """Write a folder, whole or not at all; UsageError if something is there already."""
    target = locate(folder)
    if not target.is_local:
        remedy = "freeze to a local folder and copy it from there"
        raise UsageError(f"{str(folder)!r} is not a local folder; {remedy}")
    final = Path(target.path)
    if final.exists() and (not final.is_dir() or any(final.iterdir())):
        raise UsageError(f"{str(folder)!r} exists and is not an empty folder; choose another --out")
    with staging(target, "--out") as staged:
        _copy_study(content.study.files, staged / STUDY_FOLDER)
        (staged / NUMBERS_FOLDER).mkdir()
        copied = StudyFiles.at(staged / STUDY_FOLDER)
        write_verdicts(copied, staged / VERDICTS_FILE)
        for name, numbers in content.numbers.items():
            (staged / NUMBERS_FOLDER / f"{name}.json").write_text(numbers.text(), "utf-8")
        (staged / "methods.txt").write_text(content.methods, "utf-8")
        (staged / "references.bib").write_text(content.references, "utf-8")
        (staged / "README.txt").write_text(_read_me(content), "utf-8")
        if content.study.files.stamp() != content.stamp:
            raise StudyChangedError(
                f"the study {content.study.name!r} was changed while it was frozen; run the command again"
            )
        record = _record(content, staged)
        (staged / RECORD_FILE).write_text(record.text(), "utf-8")
        with disk_error(folder, "choose another --out"):
            staged.chmod(0o755)
            if final.exists():
                final.rmdir()
            shutil.move(staged, final)
    return record


def _copy_study(files: StudyFiles, folder: Path) -> None:
    (folder / "judgments").mkdir(parents=True)
    for name, info in files.files_by_name().items():
        with (
            files.location.filesystem.open_input_stream(info.path) as stream,
            (folder / name).open("wb") as copy,
        ):
            shutil.copyfileobj(stream, copy, 1 << 20)


def _record(content: FrozenContent, folder: Path) -> FrozenRecord:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [
        FrozenFile(path=path.relative_to(folder).as_posix(), size=path.stat().st_size, sha256=sha256_of(path))
        for path in paths
    ]
    info = content.study.info
    return FrozenRecord(
        version=VERSION,
        study=content.study.name,
        title=str(info.title or content.study.name),
        date=datetime.now(UTC).date().isoformat(),
        resamples=RESAMPLES,
        seed=SEED,
        software=versions(),
        measures=list(content.measures),
        files=files,
    )


def _read_me(content: FrozenContent) -> str:
    name = printable(content.study.name)
    commands = "\n".join(f"  {each.command}" for each in content.measures if each.rows)
    software = "\n".join(f"  {package} {number}" for package, number in versions().items())
    return f"""The study {name}, frozen.

study/          its tables
numbers/        every number, as computed; verdicts.parquet has each verdict
methods.txt     how the numbers were computed, and references.bib what that cites
freeze.json     versions, commands, and the size and SHA-256 of every file

To compute all numbers again, and see whether they are the same (in the folder above this one):

  pip install .        # in a checkout of the self-preference explorer {versions()["spb-explorer"]}
  spb reproduce FOLDER

To look at it: spb open ./{STUDY_FOLDER}. One measure at a time, in this folder:

{commands}

Computed with:

{software}
"""
