"""Forms of answers that a user describes."""

import pytest

from engine.collect.paradigms.answers.user_forms import AnswerForm
from engine.errors import UsageError


@pytest.mark.parametrize(
    ("form", "text", "values"),
    [
        (
            "Verdict: {{criteria_met}}",
            "It is.\nVERDICT:  **Yes**.\nBecause it says so.",
            '{"criteria_met": true}',
        ),
        ("Verdict: {{criteria_met}}", "Verdict: not met", '{"criteria_met": false}'),
        ("Winner is {{outcome}}", "The winner is\nResponse A", '{"outcome": "Response A"}'),
        ("Score {{score}} points", "Score 2/3 points", '{"score": "2/3"}'),
        ("Depth: {{depth}}\nLogic: {{logic}}", "depth: 7\n\nlogic: 8", '{"depth": "7", "logic": "8"}'),
        ("Verdict: {{criteria_met}}", "No form here.", None),
        ("Verdict: {{criteria_met}}", "Verdict: yes\nVerdict: no", ""),
        ("Verdict: {{criteria_met}}", "Verdict: perhaps", ""),
    ],
)
def test_the_values_of_an_answer_are_those_in_the_slots(form: str, text: str, values: str | None) -> None:
    assert AnswerForm(form).json_of(text) == values


@pytest.mark.parametrize(
    ("paradigm", "variant", "fits"),
    [
        ("single_rubric", "mine", True),
        ("all_rubrics", "default", False),
        ("pairwise", "default", False),
        ("quality", "default", False),
    ],
)
def test_a_form_applies_to_the_paradigms_that_have_its_value(paradigm: str, variant: str, fits: bool) -> None:
    assert AnswerForm("Verdict: {{criteria_met}}").fits(paradigm, variant) is fits


@pytest.mark.parametrize(
    "text", ["", "Verdict:", "{{criteria_met}}", "x {{points}}", "{{score}} x {{score}}"]
)
def test_a_form_without_words_or_slots_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        AnswerForm(text)
