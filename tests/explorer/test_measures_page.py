"""The page of measures repeats the catalogue, and so does every chart."""

import pytest

from engine.measures.catalogue import MEASURES


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


def test_each_measure_shows_its_question_formula_paper_and_what_is_left_out(open_page):
    app = open_page("measures")

    for name, measure in MEASURES.items():
        app.query_params["measure"] = name
        app.run()

        lines = texts(app)
        assert not app.exception
        assert app.subheader[0].value == measure.title
        assert all(words in lines for words in (measure.question, measure.paper))
        assert f"Left out: {measure.left_out}." in lines
        assert measure.formula in [code.value for code in app.code]


def test_every_field_and_option_is_in_a_table(open_page):
    app = open_page("measures", measure="committee")

    fields = next(frame.value for frame in app.dataframe if "field" in frame.value)
    options = next(frame.value for frame in app.dataframe if "option" in frame.value)

    assert fields["field"].tolist() == [field.name for field in MEASURES["committee"].fields]
    flags = [f"--{option.name.replace('_', '-')}" for option in MEASURES["committee"].options]
    assert flags
    assert options["option"].tolist() == flags


def test_the_measure_of_the_address_is_marked_in_the_list(open_page):
    app = open_page("measures", measure="accuracy")

    assert app.session_state["measures"]["selection"]["rows"] == [list(MEASURES).index("accuracy")]


def test_an_unknown_measure_is_named_and_another_shown(open_page):
    app = open_page("measures", measure="gone")

    assert "Measure 'gone'" in texts(app)
    assert app.subheader[0].value == next(iter(MEASURES.values())).title


@pytest.mark.parametrize(("page", "measure"), [("judges", "hspp"), ("workbench", "expected")])
def test_a_measure_is_explained_beside_its_chart(open_page, page, measure):
    app = open_page(page)
    app.session_state["ratios_open"] = True
    app.run()

    assert MEASURES[measure].question in texts(app)
    assert f"Left out: {MEASURES[measure].left_out}." in texts(app)
