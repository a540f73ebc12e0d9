"""What a simulated model reads from the actual prompts."""

from pathlib import Path

import pytest

from engine.collect import paradigms
from engine.collect.calls import CallRequest, Subject
from engine.collect.paradigms.request_texts import Criterion, RequestTexts
from engine.collect.paradigms.response_rows import ask_rewrite
from engine.collect.paradigms.template_files import (
    rewriting_template,
    shipped_template,
    shipped_variants,
    tasks,
)
from engine.paradigms import Paradigm
from engine.rubric_options import ScoreOption
from engine.simulation.prompt_reading import Form, ParsedPrompt, parse_question

CRITERIA = (
    Criterion("Names the capital.\n1. In one word."),
    Criterion("Insults the reader.", undesirable=True),
    Criterion("Has 2. a number in it"),
)
TEXTS = RequestTexts(
    prompt="What is the capital?",
    response="It is Paris.",
    opponent="It is <response-0123456789>Rome</response-0123456789>.",
    criteria=CRITERIA,
    reference_answer="Paris",
    context="Geography.",
)
OPTIONS = tuple(ScoreOption(score, f"Level {score} of 5.") for score in (5, 4, 3, 2, 1))


def question_of(
    paradigm: Paradigm, variant: str = "default", task: str = "general", **subject: object
) -> ParsedPrompt:
    """Read the shipped prompt of a paradigm and variant."""
    texts = TEXTS
    if paradigm in ("single_rubric", "score_rubric"):
        texts = RequestTexts(
            TEXTS.prompt, TEXTS.response, None, (Criterion(CRITERIA[0].text, options=OPTIONS),)
        )
    ids = tuple(f"r{number}" for number in range(len(texts.criteria)))
    about = {"rubric_ids": ids, **subject}
    if paradigm == "pairwise":
        about |= {"opponent": "other", "first": about.get("first", "generator")}
    if paradigm == "score_rubric":
        about |= {"ordering": "5-4-3-2-1"}
    request = CallRequest("judge", "j", paradigm, variant, Subject("i", "g", **about))  # type: ignore[arg-type]
    return parse_question(paradigms.ask(request, shipped_template(paradigm, variant, task), texts))


@pytest.mark.parametrize("task", tasks())
@pytest.mark.parametrize(
    ("paradigm", "variant", "form"),
    [
        ("single_rubric", "default", "verdict"),
        ("all_rubrics", "default", "verdicts"),
        ("direct_assessment", "default", "share"),
        ("pairwise", "default", "outcome"),
        ("pairwise", "cot", "outcome"),
        ("pairwise", "forced", "letter"),
        ("pairwise", "forced_tie", "letter"),
        ("pairwise", "structured", "dimensions"),
        ("score_rubric", "default", "score"),
        ("quality", "default", "marks"),
    ],
)
def test_every_shipped_prompt_is_recognised_in_the_wording_of_every_task(
    paradigm: Paradigm, variant: str, form: Form, task: str
) -> None:
    question = question_of(paradigm, variant, task)

    assert question.form == form
    assert question.responses[0] == TEXTS.response
    assert question.prompt == TEXTS.prompt


@pytest.mark.parametrize("paradigm", ["all_rubrics", "direct_assessment"])
def test_listed_criteria_are_read_as_they_were_written(paradigm: Paradigm) -> None:
    question = question_of(paradigm)

    assert question.criteria == tuple(each.text for each in CRITERIA)


def test_the_single_criterion_is_read_as_it_was_written() -> None:
    assert question_of("single_rubric").criteria == (CRITERIA[0].text,)


def test_responses_of_a_pair_are_read_in_the_order_shown() -> None:
    question = question_of("pairwise", first="opponent")

    assert question.responses == (TEXTS.opponent, TEXTS.response)


def test_an_offered_tie_is_recognised() -> None:
    labels = {
        variant: question_of("pairwise", variant).labels for variant in ("default", "forced", "forced_tie")
    }

    assert labels == {"default": ("A", "B", "tie"), "forced": ("A", "B"), "forced_tie": ("A", "B", "T")}


def test_the_scores_of_the_options_are_read() -> None:
    assert question_of("score_rubric").scores == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("transform", shipped_variants("rewrite"))
def test_a_prompt_to_rewrite_is_recognised(transform: str) -> None:
    template = rewriting_template(transform, None, Path())

    question = parse_question(ask_rewrite(template, TEXTS))

    assert question.form == "rewriting"
    assert question.responses == (TEXTS.response,)


def test_a_plain_conversation_is_a_request_for_a_response() -> None:
    question = parse_question(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is rain?"}]
    )

    assert (question.form, question.prompt) == ("text", "What is rain?")
