"""Reads which of two responses is better, in five variants, or the judge's own (paradigm `recognition`).

Verdicts are about responses, never letters: only in `in_shown_order` does the order shown matter.
"""

from dataclasses import replace
from typing import TypeVar

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.paradigms.answers.parts.answer_forms import (
    UnclearAnswerError,
    agreed,
    objects_with,
    only_object,
)
from engine.collect.paradigms.answers.parts.sides import Side, contradicts, marked_sides, side_of, stated_side
from engine.collect.paradigms.judgment_rows import STRUCTURED, Values, blank_rows, explanation
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS

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


def option_letters(request: CallRequest) -> tuple[str, ...]:
    """Return the letters of which one continues a prompt that ends before the verdict."""
    return ("A", "B", "T") if _offers_tie(request) else ("A", "B")


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
    """Return p_generator, p_tie and p_mass from the alternatives at the first token of a bare letter.

    Those of continuations count whatever the template asks for, and however small they are.
    """
    first_token = reply.first_token
    if not first_token:
        return {}
    asks_for_letter = not _asks_for_outcome(request) or request.variant in _BARE_LETTER
    if not (asks_for_letter or reply.continued):
        return {}
    offers_tie = _offers_tie(request)
    mass: dict[Side, float] = {"a": 0.0, "b": 0.0, "tie": 0.0}
    for token, probability in first_token:
        side = _LABELS.get(token.replace("▁", " ").replace("Ġ", " ").strip().casefold())
        if side is not None and (side != "tie" or offers_tie) and 0 <= probability <= 1:
            mass[side] += probability
    total = min(sum(mass.values()), 1.0)
    if total < ENOUGH_MASS and not reply.continued:
        return {"p_mass": total}
    decided = mass["a"] + mass["b"]
    target = in_shown_order(request.subject, mass["a"], mass["b"])[0]
    tie = min(mass["tie"] / sum(mass.values()), 1.0) if offers_tie else None
    generator = min(target / decided, 1.0) if decided > 0 else None
    return {"p_generator": generator, "p_tie": tie, "p_mass": total}
