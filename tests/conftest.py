"""Shared by all tests: property tests without deadlines, waiting for pages, commands in this process."""

import functools
import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import pytest
import typer.main
import vl_convert
from altair.utils.schemapi import enable_debug_mode
from command_line import Spb, spb
from common_server import Common, common
from computed_once import ComputedOnce, bundle_of_any_worker
from hypothesis import settings
from object_store import served
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from engine.arrays.study_arrays import StudyArrays
from engine.importers import format_loading
from engine.measures import compute
from engine.process import rarely_collect_garbage

settings.register_profile("untimed", deadline=None, max_examples=50)
settings.load_profile("untimed")


COMPUTED_ONCE = ComputedOnce()

LONG = (
    *("browser/test_pictures.py", "browser/test_annotate.py", "browser/test_explorer.py"),
    *("views/test_same_numbers.py", "words/test_one_conclusion.py", "pinned/test_outputs.py"),
    "run/test_cluster.py",
)
"""Files that take longest: they come first, so that no worker is left alone with one of them at the end."""


def pytest_configure() -> None:
    rarely_collect_garbage()
    typer.main.get_command = functools.cache(typer.main.get_command)  # a process of a user's builds it once
    format_loading.entry_points = lambda *, group: _entry_points(group, tuple(sys.path))
    compute._rows = COMPUTED_ONCE
    StudyArrays.__init__ = lambda *opened: COMPUTED_ONCE.open(*opened)  # type: ignore[method-assign]


@functools.cache
def _entry_points(group: str, _path: tuple[str, ...]) -> metadata.EntryPoints:
    """Return the entry points of all packages on the path: 8 ms, which a user waits for once or twice."""
    return metadata.entry_points(group=group)


def pytest_runtest_setup(item: pytest.Item) -> None:
    COMPUTED_ONCE.begin(item)
    enable_debug_mode()  # a test that opens a page leaves charts unchecked


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest; spread files that use a browser, which mostly wait, over those that compute."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    waiting = [file for file in files if any(item.get_closest_marker("browser") for item in files[file])]
    computing = [file for file in files if file not in waiting]
    places = {
        file: (place + 0.5) / len(group) for group in (waiting, computing) for place, file in enumerate(group)
    }
    order = sorted(files, key=lambda file: (not file.as_posix().endswith(LONG), places[file]))
    items[:] = [item for file in order for item in files[file]]


def pytest_collection_finish() -> None:
    """Exclude all that is loaded from garbage collection."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def awaited_pages() -> Iterator[None]:
    """Join the thread of a page under test instead of AppTest's polling, which slows the page down."""

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        thread = runner._script_thread
        assert thread is not None
        thread.join(timeout)
        if thread.is_alive():
            original(runner, 0)

    original = local_script_runner.require_widgets_deltas
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session")
def folder_of_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all workers of a test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def results_of_all_workers(folder_of_run: Path) -> Iterator[None]:
    """Let workers share what they compute of the demonstrations, and Vega's scripts: 2 s to bundle."""
    COMPUTED_ONCE.shared = folder_of_run / "computed"
    COMPUTED_ONCE.shared.mkdir(exist_ok=True)
    bundled = functools.partial(bundle_of_any_worker, COMPUTED_ONCE.shared, vl_convert.javascript_bundle)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "javascript_bundle", bundled)
        yield


@pytest.fixture(scope="session")
def object_store(folder_of_run: Path) -> Iterator[str]:
    """Start a local S3 for all workers, and return its host and port."""

    @contextmanager
    def serve() -> Iterator[Common]:
        with served() as place:
            yield Common(place, folder_of_run)

    with common(folder_of_run / "object-store", serve) as server:
        yield server.url


@pytest.fixture(scope="session", autouse=True)
def no_foreign_components() -> Iterator[None]:
    """Skip Streamlit's scan of all installed packages, which takes longer than the page under test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


@pytest.fixture
def spb_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Spb:
    """Return a function that runs a command in this process, with a terminal width of 100 columns."""
    return _spb_in(100, monkeypatch, capsys)


@pytest.fixture
def spb_80(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Spb:
    """Return a function that runs a command in this process, in a pipe of 80 columns."""
    return _spb_in(80, monkeypatch, capsys)


def _spb_in(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Spb:
    def run(*words: object) -> "subprocess.CompletedProcess[str]":
        monkeypatch.setenv("COLUMNS", str(width))
        capsys.readouterr()
        code = spb(monkeypatch, *words)
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(list(words), code, printed.out, printed.err)

    return run
