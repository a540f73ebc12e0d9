"""Several responses ranked at once: `{"ranking": [2, 3, 1]}`, the numbers of the answers, the best first."""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.parsing import Values, explanation, field_of, last_object, number, row
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


def ask(request: CallRequest, template: Template, texts: Texts) -> list[Message]:
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


def rows(request: CallRequest) -> list[Values]:
    """Return the rows that an answer fills, one for each response shown, at its place."""
    listed = shown_models(request.subject.ordering) or ()
    return [row(request, "unparsed", generator=name, position=place) for place, name in enumerate(listed, 1)]


def read(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the rows with their ranks; a ranking that lacks an answer, or has one twice, leaves none."""
    blank_rows = rows(request)
    answer = last_object(reply.text)
    reason = field_of(answer, "explanation", explanation)
    ranking = field_of(answer, "ranking", lambda value: value)
    places = [number(each) for each in ranking] if isinstance(ranking, list) else []
    if sorted(place for place in places if place is not None) != list(range(1, len(blank_rows) + 1)):
        return [each | {"explanation": reason} for each in blank_rows]
    ranks = {place: float(rank) for rank, place in enumerate(places, 1)}
    return [
        each | {"status": "ok", "score": ranks[each["position"]], "explanation": reason}
        for each in blank_rows
    ]
