"""Winners named by a word that the columns of models are called by, or that may be of a place."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from importers.foreign_files import imported, judgments, lines

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.tables.asking.questions import OpenQuestionsError

A, B = "gpt-4o", "claude-3-opus"
WORDS = [
    ("left_model", "right_model", "left", "right"),
    ("model_left", "model_right", "left", "right"),
    ("left", "right", "left", "right"),
    ("first_model", "second_model", "first", "second"),
    ("model_1", "model_2", "1", "2"),
    ("top_model", "bottom_model", "top", "bottom"),
    ("left_model", "right_model", "left_model", "right_model"),
]
STORED = [
    (order, winner, judge)
    for _ in range(3)
    for order in ("generator", "opponent")
    for winner, judge in (("generator", A), ("opponent", B))
]
"""The order, the winner and the judge of each row: each prefers its own answer in both orders."""


def rows_of(first: str, second: str, own: str, other: str, order: tuple[str, str]) -> list[dict[str, str]]:
    """Return rows with models in columns `first` and `second`, and winners called `own` and `other`."""
    orders, winners = (
        dict(zip(("generator", "opponent"), each, strict=True)) for each in (order, (own, other))
    )
    return [
        {
            "question_id": f"q{n // 4}",
            first: A,
            second: B,
            "judge": judge,
            "winner": winners[winner],
            "shown_first": orders[place],
        }
        for n, (place, winner, judge) in enumerate(STORED)
    ]


@pytest.mark.parametrize(("first", "second", "own", "other"), WORDS)
@pytest.mark.parametrize("by_names", [False, True])
def test_a_winner_called_like_a_column_of_models_is_the_model_of_that_column_in_any_order(
    tmp_path: Path, first: str, second: str, own: str, other: str, *, by_names: bool
) -> None:
    order = (A, B) if by_names else (own, other)
    path = lines(tmp_path / "t.jsonl", rows_of(first, second, own, other, order))

    _, study = imported("table", path)

    assert judgments(study, "first", "choice", "judge") == STORED


def test_the_column_decides_where_the_user_takes_the_models_the_other_way_round(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", rows_of(*WORDS[0], order=("left", "right")))

    turned_columns = {"generator": "right_model", "opponent": "left_model"}
    _, study = imported("table", path, ImportOptions(map=turned_columns))

    turned = {"generator": "opponent", "opponent": "generator"}
    assert judgments(study, "first", "choice", "judge") == [(turned[o], turned[w], j) for o, w, j in STORED]


def test_a_user_may_say_that_such_words_are_places(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", rows_of(*WORDS[0], order=("left", "right")))

    report, _ = imported("table", path)
    places = {"choice": {"left": "first", "right": "second"}}
    again = lines(tmp_path / "again" / "t.jsonl", rows_of(*WORDS[0], order=("left", "right")))
    _, study = imported("table", again, ImportOptions(value=places))

    assert any("(--value choice:left=first,right=second if they say where" in note for note in report.notes)
    turned = {"generator": "opponent", "opponent": "generator"}
    assert judgments(study, "first", "choice") == [
        (order, winner if order == "generator" else turned[winner]) for order, winner, _ in STORED
    ]


@pytest.mark.parametrize(
    ("own", "other", "order"),
    [
        ("left", "right", ("left", "right")),
        ("left", "right", (A, B)),
        ("top", "bottom", (A, B)),
        ("first", "second", ("first", "second")),
    ],
)
def test_a_word_that_no_column_is_called_by_is_asked_about_with_both_commands(
    tmp_path: Path, own: str, other: str, order: tuple[str, str]
) -> None:
    rows = rows_of("model_a", "model_b", own, other, order)
    path = lines(tmp_path / "t.jsonl", rows)

    for no_guess in (False, True):
        columns = {"generator": "model_a", "opponent": "model_b", "choice": "winner", "first": "shown_first"}
        options = ImportOptions(map=columns | {"instance_id": "question_id"}, no_guess=no_guess)
        with pytest.raises(UsageError) as error:
            imported("table", path, options)
        assert f"Does {own!r} stand for the model (it is `generator`, in any order)" in str(error.value)
        for words in (("generator", "opponent"), ("first", "second")):
            assert f"--value choice:{own}={words[0]},{other}={words[1]}" in str(error.value)
            answer = {"choice": dict(zip((own, other), words, strict=True))}
            again = lines(tmp_path / f"{words[0]}-{no_guess}" / "t.jsonl", rows)
            imported("table", again, replace(options, value=answer))


@pytest.mark.filterwarnings("ignore:from_frame")
def test_a_frame_and_a_table_of_our_own_names_give_no_word_two_meanings() -> None:
    frame = pd.DataFrame(rows_of(*WORDS[0], order=("left", "right")))
    own = frame.rename(
        columns={
            "left_model": "generator",
            "right_model": "opponent",
            "winner": "choice",
            "shown_first": "first",
        }
    )

    read = engine.from_frame(frame).files

    assert judgments(read, "first", "choice", "judge") == STORED
    with pytest.raises(UsageError, match="Does 'left' stand for the model"):
        engine.from_frame(own)


def plans() -> list[dict[str, str]]:
    """Return pairs in both orders, in which each judge prefers its own plan."""
    return [
        {"trip": f"t{n}", "evaluator": judge, "left_planner": left, "right_planner": right}
        | {"left_plan": f"{left} plan {n}", "right_plan": f"{right} plan {n}"}
        | {"better_plan": "equal" if n == 7 else "left" if left == judge else "right"}
        for n in range(8)
        for left, right in ((A, B), (B, A))
        for judge in (A, B)
    ]


def test_columns_of_two_sides_that_judges_are_in_are_the_authors_and_the_sides_the_choice(
    tmp_path: Path,
) -> None:
    path = lines(tmp_path / "t.jsonl", plans())

    _, study = imported("table", path)

    read = judgments(study, "instance_id", "judge", "generator", "opponent", "choice")
    sides = {"left": "generator", "right": "opponent", "equal": "tie"}
    fields = ("trip", "evaluator", "left_planner", "right_planner")
    assert {*read} == {(*(row[name] for name in fields), sides[row["better_plan"]]) for row in plans()}


def test_what_an_expert_chose_is_true_and_no_choice_of_the_judge(tmp_path: Path) -> None:
    rows = [row | {"expert_choice": "left" if row["left_planner"] == A else "right"} for row in plans()]

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert {*judgments(study, "judge", "generator", "choice")} >= {
        (A, A, "generator"),
        (B, A, "opponent"),
        (B, B, "generator"),
    }
    assert study.table("preferences").num_rows == 8


def test_of_two_columns_of_sides_neither_is_taken_for_the_choice(tmp_path: Path) -> None:
    rows = [row | {"nicer_plan": row["better_plan"]} for row in plans()]

    with pytest.raises(OpenQuestionsError, match="no column is choice"):
        imported("table", lines(tmp_path / "t.jsonl", rows))


def test_a_side_that_all_judges_have_alike_is_no_choice(tmp_path: Path) -> None:
    rows = [row | {"better_plan": "left" if row["trip"] < "t4" else "right"} for row in plans()]

    with pytest.raises(OpenQuestionsError, match="no column is choice"):
        imported("table", lines(tmp_path / "t.jsonl", rows))


def test_two_pairs_of_columns_that_may_be_the_authors_ask_for_those_of_a_pair(tmp_path: Path) -> None:
    rows = [row | {"evaluator": {A: "o3", B: "gpt-5"}[row["evaluator"]]} for row in plans()]

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", lines(tmp_path / "t.jsonl", rows))

    assert "may be 'left_planner' or 'left_plan'" in str(refused.value)
    assert "may be 'right_planner' or 'right_plan'" in str(refused.value)
    assert "no column is choice" in str(refused.value)


@pytest.mark.parametrize(
    ("won", "lost"), [("chosen", "rejected"), ("chosen_model", "rejected_model"), ("winner", "loser")]
)
def test_columns_of_the_models_that_won_and_lost_are_pairs_whose_order_nobody_says(
    tmp_path: Path, won: str, lost: str
) -> None:
    models = [(A, B), (B, A), (A, B), (A, B)]
    rows = [
        {"question_id": f"q{n}", "judge": judge, won: one, lost: other}
        for n, (one, other) in enumerate(models)
        for judge in (A, B)
    ]

    report, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    stored = judgments(study, "generator", "opponent", "choice", "first")
    assert stored == [(*pair, "generator", "unknown") for pair in models for _ in (A, B)]
    assert any(f"won by the model in {won!r}, not that in {lost!r}" in note for note in report.notes)


def test_a_winner_beside_the_two_models_is_no_model_that_always_won(tmp_path: Path) -> None:
    rows = rows_of("model_a", "model_b", A, B, ("model_a", "model_b"))

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert {choice for (choice,) in judgments(study, "choice")} == {"generator", "opponent"}


@pytest.mark.parametrize(
    ("column", "sides"), [("a_wins", ("a", "b")), ("model_b_won", ("b", "a")), ("is_a_better", ("a", "b"))]
)
def test_a_flag_of_who_won_is_proposed_with_what_its_values_mean(
    tmp_path: Path, column: str, sides: tuple[str, str]
) -> None:
    rows = [
        {key: value for key, value in row.items() if key != "winner"} | {column: n % 3 == 0}
        for n, row in enumerate(rows_of("model_a", "model_b", "a", "b", ("model_a", "model_b")))
    ]
    path = lines(tmp_path / "t.jsonl", rows)

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", path)

    [whole] = refused.value.commands(str)
    meanings = f"'choice': {{'true': '{sides[0]}', 'false': '{sides[1]}'}}"
    assert f"'choice': '{column}'" in whole.line
    assert meanings in whole.line


@pytest.mark.parametrize("loser", ["loser", "rejected", "worse_model", "losing_model"])
def test_who_lost_is_not_read_as_who_won(loser: str) -> None:
    a, b, judge = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
    frame = pd.DataFrame(
        {"question_id": f"q{n}", "model_a": a, "model_b": b, "judge": judge, loser: (a, b, "tie")[n % 3]}
        for n in range(30)
    )

    for given in ({}, {"choice": loser}):
        with pytest.raises(BadInputError, match=f"'{loser}' says who lost") as raised:
            engine.from_frame(frame, **given)
        command = str(raised.value).partition("All together")[2]
        assert "choice='?'" in command
        assert "first" not in command
