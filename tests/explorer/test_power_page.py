"""The page on power: what a planned study needs according to the engine, with its choices in the address."""

import pandas as pd
import pytest

from engine.stats.conclusions.power import TARGETS, Assumptions, instances_needed
from engine.stats.conditional.taste_spread import ASSUMED
from engine.words.planned_for import PLANNED_FOR


def texts(app) -> str:
    return "\n".join(element.value for element in app.text)


def inputs(app) -> dict[str, float]:
    return {widget.key.removeprefix("w_plan_"): widget.value for widget in app.number_input}


def plan_of(app) -> Assumptions:
    values = inputs(app)
    names = ("effect", "judges", "generators", "families", "rubrics_per_instance", "failure_rate")
    return Assumptions(**{name: values[name] for name in (*names, "overestimation", "clustering")})


def test_it_starts_from_the_open_study(open_page):
    app = open_page("power", study="demo-health")

    values = inputs(app)
    assert values["judges"] == values["generators"] == 9
    assert values["families"] == 4
    assert 0.1 < values["failure_rate"] < 0.5
    assert "those of demo-health" in texts(app)
    assert len(app.get("vega_lite_chart")) == 1


def test_it_begins_with_what_the_conclusions_need_as_the_command_says(open_page, demo):
    app = open_page("power", study="demo-health")

    planned = demo.power(10)
    questions = dict(zip(planned["target"], planned["questions"], strict=True))
    beyond = demo.power(10, tastes=ASSUMED)
    first = app.dataframe[0].value
    shown = first[first["excess"] == "10"].set_index("target")
    for who, tastes in zip(beyond["target"], beyond["questions"], strict=True):
        row = shown.loc[PLANNED_FOR[who].title]
        without = questions[who]
        assert row["instances"] == ("none" if pd.isna(without) else f"{without:,}")
        assert row["with_tastes"] == ("none" if pd.isna(tastes) else f"{tastes:,}")
    assert texts(app).index("own cases more than expected") < texts(app).index("Detecting a ratio")


def test_the_numbers_are_those_of_the_engine(open_page):
    app = open_page("power", study="demo-health", plan_effect="1.5", plan_power="0.9")

    needed = {target: instances_needed(plan_of(app), 0.9, target).instances for target in TARGETS}
    assert inputs(app)["effect"] == 1.5
    assert all(f"{number:,}" in texts(app) for number in needed.values())
    assert app.query_params["plan_effect"] == "1.5"
    own = instances_needed(plan_of(app), 0.9, "judge").own_failures
    of_one = f"With {needed['judge']:,} questions, each judge has about {own:,.0f} own failures."
    assert of_one in " ".join(texts(app).split())


def test_a_plan_for_one_judge_has_one_number(open_page):
    app = open_page("power", study="demo-health", plan_judges="1")

    shown = texts(app)
    assert "the judge has about" in shown
    assert "all 1 judges" not in shown
    assert "For the mean over judges" not in shown
    assert set(app.dataframe[1].value["target"]) == {"a judge by itself"}


def test_a_typed_number_is_in_the_address_and_a_default_is_not(open_page):
    app = open_page("power", study="demo-health")
    usual = inputs(app)["clustering"]

    app.number_input(key="w_plan_clustering").set_value(0.4).run()
    changed = app.query_params["plan_clustering"]
    app.number_input(key="w_plan_clustering").set_value(usual).run()

    assert changed == "0.4"
    assert "plan_clustering" not in app.query_params
    assert not app.exception


def test_costs_follow_the_prices(open_page):
    cheap, dear = (
        open_page("power", study="demo-health", plan_price_in=price, plan_price_out="0") for price in "12"
    )

    dollars = [
        next(frame.value["dollars"] for frame in app.dataframe if "dollars" in frame.value)
        for app in (cheap, dear)
    ]
    numbers = [[float(text.replace(",", "")) for text in texts] for texts in dollars]
    assert all(number > 0 for number in numbers[0])
    assert numbers[1] == pytest.approx([2 * number for number in numbers[0]], abs=0.02)


@pytest.mark.parametrize("text", ["nan", "-3", "much"])
def test_an_invalid_number_is_named_once_as_long_as_the_address_has_it(open_page, text):
    app = open_page("power", study="demo-health", plan_failure_rate=text)

    for _ in range(2):
        assert texts(app).count(repr(text)) == 1
        assert app.query_params["plan_failure_rate"] == text
        app.run()


def test_an_impossible_study_is_reported_without_a_traceback(open_page):
    app = open_page("power", study="demo-health", plan_effect="1")

    assert "effect 1.0" in texts(app)


@pytest.mark.parametrize("study", ["no-judgments", "awkward-names"])
def test_a_study_that_informs_no_assumption_starts_with_usual_numbers(open_page, awkward_store, study):
    app = open_page("power", awkward_store, study=study)

    assert "questions" in texts(app)


@pytest.mark.parametrize(("families", "are_few"), [("3", True), ("4", False)])
def test_a_mean_over_judges_of_few_families_is_said_to_be_no_conclusion(open_page, families, are_few):
    app = open_page("power", study="demo-health", plan_families=families)

    words = "The mean over judges is a number alone: 3 families are too few for a conclusion on the judges"
    assert any(words in text.value for text in app.text) == are_few
