"""The conclusion on each judge from its deciding number (MEASURES section 16).

Two questions are asked apart: does a judge overrate its own answers, by the error of sampling alone; and does
it because they are its own, beyond the tastes that judges have and on the same criteria? What takes further
fits (missing verdicts, the same criteria) is asked for only where it can matter, by `Checks`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from engine.conclusions import ALIKE, DISFAVOURS, FAVOURS, NOT_SHOWN, OVERRATES, TOO_FEW, UNDERRATES
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.adjusted_p import benjamini_hochberg
from engine.stats.intervals.jackknife import Estimates

Scale = Literal["odds", "ratio", "votes", "points"]

LOGARITHMIC = ("odds", "ratio")  # the scales on which values are logarithms
MATERIAL: dict[Scale, float] = {"odds": 1.25, "ratio": 1.25, "votes": 1.25, "points": 2.0}
"""The bounds of equivalence: odds and ratios from 1 / 1.25 to 1.25, points from -2 to 2."""
MOST_DETECTABLE: dict[Scale, float] = {"odds": np.log(3), "ratio": np.log(3), "votes": 0.15, "points": 10.0}
"""Cases are too few if the smallest difference that they would show with power .8 is larger."""

NO_OWN = (
    *("no_own_responses", "no_own_cells", "no_own_failures", "no_own_passes", "no_reference_of_own"),
    *("no_relatives", "no_cells_of_relatives", "no_reference_of_relatives"),
)
"""The reasons for which there is nothing to conclude on."""
SURE = 0.05
FEWEST_INSTANCES, FEWEST_EXPECTED, FEWEST_PAIRS = 10, 5, 20


@dataclass(frozen=True, eq=False)
class Evidence:
    """The deciding number of each judge and what a conclusion on it needs, each of shape (judges,).

    `own` has the error of sampling, `tastes` that of tastes as well. `discerned` and `discerned_tastes` are
    the same less what discernment explains, undefined where that is unknown; `shared` is the number less what
    a taste that judges share explains, with the error of tastes. `undefined` says why a judge has no number,
    `lacking` why its cases are too few, `enough` how many would not be. `given` are the shares of own cases
    that it gave. `relatives` is the evidence on how judges treat their families' responses, tested together
    with this; None if there is none.
    """

    scale: Scale
    own: Estimates
    tastes: Estimates
    discerned: Estimates
    discerned_tastes: Estimates
    shared: Estimates
    undefined: list[str | None]
    lacking: list[str | None]
    enough: Floats
    given: Floats
    material: float | None = None
    relatives: "Evidence | None" = None


@dataclass(frozen=True, eq=False)
class Tested:
    """One question's p-values, adjusted over all judges and claims about relatives, and the level it allows.

    `level` is that of intervals that agree with the adjusted p: 1 - .05 max(R, 1) / m, R of m being < .05.
    """

    adjusted: Floats
    level: float


@dataclass(frozen=True, eq=False)
class QuestionAnswers:
    """What the numbers alone say of each judge: `side` of question 1, what is `open` of question 2.

    `side` is 1 where it overrates its own, -1 where it underrates them, 0 where neither is shown; `discerned`
    marks where that holds less what discernment explains too. `open` names what question 2 fails on, None
    where it holds. `alike` marks where the plain interval lies within the bounds of equivalence. `shared` are
    the p-values of question 2 less what a shared taste explains.
    """

    evidence: Evidence
    first: Tested
    second: Tested
    shared: Tested
    side: Ints
    discerned: Bools
    open: list[str | None]
    alike: Bools

    @property
    def overrates(self) -> Ints:
        """The side of question 1 where it holds after discernment as well, else 0."""
        return np.where(self.discerned, self.side, 0)

    def same_side(self, judge: int, side: int) -> bool:
        """Return whether a judge is on this side by question 1."""
        return bool(self.overrates[judge] == side)


class Checks(Protocol):
    """What takes further fits: whether a conclusion on a judge withstands them."""

    def first_filled(self, judge: int, side: int) -> bool:
        """Return whether the answer to question 1 holds if missing verdicts speak against it."""

    def second_filled(self, judge: int, side: int) -> bool:
        """Return whether the answer to question 2 does."""

    def alike_filled(self, judge: int) -> bool:
        """Return whether no material preference holds whatever the missing verdicts would be."""

    def on_same_items(self, judge: int) -> bool:
        """Return whether the number holds on the criteria that the judge's own answers failed."""


