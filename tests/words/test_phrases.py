"""How many of how many, in words."""

import pytest

from engine.phrases import how_many, part_of


@pytest.mark.parametrize(
    ("number", "total", "part", "short"),
    [
        (9, 9, "all 9 judges", "all"),
        (3, 9, "3 of 9 judges", "3"),
        (0, 9, "none of 9 judges", "none"),
        (2, 2, "both judges", "both"),
        (1, 2, "1 of 2 judges", "1"),
        (0, 2, "neither judge", "none"),
        (1, 1, "the only judge", "1"),
        (0, 1, "no judge", "none"),
        (0, 0, "no judge", "none"),
        (1234, 1234, "all 1,234 judges", "all"),
        (1234, 5000, "1,234 of 5,000 judges", "1,234"),
    ],
)
def test_all_both_none_and_the_only_one_are_words(number, total, part, short):
    assert part_of(number, total, "judge") == part
    assert how_many(number, total) == short


def test_a_plural_of_its_own_is_used():
    assert part_of(3, 3, "series", "series") == "all 3 series"
    assert part_of(3, 3, "judge", "judges and variants") == "all 3 judges and variants"
