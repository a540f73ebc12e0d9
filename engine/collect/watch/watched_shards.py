"""The shards of a run, each made by a command of its own (`spb run --shard K/N`), seen as one run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.collect.configuration.prices import known_sum
from engine.collect.dispatch.run_status import Counts, of_run
from engine.collect.run.run_report import RunReport
from engine.collect.run_options import Shard
from engine.phrases import join_names, quantity

PARTIAL = "partial"
"""The state of a run in shards of which all that have begun are done, and others have not begun."""
LOST = "lost"
"""The state of a run without a final status: its process is gone, or too long silent on another machine."""
_WORST_FIRST = (LOST, "failed", "interrupted", "budget", "time", "errors")
_FOLDER = re.compile(r"shard-([0-9]{1,5})-of-([0-9]{1,5})")
_OPTION = re.compile(r" --shard \S+")
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class WatchedShard:
    """A shard as in its status file; `active` while its process is alive."""

    shard: Shard
    state: str
    status: Mapping[str, Any]
    counts: Counts
    active: bool

    @property
    def name(self) -> str:
        return f"{self.shard.number}/{self.shard.count}"

    @property
    def command_to_continue(self) -> str | None:
        """The command that goes on with a shard that has ended; None if all is answered, or none is known."""
        if self.active or (self.state == "done" and not self.status.get("command_to_continue")):
            return None
        return self.status.get("command_to_continue") or self.status.get("command")

    def facts(self) -> dict[str, Any]:
        """Return what JSON has of a shard."""
        names = ("host", "started_at", "finished_at")
        return {
            "shard": self.name,
            "state": self.state,
            "done": self.counts.answered,
            "total": self.counts.planned,
            "error": self.counts.error,
            "run_cost_usd": of_run(self.status, "run_cost_usd"),
            **{name: self.status.get(name) for name in names},
            "command_to_continue": self.command_to_continue,
        }


def shard_of_folder(name: str) -> Shard | None:
    """Return the shard whose folder in its run's is called so; None for another folder."""
    match = _FOLDER.fullmatch(name)
    return Shard(int(match[1]), int(match[2])) if match else None


def has_own_command(status: Mapping[str, Any]) -> bool:
    """Return whether a shard was begun by a command, not by a run that hands out shards to processes."""
    if "step" in status:
        return status["step"] is None
    return bool(_OPTION.search(str(status.get("command") or "")))  # as earlier versions wrote it


def newest_of(shards: Sequence[WatchedShard]) -> WatchedShard:
    """Return the shard that was started last."""
    return max(shards, key=_start)


def newest_division(shards: Sequence[WatchedShard], own: Mapping[str, Any]) -> list[WatchedShard]:
    """Return the shards of the newest division, in order; none if the run was begun as a whole since."""
    if not shards:
        return []
    newest = newest_of(shards)
    if str(own.get("started_at") or "") >= _start(newest):
        return []
    division = [each for each in shards if each.shard.count == newest.shard.count]
    return sorted(division, key=lambda each: each.shard.number)


def state_of(division: Sequence[WatchedShard]) -> str:
    """Return the state of a run of which these shards have begun."""
    active = [each.state for each in division if each.active]
    if active:
        return "running" if "running" in active else active[0]
    states = {each.state for each in division}
    if worst := next((state for state in _WORST_FIRST if state in states), None):
        return worst
    if len(division) < division[0].shard.count:
        return PARTIAL
    is_unread = "unread" in states and not any(each.counts.ok for each in division)
    return "unread" if is_unread else "done"


