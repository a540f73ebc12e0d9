"""A slice may be passed as an object, instead of its flags, a saved name, or `against`."""

from plain.builders import judge_rubrics, refer, study_of

from engine import Slice
from engine.measures.catalogue import find


def test_a_slice_object_equals_the_slice_of_its_flags(opened):
    plain = study_of(models="J:F A:G", rubrics=(1, -1), instances=1)
    for generator in "JA":
        refer(plain, generator, "01", "x0")
        judge_rubrics(plain, "J", generator, "11", "x0")
    study = opened(plain)
    positive = Slice(polarity="positive")

    taken = study.result("overestimation", slice=positive, resamples=0)
    by_flag = study.result(find("overestimation"), polarity="positive", resamples=0)
    refined = study.result("overestimation", slice=positive, judges="J", resamples=0)
    against = study.result("overestimation", against=positive, polarity="negative", resamples=0)

    assert taken.rows == by_flag.rows
    assert refined.filters["polarity"] == "positive"
    assert refined.filters["judges"] == ("J",)
    # J credits the positive rubric that both fail; on the negative one it sees the fault of both.
    assert [(row["a"], row["b"]) for row in against.rows] == [(0.0, 1.0)] * 2
