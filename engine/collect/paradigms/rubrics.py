"""Single, all, direct assessment, score rubric, quality."""

import re
from collections.abc import Mapping
from dataclasses import replace

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.parsing import (
    Passage,
    Values,
    explanation,
    field_of,
    last_match,
    last_object,
    later,
    number,
    row,
    truth,
)
from engine.collect.paradigms.templates import (
    Criterion,
    MissingTextError,
    Template,
    Texts,
    ask_of_list,
    fence_of,
    fenced,
    values_of,
)
from engine.schema import DIMENSIONS

# ------------------------------------------------------------------------------
# One verdict on one criterion: `{"criteria_met": true}`.


def ask_single_rubric(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the criterion is the request's only one."""
    del request
    fence = fence_of(texts)
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(values_of(texts, fence, {"rubric": fenced(fence, "criterion", rubric)}))


def rows_single_rubric(request: CallRequest) -> list[Values]:
    """Return the row that an answer fills, as yet without a verdict."""
    return [row(request, "unparsed", rubric_id=request.subject.rubric_ids[0])]


def read_single_rubric(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its verdict."""
    answer = last_object(reply.text)
    met = field_of(answer, "criteria_met", truth)
    reason = field_of(answer, "explanation", explanation)
    status = "unparsed" if met is None else "ok"
    return [rows_single_rubric(request)[0] | {"status": status, "met": met, "explanation": reason}]


# ------------------------------------------------------------------------------
# A verdict on each of a list of criteria: `{"results": [{"criteria_met": true}, ...]}`.


def ask_all_rubrics(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the criteria are numbered in the order of the request."""
    return ask_of_list(request, template, texts, marks=False)


def rows_all_rubrics(request: CallRequest) -> list[Values]:
    """Return the rows that an answer fills, one for each criterion shown."""
    return [
        row(request, "unparsed", rubric_id=rubric_id, position=position)
        for position, rubric_id in enumerate(request.subject.rubric_ids, 1)
    ]


def read_all_rubrics(request: CallRequest, reply: Reply) -> list[Values]:
    """Return a row for each criterion; a list of another length leaves all of them without a verdict."""
    blank_rows = rows_all_rubrics(request)
    results = field_of(last_object(reply.text), "results", lambda value: value)
    if not isinstance(results, list) or len(results) != len(blank_rows):
        return blank_rows
    return [_verdict(each, result) for each, result in zip(blank_rows, results, strict=True)]


def _verdict(blank: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return blank
    met = truth(result.get("criteria_met"))
    reason = explanation(result.get("explanation"))
    return blank | {"status": "unparsed" if met is None else "ok", "met": met, "explanation": reason}


# ------------------------------------------------------------------------------
# How many of a list of criteria a response does well on: `{"score": "X/Y"}`.


_FRACTION = re.compile(r"([0-9]{1,12})[ \t]{0,8}/[ \t]{0,8}([0-9]{1,12})")


def ask_direct_assessment(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the undesirable criteria are marked."""
    return ask_of_list(request, template, texts, marks=True)


def rows_direct_assessment(request: CallRequest) -> list[Values]:
    """Return the row that an answer fills."""
    return [row(request, "unparsed")]


def read_direct_assessment(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer = last_object(reply.text)
    score = _share(field_of(answer, "score", lambda value: value), len(request.subject.rubric_ids))
    status = "unparsed" if score is None else "ok"
    reason = field_of(answer, "explanation", explanation)
    return [rows_direct_assessment(request)[0] | {"status": status, "score": score, "explanation": reason}]


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


def ask_score_rubric(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
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


def rows_score_rubric(request: CallRequest) -> list[Values]:
    """Return the row that an answer fills."""
    return [row(request, "unparsed", rubric_id=request.subject.rubric_ids[0])]


def read_score_rubric(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score and the place of the option chosen; a score not offered is none."""
    blank = rows_score_rubric(request)[0]
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


def ask_quality(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages."""
    del request
    return template.render(values_of(texts, fence_of(texts), {}))


def rows_quality(request: CallRequest) -> list[Values]:
    """Return the rows that an answer fills, one for each dimension."""
    return [row(request, "unparsed", rubric_id=dimension) for dimension in DIMENSIONS]


def read_quality(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range spoils its own row only."""
    answer = last_object(reply.text)
    read = []
    for blank in rows_quality(request):
        score = field_of(answer, blank["rubric_id"], number)
        good = score is not None and 0 <= score <= _TOP
        read.append(blank | ({"status": "ok", "score": score} if good else {}))
    return read
