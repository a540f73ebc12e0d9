"""Code checks the traits of a paradigm, not its name."""

import ast
from typing import get_args

from architecture.modules import trees

from engine import paradigms
from engine.collect.paradigms.handlers import HANDLERS

AT_MOST = 144
"""Places of the engine and the explorer that name a paradigm; it may only fall.

Whoever makes judgments (importers, runs, simulations) names the one it makes. `quality` is not counted: it is
the name of options and tables too.
"""


def test_the_traits_name_every_paradigm_once_in_the_order_of_preference():
    assert get_args(paradigms.Paradigm) == paradigms.PARADIGMS
    assert list(paradigms.TRAITS) == list(paradigms.PARADIGMS)


def test_paradigms_are_distinguished_as_the_store_contract_says():
    assert paradigms.RUBRIC_PARADIGMS == ("single_rubric", "all_rubrics")
    assert paradigms.COMPARABLE == ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
    assert paradigms.SCORED == ("single_rubric", "all_rubrics", "direct_assessment")
    assert paradigms.LIST_PARADIGMS == ("all_rubrics",)
    assert paradigms.PAIR_PARADIGMS == ("pairwise",)
    assert paradigms.OPTION_PARADIGMS == ("score_rubric",)
    assert paradigms.AUTHOR_PARADIGMS == ("recognition",)
    assert paradigms.LIKELIHOOD_PARADIGMS == ("familiarity",)
    assert paradigms.RANK_PARADIGMS == ("listwise",)


def test_names_of_paradigms_do_not_spread():
    names = set(paradigms.PARADIGMS) - {"quality"}
    places = [
        node
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in names
    ]

    assert len(places) <= AT_MOST, "ask for a property of engine.paradigms.TRAITS; lower AT_MOST as names go"


def test_the_answers_of_a_paradigm_are_read_by_the_module_of_its_name():
    folder = "engine.collect.paradigms.answers"
    modules = {name: handler.read.__module__ for name, handler in HANDLERS.items()}

    assert modules.pop("recognition") == f"{folder}.pairwise"  # its answers are those of pairs
    assert modules == {name: f"{folder}.{name}" for name in modules}
    assert set(HANDLERS) == set(paradigms.PARADIGMS)
