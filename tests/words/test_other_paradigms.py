"""A study of several kinds of judgments says on which its conclusions rest, and how to see the others'."""

import pytest

import engine
from engine.report.saving import save_report
from engine.shipped_files import RESULTS

HEAD = "These conclusions rest on single criterion judgments; the study also has "
LAST = 'all criteria, pairwise and direct assessment: see `judges(paradigm="all_rubrics")`.'


@pytest.fixture(scope="module")
def health():
    return engine.open_study(RESULTS / "demo-health")


def test_conclusions_and_a_gate_say_in_python_which_other_judgments_conclude(health):
    assert health.judges().attrs["sentences"][-1] == HEAD + LAST
    assert health.gate(max_excess=5).sentences[-1] == HEAD + LAST
    assert str(health.gate(max_excess=5)).endswith(LAST)


def test_a_report_says_so_with_the_command(health, tmp_path):
    text = save_report(health, tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", "")

    assert HEAD in text
    assert "spb judges demo-health --paradigm all_rubrics" in text


def test_nothing_is_said_where_the_paradigm_is_named_or_nothing_else_concludes(health):
    pairs = engine.open_study(RESULTS / "demo-pairs")  # whose quality rows conclude nothing

    assert "rest on" not in str(health.judges(paradigm="pairwise").attrs["sentences"])
    assert "rest on" not in str(pairs.judges().attrs["sentences"])
