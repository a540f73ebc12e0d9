"""That nothing is known of what is to make models relatives is said beside the numbers."""

import pandas as pd
import pytest

import engine

NOBODY = "no model is known to be tuned from another, so that each is a family of its own."


def _remarks(study, **filters):
    with pytest.warns(UserWarning, match="family of its own"):
        return study.hspp(resamples=0, **filters).attrs["remarks"]


def test_of_unknown_ancestors_and_providers_it_is_said_that_each_model_is_a_family() -> None:
    demo = engine.open_study("demo-health", store="results")
    models = ["oak-1", "oak-2", "fir"]
    cases = [(judge, answers) for judge in models for answers in models]
    rows = [[*case, question, word, "no"] for case in cases for question, word in (("q", "no"), ("r", "yes"))]
    frame = pd.DataFrame(rows, columns=["judge", "generator", "instance_id", "met", "truth"])
    families = {model: model for model in models}
    own = engine.from_frame(
        frame, reference_met="truth", set={"rubric_id": "r", "reference_source": "program"}, families=families
    )

    assert _remarks(demo, relatives="tuned_from") == [f'relatives="tuned_from": {NOBODY}']
    assert any(
        "the provider of all 3 models is unknown" in text for text in _remarks(own, relatives="provider")
    )


def test_nothing_is_said_of_known_providers_or_of_families() -> None:
    demo = engine.open_study("demo-health", store="results")

    for filters in ({}, {"relatives": "family"}, {"relatives": "provider"}):
        assert demo.hspp(resamples=0, **filters).attrs["remarks"] == []
