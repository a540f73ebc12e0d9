"""Judging one response, a pair or a list: the messages, the parsed answers and their JSON schemas."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from engine.collect.calls import CallRequest, Message, Reply, Subject
from engine.collect.paradigms.objects import (
    MOST_OBJECTS,
    Passage,
    UnclearAnswerError,
    agreed,
    objects_with,
    only_object,
)
from engine.collect.paradigms.parsing import STRUCTURED, Values, ask_response, blank_rows, explanation
from engine.collect.paradigms.quotations import taken_back
from engine.collect.paradigms.templates import Criterion, MissingTextError, Template, Texts, numbered_list
from engine.collect.paradigms.words import (
    Side,
    contradicts,
    denies,
    marked_sides,
    number,
    share,
    side_of,
    stated_side,
    truth,
)
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS
from engine.shown_order import shown_models

# ------------------------------------------------------------------------------
# One verdict on one criterion: `{"criteria_met": true}`.


def ask_rubric(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    fence = texts.fence()
    rubric = texts.criteria[0].text if texts.criteria else None
    return template.render(texts.values(fence, {"rubric": fence.around("criterion", rubric)}))


def read_verdict(request: CallRequest, reply: Reply) -> list[Values]:
    row, text = blank_rows(request)[0], reply.text
    if not (passages := objects_with(reply, "criteria_met")):
        return [row]
    answer = agreed(text, passages)
    row = _verdict(row, answer.value)
    if row["met"] is not None and denies(text[: answer.start], text[answer.end :], row["met"]):
        raise UnclearAnswerError
    return [row]


def _verdict(blank: Values, result: object) -> Values:
    if not isinstance(result, Mapping):
        return blank
    met = truth(result.get("criteriamet"))
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
    """Return a row for each criterion; a list of the wrong length leaves all without a verdict.

    So does one whose results have numbers other than their places.
    """
    rows = blank_rows(request)
    results = (only_object(reply, "results") or {}).get("results")
    if not isinstance(results, list) or len(results) != len(rows) or _misnumbered(results):
        return rows
    return [
        _verdict(each, {"criteriamet": result} if isinstance(result, bool) else result)
        for each, result in zip(rows, results, strict=True)
    ]


_NUMBERED = (
    "criterion", "criterionnumber", "criterionid", "criterionindex", "number", "no", "id", "index", "i", "n",
    "item", "position", "rubric", "rubricid", "rubricnumber",
)  # fmt: skip
"""The fields in which judges number their results, squeezed."""
_OWN_NUMBER = re.compile(
    r"(?:criterion|rubric|item|no\.?|number|[#rc])?[\s_]{0,3}([0-9]{1,4})(?:[.):].{0,2000})?", re.I | re.S
)


def _misnumbered(results: list[Any]) -> bool:
    """Return whether results are numbered otherwise than by their places, counted from 1 or from 0."""
    numbers = {
        place: own_number
        for place, result in enumerate(results, 1)
        if isinstance(result, Mapping)
        for name in _NUMBERED
        if (own_number := _own_number(result.get(name))) is not None
    }
    from_zero = {place: place - 1 for place in range(1, len(results) + 1)}
    return numbers != from_zero and any(place != own_number for place, own_number in numbers.items())


def _own_number(value: object) -> int | None:
    match = _OWN_NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is not None:
        return int(match[1])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# ------------------------------------------------------------------------------
# The number of criteria that a response meets: `{"score": "X/Y"}`.


def read_share(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score, X of the Y criteria shown; more than Y is stored as 1."""
    answer = only_object(reply, "score") or {}
    blank = blank_rows(request)[0] | {"explanation": explanation(answer.get("explanation"))}
    score = share(answer.get("score"), len(request.subject.rubric_ids))
    return [blank if score is None else blank | {"status": "ok", "score": score}]


# ------------------------------------------------------------------------------
# A score by described options: `Feedback: ... [RESULT] 4`, or `{"score": 4}`.


