"""The workbench's chart in its forms, what a click on a mark lists, and a bias in points and places."""

import json
import math
from pathlib import Path

import pytest
from explorer_studies import AWKWARD_NAMES, LACKING
from plain.published import STUDY, needs_published_study
from streamlit.testing.v1 import AppTest

import engine
from engine.importers.format_loading import row_format
from engine.importers.formats.exchange import import_tidy
from engine.importers.pipeline import reading
from engine.store import Store
from engine.views.matrix import MATRIX
from engine.views.slices import SLICES
from engine.words import bonus_words

DEMO = Path(__file__).resolve().parents[2] / "results"


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def spec(app: AppTest) -> dict:
    return json.loads(app.get("vega_lite_chart")[0].proto.spec)


def rows(app: AppTest, view: str = "matrix", column: str = "over"):
    """Open the numbers under the chart and return them."""
    app.session_state[f"{view}_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if column in frame.value)


def chosen_marks(app: AppTest) -> list[dict]:
    """Return the marks initially chosen in the chart."""
    return [mark for param in spec(app)["params"] for mark in param.get("value", ())]


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("published")
    import_tidy(STUDY, Store(store), "ifeval")
    return store


@pytest.mark.parametrize("shade", ["underestimation", "delta"])
@pytest.mark.parametrize("study", LACKING)
def test_every_shade_of_an_awkward_study_opens_without_a_traceback(open_page, awkward_store, study, shade):
    app = open_page("workbench", awkward_store, study=study, chart="matrix", shade=shade)

    assert app.header[0].value == "Explore"
    reasons = ("nothing to show", "The study has no single criterion,")
    assert app.get("vega_lite_chart") or any(reason in texts(app) for reason in reasons)


@pytest.mark.parametrize("study", LACKING)
@pytest.mark.parametrize("view", [{"by": ["axis", "theme"]}, {"chart": "curve"}], ids=["split", "curve"])
def test_every_form_of_an_awkward_study_opens_without_a_traceback(open_page, awkward_store, study, view):
    app = open_page("workbench", awkward_store, study=study, **view)

    assert app.header[0].value == "Explore"


def test_split_by_two_columns_each_row_is_of_a_slice_of_both(open_page, demo):
    app = open_page("workbench", by=["axis", "polarity"], against="responses")

    table = rows(app, "slices", "hspp_self").set_index(["polarity", "axis", "judge"])
    for row in demo.result("hspp", by="axis", polarity="negative").rows:
        if row["judge"] is not None and row["hspp_self"] is not None:
            words = table.loc[("negative", row["slice"].replace("_", " "), row["judge"]), "hspp_self"]
            assert words.startswith(f"{row['hspp_self']:.2f}")


def test_an_address_with_more_columns_than_two_keeps_two_and_says_so(open_page):
    app = open_page("workbench", by=["axis", "theme", "polarity"])

    assert not app.exception
    split = next(each for each in app.multiselect if each.label == "Split by")
    assert split.value == ["axis", "theme"]
    assert "Split by takes at most 2 values; without polarity." in texts(app)


def test_a_judge_of_another_study_is_not_said_to_be_listed(open_page):
    app = open_page("workbench", judge="nobody")

    assert "the judgments listed are" not in texts(app)


def test_the_usual_comparison_is_of_what_was_given_with_what_outside_judges_make_expected(open_page, demo):
    table = rows(open_page("workbench"), "slices", "own_given").set_index("judge")

    for row in demo.result("expected").rows:
        assert table.loc[row["judge"], "own_given"] == f"{row['own_given']:.1%}"
        assert table.loc[row["judge"], "own_expected"].startswith(f"{row['own_expected']:.1%} [")


def test_the_chart_of_all_judges_says_so_where_the_list_is_of_one(open_page):
    listed = open_page("workbench", judge="dune-large")
    every = open_page("workbench")

    words = "The chart is of all judges chosen; the judgments listed are dune-large's."
    assert [words in [text.value for text in app.text] for app in (listed, every)] == [True, False]


def test_the_excess_is_given_less_expected_in_every_slice_of_a_column(open_page, demo):
    table = rows(open_page("workbench", by="axis"), "slices", "excess").set_index(["slice", "judge"])

    for row in demo.result("expected", by="axis").rows:
        points = table.loc[(row["slice"].replace("_", " "), row["judge"]), "excess"].partition(" ")[0]
        assert float(points) == pytest.approx(100 * row["excess"], abs=0.051)


def test_a_curve_goes_along_the_bins_of_a_column_in_their_order(open_page, demo):
    app = open_page("workbench", chart="curve", by="length")
    bins = list(dict.fromkeys(row["slice"] for row in demo.result("expected", by="length").rows))

    assert list(dict.fromkeys(rows(app, "curve", "excess")["slice"])) == bins
    assert spec(app)["spec"]["layer"][-1]["encoding"]["x"]["sort"]["field"] == "label_order"


def test_judges_are_sorted_by_their_number_its_cases_and_its_certainty(demo):
    result_rows = [row for row in demo.result("hspp").rows if row["judge"] is not None]

    def order(sort: str) -> list[str]:
        marks = SLICES.shown(demo, {"sort": [sort], "against": ["responses"]}).figure.rows_of_marks()
        by_place = sorted(marks, key=lambda mark: mark["label_order"])
        return list(dict.fromkeys(mark["label"] for mark in by_place))[1:]

    def certainty(row) -> float:
        return max(math.log(row["hspp_self_low"]), -math.log(row["hspp_self_high"]))

    by_value = sorted(result_rows, key=lambda row: -row["hspp_self"])
    by_certainty = sorted(result_rows, key=lambda row: -certainty(row))
    assert order("value") == [row["judge"] for row in by_value]
    assert order("sure") == [row["judge"] for row in by_certainty]
    assert order("size") == [row["judge"] for row in sorted(result_rows, key=lambda row: -row["n_self"])]
    assert order("name") == sorted(row["judge"] for row in result_rows)


def test_a_mark_chosen_in_the_address_is_drawn_as_chosen_until_its_chips_are_removed(open_page):
    app = open_page("workbench", by="axis", judge="dune-large", generator="dune-large", value="accuracy")
    marks = chosen_marks(app)

    for key in ("judge", "generator", "value"):
        app.button(key=f"off_{key}").click().run()

    assert marks == [{"panel": "dune-large", "label": "accuracy"}]
    assert chosen_marks(app) == []
    assert set(app.query_params) == {"study", "by"}


def test_the_heatmap_holds_every_cell_of_the_measure(open_page):
    result_rows = engine.open_study(str(DEMO / "demo-health")).result("overestimation").rows

    table = rows(open_page("workbench", chart="matrix")).set_index(["judge", "generator"])

    for row in result_rows:
        cells = (
            table.loc[(row["judge"], row["generator"])]
            if (row["judge"], row["generator"]) in table.index
            else None
        )
        if cells is not None:  # the first 60 are shown, the others downloaded
            assert (cells["over"], cells["n"]) == (f"{row['over']:,}", f"{row['n']:,}")
            assert cells["rate"].startswith(f"{row['rate']:.1%} [")
            assert cells["relation"] == row["relation"]
    assert len(table) == 60


def test_every_cell_of_the_heatmap_is_drawn_with_its_confusion_table(demo):
    marks = MATRIX.shown(demo, {}).figure.rows_of_marks()

    cells = {(mark["judge"], mark["generator"]): mark for mark in marks}
    for row in demo.result("overestimation").rows:
        mark = cells[row["judge"], row["generator"]]
        assert mark["over"].startswith(f"{row['over']:,} of {row['n']:,}: {row['rate']:.1%} [")
        assert mark["under"].startswith(f"{row['under']:,} of {row['under_n']:,}: {row['under_rate']:.1%} [")


def test_the_heatmap_is_split_into_a_small_one_for_each_value(demo):
    marks = MATRIX.shown(demo, {"by": ["polarity"]}).figure.rows_of_marks()

    cells = {(mark["slice"], mark["judge"], mark["generator"]): mark for mark in marks}
    for row in demo.result("overestimation", by="polarity").rows:
        mark = cells[row["slice"], row["judge"], row["generator"]]
        assert mark["over"].startswith(f"{row['over']:,} of {row['n']:,}: {row['rate']:.1%} [")


def test_judges_are_in_the_chosen_order(demo):
    own = {
        row["judge"]: row["rate"] for row in demo.result("overestimation").rows if row["relation"] == "self"
    }

    marks = MATRIX.shown(demo, {"sort": ["value"]}).figure.rows_of_marks()

    by_place = sorted(marks, key=lambda mark: mark["judge_order"])
    assert list(dict.fromkeys(mark["judge"] for mark in by_place)) == sorted(
        own, key=lambda judge: -own[judge]
    )


def test_a_filter_reaches_the_heatmap_and_the_points(open_page):
    app = open_page("workbench", chart="matrix", axis="accuracy")

    assert texts(app).count("axis accuracy") >= 2


def test_pairwise_judgments_have_a_heatmap_and_say_why_there_are_no_points(open_page):
    app = open_page("workbench", chart="matrix", paradigm="pairwise")

    assert app.get("vega_lite_chart")
    assert "this measure does not apply to 'pairwise'" in texts(app)


def test_an_unknown_choice_is_named_as_long_as_the_address_has_it(open_page):
    app = open_page("workbench", chart="matrix", shade="loudness")

    for _ in range(2):
        assert "'loudness'" in texts(app)
        assert app.query_params["shade"] == "loudness"
        app.run()


def test_each_judge_has_a_sentence_in_points_and_places(open_page):
    study = engine.open_study(str(DEMO / "demo-health"))
    by_judge = bonus_words.score_bonus_sentences(study.result("delta").rows, study.result("hspp").rows)

    table = texts(open_page("workbench", chart="matrix", in_words="true"))

    assert len(by_judge) == 9
    assert all(sentence in table for sentence in by_judge.values())


def test_names_are_never_markup(open_page, awkward_store):
    app = open_page("workbench", awkward_store, chart="matrix", study="awkward-names")
    chart = spec(app)

    for kind in (app.markdown, app.header, app.subheader):
        for element in kind:
            assert not any(name in element.value for name in AWKWARD_NAMES)
    assert chart["params"][0]["select"]["fields"] == ["judge", "generator"]


def test_of_very_many_judges_as_many_are_shown_as_are_readable(open_page, awkward_store):
    app = open_page("workbench", awkward_store, chart="matrix", study="many-judges")

    assert "Showing the first 40 of 64 judges" in texts(app)
    assert "judges m" not in texts(app).partition("Based on")[2].partition(".")[0]


@needs_published_study
def test_the_published_study_shows_the_bonus_and_the_places_of_its_judges(open_page, published):
    deltas = engine.open_study(str(published / "ifeval")).result("delta").rows
    own = next(row for row in deltas if row["judge"] == row["generator"] == "gemma_3_4b_it")

    app = open_page("workbench", published, chart="matrix", study="ifeval")

    assert own["rank_shift"] < 0
    assert f"gemma_3_4b_it scores its own answers {own['bonus']:.1f} points of 100" in texts(app)
    assert f"ranks itself {-own['rank_shift']:g} places higher" in texts(app)


def row(**changes):
    fields = {
        "judge": "a",
        "generator": "a",
        "bonus": 2.0,
        "bonus_low": 1.0,
        "bonus_high": 3.0,
        "rank_shift": 0.0,
        "rank_shift_low": None,
        "rank_shift_high": None,
        "n": 90,
        "n_ranked": 90,
    }
    return fields | changes


BESIDE = "than other families', each beside the reference"


@pytest.mark.parametrize(
    ("changes", "beginning"),
    [
        ({}, f"a scores its own answers 2.0 points of 100 (95% CI 1.0 to 3.0) higher {BESIDE}"),
        (
            {"bonus": -2.0, "bonus_low": -3.0, "bonus_high": -1.0},
            f"a scores its own answers 2.0 points of 100 (95% CI 1.0 to 3.0) lower {BESIDE}",
        ),
        ({"bonus": None}, "a has no bonus here: it scored no answer of its own, or none of another family"),
        ({"bonus_low": None}, f"a scores its own answers 2.0 points of 100 higher {BESIDE}"),
    ],
)
def test_a_sentence_says_the_points_and_whether_they_may_be_chance(changes, beginning):
    result = bonus_words.score_bonus_sentences([row(**changes)], [])

    assert result == {"a": f"{beginning}, and ranks itself as the reference does."}


def test_points_that_may_be_chance_and_move_no_place_are_not_called_shown():
    result = bonus_words.score_bonus_sentences([row(bonus_low=-1.0)], [])

    assert result == {
        "a": f"a is not shown to score its own answers otherwise {BESIDE} (difference +2.0 of 100 points, "
        "95% CI -1.0 to 3.0, which may be chance), and ranks itself as the reference does."
    }


@pytest.mark.parametrize(
    ("ends", "is_said"), [((-3.0, -1.0), True), ((-3.0, 1.0), False), ((0.0, 1.0), False)]
)
def test_no_place_is_said_to_change_if_its_interval_contains_0(ends, is_said):
    low, high = ends
    moved = row(rank_shift=-1.0, rank_shift_low=low, rank_shift_high=high)

    assert ("ranks itself" in bonus_words.score_bonus_sentences([moved], [])["a"]) == is_said


@pytest.mark.parametrize(
    ("shift", "template"),
    [
        (-1.0, "a {}, and ranks itself 1 place higher than the reference does."),
        (1.5, "a {}, and ranks itself 1.5 places lower than the reference does."),
        (None, "a {}."),
    ],
)
def test_a_sentence_says_the_places(shift, template):
    result = bonus_words.score_bonus_sentences([row(rank_shift=shift)], [])

    assert result == {
        "a": template.format(f"scores its own answers 2.0 points of 100 (95% CI 1.0 to 3.0) higher {BESIDE}")
    }


def test_places_on_fewer_questions_than_were_scored_say_on_which():
    result = bonus_words.score_bonus_sentences([row(n_ranked=62)], [])

    assert result["a"].endswith(", on the 62 questions on which both score the answers of all models.")


def test_a_sentence_says_what_the_ratio_stands_for():
    ends = {"hspp_self_low": 1.1, "hspp_self_high": 1.3}
    ratio = {"judge": "a", "hspp_self": 1.2, "o_self": 0.6, "o_other": 0.5, **ends}

    sentence = bonus_words.score_bonus_sentences([row()], [ratio])["a"]

    assert sentence.endswith(
        "Its HSPP ratio is 1.20 (95% CI 1.10 to 1.30): it passes 60% of its own failures and 50% of others'."
    )


@pytest.mark.parametrize("study", ["demo-pairs", "demo-health"])
def test_judges_compared_with_outside_judges_have_the_numbers_of_the_board(open_page, study):
    board = [row for row in engine.open_study(str(DEMO / study)).result("scorecard").rows if row["judge"]]

    table = rows(open_page("workbench", study=study), "slices", "own_given").set_index("judge")

    assert set(table.index) == {row["judge"] for row in board}
    for row in board:
        assert table.loc[row["judge"], "own_given"] == f"{row['own_given']:.1%}"
        assert table.loc[row["judge"], "own_expected"].startswith(f"{row['own_expected']:.1%}")


def test_a_study_without_a_reference_says_why_it_has_no_ratios_and_shows_what_it_can(open_page):
    app = open_page("workbench", study="demo-pairs", against="responses")

    assert "The HSPP ratio is not shown: the study has no reference" in texts(app)
    assert "own_given" in rows(app, "slices", "own_given")


def test_pairs_without_a_reference_are_drawn_by_column_and_as_votes(open_page):
    split = open_page("workbench", study="demo-pairs", by="category")
    votes = open_page("workbench", study="demo-pairs", chart="matrix")

    categories = set(engine.open_study(str(DEMO / "demo-pairs")).index.instance_fields["category"])
    assert set(rows(split, "slices", "excess")["slice"]) == categories
    assert "the share of a judge's votes" in texts(votes)
    assert votes.get("vega_lite_chart")


@pytest.fixture(scope="module")
def one_order(tmp_path_factory) -> Path:
    """Import a study of AlpacaEval: a judge of two other models, each pair shown in one order."""
    folder = tmp_path_factory.mktemp("alpaca")
    rows = [
        {
            "instruction": f"Question {place}?",
            "output_1": "One answer.",
            "generator_1": "gpt-a",
            "output_2": "Another answer.",
            "generator_2": "llama-b",
            "annotator": "claude-c",
            "preference": 1 + place % 2,
        }
        for place in range(6)
    ]
    (folder / "annotations.json").write_text(json.dumps(rows))
    with reading(row_format("alpaca-eval"), folder / "annotations.json") as source:
        source.write(Store(folder / "store"), "alpaca")
    return folder / "store"


def test_pairs_of_one_order_are_listed_with_the_reason_for_no_conclusion(open_page, one_order):
    board = open_page(store=one_order, study="alpaca")
    workbench = open_page("workbench", one_order, study="alpaca")

    assert "cannot be measured here" in texts(board)
    assert "claude-c: no judged answer is the judge's own or its family's" in texts(board)
    assert "12 rows, a judgment of two answers from each side." in texts(workbench)
