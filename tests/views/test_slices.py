"""Slices: what a reader learns where no number is defined."""

from pathlib import Path

import engine
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]


def test_a_slice_without_a_number_says_which_comparison_has_some():
    study = engine.open_study(ROOT / "results" / "demo-health")
    lacking, other = ({"language": ("sw",), "against": (name,)} for name in ("expected", "judges"))

    problems = VIEWS["slices"].shown(study, lacking).problems

    assert problems[-1].startswith("There are numbers with Against: “outside judges, as a ratio”")
    assert not VIEWS["slices"].shown(study, other).problems


def test_a_slice_in_which_nothing_can_be_compared_offers_no_other_comparison():
    study = engine.open_study(ROOT / "results" / "demo-health")

    problems = VIEWS["slices"].shown(study, {"generators": ("aster-mini",)}).problems

    assert problems == ("No number is defined in this slice; the table says why.",)
