"""The page Atlas and the first screen show what published studies say, before any study is here."""

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from explorer_studies import Open, Plan, write

from engine.atlas.declared import declared
from engine.atlas.rows import shipped
from engine.charts.atlas import PICK
from engine.views.atlas import GROUPINGS, OUTSIDE, OUTSIDE_NOTE, atlas_shown, known_so_far


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


def test_the_note_on_marked_numbers_stands_with_the_table_that_has_the_marks(open_page: Open):
    app = open_page("atlas")

    (folded,) = (each for each in app.expander if each.label == "Numbers")
    notes = [text.value for text in folded.text]
    assert OUTSIDE_NOTE in notes
    assert texts(app).count(OUTSIDE_NOTE) == 1
    assert folded.dataframe[0].value["family"].str.endswith(OUTSIDE).any()


STUDY = next(study for study in shipped() if study.study == "play-favorites-faithfulness")
JUDGE = next(row for row in STUDY.rows if row.judge is not None and row.excess is not None)


def test_a_bar_opens_its_row_with_numbers_source_licence_and_how_to_get_the_study(open_page: Open):
    app = open_page("atlas", atlas_row=f"{STUDY.study}/{JUDGE.judge}")

    lines = texts(app)
    given, expected = (f"{100 * value:.1f}" for value in (JUDGE.own_given, JUDGE.own_expected))
    assert any(f"{given} given, {expected} expected" in line for line in lines)
    assert next(each.value for each in app.subheader) == JUDGE.judge
    assert sum(STUDY.licence in line and STUDY.commit[:8] in line for line in lines) == 2
    commands = [code.value for code in app.code]
    assert sum(line.startswith(f"spb atlas build {STUDY.study} --store ") for line in commands) == 2

    app.button(key="atlas_row_close").click().run()

    assert JUDGE.judge not in [each.value for each in app.subheader]
    assert "atlas_row" not in app.query_params


def test_a_row_that_is_not_among_the_bars_is_dropped_and_said(open_page: Open):
    app = open_page("atlas", atlas_row="play-favorites-faithfulness/<script>")

    assert any("was removed from the selection" in line for line in texts(app))
    assert not [each for each in app.button if each.key == "atlas_row_close"]


def test_a_row_of_a_study_that_is_here_leads_to_its_judge(open_page: Open, tmp_path: Path):
    write(tmp_path, STUDY.study, Plan(models={"a": "A", "b": "B"}, judges=("a", "b")))

    app = open_page("atlas", tmp_path, atlas_row=f"{STUDY.study}/{JUDGE.judge}")

    links = [parse_qs(each.proto.query_string) for each in app.get("page_link")]
    assert {"study": [STUDY.study], "judge": [JUDGE.judge]} in links


def test_a_click_on_a_row_of_the_chart_names_its_study_and_judge():
    spec = atlas_shown(shipped(), declared()).figure.spec

    pick = next(param for param in spec["params"] if param["name"] == PICK)
    assert pick["select"]["fields"] == ["study", "judge"]


def test_on_a_phone_each_part_of_a_label_has_a_line_of_its_own():
    figure = atlas_shown(shipped(), declared()).figure

    lines = "split(datum.label, ' · ')"
    assert lines in json.dumps(figure.narrow, ensure_ascii=False)
    assert lines not in json.dumps(figure.spec, ensure_ascii=False)
