"""The page of comparisons: slices, judges, runs and studies, checked against the engine."""

from pathlib import Path

import pyarrow as pa
import pytest
from explorer_studies import LACKING, PLANS, write
from streamlit.testing.v1 import AppTest

import engine
from engine.charts.axes import HIGHEST
from engine.charts.two_sides import PANELS, two_side_rows, two_sides
from engine.explore.compare import Side, compare
from engine.explore.filter_choices import Choices
from engine.saved_slices import save_slice
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.views.registry import VIEWS
from explorer.parts import selection
from explorer.workbench import comparing

from .conftest import cards

DEMO = Path(__file__).resolve().parents[2] / "results"
SIDES = {"polarity": "positive", "b_polarity": "negative"}


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def table(app: AppTest):
    app.session_state["compare_open"] = True
    app.run()
    return next(frame.value for frame in app.dataframe if "difference" in frame.value).set_index("row")


def test_two_slices_are_shown_side_by_side_with_their_difference(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    rows = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"})).rows
    assert list(table(app).index) == [row["judge"] or "mean of judges" for row in rows]
    for row in rows:
        cells = table(app).loc[row["judge"] or "mean of judges"]
        interval = "" if row["low"] is None else f" [{row['low']:.2f}, {row['high']:.2f}]"  # few cases
        assert cells["difference"] == f"{row['difference']:.2f}{interval}"
        assert cells["b"] == f"{row['b']:.2f} [{row['b_low']:.2f}, {row['b_high']:.2f}]"
        assert cells["n"] == f"{row['n_a']:,} and {row['n_b']:,}"


def test_the_number_compared_is_named_and_why_it_is_not_the_one_of_the_board(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    assert "Compared: ratio for own answers. Given minus expected cannot be compared here" in texts(app)
    sides = {"polarity": "positive", "against": {"polarity": "negative"}}
    rows = demo.result("expected", **sides).rows
    assert any(row["difference"] is not None for row in rows)
    assert {(row["low"], row["p"]) for row in rows} == {(None, None)}


def test_shared_and_dropped_responses_are_counted(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    common = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"})).common
    assert f"on the {common.both:,} answers that both sides share" in texts(app)
    assert f"dropped: {common.dropped_a:,} of A and {common.dropped_b:,} of B" in texts(app)


def test_all_responses_are_compared_if_the_switch_is_off(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    app.toggle(key="w_common").set_value(False).run()

    alone = {row["judge"]: row for row in demo.result("hspp", polarity="negative").rows}
    assert table(app).loc["dune-large", "b"].startswith(f"{alone['dune-large']['hspp_self']:.2f} [")
    assert app.query_params["common"] == "false"
    assert "Compared on all answers of each side" in texts(app)


def test_slices_without_a_shared_response_are_compared_whole_with_a_note(open_page):
    app = open_page("workbench", compare="slices", theme="global_health", b_theme="emergency_referrals")

    assert "The sides share no answer" in texts(app)
    assert "mean of judges" in table(app).index


def test_judges_that_change_places_are_listed(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    swaps = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"})).swaps
    app.session_state["swaps_open"] = True
    app.run()
    cells = next(frame.value for frame in app.dataframe if "above" in frame.value)
    assert list(zip(cells["above"], cells["below"], strict=True)) == [(s.above, s.below) for s in swaps]


def test_a_link_opens_the_same_comparison(open_page):
    first = open_page(
        "workbench",
        compare="slices",
        **SIDES,
        number="hspp_matched",
        judges="aster-large",
        b_judges="aster-large",
    )

    second = open_page("workbench", **{key: first.query_params[key] for key in first.query_params})

    assert table(second).equals(table(first))
    assert second.selectbox(key="w_b_polarity").value == "negative"
    assert second.selectbox(key="w_number").value == "hspp_matched"
    assert list(table(second).index) == ["aster-large", "mean of judges"]


def test_two_judges_are_compared_by_every_ratio(open_page, demo):
    app = open_page("workbench", compare="judges", judge_a="dune-large", judge_b="aster-mini")

    rows = {
        row["judge"]: row
        for row in demo.result("hspp", judges=["dune-large", "aster-mini"], common=True).rows
    }
    ratio = rows["dune-large"]["hspp_self"] / rows["aster-mini"]["hspp_self"]
    assert table(app).loc["HSPP ratio", "difference"].startswith(f"{ratio:.2f} [")
    assert list(table(app).index) == ["HSPP ratio", "Matched ratio", "Family ratio"]
    assert "dune-large against aster-mini" in texts(app)


def test_the_default_judges_of_a_comparison_are_in_the_address(open_page, demo):
    app = open_page("workbench", compare="judges")

    judges = demo.index.models
    assert (app.query_params["judge_a"], app.query_params["judge_b"]) == (judges[0], judges[1])


def test_a_judge_against_itself_is_refused(open_page):
    app = open_page("workbench", compare="judges", judge_a="dune-large", judge_b="dune-large")

    assert "judge 'dune-large' is on both sides" in texts(app)


def test_the_judgments_of_either_side_are_listed(open_page, demo):
    app = open_page(
        "workbench", compare="slices", **SIDES, judge="cinder-mini", generator="cinder-mini", side="b"
    )

    rows = demo.result("overestimation", resamples=0, polarity="negative").rows
    own = next(row for row in rows if row["judge"] == row["generator"] == "cinder-mini")
    assert f"of {own['over']:,} judgments." in texts(app) or f"\n{own['over']:,} judgments." in texts(app)


@pytest.mark.parametrize(("side", "judge"), [("a", "dune-large"), ("b", "aster-mini")])
def test_each_of_two_judges_lists_its_own_verdicts(open_page, demo, side, judge):
    app = open_page("workbench", compare="judges", judge_a="dune-large", judge_b="aster-mini", side=side)

    rows = demo.result("overestimation", resamples=0).rows
    own = sum(row["over"] for row in rows if row["judge"] == judge)
    assert f"of {own:,} judgments." in texts(app)
    assert {card["said"]["judge"] for card in cards(app)} == {judge}


def test_a_filter_is_compared_with_what_it_excludes_in_one_click(open_page, demo):
    app = open_page("workbench", axis=["accuracy", "completeness"], polarity="negative")

    app.button(key="rest_of_axis").click().run()

    assert app.session_state["open_axis"] is False
    axes = set(demo.index.rubric_fields["axis"]) - {"accuracy", "completeness"}
    assert set(app.query_params["b_axis"]) == axes
    assert app.query_params["b_polarity"] == "negative"
    assert app.query_params["compare"] == "slices"
    assert "mean of judges" in table(app).index


def test_ending_a_comparison_keeps_the_filters_of_side_a(open_page):
    app = open_page("workbench", compare="slices", **SIDES, b_axis="accuracy")

    app.button(key="off_compare").click().run()

    assert set(app.query_params) == {"study", "polarity"}


def test_slices_without_a_filter_start_with_the_two_judges_farthest_apart(open_page, demo):
    app = open_page("workbench", compare="slices")

    ratios = {row["judge"]: row["hspp_self"] for row in demo.result("hspp", resamples=0).rows if row["judge"]}
    assert app.query_params["judge_a"] == max(ratios, key=ratios.__getitem__)
    assert app.query_params["judge_b"] == min(ratios, key=ratios.__getitem__)


def test_sides_with_the_same_filters_are_not_compared_by_judges_that_nobody_chose(open_page):
    app = open_page("workbench", compare="slices", polarity="positive", b_polarity="positive")

    assert any("sides A and B have the same filters" in text.value for text in app.text)
    assert not {"judge_a", "judge_b"} & set(app.query_params)
    assert len(app.dataframe) == 0


def test_a_pin_of_two_judges_without_a_kind_of_comparison_keeps_the_chosen_one(demo):
    shown = VIEWS["compare"].shown(demo, {"judge_b": ("aster-mini",)})

    assert shown.commands[1].endswith("--judges aster-mini")


@pytest.mark.parametrize(
    ("name", "texts", "rest"),
    [
        ("axis", ("a",), ("b", "null")),
        ("polarity", ("positive",), ("negative",)),
        ("length", ("5:40",), ("41:",)),
        ("length", ("40:",), (":39",)),
        ("length", ("20:40",), None),
        ("judges", ("j",), None),
        ("min_agreement", ("0.9",), None),
        ("axis", ("a", "b", "null"), None),
    ],
)
def test_the_rest_is_what_the_filter_excludes_if_a_filter_can_select_it(monkeypatch, name, texts, rest):
    monkeypatch.setattr(selection, "view", lambda: {name: texts})
    values = {"axis": ("a", "b", "null"), "polarity": ("positive", "negative"), "judges": ("j", "k")}
    choices = Choices(values, {"length": (5.0, 300.0), "min_agreement": (0.0, 1.0)}, (), (), ())

    assert comparing.rest_of(name, choices) == rest


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"compare": "weather"}, "Comparison of 'weather' is not in this study"),
        ({"number": "beauty"}, "Number 'beauty' is not in this study"),
        ({"judge": "nobody"}, "Judge 'nobody' is not in this study"),
        ({"b_axis": "gone"}, "B: Axis 'gone' is not in this study"),
        ({"b_slice": "gone"}, "B: There is no saved slice 'gone'"),
        ({"compare": "judges", "judge_b": "nobody"}, "Judge B 'nobody' is not in this study"),
    ],
)
def test_unknown_values_in_the_address_are_named_once_as_long_as_it_has_them(open_page, parameters, message):
    app = open_page("workbench", **({"compare": "slices"} | parameters))

    for _ in range(2):
        assert texts(app).count(message) == 1
        assert dict(app.query_params.items()) == {"compare": "slices"} | parameters
        app.run()


@pytest.fixture
def two_studies(tmp_path: Path) -> Path:
    write(tmp_path, "first", PLANS["plain"])
    write(tmp_path, "second", PLANS["plain"])
    save_slice(Store(tmp_path).open("second"), "negatives", {"polarity": "negative"})
    return tmp_path


def test_two_studies_are_compared_with_independent_draws(open_page, two_studies):
    app = open_page("workbench", two_studies, compare="studies", study="first")

    assert app.query_params["b_study"] == "second"
    assert "are resampled independently" in texts(app)
    assert "on the 36 answers that both sides share" in texts(app)
    assert table(app).loc["m1", "difference"].startswith("1.00")


def test_side_b_takes_a_saved_slice_of_its_own_study(open_page, two_studies):
    app = open_page(
        "workbench", two_studies, study="first", compare="studies", b_study="second", b_slice="negatives"
    )

    assert app.selectbox(key="w_b_polarity").value == "negative"
    assert "b_polarity" not in app.query_params


def with_two_runs(root: Path) -> None:
    write(root, "study", PLANS["plain"])
    files = Store(root).open("study")
    first = files.judgments(["judge", "paradigm", "instance_id", "generator", "rubric_id", "met", "status"])
    rows = [row | {"run_id": "second", "met": True} for row in first.to_pylist() if row["status"] == "ok"]
    Store(root).write("study", {"judgments": pa.Table.from_pylist(rows)}, StudyInfo(), mode="append")


def test_two_runs_are_compared(open_page, tmp_path):
    with_two_runs(tmp_path)

    app = open_page("workbench", tmp_path, compare="runs", study="study", number="o_self")

    assert (app.query_params["run_a"], app.query_params["run_b"]) == ("import", "second")
    study = engine.open_study(tmp_path / "study")
    rows = compare(Side(study, {"run": "import"}), Side(study, {"run": "second"}), ("o_self",)).rows
    first = rows[0]
    assert table(app).loc["m1", "a"].startswith(f"{100 * first['a']:.1f}%")
    assert table(app).loc["m1", "difference"].startswith(f"{100 * first['difference']:+.1f} points")


AWKWARD = (*LACKING, "awkward-names")


@pytest.mark.parametrize(
    ("study", "mode"),
    [
        *((study, mode) for study in AWKWARD for mode in ("slices", "judges")),
        ("no-judgments", "runs"),
        ("no-judgments", "studies"),
    ],
)
def test_no_awkward_study_breaks_a_comparison(open_page, awkward_store, study, mode):
    app = open_page("workbench", awkward_store, study=study, compare=mode)

    assert app.header[0].value == "Explore"
    assert len(app.text) > 1


def test_the_chart_has_three_marks_for_each_judge_and_one_scale_for_both_sides(demo):
    comparison = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"}))

    frame = two_side_rows(comparison.rows, as_ratio=True)
    spec = two_sides(frame, as_ratio=True).to_dict()

    assert frame.groupby("label")["panel"].apply(tuple).map(lambda panels: panels == PANELS).all()
    domains = [panel["layer"][2]["encoding"]["x"]["scale"]["domain"] for panel in spec["hconcat"]]
    assert domains[0] == domains[1] != domains[2]


def test_a_ratio_beyond_the_axis_is_an_arrow_at_its_edge():
    row = {"judge": "j", "judge_b": "j", "field": "hspp_self", "a": 40.0, "b": 1.0, "difference": 40.0}
    row |= dict.fromkeys(("a_low", "a_high", "b_low", "b_high", "low", "high")) | {"n_a": 99, "n_b": 99}

    spec = two_sides(two_side_rows([row], as_ratio=True), as_ratio=True).to_dict()

    [side_a] = spec["datasets"][spec["hconcat"][0]["data"]["name"]]
    assert (side_a["arrow"], side_a["shown"], side_a["edge"]) == ("▶", None, HIGHEST)
    assert any(layer["mark"]["type"] == "text" for layer in spec["hconcat"][0]["layer"])


def test_few_cases_are_marked_on_the_side_that_has_them():
    row = {"judge": "j", "judge_b": "j", "field": "mra", "a": 0.5, "b": 0.75, "difference": -0.25}
    row |= {"a_low": 0.4, "a_high": 0.6, "b_low": None, "b_high": None, "low": -0.5, "high": 0.0}

    frame = two_side_rows([row | {"n_a": 100, "n_b": 12}], as_ratio=False)

    assert frame["small"].tolist() == [False, True, True]
    assert frame["words"].tolist() == ["50.0% [40.0%, 60.0%]", "75.0%", "-25.0 points [-50.0, +0.0]"]


def test_a_p_at_its_floor_is_said_to_be_at_most_so_much(open_page, demo):
    app = open_page("workbench", compare="slices", **SIDES)

    rows = compare(Side(demo, {"polarity": "positive"}), Side(demo, {"polarity": "negative"})).rows
    at_floor = {row["judge"] or "mean of judges": row["p_is_smallest"] for row in rows}
    assert set(at_floor.values()) == {True, False}
    shown = table(app)
    for name, is_smallest in at_floor.items():
        assert shown.loc[name, "p"].startswith(("≤", "<")) == is_smallest
    assert "A p of at most so much (≤) is the smallest that 1,000 resamples can give." in texts(app)
