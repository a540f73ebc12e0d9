"""Which model answered a run's calls: the one that was called, and the same one at every start."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

COUNTED = ("answered_as", "fingerprints", "addresses")
"""Columns of `runs` with what the answers say of their model, where they came from, and how often (JSON)."""

_MOST_VALUES = 20
OTHERS = "(others)"
"""What names beyond the first 20 are counted as."""
_MOST_NAMES = 3
_WORDS = {
    "answered_as": ("its answers name", "before"),
    "fingerprints": ("its server's fingerprint is", "it was"),
    "addresses": ("it is called at", "before at"),
}

_OWN_NAMES = ("azure", "azure_ai", "simulated")
"""Providers whose models are called by a name that the user chose."""
_DATE = re.compile(r"[-@](?:20\d\d-?\d\d-?\d\d|\d{2}-\d{2}|\d{3,4}|\d{6}|latest|default)$")
_ENDING = re.compile(r"(?:-v\d+)?:[\w.-]+$|\.gguf$")


class _Name(NamedTuple):
    base: str
    date: str | None


def is_same_model(called: str, answered: str) -> bool:
    """Return whether the name in an answer is that of the model called, or a dated snapshot of it.

    `called` is litellm's name: `openai/gpt-4o` is answered by `gpt-4o-2024-08-06`, but `gpt-4o-2024-05-13`
    is not, and `gpt-4o-mini` is another model.
    """
    if called.partition("/")[0] in _OWN_NAMES and "/" in called:
        return True
    ours, theirs = _name(called), _name(answered)
    return ours.base == theirs.base and (None in (ours.date, theirs.date) or ours.date == theirs.date)


def _name(text: str) -> _Name:
    """Return a model's name without its provider, folder, spelling and date, and the digits of its date."""
    bare = _ENDING.sub("", text.strip().lower().rstrip("/").rpartition("/")[2])
    bare = re.sub(
        r"^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|amazon|cohere|deepseek|qwen|openai)\.", "", bare
    )
    dated = _DATE.search(bare)
    base = bare if dated is None else bare[: dated.start()]
    date = "" if dated is None else "".join(filter(str.isdigit, dated[0]))
    return _Name(re.sub(r"[._ ]", "-", base), date or None)


def counts_of(stored: str | None) -> Counter[str]:
    """Return the counts in a column of `COUNTED`; empty if it has none or is damaged."""
    try:
        values = json.loads(stored or "{}")
        return Counter({str(name): int(count) for name, count in values.items()})
    except (AttributeError, RecursionError, TypeError, ValueError):
        return Counter()


def add_counts(stored: str | None, new: Mapping[str, int]) -> str | None:
    """Return the counts in a column with others added, in stored form; only the first names stay apart."""
    counts = counts_of(stored)
    for name, count in new.items():
        counts[name if name in counts or len(counts) < _MOST_VALUES else OTHERS] += count
    return json.dumps(counts, ensure_ascii=False, sort_keys=True) if counts else None


def changes_between(before: Mapping[str, Counter[str]], now: Mapping[str, Counter[str]]) -> str:
    """Return what of `COUNTED` two starts have without anything in common; empty if nothing."""
    changes = []
    for column, (is_now, was) in _WORDS.items():
        old, new = before[column], now[column]
        too_many = OTHERS in old or OTHERS in new
        if old and new and not too_many and not old.keys() & new.keys():
            changes.append(f"{is_now} {_names(new)}, {was} {_names(old)}")
    return "; ".join(changes)


def notes_on(rows: Iterable[Mapping[str, Any]], run_id: str | None = None) -> list[str]:
    """Return sentences on models in `runs` that another one answered for, or that changed between starts.

    `run_id`: only those of that run.
    """
    notes: dict[str, None] = {}
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if run_id in (None, row["run_id"]):
            groups.setdefault((row["run_id"], row["model"]), []).append(row)
    for (_, model), group in groups.items():
        called = _called(group, model)
        names: Counter[str] = sum((counts_of(row.get("answered_as")) for row in group), Counter())
        others = Counter({name: n for name, n in names.items() if not is_same_model(called, name)})
        if others:
            share = f"{others.total():,} of {names.total():,} answers"
            notes[f"{share} of {model!r}, called as {called!r}, name another model: {_names(others)}"] = None
        for text in dict.fromkeys(row.get("changed") for row in group if row.get("changed")):
            notes[f"{model!r} changed between starts of the run: {text}"] = None
    return list(notes)


def _called(group: Sequence[Mapping[str, Any]], model: str) -> str:
    """Return the name that a model was called by, as in the run's configuration."""
    for row in group:
        try:
            called = tomllib.loads(row.get("config") or "")["models"][model]["model"]
        except (tomllib.TOMLDecodeError, KeyError, TypeError):
            continue
        if isinstance(called, str):
            return called
    return model


def _names(counts: Counter[str]) -> str:
    shown = [repr(name) for name, _ in counts.most_common(_MOST_NAMES)]
    n_more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {n_more} more" if n_more else "")
