"""The board of judges: what it says of the study's other kinds of judgments."""

from pathlib import Path

import pytest

import engine
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("study", "keys", "kinds"),
    [
        ("demo-health", {}, "all criteria, pairwise and direct assessment"),
        ("demo-health", {"paradigm": ("pairwise",)}, None),
        ("demo-pairs", {}, None),  # judgments of quality are none to conclude from
    ],
)
def test_it_says_which_other_kinds_of_judgments_have_conclusions(study, keys, kinds):
    basis = VIEWS["judges"].shown(engine.open_study(ROOT / "results" / study), keys).basis

    words = [line for line in basis if line.startswith("The filter Paradigm has the conclusions")]
    assert words == (
        [] if kinds is None else [f"The filter Paradigm has the conclusions from {kinds} judgments."]
    )
