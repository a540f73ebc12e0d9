"""Answers as models write them: clear ones are read as a person reads them, contradictory ones never."""

from typing import Any

import pytest

from engine.collect.calls import CallRequest

from . import clear_answers as clear
from . import contradictory_answers as contradictory
from .calls import answer, assessed, listed, pair, ranked, rated, scored, single

CHOICES = {"A": "generator", "B": "opponent", "T": "tie"}
MOST_LOST = 30  # a quarter of 120


def tie_variant(text: str) -> str:
    return "default" if "{" in text else "forced_tie"


CLEAR: list[tuple[CallRequest, str, tuple[Any, ...]]] = [
    *((single(), text, (met,)) for text, met in clear.VERDICTS),
    *((pair("default" if "{" in text else "forced"), text, (CHOICES[side],)) for text, side in clear.SIDES),
    *((pair(tie_variant(text)), text, ("tie",)) for text in clear.TIES),
    *((listed(), text, mets) for text, mets in clear.LISTS),
    *((assessed(3), text, (score,)) for text, score in clear.SHARES),
    *((scored(), text, (score,)) for text, score in clear.SCORES),
    *((rated(), text, scores) for text, scores in clear.RATINGS),
    *((ranked(), text, ranks) for text, ranks in clear.RANKINGS),
]

CONTRADICTORY: list[tuple[CallRequest, str]] = [
    *((single(), text) for text in contradictory.VERDICTS),
    *((pair(variant), text) for text in contradictory.SIDES for variant in ("default", "cot", "forced")),
    *((listed(), text) for text in contradictory.LISTS),
    *((assessed(3), text) for text in contradictory.SHARES),
    *((scored(), text) for text in contradictory.SCORES),
]


def readings(call: CallRequest, text: str, **fields: object) -> tuple[Any, ...]:
    """Return the verdict, choice or score of each row, None where there is none."""
    rows = answer(call, text, **fields)
    names = ("met", "choice", "score")
    return tuple(next((row[name] for name in names if row[name] is not None), None) for row in rows)


def test_a_clear_answer_is_never_credited_otherwise_than_a_person_reads_it() -> None:
    read = [(text, readings(call, text, finish_reason="stop"), expected) for call, text, expected in CLEAR]

    assert [each for each in read if each[1] != pytest.approx(each[2]) and set(each[1]) != {None}] == []


def test_at_most_a_quarter_of_the_clear_answers_is_lost() -> None:
    lost = [text for call, text, _ in CLEAR if None in readings(call, text, finish_reason="stop")]

    assert len(CLEAR) >= 120
    assert len(lost) <= MOST_LOST * len(CLEAR) / 120, lost


@pytest.mark.parametrize("finish_reason", ["stop", None])
def test_a_contradictory_or_quoted_verdict_is_none(finish_reason: str | None) -> None:
    read = [(text, readings(call, text, finish_reason=finish_reason)) for call, text in CONTRADICTORY]

    assert [each for each in read if set(each[1]) != {None}] == []


def test_an_answer_that_was_cut_off_is_read_only_if_it_is_one_letter() -> None:
    for call, text, expected in CLEAR:
        values = readings(call, text, finish_reason="length", shortfall="cut_off")

        is_letter = text.strip('*()[].`" \n') in {"A", "B", "T"}
        assert values == expected if is_letter else set(values) == {None}, text


def test_there_are_60_contradictory_answers() -> None:
    assert len({text for _, text in CONTRADICTORY}) >= 60


def test_only_a_finished_answer_may_lack_its_last_bracket() -> None:
    assert readings(single(), '{"criteria_met": true', finish_reason="stop") == (True,)
    assert readings(single(), '{"criteria_met": true') == (None,)
