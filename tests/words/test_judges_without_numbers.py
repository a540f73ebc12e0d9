"""Judges that cannot be tested are named, and never counted among those that do not differ."""

from typing import Any

from engine.measures.catalogue import MEASURES
from engine.measures.result import Result, columns_of
from engine.words.longer import length_sentences
from engine.words.orders import position_words


def length_row(judge: str, low: float | None, high: float | None) -> dict[str, Any]:
    reasons = {"longer_low": "too_many_undefined_resamples"} if low is None else {}
    of_others = {"longer_of_others_low": low, "reasons": reasons}
    return {"judge": judge, "longer": 0.7, "longer_low": low, "longer_high": high} | of_others


def test_a_judge_without_an_interval_is_named_beside_those_that_prefer_the_longer_answer():
    rows = [length_row("a", 0.6, 0.8), length_row("b", None, None), length_row("c", 0.45, 0.8)]
    result = Result(MEASURES["length"], "s", {"paradigm": "pairwise"}, columns_of(rows), {}, None)

    sentences = length_sentences(result)

    clear, untested = sentences[1:3]
    assert clear.startswith("Beyond sampling error, of 3 judges only 2 can be tested: 1 prefers the longer")
    assert untested == "No interval: b (too few cases for an interval)."


def test_a_judge_whose_position_is_not_tested_is_named():
    def row(judge: str, share: float, p: float | None) -> Any:
        reasons = {"chi2_shuffle_p": "too_few_instances"} if p is None else {}
        keys = {"judge": judge, "position": 1, "n_options": 5, "reasons": reasons}
        return keys | {"share": share, "chi2_shuffle_p": p}

    words = position_words([row("a", 0.4, 0.2), row("b", 0.9, None)])

    assert "Of 2 judges only 1 can be tested: it is not shown that it differs from chance (p below" in words
    assert words.endswith("Not tested: b (too few questions for a p-value).")
