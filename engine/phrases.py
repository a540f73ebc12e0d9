"""Building blocks of sentences in every layer: capitals, plurals, lists, times."""

import math
from collections.abc import Sequence

_SHORT, _BEFORE = 80, 30  # characters that are shown of texts that differ, and before their difference


def sentence_case(text: str) -> str:
    """Return the text with an initial capital, unless its first word is an identifier such as `o_self`."""
    first = text.partition(" ")[0]
    return text if "_" in first else text[:1].upper() + text[1:]


def full_stop(text: str) -> str:
    """Return the text with a full stop at its end, added if missing."""
    return f"{text.removesuffix('.')}."


def quantity(number: int, thing: str) -> str:
    """Return `1 judge`, `3 judges` or `2 families`."""
    return f"{number:,} {thing if number == 1 else plural(thing)}"


def criteria(number: int, different: int) -> str:
    """Return `300 criteria (5 different ones)`, of questions that share them, `3 criteria`, or `1 criterion`.

    One that all questions share is one.
    """
    if different in (1, number):
        return quantity(different, "criterion")
    return f"{quantity(number, 'criterion')} ({different:,} different ones)"


def part_of(number: int, total: int, thing: str, things: str = "") -> str:
    """Return `3 of 9 judges`, `all 9 judges`, `both judges`, `none of 9 judges` or `neither judge`.

    Of one thing it is `the only judge` or `no judge`. `things` is the plural where `plural` has another. A
    verb is that of one thing if `number` is below 2.
    """
    several = things or plural(thing)
    if total < 2:
        return f"the only {thing}" if number else f"no {thing}"
    if number == 0:
        return f"neither {thing}" if total == 2 else f"none of {total:,} {several}"
    if number == total:
        return f"both {several}" if total == 2 else f"all {total:,} {several}"
    return f"{number:,} of {total:,} {several}"


def how_many(number: int, total: int) -> str:
    """Return `3`, `all`, `both` or `none`, of what a sentence has counted already."""
    if number == 0:
        return "none"
    return f"{number:,}" if number < max(total, 2) else "both" if total == 2 else "all"


def plural(thing: str) -> str:
    """Return the plural of a noun: `judges`, `families`, `batches`, `criteria`."""
    if thing.endswith("criterion"):
        return f"{thing.removesuffix('on')}a"
    if thing.endswith("y") and thing[-2:-1] not in "aeiou":
        return f"{thing[:-1]}ies"
    return f"{thing}es" if thing.endswith("ch") else f"{thing}s"


def duration(seconds: float) -> str:
    """Return a time, rounded up, in the largest unit of which there are two: `8 seconds`, `2.5 hours`."""
    if seconds < 120:
        return quantity(max(1, math.ceil(seconds)), "second")
    if seconds < 7200:
        return quantity(math.ceil(seconds / 60), "minute")
    hours = math.ceil(seconds / 360) / 10
    return f"{hours:g} hours" if hours < 10 else quantity(math.ceil(hours), "hour")


def dollars(amount: float) -> str:
    """Return an amount in US dollars: `$12.40`, or below ten cents `$0.0034`."""
    return f"${amount:,.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"


def at_most(p: float, sign: str = "at most ") -> str:
    """Return a p-value that may be smaller, rounded up to three decimals: `at most 0.012`."""
    return f"{sign}{math.ceil(p * 1000) / 1000:.3f}"


def join_names(names: Sequence[str], most: int | None = None, last: str = "and") -> str:
    """Return `a, b and c`; names beyond `most` become `N more`, unless there are at most two.

    `last` is the word before the last.
    """
    parts = list(names)
    if most is not None and len(parts) > most + 2:
        parts = [*parts[:most], f"{len(parts) - most:,} more"]
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def around_difference(one: str, other: str) -> tuple[str, str]:
    """Return two texts from a little before the character in which they begin to differ; short ones whole."""
    if max(len(one), len(other)) <= _SHORT:
        return one, other
    pairs = enumerate(zip(one, other, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(place - _BEFORE, 0)
    dots = "…" if start else ""
    return dots + shortened(one[start:], _SHORT), dots + shortened(other[start:], _SHORT)


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, the last of which is an ellipsis where it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
