"""What weakens a conclusion is declared once, and the methods of an audit name all of it."""

import ast
import inspect
import textwrap

import pytest

from engine.measures.scorecard import gates
from engine.measures.scorecard.group_row import JudgeGroup
from engine.measures.undefined_reasons import REASONS
from engine.report.audit.methods import _concluded
from engine.stats.conclusions import conclusion_rules


def reasons_in(*functions):
    """The reasons that functions name."""
    trees = [ast.parse(textwrap.dedent(inspect.getsource(each))) for each in functions]
    words = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {word for word in words if word in REASONS}


def test_every_reason_that_weakens_a_claim_is_a_declared_gate():
    of_judges = reasons_in(conclusion_rules._open, conclusion_rules._answers) | {"discernment"}
    of_group = reasons_in(JudgeGroup._first_open, JudgeGroup._second_open)

    assert "shared_taste" in of_judges & of_group
    assert {gate.reason for gate in gates.OF_JUDGES} == of_judges
    assert {gate.reason for gate in gates.OF_GROUP} == of_group


@pytest.mark.parametrize("number", ["odds_self", "vote_outside", "bonus_outside"])
def test_the_methods_name_every_gate_of_their_number(number):
    filters = {"decided_by": number, "truth": "failed" if number == "odds_self" else None}

    text = " ".join(_concluded(filters))

    scale = {"odds_self": "odds", "vote_outside": "votes", "bonus_outside": "points"}[number]
    for gate in (*gates.OF_JUDGES, *gates.OF_GROUP):
        assert (gate.holds in text) == (scale in gate.scales), gate
    assert "two thirds of its size less what a shared taste explains" in text


def test_criteria_of_any_truth_have_no_gate_of_the_same_criteria():
    text = " ".join(_concluded({"decided_by": "odds_self", "truth": "any"}))

    assert "same criteria (two thirds" not in text
    assert "keeps a third of its size" not in text
