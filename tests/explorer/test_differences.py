"""Two texts with their differences marked: nothing is lost or interpreted, and no text takes long."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.parts import text_differences
from explorer.parts.text_differences import MOST_PARTS, differences

WORDS = st.lists(st.sampled_from(["a", "b ", "c\n", "<mark>", "&amp;", " "]), max_size=30).map("".join)


def common(marked: str) -> str:
    return unescape(re.sub("<mark>.*?</mark>", "", marked, flags=re.DOTALL))


def whole(marked: str) -> str:
    return unescape(re.sub("</?mark>", "", marked))


@given(WORDS, WORDS)
def test_both_texts_are_whole_and_what_is_not_marked_is_common(first: str, second: str) -> None:
    left, right = differences(first, second)

    assert (whole(left), whole(right)) == (first, second)
    assert common(left).split() == common(right).split()


def test_what_the_other_lacks_is_marked() -> None:
    assert differences("one two three", "one 2 three") == (
        "one <mark>two </mark>three",
        "one <mark>2 </mark>three",
    )


def test_long_texts_are_compared_by_words_between_a_common_beginning_and_end() -> None:
    ends = "same " * (3 * MOST_PARTS)

    left, _ = differences(f"{ends}one {ends}", f"{ends}two {ends}")

    assert re.findall("<mark>(.*?)</mark>", left) == ["one "]


def test_long_texts_are_compared_by_lines() -> None:
    lines = [f"line {number} and more" for number in range(MOST_PARTS - 1)]
    changed = [f"{line} changed" if number % 500 == 7 else line for number, line in enumerate(lines)]

    left, _ = differences("\n".join(lines), "\n".join(changed))

    assert len(re.findall("<mark>", left)) == 4


@pytest.mark.parametrize("separator", [" ", "\n"])
def test_the_number_of_compared_parts_has_a_bound(separator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second part differs, for which the time grows with the square of their number."""
    sizes = []

    class Counting(text_differences.SequenceMatcher):  # type: ignore[type-arg]
        def get_opcodes(self) -> list[tuple[str, int, int, int, int]]:  # type: ignore[override]
            sizes.append(max(len(self.a), len(self.b)))
            return super().get_opcodes()  # type: ignore[return-value]

    monkeypatch.setattr(text_differences, "SequenceMatcher", Counting)
    numbers = range(16_000)  # 196 kB in both texts

    first = separator.join(str(number) for number in numbers)
    second = separator.join(str(number) if number % 2 else f"x{number}" for number in numbers)
    left, right = differences(first, second)

    assert max(sizes, default=0) <= MOST_PARTS
    assert (whole(left), whole(right)) == (first, second)
