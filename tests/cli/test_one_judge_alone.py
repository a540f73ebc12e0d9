"""A study with one judge: its own failures are compared with others', and no other judge is spoken of."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import Spb

from engine.report.card import card_of
from engine.store import Store
from engine.study import Study
from engine.views.conclusion import conclusion_of
from engine.views.judges import shown_of_scorecard

MODELS = ("claude-3-5-sonnet", "gpt-4o", "llama-3.1-70b")
OTHER_JUDGES = ("other judges as strict", "judges of other families", "expected from other judges")
PAIRS = "100 pairs of its own and another family's failure of the same criterion"


@pytest.fixture
def store(spb_here: Spb, tmp_path: Path) -> Path:
    """Import verdicts of claude alone, which passes 20 of its 30 failures, and 6 of 30 of each other model.

    All fail the same 30 of 40 questions, so there are 60 pairs of failures: it passes its own in 40 of them
    (66.7 of 100), and the other in 12 (20.0 of 100).
    """
    lines = ["judge,model,question,verdict,truth"]
    for question in range(40):
        fails = question % 4 < 3
        for model in MODELS:
            passed = (question % 4 < 2 if model == MODELS[0] else question % 20 < 3) if fails else True
            truth = "fail" if fails else "pass"
            lines.append(f"{MODELS[0]},{model},q{question},{'pass' if passed else 'fail'},{truth}")
    (tmp_path / "alone.csv").write_text("\n".join(lines), "utf-8")
    words = ("import", tmp_path / "alone.csv", "--study", "alone", "--store", tmp_path)
    assert spb_here(*words).returncode == 0
    return tmp_path


@pytest.fixture
def study(store: Path) -> Study:
    return Study(Store(str(store)).open("alone"))


def without_others(texts: Sequence[str]) -> bool:
    return not any(words in text for text in texts for words in OTHER_JUDGES)


def test_the_numbers_are_of_pairs_of_failures_and_their_number_stands_beside_them(study: Study) -> None:
    group, row = study.result("scorecard").rows

    assert (row["decided_by"], row["n_own"], row["n_matched"]) == ("hspp_matched", 30, 60)
    assert (row["own_given"], row["own_expected"]) == pytest.approx((40 / 60, 12 / 60))
    assert group["n_matched"] == 60


def test_the_sentence_says_what_is_compared_and_speaks_of_no_other_judge(spb_here: Spb, store: Path) -> None:
    one = spb_here("judges", "alone", "--store", store, "--judge", MODELS[0])
    printed = " ".join(one.stdout.split())

    assert f"of {PAIRS}, it passed its own in 67; the other in 20 (95% CI" in printed
    assert without_others([printed])
    assert re.search(r"Own .*Others' passed n pairs .*66\.7% 20\.0% 60 ", printed)


def test_card_and_page_say_it_too(study: Study) -> None:
    row = study.result("scorecard").rows[1]
    concluded = conclusion_of(row)
    card = card_of(study, MODELS[0]).concluded

    assert concluded.cases == (
        "passed, of 100 pairs of its own and another family's failure of the same criterion "
        "(n 60; no other judge's verdicts)"
    )
    assert [number.label for number in concluded.numbers] == [
        "Its own answers: given",
        "Other families' answers: given",
    ]
    assert concluded.meaning.endswith(
        "it passes its own failures more often than other families' failures of the same criteria; why is "
        "open."
    )
    assert card == concluded
    assert without_others([concluded.sentence, concluded.meaning, concluded.cases])


def test_the_board_names_its_columns_by_what_they_hold(study: Study) -> None:
    shown = shown_of_scorecard(study.result("scorecard"), {})

    assert shown.table is not None
    assert {"Own passed", "Others' passed", "n pairs"} <= set(shown.table.heads)
    assert not {"Given", "Expected"} & set(shown.table.heads)
    if shown.figure is not None:
        assert "No other judge has a part in it." in str(shown.figure.marks)
        assert without_others([str(shown.figure.marks)])


def test_the_gate_decides_and_says_what_was_compared(spb_here: Spb, store: Path) -> None:
    # STORE and MEASURES let it decide: `overrates_itself` fails, and `hspp_matched` is the deciding number.
    gate = spb_here("gate", "alone", "--store", store, "--format", "json")
    [row] = json.loads(gate.stdout)["rows"]
    table = " ".join(spb_here("gate", "alone", "--store", store, "--format", "csv").stdout.split())

    assert gate.returncode == 1
    assert (row["n_matched"], row["own_given"], row["own_expected"]) == pytest.approx((60, 2 / 3, 1 / 5))
    assert "no judge of another family has a part in this number: its own failures are" in row["reason"]
    assert "compared with other families' failures of the same criteria" in table


def test_expected_says_once_why_it_has_no_number(spb_here: Spb, store: Path) -> None:
    printed = " ".join(spb_here("measure", "expected", "alone", "--store", store).stdout.split())

    assert printed.count("fewer than three judges, or judges of one family alone") == 1
    assert "There is no number here: fewer than three judges" in printed
    assert "– in" not in printed


def test_ratios_do_not_say_that_other_judges_verdicts_decide(spb_here: Spb, store: Path) -> None:
    printed = " ".join(spb_here("measure", "hspp", "alone", "--store", store).stdout.split())

    assert "other judges' verdicts on the same answers where there are any" in printed


@pytest.mark.parametrize("column", ["own_given", "own_expected", "n_own", "n_matched"])
def test_explain_says_what_a_column_is_without_other_judges(spb_here: Spb, column: str) -> None:
    assert "decided_by is hspp_matched" in " ".join(spb_here("explain", column).stdout.split())
