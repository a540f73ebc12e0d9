"""Order effects: what the page says and draws of options, rubrics and pairs in several orders."""

import random
from pathlib import Path

import pytest
from plain.awkward_orders import awkward_orders

import engine
from engine.charts import lines, option_positions, order_costs
from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.words import orders

PARTS = ("positions", "costs", "permutation", "models", "rubrics", "pairs")


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    awkward_orders(random.Random(1), instances=4).write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder / "store"), "awkward")
    return folder / "store"


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_an_awkward_study_opens_without_a_traceback(open_page, store, part):
    app = open_page("order_effects", store, study="awkward", orders=part)

    assert bool(app.get("vega_lite_chart")) == (part != "rubrics")
    assert ("The study has no judgments of all criteria at once." in texts(app)) == (part == "rubrics")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("study", ["no-judgments", "awkward-names"])
def test_a_study_without_orders_says_so(open_page, awkward_store, study, part):
    app = open_page("order_effects", awkward_store, study=study, orders=part)

    assert "The study has no" in texts(app)


def test_rubrics_in_a_list_have_a_curve(open_page):
    app = open_page("order_effects", orders="rubrics", along="hspp_self")

    assert len(app.get("vega_lite_chart")) == 1
    assert app.query_params["along"] == "hspp_self"


def test_scales_are_never_pooled_and_the_one_in_the_address_is_shown(open_page, store):
    rows = engine.open_study(str(store / "awkward")).result("position").rows
    expected = [str(row["position"]) for row in rows if row["scale"] == "0-1-2"]

    app = open_page("order_effects", store, study="awkward", orders="positions", scale="0-1-2")
    app.session_state["positions_open"] = True
    app.run()

    positions = next(frame.value for frame in app.dataframe if "chi2" in frame.value)
    assert positions["position"].tolist() == expected
    assert "33.3%" in texts(app)


def test_a_cell_says_how_far_it_is_from_equal_shares():
    row = {"judge": "a", "n_options": 4, "position": 2, "share": 0.4, "n": 20}

    frame = option_positions.position_rows(
        [row | {"n": 50}], [row | {"slice": 3.0}, row | {"slice": 1.0, "share": None}]
    )

    assert frame["score"].tolist() == [option_positions.ALL, "3"]
    assert frame["away"].tolist() == [pytest.approx(0.15)] * 2
    assert frame["small"].tolist() == [False, True]


def cost(ordering, value, recommended=False):
    fields = {"judge": "a", "ordering": ordering, "cost": value, "recommended": recommended}
    return fields | {"n_judged": 30, "small": False, "pearson": None}


def test_the_recommended_ordering_is_marked_and_the_costliest_of_many_are_left_out():
    many = [cost(f"o{place}", float(100 - place), place == 29) for place in range(30)]

    frame = order_costs.cost_rows(many)

    assert frame["ordering"].tolist() == [f"o{place}" for place in range(6, 30)]
    assert frame.loc[frame["series"].str.startswith("recommended"), "ordering"].tolist() == ["o29"]
    assert order_costs.costs(frame).to_dict()["spec"]["layer"][1]["encoding"]["x"]["field"] == "value"


def test_the_whole_list_is_not_a_point_of_its_curve():
    row = {"judge": "a", "ordering": "original", "position": 1, "verdict_rate": 0.5, "n_verdicts": 40}

    frame = lines.of_positions([row | {"position": None}, row], "verdict_rate", "share")
    chart = lines.line_series(frame, along="place", title="met", form="share", line=0.5).to_dict()

    assert frame["place"].tolist() == [1]
    assert chart["facet"]["field"] == "judge"
    assert [layer["mark"]["type"] for layer in chart["spec"]["layer"]] == ["rule", "area", "line", "point"]


def test_a_judge_without_an_interval_is_not_counted_as_clear():
    certain = {"judge": "a", "pearson_delta": 0.2, "pearson_delta_low": 0.1, "pearson_delta_high": 0.3}
    unsure = {"judge": "b", "pearson_delta": 0.2, "pearson_delta_low": None, "pearson_delta_high": None}

    sentence = orders.permutation_words([certain, unsure])

    assert "for both judges, clearly so for 1; they agree clearly worse for none" in sentence
