"""The options of one start of a run."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`-th (from 1) of `count` parts of a plan, divided by the requests' keys."""

    number: int
    count: int

    @property
    def name(self) -> str:
        return f"{self.number}-of-{self.count}"

    def holds(self, key: str) -> bool:
        """Return whether the request with a key, its call's id, is in this part; each is in exactly one."""
        return int(key[:15], 16) % self.count == self.number - 1


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The command line's options for a run.

    `max_usd`, `cache` and `concurrency` override the configuration if given; `keep_raw` can only switch it
    on. `fresh` begins a new run instead of continuing the last one. `command` is what the user typed, for
    messages on how to continue. The recorded calls are added to the study after `collect_calls` answers or
    `collect_seconds`, and at the end; a batch has at most `batch_calls` calls. After an interruption,
    answers under way have `grace_s` seconds to arrive. For distributed shards, `run_id` and `step` identify
    the run and its stage, and a lock is awaited for `wait_s` seconds. Judgments whose status or shortfall is
    in `redo` are withdrawn and requested again, even if the configuration changed. `share_usd` is what a
    shard may spend in this start, if others spend the rest of the cap. `no_cap` lifts a configuration's cap.
    With `abandon_batches`, batches under way are forgotten, and their calls made again.
    """

    max_usd: float | None = None
    no_cap: bool = False
    fresh: bool = False
    shard: Shard | None = None
    share_usd: float | None = None
    command: str | None = None
    collect_calls: int = 20_000
    batch_calls: int = 10_000
    collect_seconds: float = 30.0
    grace_s: float = 5.0
    run_id: str | None = None
    step: int | None = None
    wait_s: float = 0.0
    redo: frozenset[str] = frozenset()
    abandon_batches: bool = False
    cache: bool | str | None = None
    keep_raw: bool = False
    concurrency: int | Literal["auto"] | None = None
