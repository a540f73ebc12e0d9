"""The page Atlas and the first screen show what published studies say, before any study is here."""

from pathlib import Path

import pytest
from explorer_studies import Open

from engine.atlas.rows import shipped
from engine.views.atlas import GROUPINGS, known_so_far


def texts(app):
    return [element.value for element in app.text]


def test_an_empty_store_says_what_is_known_before_a_click(open_page: Open, tmp_path: Path):
    app = open_page("judges", tmp_path)

    lines = " ".join(texts(app))
    assert "passes its own answers more often" in lines
    for sentence in known_so_far(shipped()):
        assert sentence in texts(app)
    assert len(app.get("vega_lite_chart")) == 1


@pytest.mark.parametrize("by", GROUPINGS)
def test_the_page_shows_all_studies_in_each_grouping(open_page: Open, by):
    app = open_page("atlas", atlas_by=by)

    assert known_so_far(shipped())[-1] in texts(app)
    assert all(study.title in texts(app) for study in shipped())
    assert len(app.get("vega_lite_chart")) == 1


def test_the_page_opens_without_a_study_and_without_a_grouping_of_that_name(open_page: Open, tmp_path: Path):
    app = open_page("atlas", tmp_path, atlas_by="moon")

    assert all(study.title in texts(app) for study in shipped())
