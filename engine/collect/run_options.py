"""How a run is to be made, beyond its configuration."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th (from 1) of `count` parts of a plan, cut by the requests' keys."""

    number: int
    count: int

    @property
    def name(self) -> str:
        """The shard as files are named after it."""
        return f"{self.number}-of-{self.count}"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line says of a run.

    `max_usd` beats the configuration's. `fresh` begins a new run instead of continuing the last one.
    `command` is what the user typed, for the words on how to go on. Parts are cut from the journal after
    `cut_calls` answers or `cut_seconds`, whichever comes first, and at the end; a batch has
    `batch_calls` calls at most. After an interruption,
    answers under way have `grace_s` seconds to arrive. Where shards are handed out, `run_id` and `step` say
    which run and which of its stages is meant, and a lock is waited for `wait_s` seconds. Judgments whose
    status or shortfall is in `redo` are withdrawn and asked again, also where the configuration changed.
    `share_usd` is what a shard may spend in this start, where others spend the rest of the cap.
    `cache` and `concurrency` beat those of the configuration where they are given; `keep_raw` adds to it.
    """

    max_usd: float | None = None
    fresh: bool = False
    shard: Shard | None = None
    share_usd: float | None = None
    command: str | None = None
    cut_calls: int = 20_000
    batch_calls: int = 10_000
    cut_seconds: float = 30.0
    grace_s: float = 5.0
    run_id: str | None = None
    step: int | None = None
    wait_s: float = 0.0
    redo: frozenset[str] = frozenset()
    cache: bool | str | None = None
    keep_raw: bool = False
    concurrency: int | Literal["auto"] | None = None
