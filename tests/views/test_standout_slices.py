"""The slices that stand out, and where a click on one leads."""

import re

import pytest

import engine
from engine.explore.find_slices import listed_rows, search_study
from engine.views.keys import read_keys
from engine.views.of_measure import measure
from engine.views.slices import SlicesKeys
from engine.views.standout_slices import STANDOUT_SLICES
from engine.words.slice_words import columns_tried


@pytest.fixture(scope="module")
def study():
    return engine.open_study("results/demo-health")


def test_the_slice_that_a_row_opens_has_the_ratio_of_the_row(study):
    rows = STANDOUT_SLICES.shown(study, {}).table.numbers
    row = next(row for row in rows if row["by"] is None)

    keys, dropped = read_keys(SlicesKeys, study, STANDOUT_SLICES.click(row))

    opened = measure(study, "hspp", keys.slice_ | {"resamples": 0}).rows
    assert not dropped
    assert [each["hspp_self"] for each in opened if each["judge"] == row["judge"]] == pytest.approx(
        [row["hspp_self"]]
    )


def test_the_slices_tried_are_those_listed_and_those_said_to_have_no_row(study):
    result = search_study(study, by="polarity")
    listed = len(listed_rows(result.rows))
    unlisted = result.filters["slices_tried"] - listed

    assert listed < len(result.rows)  # of positive and negative, each the rest of the other, one is listed
    assert re.search(rf" {unlisted} slices? tried (is|are) the rests? of", columns_tried(result))


def test_a_row_that_no_filter_selects_opens_its_grouping_and_ends_the_search():
    of_slice = {"polarity": "negative", "length": "3:5", "other_fails": True}
    row = {"judge": "a", "filters": of_slice, "by": "theme"}

    keys = STANDOUT_SLICES.click(row)

    assert keys["by"] == ("theme",)
    assert keys["polarity"] == ("negative",)
    assert keys["find"] == ()
    assert keys["judge"] == keys["generator"] == ("a",)  # the verdicts whose ratio the row has
