"""The board of judges: what it says of the study's other kinds of judgments."""

from pathlib import Path

import pytest

import engine
from engine.views.registry import VIEWS
from engine.words.plain_names import on_page

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("study", "keys", "words"),
    [
        (
            "demo-health",
            {},
            (
                "These conclusions rest on single criterion judgments; the study also has all criteria, "
                "pairwise and direct assessment: see the filter Paradigm."
            ),
        ),
        ("demo-health", {"paradigm": ("pairwise",)}, None),
        ("demo-pairs", {"variant": ("cot",)}, None),  # judgments of quality are none to conclude from
    ],
)
def test_it_says_which_other_kinds_of_judgments_have_conclusions(study, keys, words):
    sentences = VIEWS["judges"].shown(engine.open_study(ROOT / "results" / study), keys).sentences

    others = [on_page(each) for each in sentences if each.startswith("These conclusions rest on")]
    assert others == ([] if words is None else [words])
