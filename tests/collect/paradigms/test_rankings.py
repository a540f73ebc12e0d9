"""Lists of responses: what is shown, and the ranks read from an answer."""

import pytest
from collect.paradigms.calls import answer, ranked

from engine.collect.paradigms import ask
from engine.collect.paradigms.request_texts import Criterion, RequestTexts
from engine.collect.paradigms.template_files import shipped_template
from engine.collect.paradigms.templates import MissingTextError

TEXTS = RequestTexts(prompt="Why?", responses=("one", "two", "three"))


def test_every_response_is_enclosed_in_tags_with_its_number():
    _, user = ask(ranked(), shipped_template("listwise", "default"), TEXTS)

    assert "There are 3 answers." in user["content"]
    places = [user["content"].index(f"Answer {n}:\n\n<response-{n}-") for n in (1, 2, 3)]
    assert places == sorted(places)
    assert "criteria" not in user["content"].partition("Put the answers")[0]


def test_criteria_are_shown_if_there_are_any():
    texts = RequestTexts(prompt="Why?", responses=("one", "two", "three"), criteria=(Criterion("Is short."),))

    _, user = ask(ranked(), shipped_template("listwise", "default"), texts)

    assert "1. Is short." in user["content"]


def test_a_list_with_a_missing_text_is_not_judged():
    with pytest.raises(MissingTextError):
        ask(
            ranked(),
            shipped_template("listwise", "default"),
            RequestTexts("Why?", responses=("one", None, "three")),
        )


def test_the_first_number_in_the_answer_has_rank_one():
    rows = answer(ranked(), 'They differ. {"ranking": [2, 3, 1], "explanation": "The second is right."}')

    # Shown as g, h, i: answer 2 (h) is best, then 3 (i), then 1 (g).
    assert {row["generator"]: row["score"] for row in rows} == {"g": 3.0, "h": 1.0, "i": 2.0}
    assert [row["position"] for row in rows] == [1, 2, 3]
    assert {row["ordering"] for row in rows} == {'["g", "h", "i"]'}
    assert {row["explanation"] for row in rows} == {"The second is right."}


def test_numbers_written_as_text_are_accepted():
    assert [row["score"] for row in answer(ranked(), '{"ranking": ["1", " 2 ", "3"]}')] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "text",
    ["2, 3, 1", '{"ranking": [1, 2]}', '{"ranking": [1, 2, 2]}', '{"ranking": [0, 1, 2]}',
     '{"ranking": [1, 2, 3, 4]}',
     '{"ranking": "213"}', '{"ranking": [1, 2, null]}', '{"ranking": [1.5, 2, 3]}'],
)  # fmt: skip
def test_a_ranking_that_is_not_a_permutation_gives_no_rank(text):
    rows = answer(ranked(), text)

    assert [row["status"] for row in rows] == ["unparsed"] * 3
    assert [row["score"] for row in rows] == [None] * 3
