"""What the values of a column mean, as `--value COLUMN:VALUE=MEANING` says it."""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import UsageError
from engine.values import written_form


def value_maps(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the maps of `--value choice:0=first,1=second`; UsageError if malformed or contradictory.

    A value may hold `=`, since its meaning follows the last one, and commas if it is in double quotes.
    """
    maps: dict[str, dict[str, str]] = {}
    for text in texts:
        column, colon, rest = text.partition(":")
        parts = next(csv.reader([rest.replace(', "', ',"')]), [])
        meanings = [part.rpartition("=") for part in parts]
        if not (
            colon and column.strip() and meanings and all(sign and new.strip() for _, sign, new in meanings)
        ):
            raise UsageError(
                f"--value {text!r} is not COLUMN:VALUE=MEANING; write for example --value choice:0=a,1=b, "
                'and a value that holds a comma in double quotes: choice:"yes, a"=a'
            )
        column_map = maps.setdefault(column.strip(), {})
        for old, _, new in meanings:
            if new.strip() == "?":
                raise UsageError(
                    f"--value {text!r} leaves {old.strip()!r} open; write its meaning in place of the ?"
                )
            if column_map.setdefault(spelling_of(old), new.strip()) != new.strip():
                raise UsageError(f"--value {text!r} gives {old.strip()!r} two meanings; keep one")
    return {column: by_key(column_map) for column, column_map in maps.items()}


def value_text(column: str, meanings: Mapping[str, str]) -> str:
    """Return the text of `--value` for the meanings of a column's values."""

    def quoted(part: str) -> str:
        return '"' + part.replace('"', '""') + '"' if set(part) & set(',"\n') else part

    return f"{column}:" + ",".join(f"{quoted(old)}={new}" for old, new in meanings.items())


def by_key(spelled: Mapping[str, str]) -> dict[str, str]:
    """Return meanings of values as written by the values' keys, but for spellings of one key that differ.

    Those stay as written: `X` may be yes, and `x` no.
    """
    words = defaultdict[str, set[str]](set)
    for spelling, meaning in spelled.items():
        words[spelling.casefold()].add(meaning)
    return {
        spelling if len(words[spelling.casefold()]) > 1 else spelling.casefold(): meaning
        for spelling, meaning in spelled.items()
    }


def merged_meanings(base: Mapping[str, str], over: Mapping[str, str]) -> dict[str, str]:
    """Return both together; `over` wins where both have a key, in any spelling."""
    keys = {each.casefold() for each in over}
    return {**{each: word for each, word in base.items() if each.casefold() not in keys}, **over}


def keys_of(value: Any, meanings: Mapping[str, str]) -> list[str]:
    """Return the keys of a map that are a value's: its own spelling, else all that differ from it by case.

    1, 1.0 and `1` are one value.
    """
    spelling = spelling_of(value)
    if spelling in meanings:
        return [spelling]
    key = spelling.casefold()
    return [each for each in meanings if each.casefold() == key]


def value_key(value: Any) -> str:
    """Return the key of a value in a map: case folded, stripped, whole numbers without decimals."""
    return spelling_of(value).casefold()


def spelling_of(value: Any) -> str:
    """Return a value as a map has it: stripped, whole numbers without decimals."""
    text = written_form(value).strip()
    return text.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", text) else text
