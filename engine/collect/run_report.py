"""What came of a run."""

from dataclasses import dataclass, field
from typing import Any, Literal

End = Literal["done", "errors", "budget", "interrupted"]
EXIT_CODES: dict[End, int] = {"done": 0, "errors": 1, "budget": 1, "interrupted": 130}

_FIELDS = (
    "planned",
    "done",
    "ok",
    "unparsed",
    "refused",
    "error",
    "already_done",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
    "seconds",
    "run_id",
    "with_provider",
)


@dataclass(frozen=True, slots=True)
class RunReport:
    """The numbers of `spb run --format json`; all but `already_done` and `planned` are of this process.

    `planned` are all calls of the plan; `done` those answered now (`ok`, `unparsed` or `refused`),
    `already_done` those answered before. `error` counts calls without an answer, those of a model that was
    given up included. `calls` are HTTP requests, retries included. `cost_usd` is None where a price is
    unknown. `errors` are failed calls by kind; `given_up` are models with the words of the failure that ended
    it; `unanswered` the responses that are not there, so that nobody was asked about them; `abandoned` the
    calls that were under way when an interruption's grace ended; `with_provider` those in batches that are
    still under way, which the same command collects. `spent` is what the run cost in all, under
    the `cap`.
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
    given_up: dict[str, str] = field(default_factory=dict)
    unanswered: int = 0
    abandoned: int = 0
    spent: float = 0.0
    cap: float | None = None
    with_provider: int = 0

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
        if self.error:
            kinds = ", ".join(f"{kind} {number:,}" for kind, number in self.errors.items())
            words.append(f"{self.error:,} errors" + (f" ({kinds})" if kinds else ""))
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
        if self.end == "interrupted":
            words.append("interrupted")
        return "; ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of `--format json`."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return values | {"errors": self.errors, "given_up": self.given_up, "state": self.end}
