"""Colours of charts: one file has them all."""

import ast
import re
from collections.abc import Iterator

from architecture.modules import trees

STYLE = "engine.charts.style"
COLOUR = re.compile(r"#(?:[0-9a-f]{3,4}){1,2}|(?:rgb|hsl)a?\(.*", re.IGNORECASE)


def colours(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are colours by number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and COLOUR.fullmatch(node.value):
            yield node.value


def test_charts_and_views_have_their_colours_from_the_style():
    modules = {name: set(colours(tree)) for name, tree in trees(("engine/charts", "engine/views")).items()}

    assert len(modules.pop(STYLE)) > 20
    assert {name: each for name, each in modules.items() if each} == {}


def test_colours_are_seen_in_every_form():
    tree = ast.parse("a = ['#fff', '#D95E00', '#D95E0080', 'rgb(1, 2, 3)', '#', '#judges', 'red', '# 12']")

    assert list(colours(tree)) == ["#fff", "#D95E00", "#D95E0080", "rgb(1, 2, 3)"]
