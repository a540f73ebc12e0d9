"""Errors as providers word them: their causes, and the message for the user."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.calls import Cause
from engine.collect.client.provider_errors import (
    LONGEST_WORDS,
    REMEDIES,
    ProviderError,
    blocked_prompt,
    error_within,
    failure,
    failure_of,
    read_error,
    stated_wait_s,
)
from engine.collect.hidden_secrets import HIDDEN


def error(message: str, code: Any = None, kind: Any = "invalid_request_error", param: Any = None) -> Any:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


TOO_LONG = (
    "This model's maximum context length is 4096 tokens. However, you requested 5012 tokens (4500 in the "
    "messages, 512 in the completion). Please reduce the length of the messages or completion."
)
ERRORS = [
    # status, body, cause, kind
    (
        429,
        error("Rate limit reached for m in organization o on requests per min (RPM)."),
        "rate_limit",
        "rate_limit",
    ),
    (
        429,
        error("You exceeded your current quota, please check your plan.", "insufficient_quota"),
        "quota",
        "key",
    ),
    (402, error("Insufficient Balance"), "quota", "key"),
    (400, error("Your credit balance is too low to access the API."), "quota", "key"),
    (
        429,
        error("Request too large for m on tokens per min (TPM): Limit 30000."),
        "context_length",
        "request",
    ),
    (400, error(TOO_LONG, "context_length_exceeded", param="messages"), "context_length", "request"),
    (
        400,
        {"object": "error", "message": TOO_LONG, "type": "BadRequestError", "code": 400},
        "context_length",
        "request",
    ),
    (413, error("prompt is too long: 210000 tokens > 200000 maximum"), "context_length", "request"),
    (
        400,
        error("the request exceeds the available context size, try increasing it"),
        "context_length",
        "request",
    ),
    (
        404,
        error("The model `m` does not exist or you do not have access to it.", "model_not_found"),
        "unknown_model",
        "model",
    ),
    (
        404,
        {"object": "error", "message": "The model `m` does not exist.", "code": 404},
        "unknown_model",
        "model",
    ),
    (404, {"error": "model 'm' not found, try pulling it first"}, "unknown_model", "model"),
    (400, error("m is not a valid model ID", 400), "unknown_model", "model"),
    (404, {"detail": "Not Found"}, "wrong_address", "model"),
    (404, "<html><body>404 page not found</body></html>", "wrong_address", "model"),
    (405, {"detail": "Method Not Allowed"}, "wrong_address", "model"),
    (
        400,
        error(
            "Unsupported value: 'temperature' does not support 0.", "unsupported_value", param="temperature"
        ),
        "bad_parameter",
        "request",
    ),
    (
        422,
        {"detail": [{"loc": ["body", "top_p"], "msg": "Input should be less than 1"}]},
        "bad_parameter",
        "request",
    ),
    (400, error("Invalid schema for response_format 'verdict'."), "bad_parameter", "request"),
    (
        400,
        error("Your request was rejected by our safety system.", "content_policy_violation"),
        "content_policy",
        "request",
    ),
    (401, error("Incorrect API key provided.", "invalid_api_key"), "wrong_key", "key"),
    (403, error("You have no permission.", "permission_denied"), "wrong_key", "key"),
    (
        400,
        [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
        "wrong_key",
        "key",
    ),
    (503, error("The engine is currently overloaded.", None, "server_error"), "overloaded", "server"),
    (529, error("Overloaded", None, "overloaded_error"), "overloaded", "server"),
    (500, error("The model is overloaded with other requests."), "overloaded", "server"),
    (500, error("Something broke."), None, "server"),
    (504, "upstream request timeout", None, "server"),
    (408, error("Request timed out."), None, "timeout"),
    (409, error("Conflict."), None, "server"),
    (400, error("Your input is not valid."), None, "request"),
    (418, {}, None, "request"),
    (None, error("Rate limit exceeded: free models per minute", "rate_limited"), "rate_limit", "rate_limit"),
    (None, error("Invalid API key", "invalid_api_key"), "wrong_key", "key"),
    (None, error("Provider returned error"), None, "server"),
]
REFUSED_PROMPTS = [
    (
        400,
        error(
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            "invalid_prompt",
        ),
    ),
    (
        400,
        error("Invalid prompt: we've limited access to this content for safety reasons.", "invalid_prompt"),
    ),
    (400, error("Invalid prompt.", "invalid_prompt")),
    (
        400,
        error(
            "The prompt triggered Azure OpenAI's content management policy.",
            "content_filter",
            param="prompt",
        ),
    ),
    (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Output blocked by content filtering policy",
            },
        },
    ),
    (
        403,
        {
            "code": "The caller does not have permission",
            "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
        },
    ),
    (
        403,
        error(
            'm requires moderation on OpenAI. Your input was flagged for "violence".',
            403,
        ),
    ),
    (403, error("The prompt was stopped by moderation.")),
    (400, error("Content Exists Risk")),
    (400, error("The request was rejected because it was considered high risk", kind="content_filter")),
    (400, {"code": "DataInspectionFailed", "message": "Input data may contain inappropriate content."}),
    (400, error("系统检测到输入或生成内容可能包含不安全或敏感内容", "1301")),
    (500, error("ContentPolicyViolationError: the prompt violates our usage guidelines")),
    (451, error("Your request violates our acceptable use policy.")),
    (None, error("Your input was flagged")),
]
NOT_THE_PROMPTS = [
    (403, error("You do not have permission to use this model."), "wrong_key"),
    (403, error("Your account was suspended for violating our usage policies."), "wrong_key"),
    (403, error("This organization has been disabled for a violation of the terms of use."), "wrong_key"),
    (403, error("Request is prohibited by organization's policy."), "wrong_key"),
    (403, error("Country, region, or territory not supported"), "wrong_key"),
    (403, error("Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'."), "rate_limit"),
    (404, error("No endpoints found matching your data policy"), "wrong_address"),
    (404, error("The model `text-moderation-latest` does not exist"), "unknown_model"),
    (400, error("Unknown parameter: 'moderation'."), "bad_parameter"),
    (400, error("Invalid prompt: the prompt is too long", "invalid_prompt"), "context_length"),
    (400, error("messages: text content blocks must be non-empty", param="messages.0.content"), None),
    (429, error("Too many requests: your traffic was flagged."), "rate_limit"),
    (503, error("The content moderation service is unavailable."), "overloaded"),
    (
        400,
        error("Not a text: 'does it violate our usage policy?'", param="messages[0].content"),
        None,
    ),
    (400, error("Organization has been restricted.", "organization_restricted"), "wrong_key"),
    (412, error("Account suspended: payment method failed", "ACCOUNT_SUSPENDED"), "wrong_key"),
    (400, error("API key expired. Please renew the API key."), "wrong_key"),
    (400, error("You have reached your specified API usage limits."), "quota"),
    (400, error("Budget has been exceeded! Current cost: 10.01", kind="budget_exceeded"), "quota"),
    (403, error("Your newly created team doesn't have any credits yet."), "quota"),
    (500, error("Moderation failed to answer."), None),
]
LIMITS = [
    # words of a 429, the cause without and with a Retry-After
    ("You exceeded your current quota, please check your plan and billing details.", "quota", "rate_limit"),
    ("You exceeded your current quota. Please retry in 28.4s.", "rate_limit", "rate_limit"),
    ("You exceeded your current quota: 10 requests per minute.", "rate_limit", "rate_limit"),
    ("Quota exceeded: insufficient_quota for tokens/minute", "rate_limit", "rate_limit"),
    ("insufficient_quota", "quota", "rate_limit"),
    ("Slow down.", "rate_limit", "rate_limit"),
]


@pytest.mark.parametrize(("status", "body"), REFUSED_PROMPTS)
def test_words_of_moderation_are_a_refused_prompt_whatever_the_status(status: int | None, body: Any) -> None:
    assert failure_of("m", status, read_error(body)).cause == "content_policy"


@pytest.mark.parametrize(("status", "body", "cause"), NOT_THE_PROMPTS)
def test_words_about_an_account_a_model_or_an_outage_refuse_no_prompt(
    status: int, body: Any, cause: Cause | None
) -> None:
    assert failure_of("m", status, read_error(body)).cause == cause


@pytest.mark.parametrize(("words", "alone", "with_wait"), LIMITS)
def test_a_limit_that_is_renewed_is_no_empty_account(words: str, alone: Cause, with_wait: Cause) -> None:
    body = read_error(error(words))

    assert failure_of("m", 429, body).cause == alone
    assert failure_of("m", 429, body, wait_s=20.0).cause == with_wait


def test_how_long_to_wait_may_stand_in_a_field_of_its_own() -> None:
    details = [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "28.5s"}]
    body = [{"error": {"code": 429, "message": "You exceeded your current quota.", "details": details}}]

    assert read_error(body).wait_s == pytest.approx(28.5)
    assert read_error([{"error": {"details": [{"retryDelay": {"seconds": 3}}, 7, None]}}]).wait_s is None


def test_an_account_without_money_is_empty_whatever_the_server_asks_to_wait() -> None:
    assert failure_of("m", 402, read_error(error("Insufficient Balance")), wait_s=20.0).cause == "quota"


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 1m26.4s.", 86.4),
        ("Please try again in 20ms. Visit our page.", 0.02),
        ("Please retry after 6 seconds.", 6.0),
        ("Please retry in 28.43s.", 28.43),
        ("Retry after 1 minute 5 seconds.", 65.0),
        ("Please try again in a while.", None),
        ("Try again with another model.", None),
    ],
)
def test_how_long_to_wait_is_read_from_the_words(words: str, seconds: float | None) -> None:
    assert stated_wait_s(words) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(("status", "body", "cause", "kind"), ERRORS)
def test_an_error_is_classified_by_its_status_and_its_message(
    status: int | None, body: Any, cause: Cause | None, kind: str
) -> None:
    failure = failure_of("m", status, read_error(body))

    assert (failure.cause, failure.kind, failure.status) == (cause, kind, status)


@pytest.mark.parametrize("cause", get_args(Cause))
def test_each_cause_has_a_written_remedy(cause: Cause) -> None:
    assert len(REMEDIES[cause].split()) > 3


def test_a_failure_quotes_the_provider_and_then_gives_the_remedy() -> None:
    failure = failure_of("m", 404, read_error(error("The model `x` does not exist.")))

    assert failure.message == (
        "model 'm': the server does not know this model (HTTP 404): The model `x` does not exist. "
        "(check the model's name in `model`, and that this account may use it)"
    )


def test_a_refused_key_is_named_by_its_variable() -> None:
    failure = failure_of("m", 401, ProviderError("No."), key="M_KEY")

    assert failure.message.endswith("(check the key in the environment variable M_KEY)")


def test_a_key_is_hidden_before_the_message_is_cut() -> None:
    failure = failure_of(
        "m", 500, ProviderError("x" * (LONGEST_WORDS - 20) + "an-unusual-secret"), ["an-unusual-secret"]
    )

    assert "an-unusual" not in failure.message
    assert HIDDEN in failure.message


def test_a_long_message_is_cut_and_the_remedy_is_not() -> None:
    failure = failure_of("m", 429, ProviderError("word " * 1000))

    assert failure.message.endswith(f"… ({REMEDIES['rate_limit']})")
    assert len(failure.message) < LONGEST_WORDS + 250


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (error("It\nbroke."), "It broke."),
        ({"error": "It broke."}, "It broke."),
        ({"message": "It broke."}, "It broke."),
        ({"detail": [{"loc": ["body", "seed"], "msg": "too large"}]}, "body.seed: too large"),
        ({"errors": [{"message": "a"}, {"message": "b"}]}, "a; b"),
        ([{"error": {"message": "It broke."}}], "It broke."),
        ("<style>p {}</style><h1>Bad\nGateway</h1>", "Bad Gateway"),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": "It broke."}}},
            "Provider returned error: It broke.",
        ),
        ({}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_message_is_found_wherever_a_server_puts_it(body: Any, words: str) -> None:
    assert read_error(body).words == words


@pytest.mark.parametrize(
    ("content", "number"),
    [
        ({"error": {"message": "The upstream provider failed.", "code": 502}}, 502),
        ({"error": {"message": "Slow down.", "code": "429"}, "choices": []}, 429),
        ([{"error": {"message": "Slow down.", "code": 429}}], 429),
        ({"choices": [{"error": {"message": "Failed.", "code": 503}, "finish_reason": "error"}]}, 503),
        ({"error": "It broke."}, None),
        ({"choices": [{"message": {"content": "Half an ans"}, "error": {"code": 502}}]}, 502),
        (
            {"choices": [{"message": {"content": ""}, "error": {"code": 502}}], "usage": {"total_tokens": 9}},
            502,
        ),
        ({"choices": [{"message": {"content": "Half"}, "error": "It broke."}]}, None),
        ({"choices": [{"message": {"content": "Half"}, "finish_reason": "error"}]}, None),
    ],
)
def test_an_error_within_a_response_of_status_200_is_detected(content: Any, number: int | None) -> None:
    inner = error_within(content)

    assert inner is not None
    assert inner.number == number


@pytest.mark.parametrize(
    "content",
    [
        {"choices": [{"message": {"content": "Yes."}}], "error": None},
        {"choices": [{"message": {"content": "Yes."}}], "error": {"message": "a warning"}},
        {"choices": [{"message": {"content": "Yes."}, "error": {"code": None, "message": ""}}]},
        {"choices": []},
        {},
        [],
        [7],
        7,
    ],
)
def test_an_answer_or_nothing_at_all_is_no_error(content: Any) -> None:
    assert error_within(content) is None


@pytest.mark.parametrize(
    ("error", "states"),
    [({"message": "", "code": 502}, True), ({"message": ""}, False), ({}, False), ("x", True)],
)
def test_an_error_in_a_choice_counts_if_it_says_anything(error: Any, states: bool) -> None:
    assert (
        error_within({"choices": [{"message": {"content": "Yes."}, "error": error}]}) is not None
    ) is states


@pytest.mark.parametrize(
    ("status", "words", "cause"),
    [
        (404, "no such model", "unknown_model"),
        (422, "no such model", "unknown_model"),
        (400, "no such model", "unknown_model"),
        (None, "no such model", "unknown_model"),
        (418, "no such model", None),
        (429, "the request was too large", "rate_limit"),
        (429, "Request too large", "context_length"),
        (503, "nothing", "overloaded"),
        (529, "nothing", "overloaded"),
        (499, "at capacity", None),
        (500, "at capacity", "overloaded"),
        (500, "the prompt is too long", None),  # a fault of the server's own
        (499, "the prompt is too long", "context_length"),
        (399, "nothing", "wrong_address"),
        (300, "nothing", "wrong_address"),
        (400, "nothing", None),
        (410, "nothing", "wrong_address"),
        (412, "nothing", None),
        (412, "this account is suspended", "wrong_key"),
        (404, "insufficient funds", "quota"),
        (500, "insufficient funds", None),
        (400, "missing api key", "wrong_key"),
        (404, "missing api key", "wrong_address"),
    ],
)
def test_a_status_and_words_reveal_a_cause_together(
    status: int | None, words: str, cause: Cause | None
) -> None:
    assert failure_of("m", status, ProviderError(words)).cause == cause


@pytest.mark.parametrize(
    ("status", "kind"),
    [(408, "timeout"), (409, "server"), (425, "server"), (499, "request"), (500, "server"), (None, "server")],
)
def test_without_a_cause_the_status_says_whether_to_try_again(status: int | None, kind: str) -> None:
    assert failure_of("m", status, ProviderError("nothing")).kind == kind


def test_only_the_beginning_of_a_message_is_searched_for_its_cause() -> None:
    assert failure_of("m", 400, ProviderError("x" * 985 + " no such model")).cause == "unknown_model"
    assert failure_of("m", 400, ProviderError("x" * 1_000 + " no such model")).cause is None
    assert stated_wait_s("x" * 1_000 + " retry in 5s") is None


@pytest.mark.parametrize(("status", "cause"), [(400, "context_length"), (499, "context_length"), (500, None)])
def test_a_server_that_broke_is_asked_again_whatever_it_says_of_the_prompt(
    status: int, cause: str | None
) -> None:
    failure = failure_of("m", status, ProviderError("This model's maximum context length is 8192 tokens"))

    assert failure.cause == cause


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("no", "no"),
        ([{"msg": "bad", "loc": ["body", 0]}, "and", 7, {"error": "worse"}], "body.0: bad; and; worse"),
        (list("abcdefg"), "a; b; c; d; e"),
        ({"reason": "Größe"}, '{"reason": "Größe"}'),
        (None, ""),
    ],
)
def test_the_message_of_an_error_is_read_in_any_form(value: Any, words: str) -> None:
    assert read_error({"error": {"message": value}}).words == words


@pytest.mark.parametrize(("written", "seconds"), [("28.5s", 28.5), ("1m", 60.0), ("soon", 4.0), (7, 4.0)])
def test_a_delay_in_the_details_comes_before_one_in_the_words(written: Any, seconds: float) -> None:
    body = {"error": {"message": "Retry in 4s.", "details": [{"retryDelay": written}]}}

    assert read_error(body).wait_s == seconds


@pytest.mark.parametrize(
    ("codes", "number"),
    [({"code": 400}, 400), ({"code": 599}, 599), ({"code": 399}, None), ({"code": 600}, None),
     ({"code": "429"}, 429), ({"code": "0429"}, None), ({"code": True}, None), ({"status": 503}, 503)],
)  # fmt: skip
def test_an_errors_own_number_is_an_http_status(codes: dict[str, Any], number: int | None) -> None:
    assert read_error({"error": {"message": "x", **codes}}).number == number


def filtered(**verdicts: Any) -> Any:
    return {"prompt_filter_results": [{"content_filter_results": verdicts}]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "the prompt was blocked: SAFETY"),
        ({"prompt_feedback": {"block_reason": "SAFETY"}}, "the prompt was blocked: SAFETY"),
        (filtered(hate={"filtered": False}), None),
        (filtered(a={"filtered": 1}, hate={"filtered": True}), "the prompt was filtered: hate"),
        ({"prompt_filter_results": "none"}, None),
        ({"promptFeedback": {"blockReason": "SAFETY"}, "choices": [{"text": "Yes."}]}, None),
        ([], None),
    ],
)
def test_a_blocked_prompt_is_known_by_its_reason(content: Any, words: str | None) -> None:
    assert blocked_prompt(content) == words


def test_a_message_has_its_status_and_its_remedy_where_there_are_any() -> None:
    assert failure("m", "server", "", status=500).message == "model 'm': the server failed (HTTP 500)"
    assert failure("m", "answer", "odd", status=200).message == "model 'm': the answer could not be read: odd"
    assert failure("m", "connection", "", remedy="look").message == "model 'm': the connection broke (look)"
    assert "M_KEY" not in failure("m", "server", "", cause="overloaded", key="M_KEY").message


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("\ud800")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "code", "type", "param", "detail", "loc", "msg", "metadata", "raw"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 200, 307, 400, 404, 429, 500, 599]))
def test_any_response_gives_a_one_line_failure_that_can_be_stored(body: Any, status: int | None) -> None:
    failure = failure_of("m", status, read_error(body))

    json.dumps(failure.message, ensure_ascii=False).encode()
    assert len(failure.message.splitlines()) == 1
    assert error_within(body) is None or isinstance(body, dict | list)
