"""The likelihood of a response for the judge, without a question: the mean log-probability of its tokens.

The messages are the conversation that its author saw, with the response as the last message. The reply is
that message's likelihood, `{"logprob": -210.4, "tokens": 96}`.
"""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.answers.numbers import number
from engine.collect.paradigms.answers.objects import only_object
from engine.collect.paradigms.judgment_rows import Values, blank_rows
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.response_rows import ask_response
from engine.collect.paradigms.templates import MissingTextError, Template


def ask_familiarity(_: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    """Continue the conversation, without tags: to the judge the response must look like its own."""
    if texts.response is None:
        raise MissingTextError("response")
    *earlier, last = ask_response(texts)
    values = {"prompt": last["content"], "response": texts.response}
    extra = {"reference_answer": texts.reference_answer or None, "context": texts.context or None}
    rendered = template.render(values | extra)
    system = [message for message in rendered if message["role"] == "system"]
    return [*system, *earlier, *(message for message in rendered if message["role"] != "system")]


def read_familiarity(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with the mean log-probability per token as its score."""
    answer = only_object(reply, "logprob") or {}
    total, tokens = (number(answer.get(name)) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return blank_rows(request)
    return [blank_rows(request)[0] | {"status": "ok", "score": total / tokens}]
