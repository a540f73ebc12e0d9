"""Parameters that a model refuses: left out, or made smaller, and remembered for its next calls."""

import re
from dataclasses import dataclass, field
from typing import Any

TOP, FEWER = 20, 5  # alternatives at a token: as many as any provider gives, and as many as some do
DROPPABLE = ("temperature", "top_p", "seed", "top_logprobs", "logprobs")
_REFUSES = re.compile(
    r"unsupported|deprecated|unrecogni[sz]ed|only the default|unknown (?:name|param|arg)|extra inputs"
    r"|(?:not|n't|cannot|no longer) (?:be )?(?:\w+ )?(?:support|allow|permit|accept|available|compatible)",
    re.I,
)


@dataclass
class Adapting:
    """What one model was found not to take."""

    dropped: set[str] = field(default_factory=set)
    top: int = TOP

    def parameters(self, params: dict[str, Any], *, logprobs: bool) -> dict[str, Any]:
        """Return the parameters to send."""
        asked = {**params, "logprobs": True, "top_logprobs": self.top} if logprobs else params
        return {name: value for name, value in asked.items() if name not in self.dropped}

    def learn(self, words: str, sent: dict[str, Any]) -> str | None:
        """Take a lesson from the words of a bad request; what was changed, None where nothing can be.

        `sent` are the parameters of the call, so that calls which were under way together learn once.
        """
        if sent.get("top_logprobs", 0) > FEWER and "top_logprobs" in words and not _REFUSES.search(words):
            known, self.top = self.top == FEWER, FEWER
            return "" if known else f"takes {FEWER} top_logprobs at most"
        if not _REFUSES.search(words):
            return None
        for name in DROPPABLE:
            if name in sent and re.search(rf"\b{name}\b", words):
                gone = {"logprobs", "top_logprobs"} if name.endswith("logprobs") else {name}
                known = gone <= self.dropped
                self.dropped |= gone
                return "" if known else f"does not take {name!r}; it is left out"
        return None
