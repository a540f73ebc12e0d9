"""Answers that were paid for once, used again wherever the same would be sent: in another run or study.

An answer is known by what was asked: the model, its address and parameters, the messages, whether
probabilities were wanted, and the number of the trial. Only whole answers are stored: no errors, none that
was cut off, empty or refused. No key is stored, as none is part of what an answer is known by.
"""

import gzip
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import pydantic

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.config import ModelConfig, RunConfig, RunOptions
from engine.collect.model_settings import wanted_logprobs
from engine.collect.sqlite_files import LOG, NOT_PACKED, SideFile, numbers, packed_json

NAME = "answers"
_FORM = 1
"""The form of keys and answers; another one finds nothing of this one."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, at REAL NOT NULL, cost_usd REAL, answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS damaged (key TEXT, at REAL, answer BLOB);
"""
_PUT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)"
_REPLY = pydantic.TypeAdapter(Reply)
_DAY_S = 86_400.0


def call_key(
    identity: Mapping[str, object], config: ModelConfig, request: CallRequest, messages: Sequence[Message]
) -> str:
    """Return what the answer to a call is known by; `identity` is that of `Models.identity`."""
    logprobs = wanted_logprobs(config, request)
    way = f"prompt: {config.prompt_logprobs}" if logprobs == "prompt" else logprobs
    parts = [_FORM, identity, messages, way, request.subject.trial]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return blake2b(text.encode(), digest_size=20).hexdigest()


def is_complete(reply: Reply) -> bool:
    """Return whether an answer is worth storing: it is whole, whether or not a verdict can be read in it."""
    return not reply.refused and reply.finish_reason != "length" and reply.shortfall in (None, "malformed")


@dataclass(frozen=True, slots=True)
class Holding:
    """What the cache holds of one model; the dates are in seconds since 1970.

    `cost_usd` is what the answers cost when they were paid for, as far as that is known.
    """

    model: str
    answers: int
    size_bytes: int
    cost_usd: float | None
    oldest: float
    newest: float


class AnswerCache:
    """The cache in a folder, which several runs may use at once; raises StoreError as `SideFile` does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = SideFile(folder, NAME, _SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return an answer, for nothing: `saved_usd` says what it cost when it was paid for.

        A damaged one is set aside, and is to be asked again.
        """
        for (packed,) in self._file.read("SELECT answer FROM answers WHERE key = ?", (key,)):
            try:
                reply = _REPLY.validate_json(gzip.decompress(packed))
            except NOT_PACKED as error:
                LOG.warning("%s: the answer %s is damaged (%s) and asked again", self._file.path, key, error)
                self._file.write("INSERT INTO damaged VALUES (?, ?, ?)", (key, time.time(), packed))
                self._file.write("DELETE FROM answers WHERE key = ? AND answer IS ?", (key, packed))
                return None
            return replace(reply, cached=True, saved_usd=reply.cost_usd, cost_usd=0.0, latency_s=None)
        return None

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store an answer that is complete; `model` is the provider's name for who gave it."""
        if reply.cached or not is_complete(reply):
            return
        self._file.write(_PUT, (key, model, time.time(), reply.cost_usd, packed_json(reply)))

    def holdings(self) -> list[Holding]:
        """Return what is held of each model, the most answers first."""
        rows = self._file.read(
            "SELECT model, count(*), sum(length(answer)), sum(cost_usd), min(at), max(at) "
            "FROM answers GROUP BY model ORDER BY count(*) DESC, model"
        )
        return [Holding(*row) for row in rows]

    def clear(self, *, older_than_s: float | None = None, model: str | None = None) -> int:
        """Remove answers, all of them unless narrowed, and return how many."""
        before = time.time() - older_than_s if older_than_s is not None else None
        removed = self._file.change(
            "DELETE FROM answers WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2)",
            (before, model),
        )
        if before is None and model is None:
            self._file.change("DELETE FROM damaged")
        self._file.shrink()
        return removed

    @property
    def size_bytes(self) -> int:
        """What the cache takes on the disk, files that are damaged included."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{NAME}-*"))

    @property
    def damaged(self) -> int:
        """How many answers and whole files were damaged and set aside."""
        rows: int = sum(count for (count,) in self._file.read("SELECT count(*) FROM damaged"))
        return rows + sum(1 for _ in self.folder.glob(f"{NAME}-*.damaged"))

    def close(self) -> None:
        """Write what waits to be written, and close."""
        self._file.close()


def default_folder() -> Path:
    """Return where answers are cached unless a folder is named: XDG_CACHE_HOME/spb, else ~/.cache/spb."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spb" / NAME


def opened_cache(config: RunConfig, options: RunOptions, *, write: bool = True) -> AnswerCache | None:
    """Return the cache of a run, None where it has none, or where there is nothing in it and none is made.

    What the command says comes before the configuration, whose folders start from its own.
    """
    wanted = config.run.cache if options.cache is None else options.cache
    if not wanted:
        return None
    folder = default_folder() if wanted is True else config.folder / os.path.expanduser(wanted)
    return AnswerCache(folder) if write or numbers(folder, NAME) else None


def age_s(text: str) -> float | None:
    """Return the seconds of an age such as `30d`, `12h` or `7` (days); None where it is none."""
    units = {"d": _DAY_S, "h": 3_600.0, "m": 60.0, "w": 7 * _DAY_S}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, _DAY_S)
    return float(number) * unit if number.isascii() and number.isdecimal() and len(number) < 7 else None
