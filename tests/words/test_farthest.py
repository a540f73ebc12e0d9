"""Which judge is called the farthest above what was expected, and among which."""

from types import SimpleNamespace
from typing import Any

from engine.words import given_expected


def judge(name: str, excess: float, n_own: int) -> Any:
    return {
        "judge": name,
        "excess": excess,
        "excess_low": excess - 0.1,
        "own_given": 0.5 + excess,
        "own_expected": 0.5,
        "own_expected_low": 0.4,
        "own_expected_high": 0.6,
        "n_own": n_own,
    }


def result_of(*rows: Any) -> Any:
    filters = {"truth": "failed", "paradigm": "single_rubric"}
    return SimpleNamespace(by=None, rows=list(rows), filters=filters)


def test_a_judge_with_few_cases_farther_above_makes_the_sentence_say_among_which_it_counts() -> None:
    few, many = judge("few", 0.4, 12), judge("many", 0.2, 50)

    of_both, of_one = (given_expected.of_rows(result_of(*rows)) for rows in ((few, many), (many,)))

    assert of_both[0].startswith(
        "Of those with an interval and 30 own cases or more, farthest above is many: "
    )
    assert of_one[0].startswith("Farthest above is many: ")
