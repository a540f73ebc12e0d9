"""A verdict on each of a list of criteria: `{"results": [{"criteria_met": true}, ...]}`."""

from collections.abc import Mapping

from engine.calls import Message, Reply, Request
from engine.paradigms.asking import ask_of_list
from engine.paradigms.reading import field_of, last_object, truth
from engine.paradigms.rows import Values, explanation, row
from engine.paradigms.template import Template
from engine.paradigms.texts import Texts


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the criteria are numbered in the order of the request."""
    return ask_of_list(request, template, texts, marks=False)


def rows(request: Request) -> list[Values]:
    """Return the rows that an answer fills, one for each criterion shown."""
    return [
        row(request, "unparsed", rubric_id=rubric_id, position=position)
        for position, rubric_id in enumerate(request.subject.rubric_ids, 1)
    ]


def read(request: Request, reply: Reply) -> list[Values]:
    """Return a row for each criterion; a list of another length leaves all of them without a verdict."""
    asked = rows(request)
    results = field_of(last_object(reply.text), "results", lambda value: value)
    if not isinstance(results, list) or len(results) != len(asked):
        return asked
    return [_verdict(each, result) for each, result in zip(asked, results, strict=True)]


def _verdict(asked: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return asked
    met = truth(result.get("criteria_met"))
    reason = explanation(result.get("explanation"))
    return asked | {"status": "unparsed" if met is None else "ok", "met": met, "explanation": reason}
