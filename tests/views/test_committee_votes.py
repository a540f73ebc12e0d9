"""How many independent votes a committee is worth, and what kinds of criteria stand beside."""

from pathlib import Path

import pytest

import engine
from engine.views.registry import VIEWS
from engine.words.independent_votes import votes_worth

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def study():
    return engine.open_study(ROOT / "results" / "demo-health")


def members(*without, whole=2.5):
    names = "abcdefg"
    rows = zip(names, without, strict=False)
    return [{"judge": name, "n_effective": whole, "n_effective_without": value} for name, value in rows]


def test_the_member_without_which_fewest_votes_remain_adds_most():
    [sentence] = votes_worth(members(2.2, 1.4, 2.1))

    assert "this committee of 3 is worth 2.5 independent votes" in sentence
    assert sentence.endswith("b adds most: without it 1.4 remain.")


def test_members_that_add_nearly_the_same_are_not_told_apart():
    [sentence] = votes_worth(members(1.70, 1.71, 1.9))

    assert sentence.endswith("is worth 2.5 independent votes; no member clearly adds most.")


def test_a_member_counts_once_though_it_has_a_number_at_both_levels():
    of_levels = [row | {"level": level} for level in ("rubric", "instance") for row in members(2.2, 1.4, 2.1)]

    assert "this committee of 3" in votes_worth(of_levels)[0]


def test_without_a_reference_nothing_is_said_of_votes():
    assert votes_worth(members(None, None, whole=None)) == ()


def test_the_committee_begins_with_what_it_is_worth(study):
    shown = VIEWS["committee"].shown(study, {})

    assert "independent votes" in shown.sentences[0]
    assert "n_effective" in shown.table.names


def test_a_judge_of_quality_alone_has_no_vote_and_without_a_reference_no_ratios_are_offered():
    pairs = engine.open_study(ROOT / "results" / "demo-pairs")

    shown = VIEWS["committee"].shown(pairs, {})

    assert "gauge-north" in pairs.inventory.values("judge")
    assert "gauge-north" not in " ".join((*shown.basis, *shown.commands))
    for name in ("committee_size", "committee_families"):
        assert VIEWS[name].lacks(pairs) == "The study has no reference."


def test_all_criteria_are_drawn_beside_the_kinds(study):
    shown = VIEWS["kinds"].shown(study, {"by": ("polarity",)})

    rows = [row for rows in shown.figure.spec["datasets"].values() for row in rows if "label" in row]
    assert list(dict.fromkeys(row["label"] for row in rows)) == ["all criteria", "positive", "negative"]


def test_an_axis_is_written_as_people_write_it(study):
    shown = VIEWS["kinds"].shown(study, {"by": ("axis",)})

    assert not any("_" in row[0] for row in shown.table.rows)
