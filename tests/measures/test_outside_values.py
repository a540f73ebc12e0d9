"""The values of `outside` alone, by which the scorecard compares the sides of numbers."""

from dataclasses import replace
from functools import partial

import pytest

from engine.measures.outside.outside import OUTSIDE, OUTSIDE_VALUES, outside_values
from engine.shipped_files import RESULTS
from engine.study import Study

FIELDS = tuple(
    replace(field, interval=False) for field in OUTSIDE.fields if field.name in ("judge", *OUTSIDE_VALUES)
)


@pytest.mark.parametrize(
    ("study", "flags"),
    [
        ("demo-verifiable", {}),
        ("demo-verifiable", {"level": "instance", "reference": "none"}),
        ("demo-orders", {}),
    ],
)
def test_values_alone_are_those_of_the_measure(study, flags):
    opened = Study.open(RESULTS / study)
    measure = replace(OUTSIDE, function=partial(outside_values, odds=True), fields=FIELDS)

    alone = opened.result(measure, resamples=0, **flags).rows

    defined = 0
    for row in opened.result(OUTSIDE, resamples=0, **flags).rows:
        [same] = [other for other in alone if other["judge"] == row["judge"]] or [None]
        for name in OUTSIDE_VALUES if row["judge"] else ():
            assert same[name] == (row[name] if row[name] is None else pytest.approx(row[name]))
            defined += row[name] is not None
    assert defined
