"""How many questions find an excess, in Python: the numbers of `spb plan power`."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import UsageError
from engine.explore.planned_excess import least_excess
from engine.explore.planned_power import assumed_of
from engine.stats.conclusions.power_of_differences import AssumedStudy
from engine.views.planned_excess import PLANNED_EXCESS, ExcessKeys

COLUMNS = ["excess", "effect", "target", "questions", "power", "reason"]


@pytest.fixture(scope="module")
def demo() -> engine.Study:
    return engine.open_study("demo-health", store="results")


def test_the_frame_has_the_rows_of_the_command(demo, spb_here: Spb):
    printed = spb_here("plan", "power", "demo-health", "--format", "json", "--store", "results")
    frame = demo.power()

    document = json.loads(printed.stdout)
    assert frame.columns.tolist() == COLUMNS
    assert len(frame) == len(document["rows"]) == 9
    for row, in_command in zip(frame.to_dict("records"), document["rows"], strict=True):
        numbers = [None if pd.isna(row[name]) else row[name] for name in ("questions", "power")]
        assert numbers == [in_command["instances"], in_command["power"]]
        assert (row["target"], row["excess"]) == (in_command["target"], in_command["excess"])
    assert frame.attrs["measure"] == "odds_self"
    assert frame.attrs["assumed"]["rate"] == document["assumed"]["rate"]


def test_more_questions_have_more_power_and_half_the_excess_takes_about_four_times_as_many(demo):
    few, many = (demo.power(10, questions=number)["power"] for number in (40, 160))
    small, large = (demo.power(excess)["questions"] for excess in (5, 10))

    assert (few < many).all()
    assert (small > 3 * large).all()


def test_what_no_number_of_questions_shows_is_missing_with_its_reason(demo):
    row = demo.power(5, tastes=0.34).iloc[0]

    assert row.isna()[["questions", "power"]].all()
    assert "tastes of 0.34" in row["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"excess": 0}, "excess=0: give a number of 100 cases"),
        ({"excess": "ten"}, "excess='ten': give a number of 100 cases"),
        ({"excess": 99}, "excess=99: 28 of 100 are expected to pass"),
        ({"questions": 0}, "questions=0: give a number of questions"),
        ({"questions": 1.5}, "questions=1.5: give a number of questions"),
        ({"power": 80}, "power 80: give a share"),
    ],
)
def test_what_is_no_plan_is_refused_in_pythons_words(demo, arguments, words):
    with pytest.raises(UsageError) as error:
        demo.power(**arguments)

    assert words in str(error.value)


def scored(**judge):
    """Return a study whose scorecard has four judges of points, each of a family, and them together."""
    together = {"judge": None, "families": 4, "low": -10.0, "high": 30.0, "decided_by": "bonus_outside"}
    alone = {"family": None, "n_own": 50, "decided_by": "bonus_outside", "detectable": 2.801585, **judge}
    rows = [together, *({**alone, "judge": name} for name in "abcd")]
    result = SimpleNamespace(rows=rows, filters={"decided_by": "bonus_outside"})
    return SimpleNamespace(remember=lambda *_: result)


def test_how_far_families_differ_is_their_variance_beyond_sampling():
    # The interval's half, 20, is 3.182446 (t with 3 degrees of freedom) errors of 6.28448: 4 of its square
    # is 157.979 between families. A judge's error is 2.801585 / (1.959964 + .841621) = 1: 156.979 are left.
    assert assumed_of(scored(), "bonus_outside")["heterogeneity"] == pytest.approx(156.979**0.5, abs=1e-3)
    assert assumed_of(scored(detectable=60.0), "bonus_outside")["heterogeneity"] == 0


def test_from_the_least_excess_on_some_number_of_questions_is_enough():
    # An error of .34 (1 + 1/3) is left; 80 % of four adjusted tests need 2.4977 + .8416 of it: log-odds of
    # 1.5139. Where 25 of 100 pass, odds of 4.544 / 3 are a share of .602: 35.2 more.
    design = AssumedStudy("odds_self", 2.0, judges=4, families=4, rate=0.25, tastes=0.34)

    assert least_excess(design, 0.8, "adjusted") == 36
    assert least_excess(AssumedStudy("odds_self", 2.0, rate=0.25), 0.8, "group") is None


def test_the_view_takes_an_excess_of_ones_own_and_says_from_which_on_self_preference_can_be_shown(demo):
    usual, own = (PLANNED_EXCESS.answer(demo, ExcessKeys(excess)) for excess in (10.0, 30.0))

    assert [row[0] for row in own.table.rows] == [*["5"] * 3, *["10"] * 3, *["20"] * 3, *["30"] * 3]
    assert len(usual.table.rows) == 9
    assert own.sentences[0].startswith("To find 30 of 100 own cases more than expected in 80% of studies")
    assert "It takes an excess of at least" in usual.sentences[1]
