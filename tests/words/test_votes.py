"""Whom judges rank first, in sentences."""

from typing import Any

import pytest

from engine.words.orders import flip_words, ties_words
from engine.words.slice_words import leaders


def row(judge, generator, rank, win_rate=0.5, n=10):
    ends = {"win_rate_low": win_rate - 0.1, "win_rate_high": win_rate + 0.1}
    return {"judge": judge, "generator": generator, "rank": rank, "win_rate": win_rate, "n": n} | ends


def test_with_few_judges_each_has_a_sentence_naming_its_first_model():
    rows = [row("J", "a", 2.0, 0.3), row("J", "b", 1.0, 0.7, 1200), row("K", "a", 1.0, 0.6, 1)]

    assert leaders(rows) == [
        "J ranks b first of 2 models: it wins 70.0% (95% CI 60.0% to 80.0%) of 1,200 pairs.",
        "K ranks a first of 1 model: it wins 60.0% (95% CI 50.0% to 70.0%) of 1 pair.",
    ]


def test_with_many_judges_their_first_models_are_counted():
    rows = [row(judge, "ab"[judge in "JK"], 1.0) for judge in "JKLMN"]

    assert leaders(rows) == ["Ranked first: a by 3 judges and b by 2 judges."]


def test_of_many_models_ranked_first_the_others_are_counted_with_their_judges():
    firsts = dict(zip("JKLMNOPQ", "aaabbcde", strict=True))

    [sentence] = leaders([row(judge, model, 1.0) for judge, model in firsts.items()])

    assert sentence.endswith("a by 3 judges, b by 2 judges, c by 1 judge and 2 other models by 2 judges.")


def test_without_a_vote_nothing_is_said():
    assert leaders([]) == []
    assert leaders([row("J", "a", None)]) == []


def test_the_judges_that_flip_to_the_answer_shown_first_are_named_where_they_are_few():
    def of_judge(judge: str, low: float) -> Any:
        ends = {
            "flip_to_first_low": low,
            "flip_to_first_high": 0.9,
            "flip_rate_low": 0.1,
            "flip_rate_high": 0.3,
        }
        return {
            "judge": judge,
            "variant": "a",
            "flip_rate": 0.2,
            "n_pairs": 50,
            "n_decided": 40,
            "small": False,
        } | ends

    few = flip_words([of_judge("x", 0.6), of_judge("y", 0.55), of_judge("z", 0.4)])
    many = flip_words([of_judge(judge, 0.6) for judge in "abcde"])

    assert (
        "2 of 3 judges (x and y) clearly flip to the answer shown first, none to the one shown second." in few
    )
    assert "All 5 judges clearly flip to the answer shown first." in many


def test_a_judge_with_few_pairs_that_flips_more_is_not_passed_over_in_silence():
    def of_judge(judge: str, rate: float, n: int) -> Any:
        ends = {"flip_rate_low": None, "flip_rate_high": None, "flip_to_first_low": None}
        return {
            "judge": judge,
            "variant": "a",
            "flip_rate": rate,
            "n_pairs": n,
            "n_decided": n,
            "small": n < 30,
        } | ends

    sentence = flip_words([of_judge("x", 0.9, 5), of_judge("y", 0.3, 50), of_judge("z", 0.2, 50)])

    assert sentence.startswith(
        "Of judges with 30 pairs or more, y changes its vote with the order most often"
    )


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ([(0.2, 0.4), (0.1, 0.3)], "Both judges clearly flip to the answer shown second."),
        ([(0.4, 0.6), (0.4, 0.6)], "Neither judge clearly flips to the answer shown first or to the one"),
        (
            [(0.6, 0.7), (0.3, 0.4), (0.4, 0.6)],
            "1 of 3 judges (a) clearly flips to the answer shown first, 1 (b) to the one shown second.",
        ),
        (
            [(0.4, 0.6), (0.3, 0.4), (0.4, 0.6)],
            "1 of 3 judges (b) clearly flips to the answer shown second, none to the one shown first.",
        ),
        ([(0.6, 0.7)], "a changes its vote with the order in 20.0%"),
        ([(0.6, 0.7)], "It clearly flips to the answer shown first."),
        ([(0.4, 0.7)], "It does not clearly flip to the answer shown first or to the one shown second."),
    ],
)
def test_all_none_and_the_only_judge_that_flip_are_said_in_words(ends, words):
    rows: list[Any] = [
        {"judge": judge, "variant": "a", "flip_rate": 0.2, "n_pairs": 50, "n_decided": 40, "small": False}
        | {"flip_rate_low": 0.1, "flip_rate_high": 0.3}
        | {"flip_to_first_low": low, "flip_to_first_high": high}
        for judge, (low, high) in zip("abc", ends, strict=False)
    ]

    assert words in flip_words(rows)


def test_with_ties_half_of_the_votes_is_not_what_a_judge_without_an_order_effect_gives():
    row: Any = {"judge": "a", "variant": "default", "first_share": 0.52, "tie_share": 0.06}

    assert "a, with 6.0% ties, in 47.0% (it does in 52.0%), not in 50%." in ties_words([row])
    assert ties_words([row | {"tie_share": 0.0}]) == ""
