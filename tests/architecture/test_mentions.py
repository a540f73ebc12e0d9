"""Modules and files named in texts exist: a docstring that points nowhere misleads."""

import ast
import re
from pathlib import Path

from architecture.modules import ROOT, trees

MODULE = re.compile(r"`((?:engine|explorer)(?:\.[A-Za-z_]\w*)+)`")
FILE = re.compile(r"`((?:engine|explorer|tests|docs|datasets)/[\w./-]+)`")
TEXTS = [
    path
    for pattern in ("*.md", "docs/*.md", "engine/**/*.py", "explorer/**/*.py")
    for path in sorted(ROOT.glob(pattern))
    if path.name not in ("CHANGELOG.md",)  # it gives former names
]


def exists(name: str) -> bool:
    """Return whether a dotted name is a module, or something that a module binds or imports."""
    if name in trees() or (ROOT / Path(*name.split("."))).is_dir():
        return True
    module, _, rest = name.rpartition(".")
    if module not in trees():  # an attribute of a class
        module, _, rest = module.rpartition(".")
    return module in trees() and rest in _bound(trees()[module])


def _bound(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {
                each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
            }
        elif isinstance(node, ast.If | ast.ImportFrom | ast.Import):
            names |= {alias.asname or alias.name for alias in ast.walk(node) if isinstance(alias, ast.alias)}
    return names


def test_everything_that_a_text_names_exists() -> None:
    gone = [
        (str(path.relative_to(ROOT)), name)
        for path in TEXTS
        for text in [path.read_text("utf-8")]
        for name in (*MODULE.findall(text), *FILE.findall(text))
        if not ("*" in name or (ROOT / name).exists() if "/" in name else exists(name))
    ]

    assert not gone


def test_a_missing_name_is_detected() -> None:
    assert exists("engine.schema.JUDGMENTS")
    assert exists("engine.open_study")
    assert not exists("engine.schema.NO_SUCH_TABLE")
    assert not exists("engine.no_such_module.thing")
