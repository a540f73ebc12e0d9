"""Whether a final answer is the reference answer: as a text, an option, or mathematics."""

import pytest

from engine.checkers import make_check
from engine.checkers.verdicts import verify
from engine.checkers.verifiers import VERIFIERS, exact
from engine.checkers.verifiers import choice as choice_check


def right(checker: str, reference: str, text: str, **more: object) -> bool | None:
    """Return whether the response is right, None where it cannot be read."""
    return verify(make_check(checker, {"reference_answer": reference, **more}), text).strict


@pytest.mark.parametrize(
    ("reference", "text", "expected"),
    [
        ("Paris", "paris.", True),
        ("Paris", "  PARIS\n", True),
        ("Straße", "STRASSE", True),
        ("ﬁve  men", "five men", True),  # a ligature, two spaces
        ("« Paris »", '"Paris"', True),
        ("Paris", "It is Paris.", False),
        ("U.S.", "u.s", True),
        ("Paris", " ... ", None),
        ("Paris", "", None),
    ],
)
def test_exact_folds_case_space_and_outer_punctuation(reference, text, expected):
    assert right("exact", reference, text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", True),
        ("(b).", True),
        ("**B**", True),
        ("The answer is B.", True),
        ("Answer: (B)", True),
        ("I first thought the answer is C. On reflection, the answer is B.", True),
        ("The answer is A, so \\boxed{B}", True),
        ("\\boxed{C} was wrong: \\boxed{\\text{(B)}}", True),
        ("the answer is B because it rains", True),
        ("The answer is A good walk.", None),
        ("The answer is not B", None),
        ("B or C", None),
        ("\\boxed{42}", None),
        ("E", None),  # beyond the options
        ("A", False),
    ],
)
def test_choice_reads_the_boxed_letter_then_the_stated_one_then_a_letter_alone(text, expected):
    assert right("choice", "B", text, options=4) is expected


def test_the_options_are_counted_in_the_prompt():
    prompt = "Which?\nA) one\nB) two\nC) three"

    check = choice_check("C", prompt=prompt)

    assert verify(check, "C").strict is True
    assert verify(check, "D").strict is None
    assert "no option D" in str(verify(check, "D").problem)


@pytest.mark.parametrize(
    ("reference", "text", "expected"),
    [
        ("\\frac{1}{2}", "so \\boxed{0.5}", True),
        ("2\\sqrt{3}", "\\boxed{\\sqrt{12}}", True),
        ("(3, \\frac{\\pi}{2})", "\\boxed{1} no, $\\boxed{(3,\\pi/2)}$", True),
        ("\\boxed{7}", "\\boxed{7.0}", True),
        ("\\text{Evelyn}", "\\boxed{\\text{Evelyn}}", True),
        ("x^2 + 1", "\\boxed{1+x^2}", True),
        ("5", "\\boxed{6}", False),
        ("5", "The answer is 5.", None),
        ("5", "\\boxed{}", None),
        ("5", "\\boxed{5", None),
        ("5", "\\boxed{" + "1+" * 400 + "1}", None),
    ],
)
def test_boxed_compares_mathematics_up_to_its_form(reference, text, expected):
    assert right("boxed", reference, text) is expected


def test_endless_mathematics_has_no_verdict(monkeypatch):
    monkeypatch.setattr("engine.checkers.verifiers._SECONDS", 1)

    verdict = verify(make_check("boxed", {"reference_answer": "5"}), "\\boxed{9^{9^{9^{9}}}}")

    assert verdict.strict is None
    assert "too long" in str(verdict.problem)


def test_a_long_text_of_opened_boxes_is_read_in_one_pass():
    text = "\\boxed{" * 100_000 + "7" + "}" * 100_000

    # the innermost is the last to begin
    assert right("boxed", "7", text) is True


@pytest.mark.parametrize("checker", VERIFIERS)
def test_an_unreadable_reference_answer_decides_nothing(checker):
    assert right(checker, "...", "\\boxed{A}") is None


def test_a_blank_reference_is_unreadable_rather_than_equal_to_nothing():
    assert verify(exact("?"), "!").strict is None
