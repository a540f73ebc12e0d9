"""Computes each result of a study once for all tests of what is shown of it.

Tests of pages, reports, findings and commands ask for the same numbers of the same studies again and again.
How numbers are computed has tests of its own (measures, stats, plain), which compute everything anew.
Results of the demonstrations, and of unchanged copies of them, are shared by all workers of a test run, as
files. Arrays of the demonstrations are shared by all that open them in one process: each command and each
page would read and pack the same rows.
"""

import functools
import hashlib
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.arrays.once_cache import OnceCache
from engine.arrays.study_arrays import StudyArrays
from engine.measures import compute
from engine.measures.catalogue import MEASURES
from engine.measures.result import Result
from engine.store.study_files import StudyFiles

FOLDERS = frozenset(
    {
        *("atlas", "charts", "cli", "documentation", "explore", "explorer", "findings", "pinned", "report"),
        *("views", "words"),
    }
)
"""The tests whose results are computed once for each worker."""

DEMONSTRATIONS = Path(__file__).resolve().parents[1] / "results"


class ComputedOnce:
    """In the place of what computes the rows of a request, while tests of `FOLDERS` run."""

    def __init__(self) -> None:
        self.active = False
        self.shared: Path | None = None
        self._compute_rows = compute._rows
        self._results: dict[tuple[object, ...], Result] = {}
        self._open = StudyArrays.__init__
        self._arrays: dict[tuple[object, ...], dict[str, OnceCache]] = {}

    def begin(self, test: pytest.Item) -> None:
        parts = Path(test.path).relative_to(Path(__file__).parent).parts
        self.active = parts[0] in FOLDERS

    def __call__(
        self, study: Any, measure: Any, spec: Any, filters: Any, options: Any, **how: bool
    ) -> Result:
        if not self.active or study.files.location.in_memory:
            return self._compute_rows(study, measure, spec, filters, options, **how)
        request = (repr(spec), repr(filters), repr(options), repr(how))
        demonstration = _demonstration(study.files)
        key = ((demonstration or study.files).stamp(), study.name, id(measure), *request)
        if key not in self._results:
            compute_anew = functools.partial(
                self._compute_rows, study, measure, spec, filters, options, **how
            )
            is_common = demonstration is not None and MEASURES.get(measure.name) is measure
            self._results[key] = (
                self._of_any_worker(measure, (key[0], measure.name, *request), compute_anew)
                if is_common
                else compute_anew()
            )
        result = self._results[key]
        return replace(
            result,
            filters=dict(result.filters),
            values=dict(result.values),
            left_out=dict(result.left_out),
        )

    def open(self, study: StudyArrays, files: StudyFiles, only_runs: tuple[str, ...] = ()) -> None:
        """Open a study: a demonstration with the arrays of those who opened it before."""
        self._open(study, files, only_runs)
        if self.active and _is_shipped(files):
            own = {name: value for name, value in vars(study).items() if isinstance(value, OnceCache)}
            vars(study).update(self._arrays.setdefault((str(files.location.path), only_runs), own))

    def _of_any_worker(
        self, measure: Any, request: tuple[object, ...], compute_anew: Callable[[], Result]
    ) -> Result:
        """Return the result that another worker has left for the same request, or compute and leave it."""
        if self.shared is None:
            return compute_anew()
        path = self.shared / hashlib.sha256(repr(request).encode()).hexdigest()
        if path.exists():
            left: Result = pickle.loads(path.read_bytes())  # noqa: S301 - written below
            return replace(left, measure=measure)
        result = compute_anew()
        _leave(path, pickle.dumps(replace(result, measure=None)))  # its functions are no data
        return result


def bundle_of_any_worker(folder: Path, bundle: Callable[[str], str], snippet: str) -> str:
    """Return the script that another worker has bundled for the same snippet, or bundle and leave it."""
    path = folder / f"{hashlib.sha256(snippet.encode()).hexdigest()}.js"
    if not path.exists():
        _leave(path, bundle(snippet).encode())
    return path.read_text("utf-8")


def _leave(path: Path, content: bytes) -> None:
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)


def _demonstration(files: StudyFiles) -> StudyFiles | None:
    """Return the demonstration that a study is, or is a copy of, with the same times of changes."""
    if _is_shipped(files):
        return files
    place = DEMONSTRATIONS / files.name
    if not (place / "study.json").exists():
        return None
    demonstration = StudyFiles.at(place)
    return demonstration if _sizes_and_times(files) == _sizes_and_times(demonstration) else None


def _sizes_and_times(files: StudyFiles) -> dict[str, tuple[int | None, int | None]]:
    now = StudyFiles(files.location).files_by_name()
    return {name: (info.size, info.mtime_ns) for name, info in now.items()}


def _is_shipped(files: StudyFiles) -> bool:
    return Path(str(files.location.path)).parent == DEMONSTRATIONS
