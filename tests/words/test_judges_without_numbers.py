"""Judges that cannot be tested are named, and never counted among those that do not differ."""

from typing import Any

from engine.measures.catalogue import MEASURES
from engine.measures.result import Result, columns_of
from engine.words.gold_stress import gold_stress_sentences
from engine.words.longer import length_sentences
from engine.words.orders import flip_words, position_words


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


def test_a_judge_without_an_interval_of_its_flips_is_not_among_those_that_do_not_clearly_flip():
    def row(judge: str, low: float | None, high: float | None) -> Any:
        reasons = {"flip_to_first_low": "too_many_undefined_resamples"} if low is None else {}
        flips = {"flip_rate": 0.2, "flip_rate_low": 0.1, "flip_rate_high": 0.3, "flip_to_first": 1.0}
        ends = {"flip_to_first_low": low, "flip_to_first_high": high}
        counts = {"n_decided": 40, "n_pairs": 40, "small": False, "variant": "default", "reasons": reasons}
        return {"judge": judge} | flips | ends | counts

    words = flip_words([row("a", 0.4, 0.7), row("b", 0.3, 0.6), row("c", None, None)])

    assert "Neither judge with an interval clearly flips to the answer shown first or" in words
    assert "No interval of where winners flip to: c (too few cases for an interval)." in words


def test_a_judge_without_an_interval_is_not_said_to_include_0_under_some_gold_judges():
    def row(judge: str, ends: tuple[float, float] | tuple[None, None]) -> Any:
        number = {"number": "spb", "value": 0.5, "value_low": ends[0], "value_high": ends[1]}
        panels = {"panels": ["p"], "gold_judges": ["p"], "changes": [None], "least": 0.5, "greatest": 0.5}
        reasons = {} if ends[0] else {"value_low": "too_many_undefined_resamples"}
        families = {"families_without": [], "value_without": []}
        return {"judge": judge, "same_side": 1.0, "reasons": reasons} | number | panels | families

    sentences = gold_stress_sentences([row("a", (0.2, 0.8)), row("b", (None, None))])

    assert "interval includes 0" not in sentences[0]
    assert sentences[-1] == "No interval: b (too few cases for an interval)."
