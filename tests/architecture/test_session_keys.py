"""Names under which the explorer keeps things in a session."""

import ast
from collections import defaultdict

from architecture.modules import trees


def test_no_two_modules_keep_something_under_the_same_name():
    modules_of = defaultdict(set)
    for module, tree in trees(("explorer",)).items():
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                for part in ast.walk(statement.value):
                    if isinstance(part, ast.Constant) and str(part.value).startswith("_"):
                        modules_of[part.value].add(module)

    assert "_left_page" in modules_of
    assert {name: modules for name, modules in modules_of.items() if len(modules) > 1} == {}
