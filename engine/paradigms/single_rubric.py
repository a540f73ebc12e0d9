"""One verdict on one criterion: `{"criteria_met": true}`."""

from engine.calls import Message, Reply, Request
from engine.paradigms.asking import fence_of, fenced, values_of
from engine.paradigms.reading import field_of, last_object, truth
from engine.paradigms.rows import Values, explanation, row
from engine.paradigms.template import Template
from engine.paradigms.texts import Texts


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the criterion is the request's only one."""
    del request
    fence = fence_of(texts)
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(values_of(texts, fence, {"rubric": fenced(fence, "criterion", rubric)}))


def rows(request: Request) -> list[Values]:
    """Return the row that an answer fills, as yet without a verdict."""
    return [row(request, "unparsed", rubric_id=request.subject.rubric_ids[0])]


def read(request: Request, reply: Reply) -> list[Values]:
    """Return the row with its verdict."""
    answer = last_object(reply.text)
    met = field_of(answer, "criteria_met", truth)
    reason = field_of(answer, "explanation", explanation)
    status = "unparsed" if met is None else "ok"
    return [rows(request)[0] | {"status": status, "met": met, "explanation": reason}]
