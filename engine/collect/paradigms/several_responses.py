"""Several responses beside each other: which of two is better, in the words of five variants, or their ranks.

Verdicts are about responses, never about letters: `turned` is the only place where the order shown matters.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

from engine.collect.calls import CallRequest, Message, Reply, Subject
from engine.collect.paradigms.parsing import (
    STRUCTURED,
    Passage,
    Values,
    blank_rows,
    explanation,
    field_of,
    folded,
    last_dollars,
    last_object,
    later,
    number,
    words,
)
from engine.collect.paradigms.templates import (
    MissingTextError,
    Template,
    Texts,
    fence_of,
    fenced,
    numbered,
    values_of,
    written,
)
from engine.schema import shown_models

Label = Literal["a", "b", "tie"]
Side = TypeVar("Side")

ENOUGH_MASS = 0.5
"""What the labels must have together for their probabilities to say something."""

_LETTERS: dict[str, Label] = {"a": "a", "1": "a", "b": "b", "2": "b", "t": "tie"}
_SIDES: dict[str, Label] = {"a": "a", "b": "b"}
_OUTCOMES: dict[str, Label] = {"a is better": "a", "b is better": "b", "tie": "tie"}


def turned(subject: Subject, one: Side, two: Side) -> tuple[Side, Side]:
    """Turn (generator, opponent) into (A, B), the order shown; and (A, B) back, which is the same."""
    return (one, two) if subject.first == "generator" else (two, one)


def ask_pair(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; A is the response shown first. Criteria are shown where there are any."""
    fence = fence_of(texts)
    first, second = turned(
        request.subject, (texts.response, texts.author), (texts.opponent, texts.opponent_author)
    )
    criteria = numbered(texts.criteria, marks=True)
    more = {
        "response_a": written(fence, "response-a", *first),
        "response_b": written(fence, "response-b", *second),
        "rubrics": fenced(fence, "criteria", criteria),
    }
    return template.render(values_of(texts, fence, more))


def read_pair(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their choices; a variant of the user's own may answer in any of the shapes."""
    return _READERS.get(request.variant, _read_any)(request, reply)


def _read_outcome(request: CallRequest, reply: Reply) -> list[Values]:
    return [_row_of(request, last_object(reply.text))]


def _read_reasoned(request: CallRequest, reply: Reply) -> list[Values]:
    """Read an outcome at the end of reasoning, in either of its two shapes."""
    answer = later(last_object(reply.text), last_dollars(reply.text))
    row = _row_of(request, answer)
    if answer is not None and row["explanation"] is None:
        row["explanation"] = explanation(reply.text[: answer.start])
    return [row]


def read_letter(request: CallRequest, reply: Reply) -> list[Values]:
    """Read a bare letter, with the probabilities of the labels where there are any."""
    ties = request.variant == "forced_tie"
    labels = {letter: label for letter, label in _LETTERS.items() if ties or label != "tie"}
    label = labels.get(folded(reply.text))
    if label is None:
        return blank_rows(request)
    probabilities = _probabilities(request.subject, reply.first_token, labels)
    return [_chosen(request, blank_rows(request)[0], label) | probabilities]


def _read_structured(request: CallRequest, reply: Reply) -> list[Values]:
    """Read a choice for each dimension; a bad one spoils its own row only."""
    answer = last_object(reply.text)
    read = []
    for blank in blank_rows(request):
        letter = field_of(answer, blank["rubric_id"], words)
        read.append(_chosen(request, blank, _SIDES.get(letter or "")))
    return read


def _read_any(request: CallRequest, reply: Reply) -> list[Values]:
    """Read what a user's own template asked for: an outcome, `$$A$$`, or the bare letter."""
    answer = later(last_object(reply.text), last_dollars(reply.text))
    if answer is not None:
        return _read_reasoned(request, reply)
    return [_chosen(request, blank_rows(request)[0], _LETTERS.get(folded(reply.text)))]


_READERS: dict[str, Callable[[CallRequest, Reply], list[Values]]] = {
    "default": _read_outcome,
    "cot": _read_reasoned,
    "forced": read_letter,
    "forced_tie": read_letter,
    STRUCTURED: _read_structured,
}


def _row_of(request: CallRequest, answer: Passage | None) -> Values:
    """Return the row with what an object, or a letter between dollars, names as better."""
    blank = blank_rows(request)[0]
    if answer is None:
        return blank
    blank["explanation"] = field_of(answer, "explanation", explanation)
    if isinstance(answer.value, str):
        return _chosen(request, blank, _LETTERS.get(answer.value))
    return _chosen(request, blank, _OUTCOMES.get(field_of(answer, "outcome", words) or ""))


def _chosen(request: CallRequest, blank: Values, label: Label | None) -> Values:
    """Return the row with a choice; as it is where no label could be read."""
    if label is None:
        return blank
    first, second = turned(request.subject, "generator", "opponent")
    return blank | {"status": "ok", "choice": {"a": first, "b": second, "tie": "tie"}[label]}


def _probabilities(
    subject: Subject, first_token: tuple[tuple[str, float], ...] | None, labels: Mapping[str, Label]
) -> Values:
    """Return p_generator, p_tie and p_mass from the alternatives at the answer's first token."""
    if not first_token:
        return {}
    mass: dict[Label, float] = {"a": 0.0, "b": 0.0, "tie": 0.0}
    for token, probability in first_token:
        label = labels.get(folded(token.replace("▁", " ").replace("Ġ", " ")))
        if label is not None and 0 <= probability <= 1:
            mass[label] += probability
    together = min(sum(mass.values()), 1.0)
    if together < ENOUGH_MASS:
        return {"p_mass": together}
    decided = mass["a"] + mass["b"]
    target = turned(subject, mass["a"], mass["b"])[0]
    tie = min(mass["tie"] / sum(mass.values()), 1.0) if "tie" in labels.values() else None
    return {
        "p_generator": min(target / decided, 1.0) if decided > 0 else None,
        "p_tie": tie,
        "p_mass": together,
    }


# ------------------------------------------------------------------------------
# Several ranked at once: `{"ranking": [2, 3, 1]}`, the numbers of the answers, the best first.


def ask_list(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
    """Return the messages; the answers are numbered in the order of the request."""
    listed = [text for text in texts.responses if text is not None]
    if len(listed) != len(shown_models(request.subject.ordering) or ()):
        raise MissingTextError("responses")
    fence = fence_of(texts)
    authors = texts.authors or (None,) * len(listed)
    answers = [
        f"Answer {place}:\n\n{written(fence, f'response-{place}', text, author)}"
        for place, (text, author) in enumerate(zip(listed, authors, strict=True), 1)
    ]
    criteria = numbered(texts.criteria, marks=True)
    more = {
        "responses": "\n\n".join(answers) or None,
        "count": str(len(listed)),
        "rubrics": fenced(fence, "criteria", criteria),
    }
    return template.render(values_of(texts, fence, more))


def read_ranking(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their ranks; a ranking that lacks an answer, or has one twice, leaves none."""
    rows = blank_rows(request)
    answer = last_object(reply.text)
    reason = field_of(answer, "explanation", explanation)
    ranking = field_of(answer, "ranking", lambda value: value)
    places = [number(each) for each in ranking] if isinstance(ranking, list) else []
    if sorted(place for place in places if place is not None) != list(range(1, len(rows) + 1)):
        return [each | {"explanation": reason} for each in rows]
    ranks = {place: float(rank) for rank, place in enumerate(places, 1)}
    ranked = {"status": "ok", "explanation": reason}
    return [each | ranked | {"score": ranks[each["position"]]} for each in rows]
