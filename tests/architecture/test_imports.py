"""No two files import each other, not late or for types either."""

import ast
from collections.abc import Mapping

import pytest
from architecture import modules
from architecture.modules import imports, mentioned_imports, trees

Graph = Mapping[str, set[str]]


def cycles(graph: Graph) -> list[list[str]]:
    """Return a graph's cycles: its strongly connected components of two or more nodes, by Tarjan."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            place = stack.index(node)
            component, stack[place:] = stack[place:], []
            components.append(sorted(component))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return [component for component in components if len(component) > 1]


def test_no_file_is_part_of_an_import_cycle() -> None:
    graph = {name: set(imports(name, tree)) - {name} for name, tree in trees().items()}

    assert cycles(graph) == []


HELD_TOGETHER = {
    (
        "engine.arrays.scores.criterion_scores",
        "engine.arrays.slicing.resolve",
        "engine.arrays.study_arrays",
        "engine.arrays.text_names",
    ): "a study hands itself to the functions that resolve a slice of it, which name its type",
    (
        "engine.arrays.left_out",
        "engine.arrays.view",
    ): "a slice hands itself to the counts of what it leaves out",
    (
        "engine.saved_slices",
        "engine.slices",
    ): "names that scripts of version 0.1 import from their former place",
    (
        "engine.store",
        "engine.store.writer",
    ): "`Store.write` hands the store to the writer, loaded when it writes",
}
"""The cycles that only imports within functions or for types close, and why."""


def test_no_other_file_is_part_of_a_cycle_of_late_imports_or_types() -> None:
    graph = {name: set(mentioned_imports(name, tree)) - {name} for name, tree in trees().items()}

    assert {tuple(cycle) for cycle in cycles(graph)} == HELD_TOGETHER.keys()


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a", "c"}, "c": set()}, [["a", "b"]]),
        (
            {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a", "e"}},
            [["d", "e"], ["a", "b", "c"]],
        ),
    ],
)
def test_cycles_are_distinguished_from_chains(graph: dict[str, set[str]], expected: list[list[str]]) -> None:
    assert cycles(graph) == expected


def test_only_imports_that_run_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import p.a, numpy
from p import b, thing
from . import c
from .d import other
if TYPE_CHECKING:
    from p.e import Type
try:
    from p.f import fast
except ImportError:
    from p.g import slow
class Thing:
    from p.h import method
def later():
    from p.i import lazy
"""
    names = ["p", "p.here", *(f"p.{letter}" for letter in "abcdefghi")]
    monkeypatch.setattr(modules, "trees", lambda: dict.fromkeys(names))

    imported = set(imports("p.here", ast.parse(text)))
    mentioned = set(mentioned_imports("p.here", ast.parse(text)))

    assert mentioned - imported == {"p.e", "p.i"}
    assert imported == {"p", "p.a", "p.b", "p.c", "p.d", "p.f", "p.g", "p.h"}


def test_every_module_of_both_packages_is_read() -> None:
    assert {"engine", "engine.cli", "engine.cli.__main__", "explorer.app"} <= trees().keys()
    assert "engine.errors" in set(imports("engine.cli", trees()["engine.cli"]))
