"""A response on its way: the sentences of its topic, how they are laid out and what stands around them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

DEFAULT_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class Topic:
    """Sentences about one subject: ten that always fit, and two for each of two words that they lack."""

    topic: str
    theme: str
    subject: str
    title: str
    sentences: Sequence[str]
    words: Mapping[str, Sequence[str]]
    question: str
    answer: str
    reason: str
    foreign: Mapping[str, str] | None = None


@dataclass(slots=True)
class Draft:
    """A response on its way: sentences of its topic, how they are laid out, and what stands around them."""

    topic: Topic
    rng: np.random.Generator
    lead: str = ""
    size: int = DEFAULT_SENTENCES
    added: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    text: str | None = None
    changes: list[Callable[[list[str]], list[str]]] = field(default_factory=list)
    layout: Callable[[list[str]], str] | None = None
    head: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    ending: str | None = None
    finish: Callable[[str], str] = str

    def pick(self, *choices: str) -> str:
        """Draw one of several texts."""
        return choices[int(self.rng.integers(len(choices)))]

    def write(self) -> str:
        """Return the response."""
        order = self.rng.permutation(len(self.topic.sentences))[: self.size]
        sentences = [*self.first, *(self.topic.sentences[i] for i in order), *self.added]
        if self.lead:
            sentences.insert(0, self.lead)
        for change in self.changes:
            sentences = change(sentences)
        body = self.text or (self.layout or prose)(sentences)
        parts = [*self.head, body, *self.tail, *([self.ending] if self.ending else [])]
        return self.finish("\n".join(parts))


def prose(sentences: list[str]) -> str:
    """Lay sentences out in one paragraph, or in two where they are many."""
    middle = (len(sentences) + 1) // 2
    halves = [sentences[:middle], sentences[middle:]] if len(sentences) > DEFAULT_SENTENCES else [sentences]
    return "\n\n".join(" ".join(half) for half in halves)


def parts(count: int, joint: str, start: str = "") -> Callable[[list[str]], str]:
    """Return the layout of so many parts; `start` may have a place for the part's number."""

    def layout(sentences: list[str]) -> str:
        cut = np.array_split(np.arange(len(sentences)), count)
        return joint.join(
            start.format(n) + " ".join(sentences[i] for i in part) for n, part in enumerate(cut, start=1)
        )

    return layout