_RESULT = re.compile(
    r"\[result\][\s:*(\[]{0,20}(?:(?:score|grade)\s{1,3})?"
    r"(?P<score>[+-]?[0-9]{1,12}(?:\.[0-9]{1,12})?)?(?P<of>\s{0,3}(?:/|out of)\s{0,3}[0-9]{1,6})?"
    r"(?=(?P<rest>[^\n]{0,200}))",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:\b(?:say|said|tell|told|writ|wrot|output|giv|print|respon|repl|return|answer|quot|includ|contain|with|not|to)"
    r"\w*|n['’]t|:)\s*[\"'“”‘’`]*\s*\Z|[\"'“‘`]\Z|(?:\b(?:not|would|never|cannot|hardly)\b|n['’]t\b)[^.!?]{0,15}\Z",
    re.IGNORECASE,
)
"""The words before a `[RESULT]` that is quoted or denied."""
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
    blank, offered = blank_rows(request)[0], scores_of(request.subject.ordering)
    top = max(offered, default=None)
    objects, results = objects_with(reply, "score"), _results(reply.text, top)
    scores = {number(each.value.get("score"), top=top) for each in objects} | {each.value for each in results}
    if len(scores) != 1:  # none, or several
        return [blank]
    (score,) = scores
    if objects:
        agreed(reply.text, [*objects, *results])
        answer = objects[-1].value
        reasons = (explanation(answer.get(name)) for name in ("feedback", "explanation"))
        blank["explanation"] = next((text for text in reasons if text is not None), None)
    else:
        blank["explanation"] = explanation(_FEEDBACK.sub("", reply.text[: results[-1].start]))
    if score is None or score not in offered:
        return [blank]
    return [blank | {"status": "ok", "score": score, "position": offered.index(score) + 1}]


def _results(text: str, top: float | None) -> list[Passage]:
    """Return the numbers after each `[RESULT]`, None where there is none, or more than one."""
    results = []
    for match in islice(_RESULT.finditer(text), MOST_OBJECTS):
        written = f"{match['score']}{match['of'] or ''}" if match["score"] else None
        value = number(written, top=top)
        before = text[max(0, match.start() - 40) : match.start()].rstrip(" *\t\n")
        rest = match["rest"]
        goes_on = rest[:1] in {"%", "+", "-", "~", ","} or rest.lstrip(" *_)")[:1].islower()
        doubtful = goes_on or any(map(str.isdigit, match["rest"])) or _REPORTED.search(before) is not None
        if doubtful or taken_back(text[match.end() : match.end() + 2_000]):
            value = None
        results.append(Passage(value, match.start(), match.end()))
    return results


# ------------------------------------------------------------------------------
# A score from 0 to 10 on each of five dimensions: `{"relevance": 8.25, "accuracy": 7, ...}`.


_TOP = 10


def ask_quality(_: CallRequest, template: Template, texts: Texts) -> list[Message]:
    return template.render(texts.values(texts.fence(), {}))