@dataclass(frozen=True)
class Conclusion:
    """A conclusion, None where there is nothing to conclude on, and its reason."""

    code: str | None
    reason: str | None


@dataclass(frozen=True, eq=False)
class Lack:
    """Why each judge's own cases are too few, None where they are not, and how many would be enough.

    `enough` is infinite where no number would be, as far as the study tells.
    """

    codes: list[str | None]
    enough: Floats

    @classmethod
    def of(cls, n_own: Ints, fewest: dict[str, tuple[Ints | Floats, int]]) -> "Lack":
        """Return it from what must be at least so much, by code; all grow as the own cases do."""
        codes = np.select([number < least for number, least in fewest.values()], list(fewest), "")
        with np.errstate(divide="ignore", invalid="ignore"):
            each = [np.where(number > 0, n_own * least / number, np.inf) for number, least in fewest.values()]
        return cls([code or None for code in codes.tolist()], np.max(each, axis=0))


def lack_of_cells(n_own: Ints, instances: Ints, rate: Floats) -> Lack:
    """Return why own cells are too few; `rate`, the judge's on others' cells, says how many are credited."""
    rate = np.nan_to_num(rate)
    fewest: dict[str, tuple[Ints | Floats, int]] = {
        "few_instances": (instances, FEWEST_INSTANCES),
        "few_credited": (n_own * rate, FEWEST_EXPECTED),
        "few_uncredited": (n_own * (1 - rate), FEWEST_EXPECTED),
    }
    return Lack.of(n_own, fewest)


def lack_of_pairs(pairs: Ints, instances: Ints) -> Lack:
    return Lack.of(
        pairs, {"few_pairs": (pairs, FEWEST_PAIRS), "few_instances": (instances, FEWEST_INSTANCES)}
    )


def lack_of_instances(n_own: Ints, instances: Ints) -> Lack:
    return Lack.of(n_own, {"few_instances": (instances, FEWEST_INSTANCES)})


def answer(evidence: Evidence) -> tuple[QuestionAnswers, QuestionAnswers | None]:
    """Answer both questions about judges, and about their relatives, by the numbers alone.

    P-values of each question are adjusted over all judges and all claims about relatives (Benjamini and
    Hochberg), those of the numbers less discernment or a shared taste likewise.
    """
    kinds = [evidence] if evidence.relatives is None else [evidence, evidence.relatives]
    names = ("own", "tastes", "discerned", "discerned_tastes", "shared")
    tested = {name: _tested([getattr(kind, name) for kind in kinds]) for name in names}
    answers = [
        _answers(kind, {name: of[place] for name, of in tested.items()}) for place, kind in enumerate(kinds)
    ]
    return answers[0], answers[1] if len(answers) > 1 else None


def _tested(numbers: list[Estimates]) -> list[Tested]:
    adjusted = benjamini_hochberg(np.concatenate([number.p() for number in numbers]))
    tests, rejected = np.isfinite(adjusted).sum(), (adjusted < SURE).sum()
    level = 1 - SURE * max(int(rejected), 1) / max(int(tests), 1)
    return [Tested(part, level) for part in np.split(adjusted, len(numbers))]


def _answers(evidence: Evidence, tested: dict[str, Tested]) -> QuestionAnswers:
    own, sign = evidence.own, np.sign(np.nan_to_num(evidence.own.value)).astype(np.int64)

    def holds(name: str) -> Bools:
        number: Estimates = getattr(evidence, name)
        with np.errstate(invalid="ignore"):
            same = np.sign(number.value) == sign
        return np.asarray(same & (tested[name].adjusted < SURE))

    enough = np.array([code is None for code in evidence.lacking], dtype=bool)
    side = np.where(enough & (tested["own"].adjusted < SURE), sign, 0)
    untold = ~evidence.discerned.defined
    defined = evidence.tastes.defined
    beyond = holds("tastes") & (untold | holds("discerned_tastes"))
    shared = holds("shared") | ~evidence.shared.defined
    codes = np.select(
        (~defined, ~beyond, ~shared), ("tastes_unknown", "within_tastes", "shared_taste"), ""
    ).tolist()
    return QuestionAnswers(
        evidence,
        tested["own"],
        tested["tastes"],
        tested["shared"],
        side,
        untold | holds("discerned"),
        [code or None for code in codes],
        _within_bounds(evidence) & own.defined,
    )


