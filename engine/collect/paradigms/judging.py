"""Judging one response, a pair or a list: the messages, the parsed answers and their JSON schemas."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeVar

from engine.collect.calls import CallRequest, Message, Reply, Subject
from engine.collect.paradigms.parsing import (
    STRUCTURED,
    Passage,
    Values,
    ask_response,
    blank_rows,
    explanation,
    field_of,
    fold_case,
    folded_text,
    last_dollars,
    last_match,
    last_object,
    last_passage,
    number,
    truth,
)
from engine.collect.paradigms.templates import Criterion, MissingTextError, Template, Texts, numbered_list
from engine.schema import DIMENSIONS, TRAITS, shown_models

# ------------------------------------------------------------------------------
# One verdict on one criterion: `{"criteria_met": true}`.


def ask_rubric(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    fence = texts.fence()
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(texts.values(fence, {"rubric": fence.around("criterion", rubric)}))


def read_verdict(request: CallRequest, reply: Reply) -> list[Values]:
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
    """Return the messages with the criteria numbered and, with `marks`, undesirable ones marked."""
    if len(texts.criteria) != len(request.subject.rubric_ids):
        raise MissingTextError("rubrics")
    fence = texts.fence()
    criteria = fence.around("criteria", numbered_list(texts.criteria, marks=marks))
    return template.render(texts.values(fence, {"rubrics": criteria, "count": str(len(texts.criteria))}))


def read_verdicts(request: CallRequest, reply: Reply) -> list[Values]:
    """Return a row for each criterion; a list of the wrong length leaves all without a verdict."""
    rows = blank_rows(request)
    results = field_of(last_object(reply.text), "results", lambda value: value)
    if not isinstance(results, list) or len(results) != len(rows):
        return rows
    return [_verdict(each, result) for each, result in zip(rows, results, strict=True)]


# ------------------------------------------------------------------------------
# The number of criteria that a response meets: `{"score": "X/Y"}`.


_FRACTION = re.compile(r"([0-9]{1,12})[ \t]{0,8}/[ \t]{0,8}([0-9]{1,12})")


def read_share(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer, count = last_object(reply.text), len(request.subject.rubric_ids)
    blank = blank_rows(request)[0] | {"explanation": field_of(answer, "explanation", explanation)}
    share = _FRACTION.fullmatch(field_of(answer, "score", folded_text) or "")
    if share is None or int(share[2]) != count or count == 0:
        return [blank]
    return [blank | {"status": "ok", "score": min(int(share[1]) / count, 1.0)}]


# ------------------------------------------------------------------------------
# A score by described options: `Feedback: ... [RESULT] 4`, or `{"score": 4}`.


_RESULT = re.compile(r"\[result\]", re.IGNORECASE)
_SCORE = re.compile(
    r"[\s:*(]{0,20}([+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?)(?:[ \t]{0,3}/[ \t]{0,3}[0-9]{1,6})?(?![0-9.,]*[0-9])"
)
_LINE_END = 200
_FEEDBACK = re.compile(r"\A\s*feedback:", re.IGNORECASE)


def in_ordering(criterion: Criterion, ordering: str) -> Criterion:
    """Return the criterion with its options in an order such as `5-4-3-2-1`, ignoring unknown scores."""
    scores = scores_of(ordering)
    options = {option.score: option for option in criterion.options}
    return replace(criterion, options=tuple(options[score] for score in scores if score in options))


def scores_of(ordering: str | None) -> tuple[float, ...]:
    """Return the scores of an ordering as shown, empty if it is not one."""
    try:
        return tuple(float(part) for part in (ordering or "").split("-"))
    except ValueError:
        return ()


def ask_options(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the options are in the request's order."""
    fence = texts.fence()
    criterion = next(iter(texts.criteria), None)
    if criterion is None or len(criterion.options) != len(scores_of(request.subject.ordering)):
        raise MissingTextError("options")
    lines = (f"Score {option.score:g}: {option.text}" for option in criterion.options)
    options = "\n".join(line.replace("\n", "\n  ") for line in lines)
    rubric = fence.around("criterion", criterion.text or None)
    return template.render(
        texts.values(fence, {"rubric": rubric, "options": fence.around("options", options)})
    )


