"""What the gate says of the newest run alone, where it takes several together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engine.arrays.run_order import runs_in_order
from engine.errors import UsageError
from engine.explore.gate import GateResult, GateStatus, UncheckedError, overall
from engine.measures.merged_repeats import merged_repeats

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy


class GateOfRuns(Protocol):
    """A check of the gate, complete but for the runs."""

    def __call__(self, *, runs: Sequence[str]) -> list[GateResult]: ...


@dataclass(frozen=True)
class NewestRun:
    """The results in the newest run; none, and the reason, where nothing is checked in it.

    `added` are its judges where no other run has a judgment of theirs: it shows no change of a judge.
    """

    run: str
    results: tuple[GateResult, ...]
    reason: str | None = None
    added: tuple[str, ...] = ()

    @property
    def status(self) -> GateStatus | None:
        return overall(self.results) if self.results else None

    def facts(self) -> dict[str, Any]:
        """Return the run, its status, that of each judge, and why there is none."""
        judges = {result.judge: result.status for result in self.results}
        return {"run": self.run, "status": self.status, "judges": judges, "reason": self.reason}


def newest_alone(
    study: "MeasuredStudy",
    runs: Sequence[str],
    judges: Sequence[str],
    filters: Mapping[str, Any],
    check: GateOfRuns,
) -> NewestRun | None:
    """Return what `check` says of the newest of these runs (none: of all); None where only one counts.

    A run counts if it has judgments of the paradigm that decides, by one of the `judges` (none: by any).
    `filters` are the others of the check.
    """
    paradigm = merged_repeats(study, {**filters, "run": runs}).paradigm
    counted = [run for run in runs_in_order(study, paradigm, judges) if not runs or run in runs]
    if len(counted) < 2:
        return None
    newest, before = counted[-1], counted[:-1]
    own = [name for name in study.inventory.values("judge", run_id=[newest]) if name is not None]
    added = () if set(own) & set(study.inventory.values("judge", run_id=before)) else tuple(own)
    try:
        return NewestRun(newest, tuple(check(runs=(newest,))), added=added)
    except UsageError as error:
        reason = error.reason if isinstance(error, UncheckedError) else str(error)
        return NewestRun(newest, (), reason, added)
