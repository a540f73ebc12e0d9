"""Reads a score by described options: `Feedback: ... [RESULT] 4`, or `{"score": 4}`."""

import re
from itertools import islice

from engine.collect.calls import CallRequest, Reply
from engine.collect.paradigms.answers.parts.answer_forms import MOST_OBJECTS, Passage, agreed, objects_with
from engine.collect.paradigms.answers.parts.numbers import number
from engine.collect.paradigms.answers.parts.quotations import taken_back
from engine.collect.paradigms.judgment_rows import Values, blank_rows, explanation
from engine.shown_order import shown_scores

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


def read_option(request: CallRequest, reply: Reply) -> list[Values]:
    """Return the row with its score and the position of that option; a score not offered is unparsed."""
    blank, offered = blank_rows(request)[0], shown_scores(request.subject.ordering)
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