def read_option(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score and the position of that option; a score not offered is unparsed."""
    blank = blank_rows(request)[0]
    answer = last_passage(last_object(reply.text), _last_result(reply.text))
    if answer is None:
        return [blank]
    if isinstance(answer.value, float):
        score: float | None = answer.value
        reason = explanation(_FEEDBACK.sub("", reply.text[: answer.start]))
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
    """Return the number after the last `[RESULT]`; None if there is none, or more than one."""
    mark = last_match(_RESULT, text)
    score = None if mark is None else _SCORE.match(text, mark.end())
    if mark is None or score is None:
        return None
    remainder = text[score.end() : score.end() + _LINE_END].partition("\n")[0]
    if any(letter.isdigit() for letter in remainder):
        return None
    return Passage(float(score[1]), mark.start(), score.end())


# ------------------------------------------------------------------------------
# A score from 0 to 10 on each of five dimensions: `{"relevance": 8.25, "accuracy": 7, ...}`.


_TOP = 10


def ask_quality(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    return template.render(texts.values(texts.fence(), {}))


def read_quality(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range leaves only its own row unparsed."""
    answer = last_object(reply.text)
    rows = []
    for blank in blank_rows(request):
        score = field_of(answer, blank["rubric_id"], number)
        is_valid = score is not None and 0 <= score <= _TOP
        rows.append(blank | ({"status": "ok", "score": score} if is_valid else {}))
    return rows


# ------------------------------------------------------------------------------
# The likelihood of a response for the judge, without a question: the mean log-probability of its tokens. The
# messages are the conversation that its author saw, with the response as the last message. The reply is that
# message's likelihood, `{"logprob": -210.4, "tokens": 96}`.


def ask_familiarity(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
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
    answer = last_object(reply.text)
    total, tokens = (field_of(answer, name, number) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return blank_rows(request)
    return [blank_rows(request)[0] | {"status": "ok", "score": total / tokens}]


# ------------------------------------------------------------------------------
# Comparing several responses: the better of two, in five variants, or the ranks of a list.
# Verdicts are about responses, never letters: only in `in_shown_order` does the order shown matter.


Label = Literal["a", "b", "tie"]
Side = TypeVar("Side")

ENOUGH_MASS = 0.5
"""The least total probability of the labels at which their probabilities are used."""

_LETTERS: dict[str, Label] = {"a": "a", "1": "a", "b": "b", "2": "b", "t": "tie"}
_SIDES: dict[str, Label] = {"a": "a", "b": "b"}
_OUTCOMES: dict[str, Label] = {"a is better": "a", "b is better": "b", "tie": "tie"}


def in_shown_order(subject: Subject, left: Side, right: Side) -> tuple[Side, Side]:
    """Turn (generator, opponent) into (A, B), the order shown; the same function turns (A, B) back."""
    return (left, right) if subject.first == "generator" else (right, left)


def ask_pair(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; A is the response shown first. Criteria are shown if there are any."""
    fence, subject = texts.fence(), request.subject
    first, second = in_shown_order(subject, texts.response, texts.opponent)
    author, other = in_shown_order(subject, texts.author, texts.opponent_author)
    extra = {
        "response_a": fence.around_response("response-a", first, author),
        "response_b": fence.around_response("response-b", second, other),
        "rubrics": fence.around("criteria", numbered_list(texts.criteria, marks=True)),
    }
    return template.render(texts.values(fence, extra))


def read_pair(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their choices; a user's own variant may use an outcome, `$$A$$` or a letter."""
    if request.variant in _READERS:
        return _READERS[request.variant](request, reply)
    if last_object(reply.text) is not None or last_dollars(reply.text) is not None:
        return _read_reasoned(request, reply)
    return [_with_choice(request, blank_rows(request)[0], _LETTERS.get(fold_case(reply.text)))]


def _read_outcome(request: CallRequest, reply: Reply) -> list[Values]:
    return [_row_of(request, last_object(reply.text))]


def _read_reasoned(request: CallRequest, reply: Reply) -> list[Values]:
    """Read an outcome at the end of reasoning, in either of two forms."""
    answer = last_passage(last_object(reply.text), last_dollars(reply.text))
    row = _row_of(request, answer)
    if answer is not None and row["explanation"] is None:
        row["explanation"] = explanation(reply.text[: answer.start])
    return [row]


def read_letter(request: CallRequest, reply: Reply) -> list[Values]:
    """Read a bare letter, with the probabilities of the labels, if any."""
    ties = request.variant == "forced_tie"
    labels = {letter: label for letter, label in _LETTERS.items() if ties or label != "tie"}
    label = labels.get(fold_case(reply.text))
    if label is None:
        return blank_rows(request)
    probabilities = _probabilities(request.subject, reply.first_token, labels)
    return [_with_choice(request, blank_rows(request)[0], label) | probabilities]


def _read_structured(request: CallRequest, reply: Reply) -> list[Values]:
    """Read a choice for each dimension; an invalid one leaves only its own row unparsed."""
    answer = last_object(reply.text)
    rows = []
    for blank in blank_rows(request):
        letter = field_of(answer, blank["rubric_id"], folded_text)
        rows.append(_with_choice(request, blank, _SIDES.get(letter or "")))
    return rows


_READERS: dict[str, Callable[[CallRequest, Reply], list[Values]]] = {
    "default": _read_outcome,
    "cot": _read_reasoned,
    "forced": read_letter,
    "forced_tie": read_letter,
    STRUCTURED: _read_structured,
}


def _row_of(request: CallRequest, answer: Passage | None) -> Values:
    """Return the row with the choice in an object, or in a letter between dollar signs."""
    blank = blank_rows(request)[0]
    if answer is None:
        return blank
    blank["explanation"] = field_of(answer, "explanation", explanation)
    if isinstance(answer.value, str):
        return _with_choice(request, blank, _LETTERS.get(answer.value))
    return _with_choice(request, blank, _OUTCOMES.get(field_of(answer, "outcome", folded_text) or ""))


def _with_choice(request: CallRequest, blank: Values, label: Label | None) -> Values:
    """Return the row with a choice; unchanged if there is no label."""
    if label is None:
        return blank
    first, second = in_shown_order(request.subject, "generator", "opponent")
    return blank | {"status": "ok", "choice": {"a": first, "b": second, "tie": "tie"}[label]}


def _probabilities(
    subject: Subject, first_token: tuple[tuple[str, float], ...] | None, labels: Mapping[str, Label]
) -> Values:
    """Return p_generator, p_tie and p_mass from the alternatives at the answer's first token."""
    if not first_token:
        return {}
    mass: dict[Label, float] = {"a": 0.0, "b": 0.0, "tie": 0.0}
    for token, probability in first_token:
        label = labels.get(fold_case(token.replace("▁", " ").replace("Ġ", " ")))
        if label is not None and 0 <= probability <= 1:
            mass[label] += probability
    total = min(sum(mass.values()), 1.0)
    if total < ENOUGH_MASS:
        return {"p_mass": total}
    decided = mass["a"] + mass["b"]
    target = in_shown_order(subject, mass["a"], mass["b"])[0]
    tie = min(mass["tie"] / sum(mass.values()), 1.0) if "tie" in labels.values() else None
    generator = min(target / decided, 1.0) if decided > 0 else None
    return {"p_generator": generator, "p_tie": tie, "p_mass": total}


# ------------------------------------------------------------------------------
# Ranking a list: `{"ranking": [2, 3, 1]}`, the numbers of the answers, best first.


def ask_list(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the answers are numbered in the order of the request."""
    responses = [text for text in texts.responses if text is not None]
    if len(responses) != len(shown_models(request.subject.ordering) or ()):
        raise MissingTextError("responses")
    fence = texts.fence()
    authors = texts.authors or (None,) * len(responses)
    answers = [
        f"Answer {place}:\n\n{fence.around_response(f'response-{place}', text, author)}"
        for place, (text, author) in enumerate(zip(responses, authors, strict=True), 1)
    ]
    criteria = fence.around("criteria", numbered_list(texts.criteria, marks=True))
    extra = {"responses": "\n\n".join(answers) or None, "count": str(len(responses)), "rubrics": criteria}
    return template.render(texts.values(fence, extra))


def read_ranking(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their ranks; a ranking that omits or repeats an answer leaves all unparsed."""
    rows = blank_rows(request)
    answer = last_object(reply.text)
    reason = field_of(answer, "explanation", explanation)
    ranking = field_of(answer, "ranking", lambda value: value)
    places = [number(each) for each in ranking] if isinstance(ranking, list) else []
    if sorted(place for place in places if place is not None) != list(range(1, len(rows) + 1)):
        return [each | {"explanation": reason} for each in rows]
    ranks = {place: float(rank) for rank, place in enumerate(places, 1)}
    common = {"status": "ok", "explanation": reason}
    return [each | common | {"score": ranks[each["position"]]} for each in rows]


# ------------------------------------------------------------------------------
# The JSON schema of an answer, for servers that enforce one.
# A template that asks for "one JSON object and nothing else" has a schema, made of the fields that it names
# after these words, in order: a reason that is requested first is written first. A judge that thinks in
# writing, or answers with a letter, has none. Answers are parsed in the same way with and without it.


Schema = dict[str, Any]

_ONLY_JSON = re.compile(r"\bone JSON object and nothing else\b", re.IGNORECASE)
_FIELD_NAME = re.compile(r'"(\w+)"\s*:')
_CHOICES = ("A is better", "B is better", "tie")
_REASON: Schema = {"type": "string"}


def answer_schema(template: Template, request: CallRequest) -> Schema | None:
    """Return the schema of a request's answer; None unless the template asks for a JSON object alone."""
    if request.paradigm is None:
        return None
    names, required = _field_names(template.text), _required_fields(request)
    if not required or not required.keys() <= set(names):
        return None
    schemas = required | dict.fromkeys(("explanation", "feedback"), _REASON)
    answer = _object({name: schemas[name] for name in names if name in schemas})
    if not TRAITS[request.paradigm].lists_rubrics:
        return answer
    results = _list_of(answer, len(request.subject.rubric_ids))
    return _object({"results": results}) if "results" in names else None


@lru_cache(maxsize=256)
def _field_names(text: str) -> tuple[str, ...]:
    """Return the fields of the object that a template asks for, in order; none if it asks for no object."""
    marks = list(_ONLY_JSON.finditer(text))
    if not marks:
        return ()
    return tuple(dict.fromkeys(_FIELD_NAME.findall(text, marks[-1].end())))


def _required_fields(request: CallRequest) -> dict[str, Schema]:
    """Return the required fields of an answer, or of its part about a rubric; none if it is no JSON."""
    subject = request.subject
    match TRAITS[request.paradigm or ""].subject:
        case "rubric":
            return {"criteria_met": {"type": "boolean"}}
        case "response":
            count = len(subject.rubric_ids)
            shares = [f"{number}/{count}" for number in range(count + 1)]
            return {"score": {"type": "string", "enum": shares}}
        case "pair" if request.variant == STRUCTURED:
            return {name: {"type": "string", "enum": ["A", "B"]} for name in DIMENSIONS}
        case "pair":
            return {"outcome": {"type": "string", "enum": list(_CHOICES)}}
        case "list":
            count = len(shown_models(subject.ordering) or ())
            return {"ranking": _list_of({"type": "integer", "enum": list(range(1, count + 1))}, count)}
        case "options":
            offered = sorted(scores_of(subject.ordering))
            return {"score": {"type": "number", "enum": offered}} if offered else {}
        case "dimension":
            return {name: {"type": "number"} for name in DIMENSIONS}
    return {}


def _object(fields: dict[str, Schema]) -> Schema:
    shape = {"type": "object", "properties": fields, "required": list(fields)}
    return {**shape, "additionalProperties": False}


def _list_of(item: Schema, count: int) -> Schema:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}
