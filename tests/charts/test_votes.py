"""Win rates as a frame and as a chart."""

import pytest

from engine.charts.win_rates import win_rate_rows, win_rates

FAMILIES = {"J": "F", "K": "G", "a": "F", "b": "H"}


def row(judge, generator, win_rate, n=40, **fields):
    ends = {"win_rate_low": win_rate - 0.1, "win_rate_high": win_rate + 0.1}
    return {"judge": judge, "generator": generator, "win_rate": win_rate, "n": n} | ends | fields


ROWS = [
    row("J", "b", 0.2),
    row("J", "a", 0.6, 20),
    row("J", "J", 0.7),
    row("K", "b", 0.4, 80),
    row("K", "a", 0.9),
]


def test_each_mark_names_the_generator_of_its_responses():
    frame = win_rate_rows(ROWS, FAMILIES).set_index(["judge", "generator"])

    assert frame["series"].to_dict() == {
        ("J", "a"): "its family's",
        ("J", "J"): "the judge's own",
        ("J", "b"): "other models",
        ("K", "a"): "other models",
        ("K", "b"): "other models",
    }
    assert frame.loc[("J", "a"), "words"] == "60.0% [50.0%, 70.0%]"
    assert frame["small"].to_dict()[("J", "a")]


@pytest.mark.parametrize(
    ("order", "models"),
    [
        ("value", ["a", "J", "b"]),  # means over judges: (.6 + .9) / 2, .7, (.2 + .4) / 2
        ("name", ["a", "b", "J"]),
        ("size", ["b", "a", "J"]),  # 120, 60 and 40 pairs
        ("sure", ["a", "b", "J"]),  # off one half by .8 - .5, .5 - .3, .6 - .5
    ],
)
def test_models_appear_in_the_requested_order(order, models):
    frame = win_rate_rows(ROWS, FAMILIES, order=order)

    assert list(frame.sort_values("generator_order")["generator"].unique()) == models


def test_with_many_models_the_most_frequent_winners_are_drawn():
    frame = win_rate_rows(ROWS, FAMILIES, most=2, order="name")

    assert set(frame["generator"]) == {"a", "J"}


def test_each_slice_has_its_own_panel():
    rows = [row("J", "a", 0.5, slice=value) for value in ("koala", None)]

    frame = win_rate_rows(rows, FAMILIES)

    assert list(frame["panel"]) == ["J · koala", "J · (no value)"]


def test_each_judge_has_one_panel_side_by_side():
    one_judge, two_judges = (win_rate_rows(rows, FAMILIES) for rows in (ROWS[:3], ROWS))

    assert "facet" not in win_rates(one_judge).to_dict()
    assert win_rates(two_judges).to_dict()["facet"]["sort"] == ["J", "K"]


def test_panels_of_judges_that_judged_few_of_the_models_have_rows_of_those_alone():
    own = [row(judge, judge, 0.7) for judge in ("J", "K", "L")]
    opponent = [row(judge, "b", 0.3) for judge in ("J", "K", "L")]

    sparse = win_rates(win_rate_rows([*own, *opponent], FAMILIES)).to_dict()  # 6 marks of 3 x 4
    complete = win_rates(win_rate_rows(ROWS, FAMILIES)).to_dict()  # 5 marks of 2 x 3

    assert sparse["resolve"]["scale"]["y"] == "independent"
    assert "resolve" not in complete