def status_of(division: Sequence[WatchedShard]) -> dict[str, Any]:
    """Return the status of a run of which these shards have begun: sums, and what the newest start says."""
    newest = newest_of(division).status
    counts = Counts.sum_of([each.counts] for each in division)
    active = [each.status for each in division if each.active]
    rate = sum(status.get("rate") or 0.0 for status in active)
    open_calls = counts.planned - counts.answered - counts.error
    commands = _commands_to_continue(division)
    return {
        **newest,
        **counts.to_dict(),
        "shard": None,
        "total": counts.planned,
        "done": counts.answered,
        "message": _message(division, counts),
        "pace": [f"{quantity(len(active), 'shard')} active", *(active[0].get("pace") or ())]
        if active
        else [],
        "notes": list(dict.fromkeys(note for each in division for note in each.status.get("notes") or ())),
        "warnings": {
            name: words for each in division for name, words in (each.status.get("warnings") or {}).items()
        },
        "rate": round(rate, 3),
        "seconds_left": round(open_calls / rate, 1) if rate else None,
        "finished_at": None if active else newest.get("finished_at"),
        "command_to_continue": next(iter(commands), None),
        "commands_to_continue": commands,
        "shards": [each.facts() for each in division],
        "shards_to_begin": shards_to_begin(division),
        "command_for_the_rest": _OPTION.sub("", str(newest["command"])) if newest.get("command") else None,
    }


def of_all_starts(own: Mapping[str, Any], shards: Sequence[WatchedShard]) -> dict[str, Any]:
    """Return the fields of a status on all starts of a run, as a whole and in shards."""
    statuses = [*([own] if own else []), *(each.status for each in shards)]
    starts = [str(time) for each in statuses if (time := of_run(each, "first_started_at"))]
    return {
        "first_started_at": min(starts, default=None),
        "run_calls": sum(of_run(each, "run_calls") or 0 for each in statuses),
        "run_cost_usd": known_sum(of_run(each, "run_cost_usd") for each in statuses),
    }


def state_words(state: str, status: Mapping[str, Any]) -> str:
    """Return a run's state, with how many of its shards have begun if some have not."""
    if not status.get("shards_to_begin"):
        return state
    number = len(status["shards"])
    words = f"{number:,} of {number + len(status['shards_to_begin']):,} shards begun"
    return words if state == PARTIAL else f"{state}, {words}"


def shard_sentences(status: Mapping[str, Any]) -> Iterator[str]:
    """Yield how far each shard of a run is, and which have not begun."""
    by_state: dict[str, list[str]] = {}
    for shard in status.get("shards") or ():
        by_state.setdefault(shard["state"], []).append(shard["shard"])
    for state, names in by_state.items():
        yield f"{'Shard' if len(names) == 1 else 'Shards'} {join_names(names, _MOST_NAMED)}: {state}."
    if left := status.get("shards_to_begin"):
        yield f"Not begun: {join_names(left, _MOST_NAMED)}."


def shards_to_begin(division: Sequence[WatchedShard]) -> list[str]:
    """Return the shards of a division that have not begun, as K/N."""
    count, started = division[0].shard.count, {each.shard.number for each in division}
    return [f"{number}/{count}" for number in range(1, count + 1) if number not in started]


def _commands_to_continue(division: Sequence[WatchedShard]) -> list[str]:
    """Return the commands that go on: with the shards that ended early, and with those not yet begun."""
    commands = [command for each in division if (command := each.command_to_continue)]
    like = next((str(command) for each in division if (command := each.status.get("command"))), None)
    if like is not None:
        commands += [_OPTION.sub(f" --shard {name}", like) for name in shards_to_begin(division)]
    return commands


def _message(division: Sequence[WatchedShard], counts: Counts) -> str:
    """Return how far the shards are, and which have not begun."""
    words = RunReport(**vars(counts), run_id="", end="done").message
    count = division[0].shard.count
    if left := shards_to_begin(division):
        have = "has" if len(left) == 1 else "have"
        words += (
            f" in {len(division):,} of {count:,} shards; {join_names(left, _MOST_NAMED)} {have} not begun"
        )
    else:
        words += f" in {quantity(count, 'shard')}"
    for each in division:
        if each.state == "failed" and each.status.get("message"):
            words += f"; {each.name}: {each.status['message']}"
    return words


def _start(shard: WatchedShard) -> str:
    return str(shard.status.get("started_at") or "")
