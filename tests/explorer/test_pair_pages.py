"""Equal quality, quality baseline and all measures together: what the pages say and draw."""

import itertools
import random
from pathlib import Path

import pytest
from importers import foreign_files
from plain.awkward_pairs import awkward_pairs_study

import engine
from engine.charts import before_after, by_category, directions, forest, lines, name_places, panels, quadrant
from engine.importers.formats.exchange import import_tidy
from engine.measures.undefined_reasons import meaning
from engine.store import Store
from engine.views.equal_quality import ARCHETYPES
from engine.words import pairs

PAGES = ("equal_quality", "quality_baseline")


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


def table(app, column):
    for name in ("firm_choices", "baseline"):
        app.session_state[f"{name}_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if column in frame.value)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    awkward_pairs_study(random.Random(0), instances=5).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return folder / "store"


@pytest.fixture(scope="module")
def study(store):
    return engine.open_study(str(store / "awkward"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_awkward_pairs_has_charts_rows_and_a_sentence(open_page, store, page):
    app = open_page(page, store, study="awkward")

    assert app.get("vega_lite_chart")
    assert "Numbers" in [each.label for each in app.expander]
    assert "Based on:" in texts(app)
    assert "Left out:" in texts(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("study", ["no-reference", "no-judgments", "awkward-names"])
def test_a_study_that_lacks_what_a_page_needs_says_so(open_page, awkward_store, page, study):
    app = open_page(page, awkward_store, study=study)

    assert app.get("vega_lite_chart") or "The study has no pairwise judgments." in texts(app)


def test_the_epsilon_in_the_address_is_that_of_the_numbers(open_page, store, study):
    wide = study.result("equal-quality", epsilon=1.0).rows
    usual = study.result("equal-quality").rows

    app = open_page("equal_quality", store, study="awkward", epsilon="1")

    counts = table(app, "null_pir")["n_pairs"].tolist()
    assert counts == [str(row["n_pairs"]) for row in wide]
    assert counts != [str(row["n_pairs"]) for row in usual]
    assert app.query_params["epsilon"] == "1"


@pytest.mark.parametrize("epsilon", ["nan", "7", "<b>"])
def test_an_invalid_epsilon_is_dropped_with_a_sentence(open_page, store, epsilon):
    app = open_page("equal_quality", store, study="awkward", epsilon=epsilon)

    assert f"{epsilon!r} is not a number from 0 to 2" in texts(app)
    assert app.slider(key="w_epsilon").value == 0.25


def test_the_slider_moves_the_numbers_and_the_address(open_page, store):
    app = open_page("equal_quality", store, study="awkward")
    before = table(app, "null_pir")["n_pairs"].tolist()

    app.slider(key="w_epsilon").set_value(2.0).run()

    assert not app.exception
    assert table(app, "null_pir")["n_pairs"].tolist() != before
    assert app.query_params["epsilon"] == "2"


def test_a_judge_is_shown_by_opponent_with_the_chosen_proxies(open_page):
    judge = "rowan-large"
    rows = engine.open_study("results/demo-pairs").result("quality-baseline").rows
    opponents = [row["opponent"] for row in rows if row["judge"] == judge and row["opponent"] is not None]
    app = open_page("quality_baseline", study="demo-pairs")

    app.selectbox(key="w_judge").set_value(judge).run()
    of_all = table(app, "ilsp_updated")
    app.button_group(key="w_proxies").set_value("out_of_family").run()
    of_others = table(app, "ilsp_updated")

    assert of_all["opponent"].tolist() == of_others["opponent"].tolist() == opponents
    assert of_all["ilsp_updated"].tolist() != of_others["ilsp_updated"].tolist()
    assert (app.query_params["judge"], app.query_params["proxies"]) == (judge, "out_of_family")


def test_a_papers_own_votes_stand_beside_its_printed_numbers(open_page, tmp_path):
    names = ("Llama-3.1-70B-Instruct", "Qwen2.5-32B-Instruct")
    task, rows = tmp_path / "files" / "alpaca_eval_500_id_wr", range(500)
    for judge, wins in zip(names, (233, 186), strict=True):
        verdicts = [{"id": x, "preferences": names[x >= wins]} for x in rows]
        foreign_files.lines(task / f"evaluator_{judge}" / f"average_{'_'.join(names)}.jsonl", verdicts)
    gold = [{"id": x, "preferences": [names[x >= 199]] * 2} for x in rows]
    foreign_files.lines(task / "evaluator_gpt-4o-mini_golden" / f"merge_{'_'.join(names)}.jsonl", gold)
    foreign_files.imported("dbg-score", tmp_path / "files")

    app = open_page("quality_baseline", tmp_path / "store", study="read", part="printed")

    assert "All 6 printed numbers of the rows in this study are reproduced" in texts(app)
    row = next(frame.value for frame in app.dataframe if "row" in frame.value).iloc[0]
    assert (row["A wins by Gold (%), printed"], row["A wins by Gold (%), here"]) == ("39.8", "39.8")


def test_only_a_papers_own_votes_have_printed_numbers(open_page, store):
    app = open_page("quality_baseline", store, study="awkward", part="printed")

    assert "printed numbers" not in texts(app)
    assert app.get("vega_lite_chart")


def test_every_judge_and_measure_has_a_row_on_the_first_page_on_request(open_page, store, study):
    rows = study.result("together").rows

    app = open_page(store=store, study="awkward")
    app.session_state["every_measure"] = True
    app.session_state["together_open"] = True
    app.run()

    assert len(table(app, "needs")) == len(rows)


def test_equal_quality_begins_with_preference_among_equals(open_page):
    app = open_page("equal_quality", study="demo-pairs")

    assert app.subheader[0].value == ARCHETYPES.title  # the second view: the first has no title of its own


def type_row(judge, d, spb, name, n=100):
    fields = {"judge": judge, "archetype": name, "crosses": [], "possible": [name]}
    fields |= {"d": d, "d_low": d - 0.1, "d_high": d + 0.02, "n_contrast": 100, "n_pairs": n}
    return fields | {"spb": spb, "spb_low": spb - 0.03, "spb_high": spb + 0.03}


def test_a_mark_of_the_quadrant_holds_both_numbers_and_few_cases_are_hollow():
    rows = [type_row("a", 0.9, 0.2, "Machiavellian"), type_row("b", 0.5, 0.0, "Incompetent Randomizer", 9)]

    frame = quadrant.quadrant_rows([*rows, type_row("c", 0.9, 0.0, "Objective") | {"spb": None}])

    assert frame["judge"].tolist() == ["a", "b"]
    assert frame["small"].tolist() == [False, True]
    assert frame["x_words"].iloc[0] == "90.0% [80.0%, 92.0%]"


def test_the_quadrant_draws_all_four_regions_and_both_intervals():
    frame = quadrant.quadrant_rows([type_row("a", 0.9, 0.2, "Machiavellian")])

    layers = quadrant.quadrant(frame).to_dict()["hconcat"][0]["layer"]

    ends = [set(layer["encoding"]) & {"x2", "y2"} for layer in layers if layer["mark"]["type"] == "rule"]
    assert ends == [{"y2"}, {"x2"}]
    assert layers[0]["encoding"]["x2"]["field"] == "right"


CROWD = [type_row(f"judge-number-{place}", 0.9 + 0.002 * place, 0.0, "Objective") for place in range(6)]
PLANE = name_places.Plot(left=0.5, right=1.0, bottom=-0.4, top=0.4, width=600, height=340)


def boxes(frame):
    """Return the boxes of the names in pixels."""
    edges = []
    for row in frame.to_dict("records"):
        across, down = PLANE.pixels(row["name_x"], row["name_y"])
        half = len(row["shown"]) * name_places.CHARACTER / 2
        edges.append((across - half, across + half, down - name_places.LINE / 2, down + name_places.LINE / 2))
    return edges


def test_names_of_judges_close_together_neither_overlap_nor_leave_the_plane():
    frame = name_places.place_names(quadrant.quadrant_rows(CROWD), PLANE)

    edges = boxes(frame)
    apart = [
        one[1] <= two[0] or two[1] <= one[0] or one[3] <= two[2] or two[3] <= one[2]
        for one, two in itertools.combinations(edges, 2)
    ]
    assert all(apart)
    assert all(left >= 0 and right <= 600 and top >= 0 and low <= 340 for left, right, top, low in edges)
    assert frame["apart"].any()


def test_a_single_name_is_beside_its_mark_and_a_long_one_is_cut():
    row = type_row("a" * 40, 0.6, 0.1, "Objective")

    frame = name_places.place_names(quadrant.quadrant_rows([row]), PLANE)

    assert frame["shown"].tolist() == ["a" * 23 + "…"]
    assert not frame["apart"].any()


def test_spb_by_category_has_a_panel_for_each_judge_and_skips_undefined_values():
    complete = {"judge": "a", "slice": "writing", "spb": 0.2, "spb_low": 0.1, "spb_high": 0.3, "n_pairs": 40}

    frame = by_category.category_rows(
        [complete, complete | {"slice": None, "n_pairs": 9}, complete | {"spb": None}]
    )
    chart = by_category.by_category(frame).to_dict()

    assert frame["kind"].tolist() == ["writing", forest.NO_VALUE]
    assert frame["small"].tolist() == [False, True]
    assert frame["words"].iloc[0] == "+20.0 points [+10.0, +30.0]"
    assert chart["facet"]["field"] == "judge"


def test_categories_are_summed_up_in_a_sentence():
    complete = {"judge": "a", "slice": "writing", "spb": 0.2, "spb_low": 0.1, "spb_high": 0.3}
    open_ = {"judge": "b", "slice": "coding", "spb": -0.1, "spb_low": -0.3, "spb_high": 0.1}

    words = pairs.category_words([complete, open_, complete | {"judge": "c", "spb": None}])

    assert "categories, SPB is clearly above 0 in 1 and clearly below 0 in none" in words
    untested = complete | {"judge": "d", "spb_low": None, "spb_high": None}
    of_three = pairs.category_words([complete, open_, untested])
    assert "categories, 1 has no interval; of the others SPB is clearly above 0 in 1 and" in of_three
    assert "Highest: a on writing, +20.0 points (95% CI +10.0 to +30.0); lowest: b on coding" in words


def test_a_study_of_pairs_alone_is_concluded_by_the_votes_of_outside_judges(open_page):
    app = open_page(study="demo-pairs")

    # Both are planted; among four families their tastes could explain it as well (MEASURES section 18).
    assert "rowan-medium and rowan-large overrate their own answers" in texts(app)
    assert "of 100 votes for their own" in texts(app)
    assert "Votes for its own answer, of 100 pairs" in texts(app)
    assert "matched criteria" not in texts(app)
    assert app.get("vega_lite_chart")


def test_a_judge_is_compared_with_an_outside_judge_in_the_variant_that_the_study_has(open_page):
    app = open_page(study="demo-pairs", judge="rowan-mini")

    assert "verdicts that differ" in texts(app)
    assert "agree on all" not in texts(app)


def test_the_presented_board_says_what_its_numbers_are_and_how_large_the_study_is(open_page):
    app = open_page("present", study="demo-pairs")

    assert "Votes for its own answer, of 100 pairs." in texts(app)
    assert "Study demo-pairs (simulated) · " in texts(app)
    assert " verdicts (" in texts(app)


def test_a_filter_without_effect_is_disabled_and_named(open_page, store):
    app = open_page("equal_quality", store, study="awkward", level="instance")

    assert app.selectbox(key="w_level").disabled
    assert "These filters have no effect here: level." in texts(app)


def test_an_arrow_points_from_before_to_after():
    row = {"judge": "a", "variant": "cot", "n_pairs": 50, "spb_baseline": 0.3, "spb": 0.1}
    row |= {"reduction": 0.2, "eta": 2 / 3}
    away = row | {"judge": "b", "spb": 0.4}

    frame = before_after.before_after_rows([row, away, row | {"judge": "c", "spb": None}])
    chart = before_after.before_after(frame).to_dict()

    assert frame["judge"].tolist() == ["a", "a", "b", "b"]
    paths = next(rows for rows in chart["datasets"].values() if "head" in rows[0])
    assert [(path["start"], path["end"], path["head"]) for path in paths] == [
        (0.3, 0.1, "◀"),
        (0.3, 0.4, "▶"),
    ]


def test_a_panel_without_a_number_is_not_drawn():
    row = {"judge": "a", "n_pairs": 50, "n_null_pairs": 0, "n_family_pairs": 0}
    row |= {"pir": 0.4, "null_pir": None, "spb": None, "spb_family": None}

    frame = panels.panel_rows([row], panels.EQUAL_QUALITY)

    assert len(panels.panels(frame, panels.EQUAL_QUALITY).to_dict()["hconcat"]) == 1


def test_the_cases_of_a_number_of_proxies_are_the_examples_with_as_many():
    row = {"judge": "a", "n": 40, "coverage": [0.8, 0.2], "t_by_proxies": [0.1, None]}
    row |= {"t_by_proxies_se": [0.02, None]}

    frame = lines.of_proxies([row, row | {"coverage": []}])

    assert frame["n"].tolist() == [40]
    assert frame["high"].tolist() == [pytest.approx(0.12)]


def test_an_unclear_sign_is_never_coloured_as_clear():
    row = {"sign": 1, "clear": False}

    assert directions.direction(row) == directions.LEANS_FOR
    assert directions.direction(row | {"clear": None}) == directions.LEANS_FOR
    assert directions.direction(row | {"clear": True}) == directions.CLEAR_FOR
    assert directions.direction({"sign": -1, "clear": True}) == directions.CLEAR_AGAINST
    assert directions.direction({"sign": 0, "clear": False}) == directions.NEITHER
    assert directions.direction({"sign": None, "clear": None}) == directions.ELSE


def test_a_judge_without_an_interval_is_named_and_not_counted_among_those_that_do_not():
    too_few = {"reasons": {"spb_low": "too_many_undefined_resamples"}}
    rows = [
        {"judge": "a", "spb": 0.2, "spb_low": 0.1, "spb_high": 0.3},
        {"judge": "b", "spb": -0.2, "spb_low": -0.3, "spb_high": -0.1},
        {"judge": "c", "spb": 0.9, "spb_low": None, "spb_high": None} | too_few,
    ]
    does_x = pairs.Doing("does x", "do x")

    assert pairs.preferring(rows, "spb", does_x) == (
        "Of 3 judges only 2 can be tested: 1 does x (a +20.0 points [+10.0, +30.0]). 1 clearly does the "
        "opposite (b -20.0 points [-30.0, -10.0]). Cannot be told: c (too few cases for an interval)."
    )
    assert pairs.preferring(rows[2:], "spb", does_x) == "Cannot be told: c (too few cases for an interval)."


def test_sentences_name_judges_whose_numbers_differ_only_before_adjusting():
    rows = [
        {"judge": "a", "spb": 0.2, "spb_low": 0.1, "spb_high": 0.3, "spb_p_adjusted": 0.01},
        {"judge": "b", "spb": 0.1, "spb_low": 0.01, "spb_high": 0.3, "spb_p_adjusted": 0.06},
        {"judge": "c", "spb": -0.1, "spb_low": -0.2, "spb_high": -0.01, "spb_p_adjusted": 0.05},
    ]

    assert pairs.preferring(rows, "spb", pairs.Doing("does x", "do x")) == (
        "1 of 3 judges does x (a +20.0 points [+10.0, +30.0]). Not significant once adjusted for 3 judges: b "
        "+10.0 points [+1.0, +30.0] and c -10.0 points [-20.0, -1.0]."
    )


def test_the_sentence_on_preferences_says_why_no_judge_has_one():
    rows = [{"judge": name, "spb": None, "reasons": {"spb": "no_null_pair"}} for name in "ab"]
    why = meaning("no_null_pair")

    assert (
        pairs.preferring(rows, "spb", pairs.Doing("does x", "do x"))
        == f"No judge can be compared here: {why}."
    )
    assert pairs.preferring([], "spb", pairs.Doing("does x", "do x")) == "No judge can be compared here."


def test_the_sentence_on_epsilon_counts_judges_whose_sign_stays():
    rows = [{"spb_by_epsilon": values} for values in ([0.1, 0.2], [None, -0.1, -0.2], [0.1, -0.1], [0.3])]

    assert pairs.epsilon_words(rows) == "SPB keeps its sign at every epsilon for 2 of 3 judges."
    assert pairs.epsilon_words(rows[3:]) == "No judge has SPB at two epsilons."


def test_a_difference_that_is_one_of_flips_is_said_with_the_pairs_that_are_decided():
    def row(judge, flips, decided):
        numbers = {"dbg": (-0.06, -0.11, -0.02), "dbg_decided": decided}
        ends = {
            f"{name}{end}": value
            for name, values in numbers.items()
            for end, value in zip(("", "_low", "_high"), values, strict=True)
        }
        return {"judge": judge, "flip_rate": flips, **ends}

    unclear, clear = (-0.02, -0.08, 0.03), (-0.07, -0.12, -0.03)
    sentence = pairs.flips_beside([row("a", 0.67, unclear), row("b", 0.67, clear), row("c", 0.05, unclear)])

    assert sentence == (
        "Where the winner changes with the order, neither answer wins, which draws the win rate towards one "
        "half whatever a judge prefers. Of the pairs that they decide, DBG is not clearly the same: a, with "
        "67% flips, -2.0 points (95% CI -8.0 to +3.0)."
    )
