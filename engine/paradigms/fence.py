"""Material fenced off from instructions: tags that no text within them can hold."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Fence:
    """Tags such as `<response-3f09c2a17b>`, of which the code stands in none of the texts."""

    code: str

    def around(self, name: str, text: str) -> str:
        """Return the text between its tags, each on a line of its own."""
        return f"<{name}-{self.code}>\n{text}\n</{name}-{self.code}>"


def fence_for(shared: Iterable[str], others: Iterable[str] = ()) -> Fence:
    """Return a fence for all these texts; equal on every machine.

    The code is made of the `shared` texts alone, so that requests about one response begin alike and a
    provider can remember what they have in common. It is made anew until it stands in none of the texts,
    in capital or small letters.
    """
    shared = list(shared)
    everything = [text.casefold() for text in (*shared, *others)]
    attempt = 0
    while True:
        digest = hashlib.blake2b(attempt.to_bytes(4, "big"), digest_size=_DIGITS // 2)
        for text in shared:
            digest.update(len(text).to_bytes(8, "big") + text.encode("utf-8", "surrogatepass"))
        code = digest.hexdigest()
        if not any(code in text for text in everything):
            return Fence(code)
        attempt += 1
