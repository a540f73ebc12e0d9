"""A number with its interval is formatted in one place: no other code writes `value [low, high]`."""

import ast
import re
from pathlib import Path

import pytest

from engine.words.written_numbers import WRITTEN_FORMS, Form, number, p_value, without_zeros

ROOT = Path(__file__).resolve().parents[2]
MODULE = "engine/words/written_numbers.py"


OPENED = re.compile(r"\[[\s\"'fr]*\{", re.IGNORECASE)
"""A bracket before a value of an f-string, perhaps in another literal; files without one are not parsed."""


def brackets(path: Path) -> list[int]:
    """Return the lines of f-strings with two values in brackets: `[{low}, {high}]`."""
    lines: list[int] = []
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if OPENED.search(text) else ():
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
            text = "".join("\0" if part is None else str(part) for part in parts)
            if "[\0, \0]" in text:
                lines.append(node.lineno)
    return lines


def test_one_function_formats_a_number_with_its_interval() -> None:
    writers = {
        path.relative_to(ROOT).as_posix(): lines
        for folder in ("engine", "explorer")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (lines := brackets(path))
    }

    assert list(writers) == [MODULE]
    assert len(writers[MODULE]) == 1


def test_a_hand_written_bracket_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "by_hand.py"
    path.write_text('text = f"{value:.2f} [{low:.2f}, {high:.2f}]"\nother = f"[{one}] {two}"\n')

    assert brackets(path) == [1]


@pytest.mark.parametrize("form", WRITTEN_FORMS)
def test_no_form_writes_a_zero_with_a_minus(form: Form) -> None:
    text = number(-0.00001, form)

    assert "-" not in text
    assert "0" in text


@pytest.mark.parametrize(
    ("value", "is_smallest", "in_table", "in_sentence"),
    [
        (0.0124, False, "0.012", "0.012"),
        (0.0124, True, "≤0.013", "at most 0.013"),  # 0.012 would promise more than is so
        (0.0004, True, "<0.001", "below 0.001"),
    ],
)
def test_a_p_that_may_be_smaller_is_rounded_up(
    value: float, is_smallest: bool, in_table: str, in_sentence: str
) -> None:
    assert p_value(value, is_smallest=is_smallest) == in_table
    assert p_value(value, "below ", is_smallest=is_smallest) == in_sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4.50 [2.00, 5.00]", "4.50 [2, 5]"),
        ("3.00 [2.00, 6.04]", "3 [2.00, 6.04]"),
        ("7.00 [3.40, 7.00]", "7 [3.40, 7.00]"),
        ("3.00", "3"),
    ],
)
def test_both_ends_of_an_interval_of_ranks_are_rounded_alike(text: str, words: str) -> None:
    assert without_zeros(text) == words
