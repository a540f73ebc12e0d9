"""The ranks of a list of responses: `{"ranking": [2, 3, 1]}`, the numbers of the answers, best first."""

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.paradigms.answers.numbers import number
from engine.collect.paradigms.answers.objects import only_object
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation
from engine.collect.paradigms.request_texts import RequestTexts, numbered_list
from engine.collect.paradigms.templates import MissingTextError, Template
from engine.shown_order import shown_models


def ask_list(request: CallRequest, template: Template, texts: RequestTexts) -> list[Message]:
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
