"""How many questions find an excess, in Python: the numbers of `spb plan power`."""

import json

import pytest
from command_line import Spb

import engine
from engine.errors import UsageError

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
        assert (row["questions"], row["power"]) == (in_command["instances"], in_command["power"])
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
