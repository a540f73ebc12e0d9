"""A wheel holds all that the project needs outside its folder."""

import os
import socket
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "import setuptools.build_meta as backend, sys; backend.build_{}(sys.argv[1])"  # as pip calls it


def build(what: str, source: Path, into: Path) -> None:
    command = [sys.executable, "-c", BUILD.format(what), str(into)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a source archive of the tracked files, a wheel from that alone, and unpack it as pip would."""
    copy, built, unpacked, site = (tmp_path_factory.mktemp(name) for name in ("copy", "built", "src", "site"))
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if not name.startswith(("tests/", "docs/")) and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    build("sdist", copy, built)
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extractall(unpacked, filter="data")
    build("wheel", next(unpacked.iterdir()), built)
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(site)  # noqa: S202 - our own
    return site


def spb(installed: Path, where: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "engine.cli", *words],
        cwd=where,
        env=environment(installed),
        capture_output=True,
        text=True,
        check=False,
    )


def environment(installed: Path) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SPB_")} | {
        "PYTHONPATH": str(installed)
    }


def test_a_wheel_holds_no_tests_and_names_no_folder_of_data_as_a_package(installed):
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}

    assert names == {"engine", "explorer"}


def test_a_wheel_includes_data_sets_published_numbers_and_demonstrations(installed, tmp_path):
    listed = spb(installed, tmp_path, "datasets", "list")
    shipped = installed / "engine" / "_shipped"
    measured = spb(
        installed, tmp_path, "metrics", "hspp", "--store", str(shipped / "results"), "--study", "demo-health",
        "--resamples", "0", "--format", "csv",
    )  # fmt: skip

    assert "rubric-self-preference" in listed.stdout, listed.stderr
    assert "aster-large" in measured.stdout, measured.stderr
    for folder in ("atlas", "protocols", "published", "tutorial"):
        source, copy = (place / "datasets" / folder for place in (ROOT, shipped))
        files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
        assert {path.relative_to(copy) for path in copy.rglob("*") if path.is_file()} == files


def test_a_wheel_holds_every_file_that_the_packages_read_and_their_type_stubs(installed):
    tracked = {
        path.relative_to(ROOT).as_posix()
        for package in ("engine", "explorer")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shipped = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}

    assert tracked - shipped == set()
    assert {"engine/py.typed", "engine/study.pyi", "engine/measures/measured_study.pyi"} <= shipped
    assert {f"engine/_shipped/datasets/{name}.toml" for name in ("catalogue", "families")} <= shipped
    assert {"engine/_shipped/.streamlit/config.toml", "explorer/app.py"} <= shipped


def test_a_wheel_has_metadata_and_commands_for_uvx_and_pipx(installed):
    (about,) = installed.glob("*.dist-info")
    metadata = Parser().parsestr((about / "METADATA").read_text("utf-8"))
    commands = (about / "entry_points.txt").read_text("utf-8")

    assert metadata["Name"] == "spb-explorer"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert "# " in metadata.get_payload()
    assert "spb = engine.__main__:main" in commands
    assert "spb-explorer = engine.__main__:main" in commands
    assert (about / "licenses" / "LICENSE").is_file()


@pytest.fixture
def served(installed: Path, tmp_path: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "engine.cli", "demo", f"--port={port}", "--no-browser"]
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=tmp_path, env=environment(installed) | home, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, 15)
            server.wait(30)


def test_the_demonstration_is_served_from_any_folder_to_this_machine_only(served, tmp_path):
    deadline = time.monotonic() + 90
    while True:
        try:
            answer = urllib.request.urlopen(f"{served}/_stcore/health", timeout=5).read()  # noqa: S310
            break
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.2)

    assert answer == b"ok"
    laid_out = tmp_path / "data" / "spb-explorer" / "results"
    assert {path.name for path in laid_out.iterdir()} == {
        path.name for path in (ROOT / "results").glob("demo-*")
    }
    assert "127.0.0.1" in (tmp_path / "log").read_text()


def test_an_unwritable_folder_is_reported(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("no folder")

    ended = spb(ROOT, tmp_path, "demo", "--store", str(taken / "within"))

    assert ended.returncode == 2
    assert str(taken) in ended.stderr
    assert "--store" in ended.stderr
    assert "Traceback" not in ended.stderr
