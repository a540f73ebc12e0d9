"""What came of a run: its numbers, its words and its exit code."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.collect.model_settings import known_sum
from engine.collect.run_folder import TAKEN, cache_words, shortfall_words, stand_in_words

End = Literal["done", "errors", "unread", "budget", "time", "interrupted"]
EXIT_CODES: dict[End, int] = {
    "done": 0, "errors": 3, "budget": 4, "unread": 5, "time": 7, "interrupted": 130,
}  # fmt: skip
"""What the command ends with: 0 all answered, 3 some unanswered, 4 stopped by the cap, 5 all answered and
nothing could be read, 7 stopped by `max_minutes`. 1 is an error, 2 a wrong use, 6 another run at work."""

_FIELDS = (
    *("planned", "done", "ok", "unparsed", "refused", "error", "already_done"),
    *(*TAKEN, "seconds", "run_id", "with_provider"),
)


@dataclass(frozen=True, slots=True)
class RunReport:
    """The numbers of `spb run --format json`; all but `already_done` and `planned` are of this process.

    `planned` are all calls of the plan; `done` those answered now (`ok`, `unparsed` or `refused`),
    `already_done` those answered before. `error` counts calls without an answer, those of a model that was
    given up included. `calls` are HTTP requests, retries included. `cost_usd` is None where a price is
    unknown. `errors` are failed calls by kind, `error_words` what was said of them, the most frequent first;
    `shortfalls` are unparsed answers by what they fall short of; `stood_in` are calls that a
    fallback answered, by "SPARE for MODEL"; `given_up` are models with the words of the
    failure that ended it; `unanswered` the responses that are not there, so that nobody was asked about them;
    `abandoned` the calls that were under way when an interruption's grace ended; `with_provider` those in
    batches that are still under way, which the same command collects. `spent` is what the run cost in all,
    under the `cap`.
    """

    run_id: str
    end: End
    planned: int
    ok: int
    unparsed: int
    refused: int
    error: int
    already_done: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    seconds: float
    errors: dict[str, int] = field(default_factory=dict)
    error_words: tuple[tuple[str, int], ...] = ()
    shortfalls: dict[str, int] = field(default_factory=dict)
    stood_in: dict[str, int] = field(default_factory=dict)
    given_up: dict[str, str] = field(default_factory=dict)
    unanswered: int = 0
    abandoned: int = 0
    spent: float = 0.0
    cap: float | None = None
    with_provider: int = 0
    cached: int = 0
    saved_usd: float = 0.0

    @property
    def done(self) -> int:
        """Calls answered by this process."""
        return self.ok + self.unparsed + self.refused

    @property
    def left(self) -> int:
        """Planned calls without an answer."""
        return self.planned - self.done - self.already_done

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        return EXIT_CODES[self.end]

    @property
    def message(self) -> str:
        """How it ended, in a few words."""
        words = [f"{self.done + self.already_done:,} of {self.planned:,} calls answered"]
        words += filter(None, [cache_words(self.cached, self.saved_usd)])
        if self.error:
            kinds = ", ".join(f"{kind} {number:,}" for kind, number in self.errors.items())
            words.append(f"{self.error:,} errors" + (f" ({kinds})" if kinds else ""))
        if self.shortfalls:
            words.append(", ".join(shortfall_words(self.shortfalls)))
        words += stand_in_words(self.stood_in)
        if self.unanswered:
            words.append(f"{self.unanswered:,} responses are missing, which nobody was asked about")
        if self.abandoned:
            words.append(f"{self.abandoned:,} calls under way were given up")
        if self.with_provider:
            words.append(f"{self.with_provider:,} are with the provider in batches")
        if self.end == "budget":
            words.append(
                f"the budget of ${self.cap:,.4g} does not allow another call (${self.spent:,.4g} spent)"
            )
        if self.end == "time":
            words.append("the time of this start (max_minutes) is over")
        if self.end == "interrupted":
            words.append("interrupted")
        return "; ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of `--format json`."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return values | {
            "errors": self.errors,
            "error_words": [list(each) for each in self.error_words],
            "shortfalls": self.shortfalls,
            "stood_in": self.stood_in,
            "given_up": self.given_up,
            "state": self.end,
        }


_WORST_FIRST: tuple[End, ...] = ("interrupted", "budget", "time", "errors", "unread")
_MOST_WORDS = 5


def joined(run_id: str, reports: list[RunReport]) -> RunReport:
    """Return the sum of the shards' reports."""
    numbers = ("planned", "ok", "unparsed", "refused", "error", "already_done", "seconds", "abandoned")
    sums: dict[str, Any] = {
        name: known_sum(getattr(report, name) for report in reports) for name in (*numbers, *TAKEN)
    }
    ends = [report.end for report in reports]
    worst: End = next((end for end in _WORST_FIRST if end in ends), "done")
    if worst == "unread" and sums["ok"] + sums["refused"]:
        worst = "done"
    return RunReport(
        run_id=run_id,
        end=worst,
        **sums,
        errors=counted(report.errors for report in reports),
        error_words=tuple(pair for report in reports for pair in report.error_words)[:_MOST_WORDS],
        shortfalls=counted(report.shortfalls for report in reports),
        stood_in=counted(report.stood_in for report in reports),
        given_up={name: words for report in reports for name, words in report.given_up.items()},
        unanswered=max((report.unanswered for report in reports), default=0),
        spent=max((report.spent for report in reports), default=0.0),
        cap=max((report.cap for report in reports if report.cap is not None), default=None),
    )


def counted(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of counts by name."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
