"""The view that advises on judges: what to use each for, and the numbers that the study has."""

from dataclasses import replace
from pathlib import Path

import pytest

import engine
from engine.views.registry import VIEWS
from engine.views.which_judge import NUMBERS, ON_A_SLIDE, agreement_words, brief, on_slide
from engine.words.which_judge import advice_sentences, by_accuracy, without_reasons

ROOT = Path(__file__).resolve().parents[2]
VIEW = VIEWS["which_judge"]


@pytest.fixture(scope="module")
def study():
    return engine.open_study(ROOT / "results" / "demo-orders")


class Advice:
    """A result of `which-judge` as sentences read it."""

    def __init__(self, rows, enough=0.8, bound=0.1):
        self.rows, self.filters = rows, {"enough": enough, "bound": bound}


def test_judges_with_the_same_advice_share_a_sentence_and_use_on_others_comes_first():
    rows = [
        {"judge": "a", "advice": "fit for use on others' answers; never on its own answers"},
        {"judge": "b", "advice": "add a second judge; never on its own answers"},
        {"judge": "c", "advice": "fit for use on others' answers"},
    ]

    assert advice_sentences(Advice(rows))[:-1] == (
        "Fit for use on others' answers: a and c.",
        "Add a second judge: b.",
        "Never on its own answers: a and b.",
    )


@pytest.mark.parametrize(
    ("others", "rest"),
    [
        (
            {"b": (0.90, 0.93), "c": (0.85, 0.88)},
            "the interval of b overlaps with it, so it may be as accurate",
        ),
        (
            {"b": (0.90, 0.93), "c": (0.85, 0.9201)},
            "the intervals of b and c overlap with it, so they may be as accurate",
        ),
        ({"b": (0.85, 0.88)}, "the interval of no other overlaps with it"),
    ],
)
def test_of_judges_fit_for_use_the_most_accurate_is_named_with_those_it_cannot_be_told_from(others, rest):
    def fit(name, low, high):
        of = {"accuracy": (low + high) / 2, "accuracy_low": low, "accuracy_high": high, "accuracy_of": "x"}
        return {"judge": name, "advice": "fit for use on others' answers", **of}

    rows = [*(fit(name, *ends) for name, ends in others.items()), fit("top", 0.92, 0.96)]

    assert advice_sentences(Advice(rows))[1] == (
        f"Of these top has the highest accuracy, 94.0% (95% CI 92.0% to 96.0%); {rest}."
    )


def test_rows_stand_by_accuracy_and_say_the_advice_without_the_reasons_said_above():
    rows = [{"judge": name, "accuracy": value} for name, value in (("a", 0.7), ("b", None), ("c", 0.9))]

    assert [row["judge"] for row in by_accuracy(rows)] == ["c", "a", "b"]
    assert without_reasons("fit for use on others' answers; add a second judge on its own answers, as x") == (
        "fit for use on others' answers; add a second judge on its own answers"
    )
    assert (
        without_reasons("add a second judge, as x; add a second judge on its own answers, as y; ask again")
        == "add a second judge; ask again"
    )
    few = "too few own cases for a conclusion, but enough to rule out an excess of 10 of 100"
    assert without_reasons(f"{few} (plain 95% interval: at most 5.4)") == few


def test_advice_for_every_judge_counts_them():
    rows = [{"judge": name, "advice": "ask in both orders"} for name in "abcdef"]

    assert advice_sentences(Advice(rows))[0] == "Ask in both orders: all 6 judges."


def test_the_bounds_that_advice_is_given_by_are_said():
    rows = [{"judge": "a", "advice": "fit for use on others' answers"}]

    bounds = advice_sentences(Advice(rows, enough=0.75, bound=0.2))[-1]

    assert "fit for use if 75 of 100 verdicts, those on its own answers too, equal the reference" in bounds
    assert "own answers must lie below 20 of 100" in bounds
    assert advice_sentences(Advice([])) == ()


def test_each_judge_has_a_row_of_advice_and_numbers_that_nobody_has_say_why(study):
    shown = VIEW.shown(study, {})

    assert shown.table.names == ("judge", "advice", *NUMBERS)
    agreement = shown.table.names.index("agreement")
    assert {row[agreement] for row in shown.table.rows} == {"– (no people judged the same items)"}
    assert len(shown.table.rows) == len(study.inventory.values("judge"))


def test_a_slide_has_no_column_in_which_there_is_nothing(study):
    assert brief(VIEW.shown(study, {}).table).names == ("judge", "advice", "accuracy", "excess")


def test_on_a_phone_a_slide_has_each_piece_of_advice_once_with_every_judge_that_it_is_for(study):
    table = VIEW.shown(study, {}).table

    slide = on_slide(table, narrow=True)

    pieces = {piece for row in table.result.rows for piece in row["advice"].split("; ")}
    assert sorted(row[0].lower() for row in slide.rows) == sorted(piece.lower() for piece in pieces)
    for each in table.result.rows:
        for piece in each["advice"].split("; "):
            names = next(row[1] for row in slide.rows if row[0].lower() == piece.lower())
            assert each["judge"] in names or names == f"all {len(table.rows)} judges"
    assert on_slide(table, narrow=False) == brief(table)


def test_a_slide_of_more_judges_than_it_has_rows_for_has_each_piece_of_advice_once(study):
    table = VIEW.shown(study, {}).table
    many = replace(table, rows=table.rows * ON_A_SLIDE)

    assert on_slide(many, narrow=False) == on_slide(table, narrow=True)


def test_intervals_narrower_than_the_boards_are_said_to_be_of_sampling_alone():
    study = engine.open_study(ROOT / "results" / "demo-health")
    board = {row["judge"]: row for row in study.result("scorecard").rows}

    shown = VIEW.shown(study, {})

    rows = shown.table.result.rows
    narrower = [
        row["judge"] for row in rows if row["excess_high"] < (board[row["judge"]]["excess_high"] or 0.0)
    ]
    heads = dict(zip(shown.table.names, shown.table.heads, strict=True))
    assert narrower
    assert heads["excess"] == "Given minus expected [of sampling alone]"
    assert "so they are wider" in shown.sentences[-1]
    assert "no reference" not in shown.basis[0]  # it compares with one, by measures of its own


def test_a_lower_bar_makes_a_judge_fit_for_use(study):
    strict, lenient = (dict(row_of(VIEW.shown(study, {"enough": (text,)}))) for text in ("0.8", "0.6"))

    assert "add a second judge" in strict["quill-large"]
    assert lenient["quill-large"].startswith("fit for use on others' answers")


def test_a_bound_that_is_no_number_is_dropped_with_a_sentence(study):
    shown = VIEW.shown(study, {"bound": ("much",)})

    assert shown.dropped == ("Excess to rule out 'much' is not a number from 0.05 to 0.5.",)
    assert shown.table is not None


def row_of(shown):
    return [(row[0], row[1]) for row in shown.table.rows]


def test_what_agreement_is_with_is_said_beside_a_table_that_has_it_alone(study):
    table = VIEW.shown(study, {}).table

    assert agreement_words(table) == (
        "Agreement: Kappa with people's majority, of verdicts as met or not met, or correlation with their "
        "scores."
    )
    assert "Agreement" not in brief(table).heads  # no people judged these
    assert agreement_words(brief(table)) == ""
