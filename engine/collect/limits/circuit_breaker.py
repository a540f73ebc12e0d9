"""Giving up a model that will answer no call of a run, so that the others are not made in vain.

A model whose server cannot be reached is not given up, as the server may come back, but noted.
"""

from collections import Counter
from dataclasses import replace

from engine.collect.calls import PERMANENT, Failure, Reply

MOST_IN_A_ROW = 3
"""Calls in a row without what a model must give, after which it is not called again."""


class CircuitBreaker:
    """Counts the failures of each model between two answers; `given_up` has the failure that decided.

    A refused key or name concerns every call, unless the model was answering before: then it is a passing
    fault, until the third in a row. `unreachable` has the message of each model whose server was not reached,
    or not three times since its last answer.
    """

    def __init__(self) -> None:
        self.given_up: dict[str, Failure] = {}
        self.unreachable: dict[str, str] = {}
        self._answered: set[str] = set()
        self._refused: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()
        self._without_probabilities: Counter[str] = Counter()
        self._unreached: Counter[str] = Counter()

    def count_answer(self, name: str) -> None:
        self._answered.add(name)
        del self._refused[name], self._lost[name], self._unreached[name]
        self.unreachable.pop(name, None)

    def count_unreached(self, name: str, failure: Failure) -> None:
        """Count an attempt that did not reach the model's server."""
        self._unreached[name] += 1
        if name not in self._answered or self._unreached[name] >= MOST_IN_A_ROW:
            self.unreachable[name] = failure.message

    def may_be_passing(self, name: str, failure: Failure) -> bool:
        """Return whether a refused key or name may be a passing fault: the model was answering before."""
        return failure.kind in PERMANENT and failure.cause != "quota" and name in self._answered

    def final_failure(self, name: str, failure: Failure) -> Failure:
        """Return the failure of a call that is not retried; one that concerns all calls gives up the model.

        So does a parameter refused three times in a row before the first answer.
        """
        of_all = failure.cause == "bad_parameter" and name not in self._answered
        if of_all or self.may_be_passing(name, failure):
            self._refused[name] += 1
            if self._refused[name] < MOST_IN_A_ROW:
                return replace(failure, kind="request")
            failure = replace(failure, kind="model") if of_all else failure
        if failure.kind in PERMANENT:
            self.given_up.setdefault(name, failure)
        return failure

    def count_lost(self, name: str, timeout_s: float) -> None:
        """Count an answer that was late or unreadable, and may have been charged."""
        self._lost[name] += 1
        if self._lost[name] == MOST_IN_A_ROW:
            words = (
                f"model {name!r}: {MOST_IN_A_ROW} answers in a row were late or could not be read, and may "
                f"have been charged; it is not called again (raise `timeout_s`, now {timeout_s:g}, lower "
                "`max_tokens`, or turn off streaming where a server only streams)"
            )
            self.given_up.setdefault(name, Failure("answer", words))

    def count_continuation(self, name: str, reply: Reply) -> None:
        """Count a judge's continuation, which has no probabilities from some servers."""
        if reply.first_token is not None or reply.refused:
            del self._without_probabilities[name]
            return
        self._without_probabilities[name] += 1
        if self._without_probabilities[name] == MOST_IN_A_ROW:
            words = (
                f"model {name!r}: its server gave {MOST_IN_A_ROW} continuations in a row without their "
                "probabilities; it is not called again (call it at a server that gives `logprobs` of text "
                "completions, such as vLLM)"
            )
            self.given_up.setdefault(name, Failure("model", words, 200, "bad_parameter"))
