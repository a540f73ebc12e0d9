"""How many tokens an answer is expected to have, and between what it may lie."""

import json

import pytest
from collect.plan.small import config as planned

from engine.collect.calls import CallRequest, Subject
from engine.collect.client.token_counts import TokenRange
from engine.collect.configuration.config import ModelConfig, Params, RunConfig
from engine.collect.plan import token_estimates
from engine.collect.plan.token_estimates import EstimateLine, answer_range, expected_answer
from engine.paradigms import Paradigm


def config_of(**model: object) -> RunConfig:
    """Return a configuration whose model `a` has these settings."""
    settings = ModelConfig(**({"model": "openai/a"} | model))  # type: ignore[arg-type]
    return planned().model_copy(update={"models": {"a": settings}})


def judging(
    paradigm: Paradigm, variant: str = "default", rubrics: tuple[str, ...] = (), ordering: str = "original"
) -> CallRequest:
    return CallRequest(
        "judge", "a", paradigm, variant, Subject("i", "g", rubric_ids=rubrics, ordering=ordering)
    )


ANSWER = CallRequest("generator", "a", None, "default", Subject("i", "a"))
CONTINUED = {"protocol": "completion", "api_base": "http://here/v1"}
"""A judge that continues a text answers in two tokens."""


@pytest.mark.parametrize(
    ("request_", "tokens"),
    [
        (ANSWER, 500),
        (judging("single_rubric", rubrics=("r",)), 60),
        (judging("pairwise"), 10),
        (judging("pairwise", "forced"), 1),
        (judging("pairwise", "forced_tie"), 1),
        (judging("pairwise", "cot"), 400),
        (judging("pairwise", "structured"), 50),  # five dimensions
        (judging("all_rubrics", rubrics=("r", "s", "t")), 40),  # ten each, and the frame
        (judging("listwise", ordering=json.dumps(["g", "h"])), 12),
        (judging("listwise"), 4),
    ],
)
def test_an_answer_is_as_long_as_its_paradigm_and_what_it_lists(request_: CallRequest, tokens: int) -> None:
    assert expected_answer(request_, config_of()) == tokens
    limited = config_of(params=Params(max_tokens=30))
    assert expected_answer(request_, limited) == min(tokens, 30)


def test_a_judge_that_continues_a_text_is_expected_to_add_two_tokens() -> None:
    assert expected_answer(judging("pairwise", "forced"), config_of(**CONTINUED)) == 2
    assert expected_answer(ANSWER, config_of(**CONTINUED)) == 500


def test_an_answer_may_be_half_or_four_times_as_long_and_thinking_as_long_as_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(token_estimates, "longest_answer", lambda _: 1000)
    monkeypatch.setattr(token_estimates, "may_think", lambda config: config.stage == "reasoning")

    def likely(request: CallRequest, **model: object) -> TokenRange:
        return answer_range(request, config_of(**model))

    assert likely(judging("single_rubric", rubrics=("r",))) == TokenRange(30, 240)
    assert likely(judging("pairwise", "cot")) == TokenRange(200, 1000)
    assert likely(judging("pairwise"), stage="reasoning") == TokenRange(5, 1000)
    assert likely(judging("pairwise"), params=Params(max_tokens=30)) == TokenRange(5, 30)
    # The limit that users set comes before the list's; without either it is 32,768.
    assert likely(ANSWER, params=Params(max_tokens=1500)) == TokenRange(250, 1500)
    monkeypatch.setattr(token_estimates, "longest_answer", lambda _: None)
    assert likely(judging("pairwise"), stage="reasoning") == TokenRange(5, 32_768)
    assert likely(judging("pairwise", "forced"), **CONTINUED) == TokenRange(1, 2)
    assert likely(ANSWER, **CONTINUED).low == 250  # its own answers are as long as anybody's
    # A likelihood is read from the prompt: one token is added.
    assert likely(judging("familiarity"), **CONTINUED).low == likely(judging("familiarity"), **CONTINUED).high


def test_calls_add_up_their_tokens() -> None:
    line = EstimateLine("a", "judge", None, None)

    line.add(TokenRange(10, 14), 60, TokenRange(30, 240))
    line.add(TokenRange(1, 2), 5, TokenRange(2, 20))

    assert (line.calls, line.prompt_tokens, line.prompt_tokens_low, line.prompt_tokens_high) == (
        2,
        14,
        11,
        16,
    )
    assert (line.completion_tokens, line.completion_tokens_low, line.completion_tokens_high) == (65, 32, 260)
