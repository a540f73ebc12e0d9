"""Parameters that a model refuses: omitted or reduced, and remembered for its next calls."""

import re
from dataclasses import dataclass, field
from typing import Any

TOP, FEWER = 20, 5  # alternatives per token: the most that any provider gives, and the limit of some
DROPPABLE = ("temperature", "top_p", "seed", "top_logprobs", "logprobs", "response_format")
_REFUSES = re.compile(
    r"unsupported|deprecated|unrecogni[sz]ed|only the default|unknown (?:name|param|arg)|extra inputs"
    r"|(?:not|n't|cannot|no longer) (?:be )?(?:\w+ )?(?:support|allow|permit|accept|available|compatible)",
    re.I,
)


_ABOUT_SCHEMA = re.compile(
    r"response_format|json[_ -]?schema|json[_ -]?mode|structured|guided|grammar|\bschema\b", re.I
)


@dataclass
class ParameterFallback:
    """What one model refuses; `takes_schema` is None until an answer has shown it.

    `failed_with_schema` counts calls in a row that failed with one, before any was accepted.
    """

    dropped: set[str] = field(default_factory=set)
    top: int = TOP
    takes_schema: bool | None = None
    failed_with_schema: int = 0

    def parameters(self, params: dict[str, Any], *, logprobs: bool) -> dict[str, Any]:
        all_params = {**params, "logprobs": True, "top_logprobs": self.top} if logprobs else params
        return {name: value for name, value in all_params.items() if name not in self.dropped}

    def update(self, words: str, params: dict[str, Any]) -> str | None:
        """Adapt to the message of a bad request; return what was changed, None if nothing can be.

        `params` are those of the call, so that concurrent calls change something only once (empty text).
        """
        is_of_number = re.search(r"\b(?:top_)?logprobs\b", words) and not _REFUSES.search(words)
        if params.get("top_logprobs", 0) > FEWER and is_of_number:
            was_known, self.top = self.top == FEWER, FEWER
            return "" if was_known else f"takes {FEWER} top_logprobs at most"
        if not _REFUSES.search(words):
            return None
        for name in DROPPABLE:
            if name in params and re.search(rf"\b{name}\b", words):
                names = {"logprobs", "top_logprobs"} if name.endswith("logprobs") else {name}
                was_known = names <= self.dropped
                self.dropped |= names
                return "" if was_known else f"does not accept {name!r}; it is not sent"
        return None

    def update_schema(self, words: str) -> str | None:
        """Adapt to the message of a bad request with a JSON schema, like `update`."""
        return self.refuse_schema() if _ABOUT_SCHEMA.search(words) else None

    def refuse_schema(self) -> str:
        """Stop requesting a JSON schema; return a description of the change, empty if already made."""
        was_known, self.takes_schema = self.takes_schema is False, False
        return "" if was_known else "supports no JSON schema (`response_format`); it is called without one"
