"""The rows of a judge's answer: what all paradigms share."""

from typing import Any

from engine.collect.calls import CallRequest
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS, JUDGMENTS
from engine.shown_order import shown_models

Values = dict[str, Any]

LONGEST_RAW = 1_000_000
"""Characters kept of an answer; of a longer one its beginning and its end."""
LONGEST_EXPLANATION = 20_000

_COLUMNS = tuple(name for name in JUDGMENTS.names if name != "run_id")
_OF_SUBJECT = ("transform", "instance_id", "generator", "opponent", "first", "ordering", "trial")

STRUCTURED = "structured"
"""The variant of pairs that asks for a choice on each dimension."""


def blank_rows(request: CallRequest) -> list[Values]:
    """Return the rows for an answer to fill, one per judged item, without verdicts."""
    subject, traits = request.subject, TRAITS[request.paradigm or ""]
    if traits.subject == "list":
        models = enumerate(shown_models(subject.ordering) or (), 1)
        return [_row(request, generator=name, position=place) for place, name in models]
    if traits.lists_rubrics:
        rubrics = enumerate(subject.rubric_ids, 1)
        return [_row(request, rubric_id=name, position=place) for place, name in rubrics]
    if traits.subject == "dimension" or (traits.subject == "pair" and request.variant == STRUCTURED):
        return [_row(request, rubric_id=name) for name in DIMENSIONS]
    return [_row(request, rubric_id=subject.rubric_ids[0] if traits.one_rubric_a_call else None)]


def _row(request: CallRequest, **values: Any) -> Values:
    """Return a row about the request's subject: every column but run_id, null if unknown."""
    row = dict.fromkeys(_COLUMNS) | {name: getattr(request.subject, name) for name in _OF_SUBJECT}
    row |= {"call_id": request.key, "judge": request.model, "status": "unparsed"}
    return row | {"paradigm": request.paradigm, "variant": request.variant} | values


def explanation(value: object) -> str | None:
    """Return a judge's explanation in stored form; None for anything but text."""
    if not isinstance(value, str) or not value.strip():
        return None
    return shorten(value.strip(), LONGEST_EXPLANATION)


def shorten(text: str, longest: int) -> str:
    """Return a text that can be stored: without its middle if it is too long, and without lone surrogates."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
    return text.encode("utf-8", "replace").decode("utf-8")
