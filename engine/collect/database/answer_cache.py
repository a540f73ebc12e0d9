"""The cache of paid answers, reused wherever the same request would be sent: in another run or study.

An answer's key is its request: the model, its address and parameters, the messages, whether probabilities
were requested, and the number of the trial. Only complete answers are stored: no errors, none that was cut
off, empty or refused. No API key is stored, as none is part of an answer's key.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import pydantic

from engine.collect.calls import CallRequest, Message, Reply
from engine.collect.configuration.config import ModelConfig, RunConfig
from engine.collect.configuration.model_keys import requested_logprobs
from engine.collect.database.packed_values import NOT_PACKED, packed_json, unpacked
from engine.collect.database.shared_file import SharedFile, numbers
from engine.collect.run_log import LOG
from engine.collect.run_options import RunOptions
from engine.process import user_folder

NAME = "answers"
_FORM = 1
"""The version of the form of keys and answers; answers of other versions are not found."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, at REAL NOT NULL, cost_usd REAL, answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS damaged (key TEXT, at REAL, answer BLOB);
"""
_HOLDINGS = """
SELECT model, count(*), sum(length(answer)), sum(cost_usd), min(at), max(at) FROM answers
WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2) GROUP BY model ORDER BY count(*) DESC, model
"""
_DELETE = "DELETE FROM answers WHERE (?1 IS NULL OR at < ?1) AND (?2 IS NULL OR model = ?2)"
_REPLY = pydantic.TypeAdapter(Reply)
_DAY_S = 86_400.0


def call_key(
    identity: Mapping[str, object], config: ModelConfig, request: CallRequest, messages: Sequence[Message]
) -> str:
    """Return the cache key of a call's answer; `identity` comes from `Models.identity`."""
    logprobs = requested_logprobs(config, request)
    logprobs_form = f"prompt: {config.prompt_logprobs}" if logprobs == "prompt" else logprobs
    parts = [_FORM, identity, messages, logprobs_form, request.subject.trial]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), default=str)
    return blake2b(text.encode(), digest_size=20).hexdigest()


@dataclass(frozen=True, slots=True)
class Holding:
    """The cached answers of one model; `cost_usd` is what they cost originally, as far as known.

    `oldest` and `newest` are in seconds since 1970.
    """

    model: str
    answers: int
    size_bytes: int
    cost_usd: float | None
    oldest: float
    newest: float


class AnswerCache(SharedFile):
    """The cache in a folder, which several runs may share."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, NAME, _SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return a cached answer, at no cost, if there is one; a damaged one is set aside and is none."""
        for (packed,) in self.read("SELECT answer FROM answers WHERE key = ?", (key,)):
            try:
                reply = unpacked(_REPLY, packed)
            except NOT_PACKED as error:
                LOG.warning("%s: the answer %s is damaged (%s) and requested again", self.path, key, error)
                self.store("INSERT INTO damaged VALUES (?, ?, ?)", (key, time.time(), packed))
                self.store("DELETE FROM answers WHERE key = ? AND answer IS ?", (key, packed))
                return None
            return replace(reply, cached=True, saved_usd=reply.cost_usd, cost_usd=0.0, latency_s=None)
        return None

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store a new answer if it is complete, readable or not; `model` is the provider's name of it."""
        is_cut_off = reply.finish_reason == "length" or reply.shortfall not in (None, "malformed")
        if not (reply.cached or reply.refused or is_cut_off):
            row = (key, model, time.time(), reply.cost_usd, packed_json(reply))
            self.store("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)

    def holdings(self, *, older_than_s: float | None = None, model: str | None = None) -> list[Holding]:
        """Return the cached answers of each model, most answers first; only the older ones or a model's."""
        return [Holding(*row) for row in self.read(_HOLDINGS, (_before(older_than_s), model))]

    def clear(self, *, older_than_s: float | None = None, model: str | None = None) -> int:
        """Delete all answers, or only the older ones or a model's, and return how many."""
        before = _before(older_than_s)
        count = self.change(_DELETE, (before, model))
        if before is None and model is None:
            self.change("DELETE FROM damaged")
        self.shrink()
        return count

    @property
    def size_bytes(self) -> int:
        """The cache's size on disk, including damaged files."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{NAME}-*"))

    @property
    def damaged(self) -> int:
        """The number of damaged answers and files that were set aside."""
        rows: int = sum(count for (count,) in self.read("SELECT count(*) FROM damaged"))
        return rows + sum(1 for _ in self.folder.glob(f"{NAME}-*.damaged"))


def _before(older_than_s: float | None) -> float | None:
    return None if older_than_s is None else time.time() - older_than_s


def default_folder() -> Path:
    """Return the default cache folder, below XDG_CACHE_HOME/spb, else ~/.cache/spb."""
    return user_folder("XDG_CACHE_HOME") / "spb" / NAME


def open_cache(config: RunConfig, options: RunOptions, *, write: bool = True) -> AnswerCache | None:
    """Return the cache of a run, None if it is off, or empty and not to be created.

    The command's setting overrides the configuration's, whose relative folders start at its file.
    """
    setting = config.run.cache if options.cache is None else options.cache
    if not setting:
        return None
    folder = default_folder() if setting is True else config.folder / os.path.expanduser(setting)
    return AnswerCache(folder) if write or numbers(folder, NAME) else None


def age_s(text: str) -> float | None:
    """Return an age such as `30d`, `12h` or `7` (days) in seconds; None for any other text."""
    units = {"d": _DAY_S, "h": 3_600.0, "m": 60.0, "w": 7 * _DAY_S}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, _DAY_S)
    return float(number) * unit if number.isascii() and number.isdecimal() and len(number) < 7 else None
