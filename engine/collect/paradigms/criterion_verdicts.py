"""One verdict on one criterion: `{"criteria_met": true}`."""

from collections.abc import Mapping

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.answer_objects import (
    UnclearAnswerError,
    agreed,
    objects_with,
)
from engine.collect.paradigms.answer_words import (
    denies,
    truth,
)
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation
from engine.collect.paradigms.request_texts import RequestTexts
from engine.collect.paradigms.templates import Template


def ask_rubric(_: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
    fence = texts.fence()
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(texts.values(fence, {"rubric": fence.around("criterion", rubric)}))


def read_verdict(request: CallRequest, reply: Reply) -> list[Values]:
    row, text = blank_rows(request)[0], reply.text
    if not (passages := objects_with(reply, "criteria_met")):
        return [row]
    answer = agreed(text, passages)
    row = verdict_row(row, answer.value)
    if row["met"] is not None and denies(text[: answer.start], text[answer.end :], row["met"]):
        raise UnclearAnswerError
    return [row]


def verdict_row(blank: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return blank
    met = truth(result.get("criteriamet"))
    reason = explanation(result.get("explanation"))
    return blank | {"status": "unparsed" if met is None else "ok", "met": met, "explanation": reason}
