"""Each odd value in the place of every value and word of a corpus, which chance may miss for hours."""

import csv
import io
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import gcd
from typing import Any

from .mutating import ODD, words_of
from .structured import VALUES, places_of
from .trying import Input


@dataclass(frozen=True)
class _Part:
    """The possible changes of one file of an entry: a number of places, each with a number of odd values."""

    entry: Input
    file: str
    places: int
    odd: int
    changed: Callable[[int, int], bytes]


class Sweep:
    """The inputs of a corpus in which one place is odd, in an order that goes through all parts evenly."""

    def __init__(self, corpus: Sequence[Input]) -> None:
        files = [(entry, file) for entry in corpus for file in sorted(entry.files)]
        self._parts = [part for entry, file in files for part in _parts(entry, file)]
        self._ends = list(accumulate(part.places * part.odd for part in self._parts))
        self._step = _step(len(self))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __call__(self, number: int) -> Input | None:
        """Return the input of that number, None beyond the last one."""
        if number >= len(self):
            return None
        number = number * self._step % len(self)
        which = bisect_right(self._ends, number)
        part = self._parts[which]
        place, odd = divmod(self._ends[which] - 1 - number, part.odd)
        files = dict(part.entry.files) | {part.file: part.changed(place, odd)}
        return Input(part.entry.reader, f"{part.entry.entry} {part.file} #{number}", files)


def _step(size: int) -> int:
    """Return a step that visits all of `size` numbers, each far from the ones just before."""
    step = max(int(size * 0.618), 1)
    while gcd(step, size) > 1:
        step += 1
    return step


def _parts(entry: Input, file: str) -> list[_Part]:
    data, suffix = entry.files[file], file.rpartition(".")[2]
    if suffix in ("parquet", "eval", "gz"):
        return []
    words = words_of(data)
    shown = [place for place, word in enumerate(words) if not word.isspace()]

    def worded(place: int, odd: int) -> bytes:
        return b"".join([*words[: shown[place]], ODD[odd], *words[shown[place] + 1 :]])

    parts = [_Part(entry, file, len(shown), len(ODD), worded)]
    form = _FORMS.get(suffix)
    value = None if form is None else _read(form[0], data)
    if form is not None and value is not None:

        def valued(place: int, odd: int) -> bytes:
            fresh = form[0](data)
            container, key = places_of(fresh)[place]
            container[key] = VALUES[odd]
            return form[1](fresh)

        parts.append(_Part(entry, file, len(places_of(value)), len(VALUES), valued))
    return parts


def _read(reads: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return reads(data)
    except (ValueError, RecursionError, csv.Error):  # an entry that was once a finding may be broken
        return None


def _lines(data: bytes) -> Any:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def _rows(data: bytes) -> Any:
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _csv(rows: Any) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(row if isinstance(row, list) else [row] for row in rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


_FORMS: dict[str, tuple[Callable[[bytes], Any], Callable[[Any], bytes]]] = {
    "json": (json.loads, _json),
    "jsonl": (_lines, lambda rows: b"".join(_json(row) + b"\n" for row in rows)),
    "csv": (_rows, _csv),
}
