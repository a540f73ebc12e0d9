"""The keys of a view are read from texts in one place: what the study lacks is dropped with a sentence."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

import engine
from engine.study import Study
from engine.views.keys import Filters, choice, filters, key_names, names, number, read_keys, switch
from engine.views.registry import VIEWS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Keys:
    slice_: Annotated[Filters, filters("level")]
    common: Annotated[bool, switch("Common", "", usual=lambda _, values: "axis" in values["slice_"])]
    kind: Annotated[str, choice("Kind", "", lambda _: {"one": "One", "two": "Two"})]
    members: Annotated[
        tuple[str, ...], names("Members", "", lambda study: dict.fromkeys(study.index.models, ""))
    ]
    gap: Annotated[float, number("Gap", "", 0, 2, step=0.5, usual=lambda *_: 0.25)]


@pytest.fixture(scope="module")
def study() -> Study:
    return engine.open_study(ROOT / "results" / "demo-health")


def test_without_texts_every_key_has_its_usual_value(study):
    values, dropped = read_keys(Keys, study, {})

    assert values == Keys({}, False, "one", (), 0.25)
    assert dropped == ()


def test_a_usual_value_depends_on_the_keys_before_it(study):
    values, _ = read_keys(Keys, study, {"axis": ["accuracy"]})

    assert values.common


def test_texts_are_read_as_the_values_that_measures_take(study):
    texts = {"axis": ["accuracy"], "polarity": ["negative"], "agreement_without_family": ["true"]}
    more = {"common": ["false"], "kind": ["two"], "members": ["aster-large", "cinder-mini"], "gap": ["1.5"]}

    values, dropped = read_keys(Keys, study, texts | more)

    assert values.slice_ == {"axis": ("accuracy",), "polarity": "negative", "agreement_without_family": True}
    assert (values.common, values.kind, values.gap) == (False, "two", 1.5)
    assert values.members == ("aster-large", "cinder-mini")
    assert dropped == ()


def test_an_idle_filter_has_no_effect(study):
    values, _ = read_keys(Keys, study, {"level": ["instance"]})

    assert values.slice_ == {}


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"axis": ["gone"]}, "Axis 'gone' is not in this study and was taken out of the view."),
        ({"kind": ["three"]}, "Kind 'three' is not in this study and was taken out of the view."),
        ({"members": ["nobody"]}, "Members 'nobody' is not in this study and was taken out of the view."),
        ({"common": ["perhaps"]}, "Common 'perhaps' is not in this study and was taken out of the view."),
        ({"gap": ["9"]}, "Gap '9' is not a number from 0 to 2."),
        ({"gap": ["nan"]}, "Gap 'nan' is not a number from 0 to 2."),
        ({"slice": ["hard"]}, "There is no saved slice 'hard' in this study; it was left out."),
    ],
)
def test_what_the_study_does_not_have_is_dropped_with_a_sentence(study, texts, sentence):
    values, dropped = read_keys(Keys, study, texts)

    assert values == Keys({}, False, "one", (), 0.25)
    assert dropped == (sentence,)


def test_the_names_in_an_address_are_those_of_the_filters_and_of_the_other_keys():
    every = key_names(Keys)

    assert {"slice", "axis", "level", "common", "kind", "members", "gap"} <= set(every)
    assert "slice_" not in every


def test_no_more_names_are_taken_than_a_key_allows(study):
    keys = {"by": ("axis", "theme", "polarity")}

    values, dropped = read_keys(VIEWS["slices"].keys, study, keys)

    assert values.by == ("axis", "theme")
    assert dropped == ("Split by takes at most 2 values; without polarity.",)
