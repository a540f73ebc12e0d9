"""What the server does with a call: words such as `ok`, `429` or `hang`, one for each attempt."""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

WORDS = {
    "ok": "an answer",
    "slow": "an answer after 50 milliseconds",
    "429": "too many requests, no word on when to come back",
    "429-after": "too many requests, Retry-After: 1",
    "429-date": "too many requests, Retry-After as an HTTP date one second ahead",
    "429-long": "too many requests, Retry-After: 86400",
    "quota": "too many requests because nothing is left on the account",
    "500": "a server error",
    "503": "a server that is overloaded",
    "502-html": "a gateway's page of HTML",
    "400": "a bad request",
    "400-temperature": "a bad request while a temperature is sent, then an answer",
    "400-top": "a bad request while more than 5 top_logprobs are asked for, then an answer",
    "400-policy": "a prompt that the provider's filter stops",
    "401": "a wrong key; the error repeats the key that was sent",
    "key": "an answer that repeats the key that was sent",
    "403": "a key without permission",
    "404": "an unknown model",
    "reset": "the connection is reset before an answer",
    "reset-half": "the connection is reset after half an answer",
    "half": "the connection is closed after half an answer",
    "hang": "no answer at all, until the client leaves",
    "bad-json": "an answer that is no JSON, with status 200",
    "html": "a page of HTML, with status 200",
    "no-choices": "an answer without choices",
    "error-in-200": "an error object, with status 200",
    "empty": "an answer of no text",
    "null": "an answer whose text is null",
    "refusal": "the provider's refusal field",
    "filtered": "the finish reason content_filter",
    "truncated": "the finish reason length, in the middle of a word",
    "huge": "an answer of 10 MB",
    "endless": "an answer of 64 MB",
    "wrong-count": "one verdict more than was asked for",
    "prose": "words without a verdict",
    "think": "an answer after <think>...</think>",
    "reasoning": "an answer with reasoning_content beside it",
}
"""Everything that can be asked for, and what it does."""


@dataclass(frozen=True)
class Script:
    """Which words a call gets, attempt after attempt; `ok` follows the last word.

    In this order: the request's header `x-loopback`, the model's name if it is words joined by commas
    (`429,500,hang`; a word ending in `*` repeats for ever), `models` (model -> words), and finally chance:
    with probability `share` a call meets one of `faults`, and again with the same probability on each next
    attempt, `most` times in a row at most. Chance is seeded by `seed` and the call's identity.
    """

    models: Mapping[str, Sequence[str]] = field(default_factory=dict)
    share: float = 0.0
    faults: Sequence[str] = ("429", "500", "503", "reset", "half", "bad-json", "html")
    most: int = 3
    seed: int = 0

    def word(self, identity: str, model: str, header: str | None, attempt: int) -> str:
        """Return the word for the attempt (from 0) of the call with this identity."""
        words = self._words(model, header)
        if words:
            return words[attempt] if attempt < len(words) else _word_after(words[-1])
        if not self.share or attempt >= self.most:
            return "ok"
        rng = random.Random(f"{self.seed} {identity} {attempt}")
        return rng.choice(list(self.faults)) if rng.random() < self.share else "ok"

    def _words(self, model: str, header: str | None) -> Sequence[str]:
        if header:
            return header.split(",")
        if all(word.removesuffix("*") in WORDS for word in model.split(",")):
            return model.split(",")
        return self.models.get(model, ())

    def to_json(self) -> str:
        """Return the script as JSON text for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Script":
        """Return the script in a JSON text."""
        return cls(**json.loads(text))


def _word_after(last: str) -> str:
    return last if last.endswith("*") else "ok"


def identity_of(body: Mapping[str, Any]) -> str:
    """Return the identity of a call: its model and messages, as 16 hexadecimal digits."""
    text = json.dumps([body.get("model"), body.get("messages")], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
