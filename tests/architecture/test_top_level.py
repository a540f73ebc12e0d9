"""What stands beside the code is meant to: nothing that a test or a tool left behind is kept."""

import subprocess

import pytest
from architecture.modules import ROOT

MEANT = {
    *(".ci", ".dockerignore", ".gitignore", ".streamlit", "CHANGELOG.md", "CITATION.cff", "Containerfile"),
    *("LICENSE", "MANIFEST.in", "README.md", "action.yml", "datasets", "docs", "engine", "explorer"),
    *("integrations", "mkdocs.yml", "pyproject.toml", "results", "setup.py", "tests"),
}


def test_the_repository_holds_nothing_else_at_its_top() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("an unpacked archive, which has no list of its files")
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    paths = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert {path.partition("/")[0] for path in paths.split("\0") if path} == MEANT