def read_quality(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their scores; one out of range leaves only its own row unparsed."""
    answer = only_object(reply, *DIMENSIONS) or {}
    rows = []
    for blank in blank_rows(request):
        score = number(answer.get(blank["rubric_id"]), top=_TOP)
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
    answer = only_object(reply, "logprob") or {}
    total, tokens = (number(answer.get(name)) for name in ("logprob", "tokens"))
    if total is None or tokens is None or total > 0 or tokens < 1:
        return blank_rows(request)
    return [blank_rows(request)[0] | {"status": "ok", "score": total / tokens}]


# ------------------------------------------------------------------------------
# Comparing several responses: the better of two, in five variants, or the ranks of a list.
# Verdicts are about responses, never letters: only in `in_shown_order` does the order shown matter.


Shown = TypeVar("Shown")

ENOUGH_MASS = 0.5
"""The least total probability of the labels at which their probabilities are used."""

_LABELS: dict[str, Side] = {"a": "a", "1": "a", "b": "b", "2": "b", "t": "tie"}
"""The tokens with which an answer of one letter begins."""
_BARE_LETTER = ("forced", "forced_tie")
"""The variants that ask for one letter, whose probabilities count."""
_OBJECTS_ONLY = ("default", "cot")
"""The variants that ask for an object; a bare figure in its place may be anything."""
_NO_TIES = ("forced", STRUCTURED)
"""The variants that offer no tie."""


def in_shown_order(subject: Subject, left: Shown, right: Shown) -> tuple[Shown, Shown]:
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
    """Return the rows with their choices.

    Whatever form the template asks for, a choice is an object's outcome, `$$A$$` or `[[A]]`, or what the
    answer's words say: a letter, `Response A`, `A is better`.
    """
    if request.variant == STRUCTURED:
        return _read_structured(request, reply)
    row, text = blank_rows(request)[0], reply.text
    objects = objects_with(reply, "outcome")
    passages = [
        *(replace(each, value=side_of(each.value["outcome"])) for each in objects),
        *marked_sides(text),
    ]
    if objects:
        row["explanation"] = explanation(objects[-1].value.get("explanation"))
    if not passages:
        in_figures = request.variant not in _OBJECTS_ONLY or not _asks_for_outcome(request)
        side = stated_side(text, figures=in_figures)
    elif len({each.value for each in passages}) > 1:
        raise UnclearAnswerError
    else:
        answer = agreed(text, passages)
        side = answer.value
        if side is not None and contradicts(text[: answer.start], text[answer.end :], side):
            raise UnclearAnswerError
        if row["explanation"] is None and request.variant != "default":
            row["explanation"] = explanation(text[: answer.start])
    if side == "tie" and not _offers_tie(request):
        return [row]
    return [_with_choice(request, row, side) | _probabilities(request, reply)] if side else [row]


def _asks_for_outcome(request: CallRequest) -> bool:
    return TRAITS[request.paradigm or ""].gives == "outcome"


def _offers_tie(request: CallRequest) -> bool:
    return _asks_for_outcome(request) and request.variant not in _NO_TIES


def _read_structured(request: CallRequest, reply: Reply) -> list[Values]:
    """Read a choice for each dimension; an invalid one leaves only its own row unparsed."""
    answer = only_object(reply, *DIMENSIONS) or {}
    rows = []
    for blank in blank_rows(request):
        side = side_of(answer.get(blank["rubric_id"]))
        rows.append(_with_choice(request, blank, None if side == "tie" else side))
    return rows


def _with_choice(request: CallRequest, blank: Values, side: Side | None) -> Values:
    """Return the row with a choice; unchanged if no side is chosen."""
    if side is None:
        return blank
    first, second = in_shown_order(request.subject, "generator", "opponent")
    return blank | {"status": "ok", "choice": {"a": first, "b": second, "tie": "tie"}[side]}


def _probabilities(request: CallRequest, reply: Reply) -> Values:
    """Return p_generator, p_tie and p_mass from the alternatives at the first token of a bare letter."""
    first_token = reply.first_token
    if not first_token or (_asks_for_outcome(request) and request.variant not in _BARE_LETTER):
        return {}
    offers_tie = _offers_tie(request)
    mass: dict[Side, float] = {"a": 0.0, "b": 0.0, "tie": 0.0}
    for token, probability in first_token:
        side = _LABELS.get(token.replace("▁", " ").replace("Ġ", " ").strip().casefold())
        if side is not None and (side != "tie" or offers_tie) and 0 <= probability <= 1:
            mass[side] += probability
    total = min(sum(mass.values()), 1.0)
    if total < ENOUGH_MASS:
        return {"p_mass": total}
    decided = mass["a"] + mass["b"]
    target = in_shown_order(request.subject, mass["a"], mass["b"])[0]
    tie = min(mass["tie"] / sum(mass.values()), 1.0) if offers_tie else None
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
    answer = only_object(reply, "ranking") or {}
    reason, ranking = explanation(answer.get("explanation")), answer.get("ranking")
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
