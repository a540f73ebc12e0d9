"""How often the judges together agree with what is true, for the question whether one is read inverted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.arrays.one_thread import one_thread
from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError
from engine.measures.merged_repeats import deciding_view, slice_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.slices import Slice

_FEWEST = 100
"""Of so many verdicts less than `_FEW` are no half by chance: the 95 % interval of 39 in 100 ends at .49."""

_FEW = 0.4


@dataclass(frozen=True)
class TruthAgreement:
    """Verdicts on criteria of all judges, pooled: how many have a truth, and how many agree with it.

    `passed` and `failed` count them by the truth, `under` and `over` are those of each that disagree.
    """

    n: int = 0
    correct: int = 0
    passed: int = 0
    failed: int = 0
    under: int = 0
    over: int = 0

    @property
    def is_inverted(self) -> bool:
        """Whether the judges agree with the truth in less than 40 % of 100 verdicts or more, against chance.

        Judges who are only stricter or more lenient than the truth agree as rarely, but pass what is truly
        met more often than the rest. Judges who pass it more rarely say the opposite of it.
        """
        if self.n < _FEWEST or self.correct >= _FEW * self.n or not self.passed or not self.failed:
            return False
        return 1 - self.under / self.passed < self.over / self.failed


def truth_agreement(
    study: "MeasuredStudy", filters: Mapping[str, Any], polarity: str | None = None
) -> TruthAgreement:
    """Return the agreement in the verdicts on criteria that a result with these `filters` takes.

    With a `polarity` only those on criteria of this sign count.
    """
    spec = slice_of(filters)
    if polarity is not None:
        if spec.polarity not in (None, polarity):
            return TruthAgreement()
        spec = replace(spec, polarity=polarity)
    return study.remember(("truth agreement", spec), lambda: _of_slice(study, spec))


@one_thread()
def _of_slice(study: "MeasuredStudy", spec: "Slice") -> TruthAgreement:
    if not study.has_truth:
        return TruthAgreement()
    try:
        view = deciding_view(study, spec)
    except (NoDataError, UsageError):  # of a slice that is refused, or has nothing
        return TruthAgreement()
    if not view.request.of_rubrics:
        return TruthAgreement()
    counts = view.rubric
    names = ("counted", "correct", "passed", "failed", "under", "over")
    return TruthAgreement(*(int(getattr(counts, name).total.sum()) for name in names))
