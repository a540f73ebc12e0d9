"""How a table is read depends on what its rows say, and not on their order."""

from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest
from command_line import Spb

import engine
from engine.errors import BadInputError
from engine.store import Store
from engine.study import Study

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
BOTH_WAYS = "each pair is there both ways round"


def pairs(n_questions: int = 20) -> pd.DataFrame:
    """Return pairs that each judge saw both ways round; the first one shown always won."""
    return pd.DataFrame(
        {"instance_id": f"q{number}", "judge": judge, "model_a": a, "model_b": b, "winner": "A"}
        for number in range(n_questions)
        for a, b in permutations(MODELS, 2)
        for judge in MODELS
    )


def in_orders(frame: pd.DataFrame) -> list[pd.DataFrame]:
    return [frame, frame.sort_values(frame.columns[2]), frame.sample(frac=1, random_state=0)]


def judged(study: Study) -> list[tuple[str, ...]]:
    columns = ("judge", "instance_id", "generator", "opponent", "first", "choice", "trial")
    table = study.files.judgments(columns)
    return sorted(zip(*(map(str, table[name].to_pylist()) for name in columns), strict=True))


def test_the_order_shown_is_guessed_from_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 100)
    studies = []

    for frame in in_orders(pairs()):
        with pytest.warns(UserWarning, match=BOTH_WAYS):
            studies.append(judged(engine.from_frame(frame)))

    assert studies[0] == studies[1] == studies[2]
    assert {first for *_, first, _, _ in studies[0]} == {"generator"}
    assert {trial for *_, trial in studies[0]} == {"0"}


def test_first_rows_both_ways_round_say_nothing_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 100)
    frame = pairs()
    frame = frame[(frame.index < 100) | (frame.model_a < frame.model_b)]

    with pytest.warns(UserWarning, match="no pair says which answer was shown first"):
        study = engine.from_frame(frame)

    assert {first for *_, first, _, _ in judged(study)} == {"unknown"}


@pytest.mark.parametrize("by", ["instance_id", "model_a"])
def test_the_two_orders_may_be_in_two_files(spb_here: Spb, tmp_path: Path, by: str) -> None:
    frame = pairs(4)
    is_in_one = frame[by] < "q2" if by == "instance_id" else frame.model_a < frame.model_b
    (tmp_path / "pairs").mkdir()
    frame[is_in_one].to_csv(tmp_path / "pairs" / "one.csv", index=False)
    frame[~is_in_one].to_csv(tmp_path / "pairs" / "two.csv", index=False)

    done = spb_here("import", tmp_path / "pairs", "--study", "s", "--store", tmp_path / "store")

    assert BOTH_WAYS in done.stderr
    firsts = Store(tmp_path / "store").open("s").judgments(("first",))["first"].to_pylist()
    assert firsts == ["generator"] * len(frame)


def test_a_question_does_not_assert_an_order_that_is_guessed() -> None:
    numbers = pairs(4).assign(winner="1")

    with pytest.raises(BadInputError) as raised:
        engine.from_frame(numbers)

    assert "value={'choice': {'1': '?'}}" in str(raised.value)
    assert "first" not in str(raised.value).partition("All together")[2]


def test_a_strange_word_raises_a_question_wherever_it_stands() -> None:
    frame = pairs(150)  # 2,700 rows
    questions = []

    for place in (0, len(frame) - 1):
        odd = frame.copy()
        odd.loc[place, "winner"] = "neither of them"
        with pytest.raises(BadInputError) as raised:
            engine.from_frame(odd)
        questions.append(str(raised.value))

    assert questions[0] == questions[1]
