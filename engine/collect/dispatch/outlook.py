"""The expected cost of a run, by the answers so far."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from engine.collect.configuration.prices import known_sum

ENOUGH_ANSWERS = 5
"""Answers of a model that are enough to predict the others."""
_AS_FORESEEN = 1.1


class AnswerCosts(NamedTuple):
    """The tokens and cost of answers, without their prompts' tokens, and the estimates for the same calls."""

    answers: int
    tokens: int
    foreseen_tokens: int
    cost_usd: float | None
    foreseen_usd: float | None


class Outlook:
    """The expected total cost of a run, by the cost of its answers so far; `calls_left` are by model."""

    def __init__(self) -> None:
        self.calls_left: Counter[str] = Counter()
        self._costs: dict[str, AnswerCosts] = {}

    def record(self, model: str, costs: AnswerCosts) -> None:
        recorded = [self._costs[model]] if model in self._costs else []
        self._costs[model] = _total([*recorded, costs])

    def state(self) -> dict[str, float | int | None] | None:
        """Return the answers seen, their cost, its estimate, and the cost still to come.

        None while a model in use has given too few answers; a sum is None if a price is unknown.
        """
        names = [name for name, calls in self.calls_left.items() if calls > 0]
        costs = self._costs
        if not costs or any(name not in costs or costs[name].answers < ENOUGH_ANSWERS for name in names):
            return None
        model_costs = {name: costs[name].cost_usd for name in names}
        to_come_usd = known_sum(
            None if cost is None else self.calls_left[name] * cost / costs[name].answers
            for name, cost in model_costs.items()
        )
        return {**_total(costs.values())._asdict(), "to_come_usd": to_come_usd}

    def words(self, spent: float) -> str:
        """Return the expected cost, compared with the estimate; empty if unknown or free."""
        state = self.state()
        if state is None:
            return ""
        cost, foreseen, to_come = state["cost_usd"], state["foreseen_usd"], state["to_come_usd"]
        if cost is None or to_come is None:
            times = _times(state["tokens"], state["foreseen_tokens"])
            return f"answers are {times} as long as estimated" if times else ""
        if not cost:
            return ""
        times = _times(cost, foreseen)
        comparison = f"{times} as much as estimated" if times else "as much as estimated"
        return f"about ${spent + to_come:,.4g} with the calls still to come: answers cost {comparison}"


def _total(costs: Iterable[AnswerCosts]) -> AnswerCosts:
    return AnswerCosts._make(map(known_sum, zip(*costs, strict=True)))


def _times(real: float | None, foreseen: float | None) -> str:
    """Return a ratio in words, empty if it is about 1 or undefined."""
    if not real or not foreseen or 1 / _AS_FORESEEN <= real / foreseen <= _AS_FORESEEN:
        return ""
    return f"{real / foreseen:,.2g} times"
