"""One version stands wherever a version is written."""

import tomllib
from pathlib import Path

import yaml

from engine.version import __version__

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_that_has_the_version_has_the_same() -> None:
    projects = [ROOT / "pyproject.toml", ROOT / "integrations" / "inspect-spb" / "pyproject.toml"]
    versions = [tomllib.loads(file.read_text("utf-8"))["project"]["version"] for file in projects]
    versions.append(yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"])

    assert set(versions) == {__version__}
