"""Where a model's thinking ends and its answer begins, in one text."""

import pytest

from engine.collect.paradigms.thinking import answer_start, split_thinking, without_thinking


@pytest.mark.parametrize(
    ("text", "answer", "thinking"),
    [
        ("Yes.", "Yes.", None),
        ("I think so.", "I think so.", None),
        (" <think> Hm. </think>\nYes.", "Yes.", "Hm."),
        ("<THINKING>Hm.</THINKING>Yes.", "Yes.", "Hm."),
        ("Hm.</think>Yes.", "Yes.", "Hm."),
        ("<think>never closed", "", "never closed"),
        ("<think></think>Yes.", "Yes.", None),
        ("<think>One.</think> <think>Two.</think>Yes.", "Yes.", "One.\nTwo."),
        ("[THINK]Hm.[/THINK]Yes.", "Yes.", "Hm."),
        ("<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>Yes.", "Yes.", "Hm."),
        ("Yes. <think>Hm.</think> No.", "Yes. <think>Hm.</think> No.", None),  # it does not come first
    ],
)  # fmt: skip
def test_thinking_before_the_answer_is_told_from_it(text: str, answer: str, thinking: str | None) -> None:
    assert split_thinking(text) == (answer, thinking)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Yes.", 0),
        ("<think>Hm.</think>Yes.", 18),
        ("Hm.</think>Yes.", 11),
        ("<think>never closed", None),
        ("Yes. <think>Hm.</think> No.", 0),
    ],
)
def test_the_answers_first_token_is_after_the_thinking(text: str, start: int | None) -> None:
    assert answer_start(text) == start


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Yes.\n<think>Hm.</think>No.", "Yes.\nNo."),
        ("Yes.\n  <think>never closed", "Yes.\n"),
        ("Yes <think>Hm.</think>", "Yes <think>Hm.</think>"),
        ("<think>Hm.</think>Yes.\n<thought>Hm.</thought>", "Yes.\n"),
    ],
)
def test_a_judges_later_thinking_is_left_out_where_it_begins_a_line(text: str, rest: str) -> None:
    assert without_thinking(text) == rest
