"""Reads the ranks of a list of responses: `{"ranking": [2, 3, 1]}`, the numbers of answers, best first."""

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import only_object
from engine.collect.paradigms.answers.parts.numbers import number
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation


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
