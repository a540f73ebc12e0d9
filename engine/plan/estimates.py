"""How many tokens a plan would take, before anybody is called: an estimate, and called so."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.calls import Request, Role
from engine.config import RunConfig
from engine.plan.plan import ASSUMED_RESPONSE, Plan

CHARACTERS_PER_TOKEN = 4
_PER_MESSAGE = 4
_ANSWERS: Mapping[str, int] = {
    "single_rubric": 60,
    "direct_assessment": 10,
    "pairwise": 10,
    "score_rubric": 120,
    "quality": 40,
}
_REASONED = 400
_PER_VERDICT = 10
_RESPONSE = len(ASSUMED_RESPONSE) // CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Estimate:
    """The calls to one model in one way of judging, and about how many tokens they take."""

    model: str
    role: Role
    paradigm: str | None
    variant: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


def estimate(plan: Plan, config: RunConfig) -> list[Estimate]:
    """Return the calls and tokens of a plan by model, paradigm and variant, in the order of the plan.

    A token is taken to be four characters; an answer as long as its shape asks for, a response 500 tokens,
    and neither longer than the model's max_tokens. Thinking of reasoning models is not foreseen.
    """
    totals: dict[tuple[str, Role, str | None, str], list[int]] = {}
    for request in plan:
        name = (request.model, request.role, request.paradigm, request.variant)
        total = totals.setdefault(name, [0, 0, 0])
        messages = plan.messages(request)
        total[0] += 1
        total[1] += sum(
            _PER_MESSAGE + -(-len(message["content"]) // CHARACTERS_PER_TOKEN) for message in messages
        )
        total[2] += _answer(request, config)
    return [Estimate(*name, *total) for name, total in totals.items()]


def _answer(request: Request, config: RunConfig) -> int:
    """Return about how many tokens an answer has."""
    if request.role == "generator":
        expected = _RESPONSE
    elif request.paradigm == "all_rubrics":
        expected = _PER_VERDICT * (1 + len(request.subject.rubric_ids))
    elif request.variant in ("forced", "forced_tie"):
        expected = 1
    elif request.variant == "cot":
        expected = _REASONED
    else:
        expected = _ANSWERS[request.paradigm or "pairwise"] * (5 if request.variant == "structured" else 1)
    model = config.models.get(request.model)
    most = None if model is None else model.params.max_tokens
    return expected if most is None else min(expected, most)
