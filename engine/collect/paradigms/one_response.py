"""One response judged: by a rubric, by all of them, by described options, by quality, by its own words."""

import re
from collections.abc import Mapping
from dataclasses import replace

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.parsing import (
    Passage,
    Values,
    blank_rows,
    explanation,
    field_of,
    last_match,
    last_object,
    later,
    number,
    truth,
)
from engine.collect.paradigms.responses import ask_response
from engine.collect.paradigms.templates import (
    Criterion,
    MissingTextError,
    Template,
    Texts,
    fence_of,
    fenced,
    numbered,
    values_of,
)

# ------------------------------------------------------------------------------
# One verdict on one criterion: `{"criteria_met": true}`.


def ask_rubric(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the criterion is the request's only one."""
    fence = fence_of(texts)
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(values_of(texts, fence, {"rubric": fenced(fence, "criterion", rubric)}))


def read_verdict(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its verdict."""
    answer = last_object(reply.text)
    return [_verdict(blank_rows(request)[0], None if answer is None else answer.value)]


def _verdict(blank: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return blank
    met = truth(result.get("criteria_met"))
    reason = explanation(result.get("explanation"))
    return blank | {"status": "unparsed" if met is None else "ok", "met": met, "explanation": reason}


# ------------------------------------------------------------------------------
# A verdict on each of a list of criteria: `{"results": [{"criteria_met": true}, ...]}`.


def ask_rubrics(request: CallRequest, template: Template, texts: Texts, *, marks: bool) -> list[Message]:
    """Return the messages; the criteria are numbered in the order of the request.

    With `marks` the undesirable ones are marked. MissingTextError where one has no words.
    """
    if len(texts.criteria) != len(request.subject.rubric_ids):
        raise MissingTextError("rubrics")
    fence = fence_of(texts)
    criteria = numbered(texts.criteria, marks=marks)
    more = {"rubrics": fenced(fence, "criteria", criteria), "count": str(len(texts.criteria))}
    return template.render(values_of(texts, fence, more))


def read_verdicts(request: CallRequest, reply: Reply) -> list[Values]:
    """Return a row for each criterion; a list of another length leaves all of them without a verdict."""
    rows = blank_rows(request)
    results = field_of(last_object(reply.text), "results", lambda value: value)
    if not isinstance(results, list) or len(results) != len(rows):
        return rows
    return [_verdict(each, result) for each, result in zip(rows, results, strict=True)]


# ------------------------------------------------------------------------------
# How many of a list of criteria a response does well on: `{"score": "X/Y"}`.


_FRACTION = re.compile(r"([0-9]{1,12})[ \t]{0,8}/[ \t]{0,8}([0-9]{1,12})")


def read_share(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer = last_object(reply.text)
    score = _share(field_of(answer, "score", lambda value: value), len(request.subject.rubric_ids))
    status = "unparsed" if score is None else "ok"
    reason = field_of(answer, "explanation", explanation)
    return [blank_rows(request)[0] | {"status": status, "score": score, "explanation": reason}]


def _share(value: object, shown: int) -> float | None:
    """Return the share that a fraction names; None where it is none, or of another number of criteria."""
    match = _FRACTION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or int(match[2]) != shown or shown == 0:
        return None
    return min(int(match[1]) / shown, 1.0)


# ------------------------------------------------------------------------------
# A score by described options: `Feedback: ... [RESULT] 4`, or `{"score": 4}`.


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


def ask_options(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the options stand in the request's order."""
    fence = fence_of(texts)
    criterion = next(iter(texts.criteria), None)
    if criterion is None or len(criterion.options) != len(scores_of(request.subject.ordering)):
        raise MissingTextError("options")
    lines = (f"Score {option.score:g}: {option.text}" for option in criterion.options)
    options = "\n".join(line.replace("\n", "\n  ") for line in lines)
    more = {
        "rubric": fenced(fence, "criterion", criterion.text or None),
        "options": fenced(fence, "options", options),
    }
    return template.render(values_of(texts, fence, more))


def read_option(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score and the place of the option chosen; a score not offered is none."""
    blank = blank_rows(request)[0]
    answer = later(last_object(reply.text), _last_result(reply.text))
    if answer is None:
        return [blank]
    if isinstance(answer.value, float):
        score: float | None = answer.value
        reason = explanation(_without_label(reply.text[: answer.start]))
    else:
        score = field_of(answer, "score", number)
        reasons = (field_of(answer, name, explanation) for name in ("feedback", "explanation"))
        reason = next((text for text in reasons if text is not None), None)
    blank["explanation"] = reason
    offered = scores_of(request.subject.ordering)
    if score is None or score not in offered:
        return [blank]
    return [blank | {"status": "ok", "score": score, "position": offered.index(score) + 1}]


def _last_result(text: str) -> Passage | None:
    """Return the number after the last `[RESULT]`; none where there is no number, or more than one."""
    mark = last_match(_RESULT, text)
    given = None if mark is None else _GIVEN.match(text, mark.end())
    if mark is None or given is None:
        return None
    rest = text[given.end() : given.end() + _REST_OF_LINE].partition("\n")[0]
    if any(letter.isdigit() for letter in rest):
        return None
    return Passage(float(given[1]), mark.start(), given.end())


def _without_label(text: str) -> str:
    text = text.strip()
    return text[len(_FEEDBACK) :] if text[: len(_FEEDBACK)].casefold() == _FEEDBACK else text


# ------------------------------------------------------------------------------
# A score from 0 to 10 on each of five dimensions: `{"relevance": 8.25, "accuracy": 7, ...}`.


_TOP = 10


def ask_quality(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages."""
    return template.render(values_of(texts, fence_of(texts), {}))


def read_quality(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range spoils its own row only."""
    answer = last_object(reply.text)
    read = []
    for blank in blank_rows(request):
        score = field_of(answer, blank["rubric_id"], number)
        good = score is not None and 0 <= score <= _TOP
        read.append(blank | ({"status": "ok", "score": score} if good else {}))
    return read


# ------------------------------------------------------------------------------
# How likely a response is to the judge, which is asked nothing: the mean log-probability of its tokens. The
# messages are the conversation as its author was shown it, with the response as the last turn; the reply is
# what the server says of that turn, `{"logprob": -210.4, "tokens": 96}`.


def ask_familiarity(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages: the turns before the last as they are, then the template's words for the last.

    Nothing stands between tags: to the judge the response must be as if it wrote it itself.
    """
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


def read_familiarity(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with the mean log-probability per token as its score."""
    answer = last_object(reply.text)
    total, tokens = (field_of(answer, name, number) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return blank_rows(request)
    return [blank_rows(request)[0] | {"status": "ok", "score": total / tokens}]
