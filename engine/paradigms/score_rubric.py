"""A score by described options: `Feedback: ... [RESULT] 4`, or `{"score": 4}`."""

import re
from dataclasses import replace

from engine.calls import Message, Reply, Request
from engine.paradigms.asking import fence_of, fenced, values_of
from engine.paradigms.reading import Found, field_of, last_match, last_object, later, number
from engine.paradigms.rows import Values, explanation, row
from engine.paradigms.template import MissingTextError, Template
from engine.paradigms.texts import Criterion, Texts

_RESULT = re.compile(r"\[result\]", re.IGNORECASE)
_GIVEN = re.compile(
    r"[\s:*(]{0,20}([+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?)(?:[ \t]{0,3}/[ \t]{0,3}[0-9]{1,6})?(?![0-9.,]*[0-9])"
)
_REST_OF_LINE = 200
_FEEDBACK = "feedback:"


def in_ordering(criterion: Criterion, ordering: str) -> Criterion:
    """Return the criterion with its options in the order that `5-4-3-2-1` names, a stranger left out."""
    named = scores_of(ordering)
    options = {option.score: option for option in criterion.options}
    return replace(criterion, options=tuple(options[score] for score in named if score in options))


def scores_of(ordering: str | None) -> tuple[float, ...]:
    """Return the scores of an ordering as shown, none where it is not one."""
    try:
        return tuple(float(part) for part in (ordering or "").split("-"))
    except ValueError:
        return ()


def ask(request: Request, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the options stand in the request's order."""
    fence = fence_of(texts)
    if not texts.criteria:
        raise MissingTextError("options")
    criterion = texts.criteria[0]
    options = "\n".join(
        f"Score {option.score:g}: {option.text}".replace("\n", "\n  ") for option in criterion.options
    )
    if len(criterion.options) != len(scores_of(request.subject.ordering)):
        raise MissingTextError("options")
    more = {
        "rubric": fenced(fence, "criterion", criterion.text or None),
        "options": fenced(fence, "options", options),
    }
    return template.render(values_of(texts, fence, more))


def rows(request: Request) -> list[Values]:
    """Return the row that an answer fills."""
    return [row(request, "unparsed", rubric_id=request.subject.rubric_ids[0])]


def read(request: Request, reply: Reply) -> list[Values]:
    """Return the row with its score and the place of the option chosen; a score not offered is none."""
    asked = rows(request)[0]
    answer = later(last_object(reply.text), _last_result(reply.text))
    if answer is None:
        return [asked]
    if isinstance(answer.value, float):
        score: float | None = answer.value
        reason = explanation(_without_label(reply.text[: answer.start]))
    else:
        score = field_of(answer, "score", number)
        told = (field_of(answer, name, explanation) for name in ("feedback", "explanation"))
        reason = next((text for text in told if text is not None), None)
    asked["explanation"] = reason
    offered = scores_of(request.subject.ordering)
    if score is None or score not in offered:
        return [asked]
    return [asked | {"status": "ok", "score": score, "position": offered.index(score) + 1}]


def _last_result(text: str) -> Found | None:
    """Return the number after the last `[RESULT]`; none where there is no number, or more than one."""
    mark = last_match(_RESULT, text)
    given = None if mark is None else _GIVEN.match(text, mark.end())
    if mark is None or given is None:
        return None
    rest = text[given.end() : given.end() + _REST_OF_LINE].partition("\n")[0]
    if any(letter.isdigit() for letter in rest):
        return None
    return Found(float(given[1]), mark.start(), given.end())


def _without_label(text: str) -> str:
    text = text.strip()
    return text[len(_FEEDBACK) :] if text[: len(_FEEDBACK)].casefold() == _FEEDBACK else text
