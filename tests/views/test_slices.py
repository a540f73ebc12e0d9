"""Slices: what a reader learns where no number is defined, and which interval a number has."""

import re
from pathlib import Path

import engine
from engine.views.registry import VIEWS
from engine.views.summaries import summary_of

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


def test_an_interval_of_sampling_alone_is_never_shown_as_that_of_the_conclusion():
    study = engine.open_study(ROOT / "results" / "demo-health")
    board = " ".join(VIEWS["judges"].shown(study, {}).sentences)

    explore = VIEWS["slices"].shown(study, {}).sentences
    command = summary_of(study.result("expected")).sentences

    assert "sampling alone" not in board
    assert re.search(r"\(95% CI \d+ to \d+, of sampling alone\)", explore[0])
    assert "The conclusions on the page Judges also allow for judges' tastes" in explore[1]
    assert all(", of sampling alone)" in sentence for sentence in command if "95% CI" in sentence)
