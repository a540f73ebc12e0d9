"""The texts of one request, in fences: tags that no text inside can contain."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from engine.messages import conversation
from engine.rubric_options import ScoreOption
from engine.shown_order import shown_scores

_DIGITS = 10
_ROLES = ("user", "assistant", "system", "developer", "tool")


@dataclass(frozen=True, slots=True)
class Fence:
    """Tags such as `<response-3f09c2a17b>`, whose code occurs in none of the texts."""

    code: str

    def around(self, name: str, text: str | None) -> str | None:
        """Return the text between its tags, each on its own line; an empty text counts, unlike None."""
        return None if text is None else f"<{name}-{self.code}>\n{text}\n</{name}-{self.code}>"

    def around_response(self, name: str, text: str | None, author: str | None) -> str | None:
        """Return a response between tags, after the name of its author if one is shown."""
        if text is None or author is None:
            return self.around(name, text)
        return f"It was written by:\n\n{self.around('author', author)}\n\n{self.around(name, text)}"


def fence_for(shared: Sequence[str], others: Iterable[str] = ()) -> Fence:
    """Return a fence for all these texts, the same on every machine.

    The code is derived from the `shared` texts alone, so that requests about one response have a common
    prefix that a provider can cache. It is derived again until it occurs in none of the texts, in upper or
    lower case.
    """
    everything = [text.casefold() for text in (*shared, *others)]
    for attempt in count():
        digest = hashlib.blake2b(attempt.to_bytes(4, "big"), digest_size=_DIGITS // 2)
        for text in shared:
            digest.update(len(text).to_bytes(8, "big") + text.encode("utf-8", "surrogatepass"))
        code = digest.hexdigest()
        if not any(code in text for text in everything):
            break
    return Fence(code)


@dataclass(frozen=True, slots=True)
class Criterion:
    """A rubric's text without its points; `undesirable` says only that meeting it is bad."""

    text: str
    undesirable: bool = False
    options: tuple[ScoreOption, ...] = ()


def in_ordering(criterion: Criterion, ordering: str) -> Criterion:
    """Return the criterion with its options in an order such as `5-4-3-2-1`, ignoring unknown scores."""
    scores = shown_scores(ordering)
    options = {option.score: option for option in criterion.options}
    return replace(criterion, options=tuple(options[score] for score in scores if score in options))


@dataclass(frozen=True, slots=True)
class RequestTexts:
    """The texts of a request: the prompt, the response (and the opponent's), the criteria in the order shown.

    `responses` are those of a list, in the order shown; `authors` and the like are the authors shown to the
    judge. None is a missing text.
    """

    prompt: str | None = None
    response: str | None = None
    opponent: str | None = None
    criteria: tuple[Criterion, ...] = ()
    reference_answer: str | None = None
    context: str | None = None
    responses: tuple[str | None, ...] = ()
    author: str | None = None
    opponent_author: str | None = None
    authors: tuple[str | None, ...] = ()

    def fence(self) -> Fence:
        shared = [self.prompt, self.response, self.opponent, *self.responses]
        shared += [self.reference_answer, self.context]
        criteria = [each.text for each in self.criteria]
        options = [option.text for each in self.criteria for option in each.options]
        authors = [name for name in (self.author, self.opponent_author, *self.authors) if name is not None]
        return fence_for([text for text in shared if text is not None], [*criteria, *options, *authors])

    def values(self, fence: Fence, extra: Mapping[str, str | None]) -> dict[str, str | None]:
        """Return the values common to all paradigms, with the `extra` ones of one paradigm."""
        return {
            "prompt": _prompt(self.prompt, fence),
            "response": fence.around_response("response", self.response, self.author),
            "reference_answer": fence.around("reference-answer", self.reference_answer or None),
            "context": fence.around("context", self.context or None),
            **extra,
        }


def _prompt(prompt: str | None, fence: Fence) -> str | None:
    """Return the conversation between tags; each of several messages has its own tags."""
    messages = conversation(prompt)
    if not messages:
        return fence.around("prompt", prompt)
    if len(messages) == 1 and messages[0].role == "user":
        return fence.around("prompt", messages[0].text)
    turns = (fence.around(each.role if each.role in _ROLES else "user", each.text) for each in messages)
    return fence.around("prompt", "\n".join(filter(None, turns)))


def numbered_list(criteria: Iterable[Criterion], *, marks: bool) -> str | None:
    """Return criteria as a numbered list; with `marks` the undesirable ones are marked as such."""
    lines = []
    for number, each in enumerate(criteria, 1):
        mark = "(undesirable) " if marks and each.undesirable else ""
        indented = each.text.replace("\n", "\n" + " " * (len(str(number)) + 2))
        lines.append(f"{number}. {mark}{indented}")
    return "\n".join(lines) or None
