"""Rows of the table `responses`: answers of models, and rewritten answers."""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.judgment_rows import Values, shorten
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.templates import MissingTextError, Template
from engine.messages import conversation

_ROLES = ("system", "developer", "user", "assistant")
_LONGEST = 16_000_000
"""Characters kept of a response; no model writes as many."""


def ask_response(texts: RequestTexts) -> list[Message]:
    """Return the prompt's own messages; MissingTextError if there is no prompt."""
    if texts.prompt is None:
        raise MissingTextError("prompt")
    messages = conversation(texts.prompt)
    return [
        {"role": each.role if each.role in _ROLES else "user", "content": each.text} for each in messages
    ] or [{"role": "user", "content": texts.prompt}]


def ask_answer(template: Template, texts: RequestTexts) -> list[Message]:
    """Return the prompt's messages with the last one in a template; its system part comes first.

    The prompt is inserted as it is, without tags: to the model it must look like a user's words.
    """
    *earlier, last = ask_response(texts)
    rendered = template.render({"prompt": last["content"], "context": texts.context or None})
    system = [message for message in rendered if message["role"] == "system"]
    return [*system, *earlier, *(message for message in rendered if message["role"] != "system")]


def ask_rewrite(template: Template, texts: RequestTexts) -> list[Message]:
    return template.render(texts.values(texts.fence(), {}))


def read_response(request: CallRequest, reply: Reply) -> Values:
    """Return the row of the table `responses`, without run_id.

    A refusal is a response too: the provider's message, with finish_reason `content_filter`. Thinking is
    never part of the text, even if there is no answer.
    """
    subject, tokens = request.subject, reply.completion_tokens
    answer = "" if reply.shortfall == "only_thinking" else reply.text
    return {
        "instance_id": subject.instance_id,
        "generator": subject.generator,
        "text": shorten(answer or reply.refusal or "", _LONGEST),
        "finish_reason": "content_filter" if reply.refused else reply.finish_reason,
        "shortfall": reply.shortfall,
        "completion_tokens": tokens if tokens is None or tokens >= 0 else None,
        "transform": subject.transform,
        "transformed_by": request.model if subject.transform != "none" else None,
    }
