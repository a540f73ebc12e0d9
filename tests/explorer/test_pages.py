"""Every page on the demonstration study and on small awkward ones."""

import ast
from pathlib import Path

import pandas as pd
import pytest
from explorer_studies import AWKWARD_NAMES, PLANS
from scipy.stats import binomtest
from streamlit.testing.v1 import AppTest

import engine
from engine.words.plain_names import on_page
from explorer.page_list import BY_NAME

DEMO = Path(__file__).resolve().parents[2] / "results"
EXPLORER = DEMO.parent / "explorer"
PAGES = ("judges", "workbench")
SMALL = [name for name in PLANS if name != "many-judges"]  # test_awkward_studies.py opens it on every page


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def markup(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.header, app.subheader) for element in kind)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("study", SMALL)
def test_every_page_of_an_awkward_study_opens_without_a_traceback(open_page, awkward_store, page, study):
    app = open_page(page, awkward_store, study=study)

    assert app.header[0].value == BY_NAME[page].title
    assert len(app.text) > 1


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_the_demonstration_says_simulated(open_page, page):
    app = open_page(page)

    assert any("simulated" in element.value for element in app.markdown)


def test_the_demonstration_opens_if_the_address_names_no_study(open_page):
    app = open_page()

    assert app.selectbox(key="w_study").value == "demo-health"
    assert app.query_params["study"] == "demo-health"


def ratios(app: AppTest) -> pd.DataFrame:
    """Open the fold of the ratios as in the papers, and return its table."""
    app.session_state["ratios_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if "hspp_self" in frame.value)


def test_the_first_page_shows_the_ratios_that_the_measure_has(open_page):
    rows = engine.open_study(str(DEMO / "demo-health")).result("hspp").rows
    first = next(row for row in rows if row["judge"] == "aster-large")

    table = ratios(open_page())

    ratio = table.set_index("judge").loc["aster-large", "hspp_self"]
    assert ratio == f"{first['hspp_self']:.2f} [{first['hspp_self_low']:.2f}, {first['hspp_self_high']:.2f}]"


def test_the_overview_counts_judgments_without_a_verdict(open_page, awkward_store):
    app = open_page(store=awkward_store, study="plain")

    by_paradigm = next(frame.value for frame in app.dataframe if "paradigm" in frame.value)
    judgments, unparsed = 3 * 3 * 12 * 3, 3 * 3
    assert by_paradigm["n"].tolist() == [str(judgments)]
    assert by_paradigm["unparsed"].tolist() == [str(unparsed)]
    ends = binomtest(unparsed, judgments).proportion_ci(method="wilson")
    assert by_paradigm["failed"].tolist() == [f"{unparsed / judgments:.1%} [{ends.low:.1%}, {ends.high:.1%}]"]


def test_a_missing_number_is_shown_as_a_dash_with_its_reason(open_page, awkward_store):
    app = open_page(store=awkward_store, study="one-family")

    table = ratios(app)

    assert set(table["hspp_self"]) == {
        "– (no model of another family)",
        "– (no judge has a defined ratio)",
    }
    assert not table.isna().any().any()


@pytest.mark.parametrize("study", ["no-reference", "no-judgments"])
@pytest.mark.parametrize("page", ["judges", "workbench"])
def test_a_study_that_lacks_something_says_so(open_page, awkward_store, page, study):
    reason = engine.open_study(str(awkward_store / study)).result("hspp").reason

    app = open_page(page, awkward_store, study=study)

    assert reason
    assert on_page(reason) in texts(app)


def test_a_study_without_texts_says_so_in_their_place(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="no-texts", item="1")

    for thing in ("the question", "the answer", "the criterion"):
        assert f"This study holds no text of {thing}." in texts(app)


def test_names_and_texts_of_a_study_are_never_markup(open_page, awkward_store):
    for page in PAGES:
        app = open_page(page, awkward_store, study="awkward-names")

        for hostile in (*AWKWARD_NAMES, "<b>awkward-names</b>", "<img", ":red[x]", "$x$"):
            assert hostile not in markup(app)


def test_hostile_texts_are_shown_literally(open_page, awkward_store):
    app = open_page("workbench", awkward_store, study="awkward-names", item="1")

    assert "Criterion 2 <img src=x onerror=alert(1)>" in texts(app) or "Criterion 0 <img" in texts(app)
    assert ":red[red]" in texts(app)


def test_what_a_study_says_of_itself_is_shown_word_for_word(open_page):
    notes = engine.open_study("results/demo-verifiable").info.notes

    assert "`spb check`" in notes
    assert f"notes: {notes}" in texts(open_page("judges", study="demo-verifiable"))


def test_an_unknown_study_in_the_address_is_named_and_nothing_else_shown(open_page):
    app = open_page(study="gone")

    names = "demo-health, demo-orders, demo-pairs and demo-verifiable"
    assert [text.value for text in app.text] == [f"There is no study 'gone' in this store. It has: {names}."]
    assert not app.header
    assert app.query_params["study"] == "gone"

    app.selectbox(key="w_study").set_value("demo-pairs").run()
    assert app.header[0].value == "Judges"
    assert app.query_params["study"] == "demo-pairs"


def test_a_study_imported_while_the_page_is_open_appears(open_page, tmp_path):
    from explorer_studies import write

    write(tmp_path, "first", PLANS["plain"])
    app = open_page(store=tmp_path)

    write(tmp_path, "second", PLANS["one-judge"])
    app.run()

    assert app.selectbox(key="w_study").options == ["first", "second"]


def test_a_study_replaced_while_the_page_is_open_is_measured_again(open_page, tmp_path):
    import shutil

    from explorer_studies import write

    write(tmp_path, "study", PLANS["plain"])
    app = open_page(store=tmp_path)
    shutil.rmtree(tmp_path / "study")

    write(tmp_path, "study", PLANS["one-judge"])
    table = ratios(app)
    assert table["judge"].tolist() == ["m1"]


def test_an_error_of_the_engine_is_shown_without_command_flags(open_page):
    app = open_page("workbench", paradigm="pairwise", level="rubric")

    assert "choose level instance" in texts(app)


@pytest.mark.parametrize("path", sorted(EXPLORER.glob("app_pages/*.py")), ids=lambda path: path.stem)
def test_a_page_has_no_bare_value_that_streamlit_would_write(path):
    after_its_docstring = ast.parse(path.read_text("utf-8")).body[1:]

    bare = [each.value for each in after_its_docstring if isinstance(each, ast.Expr)]

    assert all(isinstance(value, ast.Call) for value in bare)
