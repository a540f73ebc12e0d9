"""Models that answer, and models that rewrite what others answered: rows of the table `responses`."""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.parsing import Values, shortened
from engine.collect.paradigms.templates import MissingTextError, Template, Texts, fence_of, values_of
from engine.values import conversation

_ROLES = ("system", "developer", "user", "assistant")
_LONGEST = 16_000_000
"""Characters of a response that are kept; no model writes as many, and no store could hold many of them."""


def ask_response(texts: Texts) -> list[Message]:
    """Return the prompt's own messages, as they are; MissingTextError where there is no prompt."""
    if texts.prompt is None:
        raise MissingTextError("prompt")
    messages = conversation(texts.prompt)
    if not messages:
        return [{"role": "user", "content": texts.prompt}]
    return [
        {"role": message.role if message.role in _ROLES else "user", "content": message.text}
        for message in messages
    ]


def ask_rewrite(template: Template, texts: Texts) -> list[Message]:
    """Return the messages that ask for a response to be rewritten."""
    return template.render(values_of(texts, fence_of(texts), {}))


def read_response(request: CallRequest, reply: Reply) -> Values:
    """Return the row of the table `responses`, without run_id.

    A refusal is a response too: what the provider says, with finish_reason `content_filter`. What a model
    thought before it answered is not part of the text, also where it thought and did not answer.
    """
    subject = request.subject
    rewritten = subject.transform != "none"
    tokens = reply.completion_tokens
    answer = "" if reply.shortfall == "only_thinking" else reply.text
    return {
        "instance_id": subject.instance_id,
        "generator": subject.generator,
        "text": shortened(answer or reply.refusal or "", _LONGEST),
        "finish_reason": "content_filter" if reply.refused else reply.finish_reason,
        "shortfall": reply.shortfall,
        "completion_tokens": tokens if tokens is None or tokens >= 0 else None,
        "transform": subject.transform,
        "transformed_by": request.model if rewritten else None,
    }
