"""Code checks the traits of a paradigm, not its name."""

import ast
from typing import get_args

from architecture.modules import trees

from engine import schema

AT_MOST = 156
"""Places of the engine and the explorer that name a paradigm; it may only fall.

Whoever makes judgments (importers, runs, simulations) names the one it makes. `quality` is not counted: it is
the name of options and tables too.
"""


def test_the_traits_name_every_paradigm_once_in_the_order_of_preference():
    assert get_args(schema.Paradigm) == schema.PARADIGMS
    assert list(schema.TRAITS) == list(schema.PARADIGMS)


def test_paradigms_are_distinguished_as_the_store_contract_says():
    assert schema.RUBRIC_PARADIGMS == ("single_rubric", "all_rubrics")
    assert schema.COMPARABLE == ("single_rubric", "all_rubrics", "direct_assessment", "pairwise")
    assert schema.SCORED == ("single_rubric", "all_rubrics", "direct_assessment")
    assert schema.LIST_PARADIGMS == ("all_rubrics",)
    assert schema.PAIR_PARADIGMS == ("pairwise",)
    assert schema.OPTION_PARADIGMS == ("score_rubric",)
    assert [name for name, traits in schema.TRAITS.items() if traits.has_orders] == [
        "all_rubrics",
        "pairwise",
        "score_rubric",
        "listwise",
        "recognition",
    ]
    assert schema.AUTHOR_PARADIGMS == ("recognition",)
    assert schema.LIKELIHOOD_PARADIGMS == ("familiarity",)
    assert schema.RANK_PARADIGMS == ("listwise",)


def test_names_of_paradigms_do_not_spread():
    names = set(schema.PARADIGMS) - {"quality"}
    places = [
        node
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in names
    ]

    assert len(places) <= AT_MOST, "ask for a property of engine.schema.TRAITS; lower AT_MOST as names go"
