"""How likely a response is to the judge, which is asked nothing: the mean log-probability of its tokens.

The messages are the conversation as its author was shown it, with the response as the last turn; the reply is
what the server says of that turn, `{"logprob": -210.4, "tokens": 96}`.
"""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.parsing import Values, field_of, last_object, number, row
from engine.collect.paradigms.responses import ask_response
from engine.collect.paradigms.templates import MissingTextError, Template, Texts


def ask(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages: the turns before the last as they are, then the template's words for the last.

    Nothing stands between tags: to the judge the response must be as if it wrote it itself.
    """
    del request
    if texts.response is None:
        raise MissingTextError("response")
    *earlier, last = ask_response(texts)
    values = {
        "prompt": last["content"],
        "response": texts.response,
        "reference_answer": texts.reference_answer or None,
        "context": texts.context or None,
    }
    rendered = template.render(values)
    system = [message for message in rendered if message["role"] == "system"]
    return [*system, *earlier, *(message for message in rendered if message["role"] != "system")]


def rows(request: CallRequest) -> list[Values]:
    """Return the row that a reply fills."""
    return [row(request, "unparsed")]


def read(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with the mean log-probability per token as its score."""
    answer = last_object(reply.text)
    total, tokens = (field_of(answer, name, number) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return rows(request)
    return [rows(request)[0] | {"status": "ok", "score": total / tokens}]
