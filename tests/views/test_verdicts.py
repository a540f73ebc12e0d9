"""The list of verdicts behind a number: how many it has, in the words of what they are."""

from pathlib import Path

import engine
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]


def listed(study, **keys):
    """Return what the list says on its size."""
    sentence, *_ = VIEWS["verdicts"].shown(engine.open_study(ROOT / "results" / study), keys).sentences
    return sentence


def test_a_list_of_comparisons_says_that_each_stands_in_it_from_both_sides():
    assert listed("demo-pairs").endswith(" rows, a judgment of two answers from each side.")
    assert listed("demo-pairs", generator=("rowan-large",)).endswith(" judgments.")


def test_a_list_of_verdicts_on_rubrics_counts_judgments():
    assert listed("demo-health", show=("all",)).endswith(" judgments.")


def test_a_list_of_a_study_of_several_kinds_says_which_it_leaves_out():
    study = engine.open_study(ROOT / "results" / "demo-verifiable")

    _, sentence = VIEWS["verdicts"].shown(study, {"show": ("all",)}).sentences
    [_] = VIEWS["verdicts"].shown(study, {"show": ("disagreement",)}).sentences

    assert sentence == (
        "Only single criterion judgments are listed; the filter Paradigm leads to all criteria, direct "
        "assessment and pairwise."
    )


def test_a_negative_criterion_is_called_so_in_a_list():
    study = engine.open_study(ROOT / "results" / "demo-health")

    table = VIEWS["verdicts"].shown(study, {"polarity": ("negative",)}).table
    positive = VIEWS["verdicts"].shown(study, {"polarity": ("positive",)}).table

    place = table.names.index("criterion")
    assert all(row[place].endswith(" (negative)") for row in table.rows)
    assert not any(row[place].endswith(" (negative)") for row in positive.rows)
