"""A card of the list of judgments: what tells it from the others where the study lacks texts."""

from dataclasses import replace

from engine.explore.judgment_detail import JudgedItem, StoredVerdict
from engine.messages import Message
from explorer.workbench.verdicts import card

VERDICT = StoredVerdict(
    judge="oak",
    family="trees",
    relation="self",
    status="ok",
    answer="passed",
    against="overestimates",
    explanation=None,
    raw=None,
    presentation=None,
    run_id="first",
    trial=0,
    run_facts=(),
    call={},
)
RUBRIC = {"rubric_id": "r2", "criterion": None, "points": 1.0}
ITEM = JudgedItem("q1", (), None, None, "oak", None, None, None, RUBRIC, (), (VERDICT,))
ROW = {"judge": "oak", "relation": "self", "verdict": "passed", "reference": "failed"}


def test_a_card_without_texts_names_its_question_and_criterion() -> None:
    assert card(ITEM, ROW, 1)["texts"] == [("Question", "q1"), ("Criterion", "r2")]


def test_a_card_without_an_answer_shows_the_question_where_it_is_stored() -> None:
    of_question = replace(ITEM, messages=(Message("user", "Who was it?"),))

    assert card(of_question, ROW, 1)["texts"] == [("Question", "Who was it?"), ("Criterion", "r2")]


def test_a_card_with_the_answer_has_no_question() -> None:
    texts = card(replace(ITEM, response="It was she."), ROW, 1)["texts"]

    assert texts == [("Criterion", "r2"), ("Answer of oak", "It was she.")]


def test_a_card_shows_the_text_of_a_criterion_that_has_one() -> None:
    of_text = replace(ITEM, rubric=RUBRIC | {"criterion": "Names the butler."})

    assert ("Criterion", "Names the butler.") in card(of_text, ROW, 1)["texts"]


def test_a_card_names_the_run_of_each_verdict_where_there_are_several() -> None:
    other = replace(VERDICT, judge="elm", relation="other", run_id="second")

    shown = card(replace(ITEM, verdicts=(VERDICT, other)), ROW, 1)

    assert shown["said"]["answer"] == "passed, run first"
    assert [each["answer"] for each in shown["others"]] == ["passed, run second"]
