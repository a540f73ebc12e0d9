"""What a run may still spend."""

from dataclasses import dataclass, field
from typing import Literal

Leave = Literal["yes", "wait", "no"]


@dataclass(slots=True)
class Budget:
    """A cap in US dollars over the whole run, kept by counting calls under way at the most they may cost.

    `cap` None: nothing is refused. `spent` is what answers cost so far, in this process and earlier ones.
    """

    cap: float | None = None
    spent: float = 0.0
    under_way: float = field(default=0.0, init=False)
    calls_under_way: int = field(default=0, init=False)

    def leave(self, most: float) -> Leave:
        """Return whether a call that costs `most` at most may be made.

        `wait`: not before those under way have ended, which may turn out cheaper.
        """
        if self.cap is None or self.spent + self.under_way + most <= self.cap:
            return "yes"
        return "wait" if self.calls_under_way else "no"

    def begin(self, most: float) -> None:
        """Count a call as under way."""
        self.under_way += most
        self.calls_under_way += 1

    def end(self, most: float, cost: float | None) -> None:
        """Count a call as ended; one of unknown cost has cost what it may have at most."""
        self.calls_under_way -= 1
        self.under_way = self.under_way - most if self.calls_under_way else 0.0
        self.spent += most if cost is None else cost
