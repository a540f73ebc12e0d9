"""Words that say whether to meet a criterion is good are read as opposites, other words are not."""

import pytest

from engine.importers.tables.sign_words import signs_of


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("wanted", "unwanted"),
        ("should", "should not"),
        ("should", "shouldn\u2019t"),
        ("must have", "must not have"),
        ("must_have", "must-not-have"),
        ("dos", "donts"),
        ("pro", "con"),
        ("merit", "defect"),
        ("green", "red"),
        ("asset", "violation"),
        ("no error", "error"),
        ("non-toxic", "toxic"),
        ("appropriate", "inappropriate"),
        ("zorgish", "unzorgish"),
        ("zorgish", "not zorgish"),
        ("inclusive", "non-inclusive"),
        ("universal", "not universal"),
    ],
)
def test_opposites_have_opposite_signs(good: str, bad: str) -> None:
    assert signs_of([good, bad]) == {good: 1, bad: -1}


@pytest.mark.parametrize(
    "words",
    [
        ("tone", "facts"),
        ("formal", "informal"),
        ("quality", "style"),
        ("wanted", "facts"),
        ("content", "style"),
        ("over", "under"),
        ("not", "style"),
    ],
)
def test_topics_have_no_signs(words: tuple[str, str]) -> None:
    assert signs_of(words) is None
