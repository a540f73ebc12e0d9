"""Responses changed without a model: what is added to their text, whom they are paired with, who is named."""

from typing import Any

import pytest

from engine.collect.configuration.config import Transform
from engine.collect.plan.changed_responses import PARAGRAPHS, changed_response


def changed(change: Transform) -> dict[str, Any]:
    return changed_response(change, "t", "g", "x", "An answer.")


@pytest.mark.parametrize("make", ["padding", "authority", "injection"])
def test_words_are_added_below_the_text_and_it_is_paired_with_others_as_written(make: Any) -> None:
    row = changed(Transform(make=make))

    assert row == {
        "instance_id": "x", "generator": "g", "transform": "t", "text": f"An answer.\n\n{PARAGRAPHS[make]}",
        "author": None, "beside": "plain",
    }  # fmt: skip


def test_an_identical_answer_is_paired_with_itself() -> None:
    row = changed(Transform(make="identical"))

    assert (row["text"], row["author"], row["beside"]) == ("An answer.", None, "itself")


@pytest.mark.parametrize(("names", "author"), [({"g": "Claude"}, "Claude"), ({"h": "Claude"}, "g")])
def test_an_author_is_shown_by_its_given_name_and_changes_no_word(names: dict[str, str], author: str) -> None:
    row = changed(Transform(make="author", names=names))

    assert (row["text"], row["author"], row["beside"]) == ("An answer.", author, None)
