"""How many tokens a text has, between a low and a high count, without any model's tokenizer.

A tokenizer's pieces depend on the script above all: the tokens of 100 characters are about 22 in English, 30
to 60 in code, 60 to 120 in Chinese and Korean, and 30 to 190 in the scripts of India and Thailand. Running
each model's tokenizer on every prompt would need a download for each, and cost more than the estimate is
worth. So characters are counted by kind, in UTF-8, whose first byte of a character tells its script.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.collect.calls import Message


@dataclass(frozen=True, slots=True)
class TokenRange:
    """The fewest and the most tokens to expect."""

    low: int
    high: int

    @property
    def middle(self) -> int:
        return (self.low + self.high + 1) // 2


@dataclass(frozen=True, slots=True)
class _Kind:
    """The tokens of a character, by its first byte in UTF-8 (`first` to `last`).

    `low` is that of recent vocabularies with 200,000 tokens, `high` that of older ones, and a little more.
    """

    first: int
    last: int
    low: float
    high: float


_LETTER = _Kind(0x61, 0x7A, 0.2, 0.3)
_SPACE = _Kind(0x20, 0x20, 0.0, 0.2)  # mostly part of the next word
_OTHER = _Kind(0x00, 0x7F, 0.25, 1.0)  # digits, signs, line ends, and capitals, as in codes and keys

_SCRIPTS = (
    _Kind(0xC0, 0xCA, 0.2, 1.8),  # Latin letters with marks: each may split its word
    _Kind(0xCB, 0xD3, 0.2, 1.5),  # Greek, Cyrillic
    _Kind(0xD4, 0xDF, 0.2, 2.0),  # Armenian, Hebrew, Arabic
    _Kind(0xE0, 0xE0, 0.25, 2.5),  # the scripts of India, Thai, Lao
    _Kind(0xE1, 0xE1, 0.5, 3.0),  # Georgian, Ethiopic, Khmer and others that few vocabularies know
    _Kind(0xE2, 0xE2, 0.5, 2.5),  # quotation marks, dashes, arrows, symbols of mathematics
    _Kind(0xE3, 0xE9, 0.5, 1.5),  # Chinese and Japanese
    _Kind(0xEA, 0xED, 0.5, 1.6),  # Korean
    _Kind(0xEE, 0xEF, 0.3, 2.0),  # wide forms, such as Chinese punctuation
    _Kind(0xF0, 0xFF, 1.0, 4.0),  # emoji and rare characters
)

_INNER = 0xFF
_KINDS = (_OTHER, _LETTER, _SPACE, *_SCRIPTS)
_TABLE = bytes(
    max((n for n, kind in enumerate(_KINDS) if kind.first <= byte <= kind.last), default=_INNER)
    for byte in range(256)
)
"""The kind of a character by its first byte; its other bytes have none."""

A_MESSAGE = TokenRange(4, 8)
"""The tokens around each message of a chat."""


def text_tokens(text: str) -> TokenRange:
    """Return the least and most tokens that a text is likely to have."""
    kinds = text.encode("utf-8", "surrogatepass").translate(_TABLE)
    counts = [0, kinds.count(1), kinds.count(2)]
    if text.isascii():
        counts[0] = len(kinds) - sum(counts)
    else:
        counts[0] = kinds.count(0)
        counts += [kinds.count(number) for number in range(3, len(_KINDS))]
    low = sum(count * kind.low for count, kind in zip(counts, _KINDS, strict=False))
    high = sum(count * kind.high for count, kind in zip(counts, _KINDS, strict=False))
    return TokenRange(int(low), int(high) + 1)


def message_tokens(messages: Sequence[Message]) -> TokenRange:
    """Return the least and most tokens that a prompt is likely to have."""
    ranges = [text_tokens(message["content"]) for message in messages]
    return TokenRange(
        sum(each.low + A_MESSAGE.low for each in ranges), sum(each.high + A_MESSAGE.high for each in ranges)
    )


def prompt_tokens(messages: Sequence[Message]) -> int:
    """Return a high count of a prompt's tokens, for what is reserved before its call."""
    return message_tokens(messages).high
