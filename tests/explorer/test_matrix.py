"""The heatmap of judges and generators, and what a bias means in points and places."""

import json
from pathlib import Path

import pytest
from explorer_studies import AWKWARD_NAMES, PLANS
from plain.published import STUDY, needs_published_study
from streamlit.testing.v1 import AppTest

import engine
from engine import lifts
from engine.importers.tidy import import_tidy
from engine.store import Store

DEMO = Path(__file__).resolve().parents[2] / "results"
SMALL = [name for name in PLANS if name != "many-judges"]


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def spec(app: AppTest) -> dict:
    return json.loads(app.get("vega_lite_chart")[0].proto.spec)


def rows(app: AppTest):
    """Open the table under the chart and return it."""
    app.session_state["matrix_rows"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if "over" in frame.value)


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("published")
    import_tidy(STUDY, Store(store), "ifeval")
    return store


@pytest.mark.parametrize("shade", ["underestimation", "delta"])
@pytest.mark.parametrize("study", SMALL)
def test_every_shade_of_an_awkward_study_opens_without_a_traceback(open_page, awkward_store, study, shade):
    app = open_page("matrix", awkward_store, study=study, shade=shade)

    assert app.header[0].value == "Judges x generators"
    assert app.get("vega_lite_chart") or "Nothing to show" in texts(app)


def test_the_heatmap_holds_every_cell_of_the_measure_with_its_confusion_table(open_page):
    measured = engine.open_study(str(DEMO / "demo-health")).result("overestimation").rows

    shown = rows(open_page("matrix")).set_index(["judge", "generator"])

    assert len(shown) == len(measured)
    for row in measured:
        told = shown.loc[(row["judge"], row["generator"])]
        assert told["over"].startswith(f"{row['over']:,} of {row['n']:,}: {row['rate']:.1%} [")
        assert told["under"].startswith(f"{row['under']:,} of {row['under_n']:,}: {row['under_rate']:.1%} [")
        assert told["relation"] == row["relation"]


def test_judges_stand_in_the_order_chosen(open_page):
    measured = engine.open_study(str(DEMO / "demo-health")).result("overestimation").rows
    own = {row["judge"]: row["rate"] for row in measured if row["relation"] == "self"}

    app = open_page("matrix", row_order="value")

    assert list(rows(app)["judge"].unique()) == sorted(own, key=lambda judge: -own[judge])


def test_a_filter_reaches_the_heatmap_and_the_points(open_page):
    app = open_page("matrix", axis="accuracy")

    assert texts(app).count("axis accuracy") >= 2


def test_pairwise_judgments_have_a_heatmap_and_say_why_there_are_no_points(open_page):
    app = open_page("matrix", paradigm="pairwise")

    assert app.get("vega_lite_chart")
    assert "this measure is not taken of 'pairwise'" in texts(app)


def test_a_choice_that_is_not_there_is_named_and_dropped(open_page):
    app = open_page("matrix", shade="loudness")

    assert "'loudness'" in texts(app)
    assert "shade" not in app.query_params


def test_each_judge_has_a_sentence_in_points_and_places(open_page):
    opened = engine.open_study(str(DEMO / "demo-health"))
    told = lifts.sentences(opened.result("delta").rows, opened.result("hspp").rows)

    shown = texts(open_page("matrix"))

    assert len(told) == 9
    assert all(sentence in shown for sentence in told.values())


def test_names_are_never_markup(open_page, awkward_store):
    app = open_page("matrix", awkward_store, study="awkward-names")
    drawn = spec(app)

    for kind in (app.markdown, app.header, app.subheader):
        for element in kind:
            assert not any(name in element.value for name in AWKWARD_NAMES)
    assert drawn["params"][0]["select"]["fields"] == ["judge", "generator"]


def test_of_very_many_judges_as_many_are_shown_as_can_be_read(open_page, awkward_store):
    app = open_page("matrix", awkward_store, study="many-judges")

    shown = rows(app)
    assert "The first 40 of 200 judges are shown" in texts(app)
    assert shown["judge"].nunique() == 40
    assert "judges m" not in texts(app).partition("Taken of")[2].partition(".")[0]


@needs_published_study
def test_the_published_study_shows_the_bonus_and_the_places_of_its_judges(open_page, published):
    deltas = engine.open_study(str(published / "ifeval")).result("delta").rows
    own = next(row for row in deltas if row["judge"] == row["generator"] == "gemma_3_4b_it")

    app = open_page("matrix", published, study="ifeval")

    assert own["rank_shift"] < 0
    assert f"gemma_3_4b_it gives itself {own['bonus']:.1f} points of 100" in texts(app)
    assert f"ranks itself {-own['rank_shift']:g} places higher" in texts(app)


def row(**given):
    told = {
        "judge": "a",
        "generator": "a",
        "bonus": 2.0,
        "bonus_low": 1.0,
        "bonus_high": 3.0,
        "rank_shift": 0.0,
    }
    return told | given


BESIDE = "compared with other families' models"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, f"a gives itself 2.0 points of 100 [+1.0, +3.0] {BESIDE}"),
        (
            {"bonus_low": -1.0},
            f"a gives itself 2.0 points of 100 [-1.0, +3.0] {BESIDE}, which may be nothing",
        ),
        (
            {"bonus": -2.0, "bonus_low": -3.0, "bonus_high": -1.0},
            f"a takes from itself 2.0 points of 100 [-3.0, -1.0] {BESIDE}",
        ),
        ({"bonus": None}, "a has no bonus here, for want of scores of its own or of another family's"),
        ({"bonus_low": None}, "a gives itself 2.0 points of 100 more than other families' models"),
    ],
)
def test_a_sentence_says_the_points_and_whether_they_may_be_nothing(given, told):
    sentences = lifts.sentences([row(**given)], [])

    assert sentences == {"a": f"{told}, and ranks itself where the reference does."}


@pytest.mark.parametrize(
    ("shift", "told"),
    [
        (-1.0, "a {}, and ranks itself 1 place higher than the reference does."),
        (1.5, "a {}, and ranks itself 1.5 places lower than the reference does."),
        (None, "a {}."),
    ],
)
def test_a_sentence_says_the_places(shift, told):
    sentences = lifts.sentences([row(rank_shift=shift)], [])

    assert sentences == {"a": told.format(f"gives itself 2.0 points of 100 [+1.0, +3.0] {BESIDE}")}


def test_a_sentence_says_what_the_ratio_stands_for():
    ratio = {"judge": "a", "hspp_self": 1.2, "o_self": 0.6, "o_other": 0.5}

    told = lifts.sentences([row()], [ratio])["a"]

    assert told.endswith(
        "Its ratio of 1.20 stands for 60 of 100 own failures passed, where it passes 50 of 100 of others'."
    )
