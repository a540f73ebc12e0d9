"""A slice may be passed as an object, instead of its flags, a saved name, or `against`."""

import numpy as np
import pandas as pd
import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine import Slice
from engine.errors import UsageError
from engine.measures.catalogue import find


def test_a_slice_object_equals_the_slice_of_its_flags(load):
    plain = study_of(models="J:F A:G", rubrics=(1, -1), instances=1)
    for generator in "JA":
        refer(plain, generator, "01", "x0")
        judge_rubrics(plain, "J", generator, "11", "x0")
    study = load(plain)
    positive = Slice(polarity="positive")

    by_object = study.result("overestimation", slice=positive, resamples=0)
    by_flag = study.result(find("overestimation"), polarity="positive", resamples=0)
    refined = study.result("overestimation", slice=positive, judges="J", resamples=0)
    against = study.result("overestimation", against=positive, polarity="negative", resamples=0)

    assert by_object.rows == by_flag.rows
    assert refined.filters["polarity"] == "positive"
    assert refined.filters["judges"] == ("J",)
    # J credits the positive rubric that both fail; on the negative one it sees the fault of both.
    assert [(row["a"], row["b"]) for row in against.rows] == [(0.0, 1.0)] * 2


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("min_agreement", 2, "2 is not between 0 and 1"),
        ("min_agreement", "-0.1", "'-0.1' is not between 0 and 1"),
        ("position", 0, "0 is not a whole number from 1"),
        ("position", [1, 2.5], "2.5 is not a whole number from 1"),
        ("min_instances", -1, "-1 is not a whole number from 0"),
        ("min_instances", 1e308, r"1e\+308 is too large"),
        ("length", "-5:10", "'-5:10' has an end below 0; write a length"),
        ("response_length", ":-1", "':-1' has an end below 0"),
    ],
)
def test_a_value_that_no_judgment_can_have_is_refused_and_not_taken_for_an_empty_slice(name, value, words):
    with pytest.raises(UsageError, match=f"{name} {words}"):
        Slice.of(**{name: value})


def test_names_may_come_in_an_array_and_an_empty_one_is_no_filter():
    assert Slice.of(judges=np.array(["a", "b"])) == Slice.of(judges=pd.Series(["a", "b"]))
    assert Slice.of(judges=np.array(["a", "b"])) == Slice(judges=("a", "b"))
    assert Slice.of(judges=np.array([]), theme="") == Slice()


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"polarity": "x"}, "unknown polarity 'x'; choose from: positive, negative"),
        ({"polarity": ["negative"]}, r"unknown polarity \['negative'\]; choose from"),
        ({"leave_self_out": "maybe"}, "unknown leave_self_out 'maybe'"),
        ({"min_agreement": 95}, "min_agreement 95 is not between 0 and 1"),
        ({"min_instances": True}, "min_instances True is not a number"),
        ({"length": 5}, r'length 5 is not a range; write LOW:HIGH, such as "20:80", or \(20, 80\)'),
    ],
)
def test_the_constructor_answers_a_wrong_value_as_of_does_in_pythons_words(values, problem):
    with pytest.raises(UsageError, match=problem):
        Slice(**values)


def test_the_constructor_reads_words_of_a_switch():
    assert Slice(leave_self_out="no") == Slice()  # type: ignore[arg-type]


def test_a_range_of_texts_is_a_text_and_none_among_names_is_refused():
    assert Slice.of(segment="1500:").segment == ("1500:",)
    with pytest.raises(UsageError, match=r"segment \(1500, None\) holds None; .* write a range as a text"):
        Slice.of(segment=(1500, None))
