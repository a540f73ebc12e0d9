"""Files with something changed: bytes, words, lines, or parts of their format."""

import random
import re
from collections.abc import Callable, Sequence

from .samples import Files
from .structured import restructured

MOST_BYTES = 300_000
"""Bytes that a file grows to at most, all but some that are repeated many times."""

Mutation = Callable[[bytes, random.Random], bytes]

_WORD = re.compile(rb"\w+|\s+|[^\w\s]")

ODD = (
    *(b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3\x28", b"\xed\xa0\x80", b"\r", b"\r\n", b"\x1b[2J"),
    *(
        b'"',
        b"'",
        b'""',
        b"\\",
        b"\\ud800",
        b"\\u0000",
        b",",
        b";",
        b"\t",
        b"=",
        b"#",
        b"[",
        b"]",
        b"{",
        b"}",
    ),
    *(b"[" * 2000, b"{" * 2000, b'{"a":' * 1500, b"9" * 5000, b"((" * 500, b"a" * 20_000, b"$$" * 1000),
    *(b"0", b"-0", b"-1", b"1.5", b"1e400", b"NaN", b"Infinity", b"null", b"true", b"True", b"none", b"None"),
    *(b"9223372036854775808", b"18446744073709551616", b"0x10", b"1_000", b"1e5", b"0.1.2", b"1979-05-27"),
    *(
        b"../../etc/passwd",
        b"/dev/zero",
        b"~nobody/x",
        b"file:///",
        b"=1+1",
        b"<script>",
        b"{{x}}",
        b"{{>x}}",
        b"--- x ---",
    ),
    *("\u202e".encode(), "\u2028".encode(), "İ".encode(), "ﬁ".encode(), "𝟙".encode(), "é\u0301".encode()),
)
"""Bytes that readers stumble over."""


def mutated(files: Files, rng: random.Random, others: Sequence[Files]) -> Files:
    """Return the files with one to four changes; parts may be taken from `others`."""
    changed = dict(files)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        name = rng.choice(sorted(changed))
        if len(changed) > 1 and rng.random() < 0.02:
            del changed[name]
            continue
        if rng.random() < 0.5:
            changed[name] = restructured(name, changed[name], rng)
        elif rng.random() < 0.1:
            changed[name] = _spliced(changed[name], rng, rng.choice(others))
        else:
            changed[name] = rng.choice(_MUTATIONS)(changed[name], rng)
        changed[name] = changed[name][:MOST_BYTES]
    return changed


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _stretch(data: bytes, rng: random.Random) -> slice:
    start = _place(data, rng)
    return slice(start, start + int(rng.choice((1, 2, 8, 64, 1024)) * rng.random()) + 1)


def _flipped(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _set(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + bytes([rng.choice((0, 1, 10, 13, 34, 44, 127, 128, 255))]) + data[at + 1 :]


def _removed(data: bytes, rng: random.Random) -> bytes:
    gone = _stretch(data, rng)
    return data[: gone.start] + data[gone.stop :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)]


def _doubled(data: bytes, rng: random.Random) -> bytes:
    part = _stretch(data, rng)
    times = rng.choice((1, 1, 2, 10, 300))
    return data[: part.start] + data[part] * times + data[part.start :]


def _inserted(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + rng.choice(ODD) + data[at:]


def _spliced(data: bytes, rng: random.Random, other: Files) -> bytes:
    at, taken = _place(data, rng), other[rng.choice(sorted(other))]
    return data[:at] + taken[_place(taken, rng) :]


def words_of(data: bytes) -> list[bytes]:
    """Split the bytes into words, white space, and single punctuation marks."""
    return _WORD.findall(data)


def _word_replaced(data: bytes, rng: random.Random) -> bytes:
    words = words_of(data)
    if not words:
        return data
    words[rng.randrange(len(words))] = rng.choice(ODD) if rng.random() < 0.6 else rng.choice(words)
    return b"".join(words)


def _words_swapped(data: bytes, rng: random.Random) -> bytes:
    words = words_of(data)
    if words:
        one, two = rng.randrange(len(words)), rng.randrange(len(words))
        words[one], words[two] = words[two], words[one]
    return b"".join(words)


def _lines_changed(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    what, at = rng.randrange(4), rng.randrange(len(lines))
    if what == 0:
        del lines[at]
    elif what == 1:
        lines[at:at] = [lines[at]] * rng.choice((1, 2, 50))
    elif what == 2:
        rng.shuffle(lines)
    else:
        lines[at] = rng.choice(ODD) + b"\n"
    return b"".join(lines)


_MUTATIONS: tuple[Mutation, ...] = (
    _flipped,
    _set,
    _removed,
    _cut,
    _doubled,
    _inserted,
    _word_replaced,
    _word_replaced,
    _words_swapped,
    _lines_changed,
)