def _within_bounds(evidence: Evidence) -> Bools:
    """Return where the plain 95 % interval lies within the bounds of equivalence."""
    low, high = evidence.own.interval()
    bound = MATERIAL[evidence.scale] if evidence.material is None else evidence.material
    if evidence.scale == "points":
        return np.asarray((low >= -bound) & (high <= bound))
    if evidence.scale in LOGARITHMIC:
        return np.asarray((low >= -np.log(bound)) & (high <= np.log(bound)))
    given = evidence.given
    inside = (given - high > 0) & (given - low < 1) & (given > 0) & (given < 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = [given / (1 - given) / ((given - end) / (1 - given + end)) for end in (low, high)]
        return np.asarray(inside & (odds[0] >= 1 / bound) & (odds[1] <= bound))


def conclude(answers: QuestionAnswers, checks: Checks, judges: Sequence[int] | Ints) -> list[Conclusion]:
    """Return the conclusion on each judge; those not in `judges` are not checked further.

    Claims come first, then no material preference, then too few cases, then what is not shown (section 16). A
    difference that is shown, but that discernment may explain, is not one for which cases are too few.
    """
    checked = set(np.asarray(judges).tolist())
    return [_conclusion(answers, checks if j in checked else NO_CHECKS, j) for j in range(len(answers.side))]


def _conclusion(answers: QuestionAnswers, checks: Checks, judge: int) -> Conclusion:
    evidence, side = answers.evidence, int(answers.side[judge])
    if code := evidence.undefined[judge]:
        return Conclusion(None if code in NO_OWN else TOO_FEW, code)
    if not evidence.own.defined[judge]:
        alike = evidence.own.se[judge] == 0
        return Conclusion(TOO_FEW, "all_differences_alike" if alike else "hangs_on_one_instance")
    if side:
        if not checks.first_filled(judge, side):
            return Conclusion(NOT_SHOWN, "missing_verdicts")
        if answers.discerned[judge]:
            reason = _open(answers, checks, judge, side)
            firm, rest = (FAVOURS, OVERRATES) if side > 0 else (DISFAVOURS, UNDERRATES)
            return Conclusion(firm if reason is None else rest, reason)
    if answers.alike[judge]:
        if checks.alike_filled(judge):
            return Conclusion(ALIKE, None)
        return Conclusion(NOT_SHOWN, "missing_verdicts")
    if side:
        return Conclusion(NOT_SHOWN, "discernment")
    if evidence.lacking[judge] is not None:
        return Conclusion(TOO_FEW, evidence.lacking[judge])
    if evidence.own.detectable(0.0)[judge] > MOST_DETECTABLE[evidence.scale]:
        return Conclusion(TOO_FEW, "not_detectable")
    return Conclusion(NOT_SHOWN, "adjustment" if evidence.own.p()[judge] < SURE else "undecided")


def _open(answers: QuestionAnswers, checks: Checks, judge: int, side: int) -> str | None:
    """Return what question 2 leaves open, the first in section 16's order; None if it holds."""
    code = answers.open[judge]
    if code == "tastes_unknown":
        return code
    if not checks.on_same_items(judge):
        return "same_items"
    if code is not None:
        return code
    return None if checks.second_filled(judge, side) else "missing_verdicts"


class _NoChecks:
    """Every conclusion holds: for judges that are not shown, and for refits."""

    def first_filled(self, judge: int, side: int) -> bool:  # noqa: ARG002
        return True

    def second_filled(self, judge: int, side: int) -> bool:  # noqa: ARG002
        return True

    def alike_filled(self, judge: int) -> bool:  # noqa: ARG002
        return True

    def on_same_items(self, judge: int) -> bool:  # noqa: ARG002
        return True


NO_CHECKS: Checks = _NoChecks()
