"""The files of the engine, the explorer and other folders, read as syntax trees: nothing is imported."""

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "explorer")


@cache
def trees(folders: tuple[str, ...] = PACKAGES) -> dict[str, ast.Module]:
    """Return the tree of every module by its dotted name; a package has the name of its folder."""
    return {name: tree for folder in folders for name, tree in _trees(folder).items()}


@cache
def _trees(folder: str) -> dict[str, ast.Module]:
    parsed = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parsed[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = tree_of(path)
    return parsed


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the tree of a file."""
    gc.disable()  # it would scan the many nodes again and again as they are created
    try:
        return ast.parse(path.read_text("utf-8"), str(path))
    finally:
        gc.enable()


def is_package(name: str) -> bool:
    """Return whether the name is that of a folder."""
    return (ROOT / Path(*name.split("."))).is_dir()


def imports(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the modules of these packages that a module imports at import time.

    Imports within functions and for types only are left out. `from package import thing` is an import
    of the module `package.thing` if there is one, else of the package.
    """
    for statement in _at_import(tree.body):
        yield from _named(name, statement)


def mentioned_imports(name: str, tree: ast.Module) -> Iterator[str]:
    """Yield the modules of these packages that a module imports anywhere: in a function or for types too."""
    for node in ast.walk(tree):
        yield from _named(name, node)


def _named(name: str, statement: ast.AST) -> Iterator[str]:
    """Yield the modules of these packages that a statement of the module `name` imports."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names if alias.name in trees())
    elif isinstance(statement, ast.ImportFrom):
        source = _source(name, statement)
        for alias in statement.names:
            inner = f"{source}.{alias.name}"
            yield from (each for each in ([inner] if inner in trees() else [source]) if each in trees())


def _source(name: str, statement: ast.ImportFrom) -> str:
    """Return the absolute name of the module imported from."""
    if not statement.level:
        return str(statement.module)
    here = name.split(".") if is_package(name) else name.split(".")[:-1]
    base = here[: len(here) - statement.level + 1]
    return ".".join([*base, *([statement.module] if statement.module else [])])


def _at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run at import, including those within classes and blocks."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from _at_import(statement.orelse)
            continue
        yield statement
        for block in ("body", "orelse", "finalbody"):
            yield from _at_import(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _at_import(handler.body)
